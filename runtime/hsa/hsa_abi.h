/* hsa_abi.h -- the HSA runtime's binary interface as far as this library speaks it: types, numbers,
 * functions. Declared here, so that building needs no ROCm headers; names and meaning are the
 * standard's, layouts are demanded by abi.c and compared with AMD's headers by tests/hsa/test_abi.c.
 * HSA Runtime Programmer's Reference Manual 1.2, chapter 2; AMD's extensions as in ROCm 5.2 to 6.2. */
#ifndef HSA_HSA_ABI_H
#define HSA_HSA_ABI_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HSA_API __attribute__((visibility("default")))

typedef enum hsa_status_t {
#define STATUS(name, value, text) name = value,
#define CONST(name, value)
#define LATER(name, value)
#define FIELD(type, member, offset, size)
#define SIZE(type, size)
#include "hsa/hsa_abi.def"
} hsa_status_t;
/* Attributes, kinds and flags travel as plain 32-bit numbers. */
enum {
#define STATUS(name, value, text)
#define CONST(name, value) name = value,
#define LATER(name, value) name = value,
#define FIELD(type, member, offset, size)
#define SIZE(type, size)
#include "hsa/hsa_abi.def"
};

/* Handles: opaque numbers, 0 none. */
#define HANDLE(name) typedef struct name { uint64_t handle; } name;
HANDLE(hsa_agent_t)
HANDLE(hsa_isa_t)
HANDLE(hsa_cache_t)
HANDLE(hsa_wavefront_t)
HANDLE(hsa_signal_t)
HANDLE(hsa_signal_group_t)
HANDLE(hsa_region_t)
HANDLE(hsa_amd_memory_pool_t)
HANDLE(hsa_code_object_reader_t)
HANDLE(hsa_executable_t)
HANDLE(hsa_loaded_code_object_t)
HANDLE(hsa_executable_symbol_t)
#undef HANDLE
typedef int64_t hsa_signal_value_t;
typedef struct hsa_dim3_t { uint32_t x, y, z; } hsa_dim3_t;

/* ---- Queues and packets ---------------------------------------------------------------------- */

typedef struct hsa_queue_t {
	uint32_t type, features;
	void *base_address;          /* the ring: size packets of 64 bytes */
	hsa_signal_t doorbell_signal;
	uint32_t size;               /* packets, a power of two */
	uint32_t reserved1;
	uint64_t id;
} hsa_queue_t;

typedef struct amd_queue_t {
	_Alignas(64) hsa_queue_t hsa_queue;
	uint32_t reserved1[4];
	uint64_t write_dispatch_id;  /* next packet to be written; the ring's place is its remainder */
	uint32_t group_segment_aperture_base_hi, private_segment_aperture_base_hi;
	uint32_t max_cu_id, max_wave_id;
	uint64_t max_legacy_doorbell_dispatch_id_plus_1;
	uint32_t legacy_doorbell_lock;
	uint32_t reserved2[9];
	uint64_t read_dispatch_id;   /* next packet to be executed */
	uint32_t read_dispatch_id_field_base_byte_offset;
	uint32_t compute_tmpring_size;
	uint32_t scratch_resource_descriptor[4];
	uint64_t scratch_backing_memory_location, scratch_backing_memory_byte_size;
	uint32_t scratch_wave64_lane_byte_size;
	uint32_t queue_properties;
	uint32_t reserved3[2];
	hsa_signal_t queue_inactive_signal;
	uint32_t reserved4[14];
} amd_queue_t;

/* A signal's handle is the address of one of these; kernels change value themselves. */
typedef struct amd_signal_t {
	_Alignas(64) int64_t kind;
	int64_t value;
	uint64_t event_mailbox_ptr;
	uint32_t event_id, reserved1;
	uint64_t start_ts, end_ts;   /* of what completed it; ns */
	amd_queue_t *queue_ptr;      /* of a doorbell */
	uint32_t reserved3[2];
} amd_signal_t;

typedef struct hsa_kernel_dispatch_packet_t {
	uint16_t header, setup;
	uint16_t workgroup_size_x, workgroup_size_y, workgroup_size_z, reserved0;
	uint32_t grid_size_x, grid_size_y, grid_size_z;      /* work-items */
	uint32_t private_segment_size, group_segment_size;   /* bytes a work-item, a workgroup */
	uint64_t kernel_object;
	void *kernarg_address;
	uint64_t reserved2;
	hsa_signal_t completion_signal;
} hsa_kernel_dispatch_packet_t;

/* Barrier-or packets look the same. */
typedef struct hsa_barrier_and_packet_t {
	uint16_t header, reserved0;
	uint32_t reserved1;
	hsa_signal_t dep_signal[5];
	uint64_t reserved2;
	hsa_signal_t completion_signal;
} hsa_barrier_and_packet_t;

typedef struct hsa_amd_vendor_packet_header_t {
	uint16_t header;
	uint8_t AmdFormat, reserved;
} hsa_amd_vendor_packet_header_t;

/* Waits until (signal & mask) cond value. */
typedef struct hsa_amd_barrier_value_packet_t {
	hsa_amd_vendor_packet_header_t header;
	uint32_t reserved0;
	hsa_signal_t signal;
	hsa_signal_value_t value, mask;
	uint32_t cond, reserved1;
	uint64_t reserved2, reserved3;
	hsa_signal_t completion_signal;
} hsa_amd_barrier_value_packet_t;

/* ---- Memory, profiling, loader --------------------------------------------------------------- */

typedef struct hsa_pitched_ptr_t {
	void *base;
	size_t pitch, slice;         /* bytes from row to row, from plane to plane */
} hsa_pitched_ptr_t;

typedef struct hsa_amd_memory_pool_link_info_t {
	uint32_t min_latency, max_latency, min_bandwidth, max_bandwidth;
	bool atomic_support_32bit, atomic_support_64bit, coherent_support;
	uint32_t link_type, numa_distance;
} hsa_amd_memory_pool_link_info_t;

typedef struct hsa_amd_pointer_info_t {
	uint32_t size;               /* of the caller's structure */
	uint32_t type;
	void *agentBaseAddress, *hostBaseAddress;
	size_t sizeInBytes;
	void *userData;
	hsa_agent_t agentOwner;
	uint32_t global_flags;
} hsa_amd_pointer_info_t;

typedef struct hsa_amd_hdp_flush_t { uint32_t *HDP_MEM_FLUSH_CNTL, *HDP_REG_FLUSH_CNTL; } hsa_amd_hdp_flush_t;
typedef struct hsa_amd_profiling_dispatch_time_t { uint64_t start, end; } hsa_amd_profiling_dispatch_time_t;
typedef hsa_amd_profiling_dispatch_time_t hsa_amd_profiling_async_copy_time_t;

typedef bool (*hsa_amd_signal_handler)(hsa_signal_value_t value, void *arg);
typedef void (*hsa_amd_deallocation_callback_t)(void *ptr, void *user);
/* What a fault of memory tells the system event handler. */
typedef struct hsa_amd_event_t {
	uint32_t event_type;         /* 0: memory fault */
	hsa_agent_t agent;
	uint64_t virtual_address;
	uint32_t fault_reason_mask;  /* 1: not present, 2: read-only */
} hsa_amd_event_t;
typedef hsa_status_t (*hsa_amd_system_event_callback_t)(const hsa_amd_event_t *, void *);
typedef void (*hsa_queue_callback)(hsa_status_t, hsa_queue_t *, void *);

typedef struct hsa_ven_amd_loader_segment_descriptor_t {
	hsa_agent_t agent;
	hsa_executable_t executable;
	uint32_t code_object_storage_type;
	const void *code_object_storage_base;
	size_t code_object_storage_size, code_object_storage_offset;
	const void *segment_base;
	size_t segment_size;
} hsa_ven_amd_loader_segment_descriptor_t;

/* Version 1.03 of the loader extension's table; older ones are its beginning. */
typedef struct hsa_ven_amd_loader_1_03_pfn_t {
	hsa_status_t (*query_host_address)(const void *device, const void **host);
	hsa_status_t (*query_segment_descriptors)(hsa_ven_amd_loader_segment_descriptor_t *, size_t *);
	hsa_status_t (*query_executable)(const void *device, hsa_executable_t *);
	hsa_status_t (*iterate_loaded)(hsa_executable_t, hsa_status_t (*)(hsa_executable_t,
		hsa_loaded_code_object_t, void *), void *);
	hsa_status_t (*loaded_get_info)(hsa_loaded_code_object_t, uint32_t, void *);
	hsa_status_t (*reader_from_part)(int, size_t, size_t, hsa_code_object_reader_t *);
	hsa_status_t (*iterate_executables)(hsa_status_t (*)(hsa_executable_t, void *), void *);
} hsa_ven_amd_loader_1_03_pfn_t;

/* ---- Functions ------------------------------------------------------------------------------- */

/* system.c */
HSA_API hsa_status_t hsa_init(void);
HSA_API hsa_status_t hsa_shut_down(void);
HSA_API hsa_status_t hsa_status_string(hsa_status_t, const char **);
HSA_API hsa_status_t hsa_system_get_info(uint32_t attribute, void *value);
HSA_API hsa_status_t hsa_extension_get_name(uint16_t, const char **);
HSA_API hsa_status_t hsa_system_extension_supported(uint16_t, uint16_t, uint16_t, bool *);
HSA_API hsa_status_t hsa_system_major_extension_supported(uint16_t, uint16_t, uint16_t *, bool *);
HSA_API hsa_status_t hsa_agent_extension_supported(uint16_t, hsa_agent_t, uint16_t, uint16_t, bool *);
HSA_API hsa_status_t hsa_agent_major_extension_supported(uint16_t, hsa_agent_t, uint16_t, uint16_t *, bool *);
HSA_API hsa_status_t hsa_system_get_extension_table(uint16_t, uint16_t, uint16_t, void *);
HSA_API hsa_status_t hsa_system_get_major_extension_table(uint16_t, uint16_t, size_t, void *);
/* agent.c */
HSA_API hsa_status_t hsa_iterate_agents(hsa_status_t (*)(hsa_agent_t, void *), void *);
HSA_API hsa_status_t hsa_agent_get_info(hsa_agent_t, uint32_t attribute, void *value);
HSA_API hsa_status_t hsa_agent_iterate_isas(hsa_agent_t, hsa_status_t (*)(hsa_isa_t, void *), void *);
HSA_API hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t, uint32_t profile, uint16_t *);
HSA_API hsa_status_t hsa_agent_iterate_caches(hsa_agent_t, hsa_status_t (*)(hsa_cache_t, void *), void *);
HSA_API hsa_status_t hsa_cache_get_info(hsa_cache_t, uint32_t, void *);
HSA_API hsa_status_t hsa_isa_get_info(hsa_isa_t, uint32_t attribute, uint32_t index, void *);
HSA_API hsa_status_t hsa_isa_get_info_alt(hsa_isa_t, uint32_t attribute, void *);
HSA_API hsa_status_t hsa_isa_from_name(const char *, hsa_isa_t *);
HSA_API hsa_status_t hsa_isa_compatible(hsa_isa_t code, hsa_isa_t agent, bool *);
HSA_API hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t, uint32_t, uint16_t *);
HSA_API hsa_status_t hsa_isa_get_round_method(hsa_isa_t, uint32_t, uint32_t, uint32_t *);
HSA_API hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t, hsa_status_t (*)(hsa_wavefront_t, void *), void *);
HSA_API hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t, uint32_t, void *);
/* memory.c, region.c */
HSA_API hsa_status_t hsa_agent_iterate_regions(hsa_agent_t, hsa_status_t (*)(hsa_region_t, void *), void *);
HSA_API hsa_status_t hsa_region_get_info(hsa_region_t, uint32_t, void *);
HSA_API hsa_status_t hsa_memory_allocate(hsa_region_t, size_t, void **);
HSA_API hsa_status_t hsa_memory_free(void *);
HSA_API hsa_status_t hsa_memory_copy(void *, const void *, size_t);
HSA_API hsa_status_t hsa_memory_assign_agent(void *, hsa_agent_t, uint32_t access);
HSA_API hsa_status_t hsa_memory_register(void *, size_t);
HSA_API hsa_status_t hsa_memory_deregister(void *, size_t);
HSA_API hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t,
	hsa_status_t (*)(hsa_amd_memory_pool_t, void *), void *);
HSA_API hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t, uint32_t, void *);
HSA_API hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t, hsa_amd_memory_pool_t, uint32_t, void *);
HSA_API hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t, size_t, uint32_t flags, void **);
HSA_API hsa_status_t hsa_amd_memory_pool_free(void *);
HSA_API hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t, hsa_amd_memory_pool_t, bool *);
HSA_API hsa_status_t hsa_amd_agents_allow_access(uint32_t n, const hsa_agent_t *, const uint32_t *flags, const void *);
HSA_API hsa_status_t hsa_amd_memory_lock(void *host, size_t, hsa_agent_t *, int n, void **agent_ptr);
HSA_API hsa_status_t hsa_amd_memory_lock_to_pool(void *host, size_t, hsa_agent_t *, int n,
	hsa_amd_memory_pool_t, uint32_t flags, void **agent_ptr);
HSA_API hsa_status_t hsa_amd_memory_unlock(void *host);
HSA_API hsa_status_t hsa_amd_memory_fill(void *, uint32_t value, size_t count);
HSA_API hsa_status_t hsa_amd_pointer_info(const void *, hsa_amd_pointer_info_t *, void *(*alloc)(size_t),
	uint32_t *n, hsa_agent_t **accessible);
HSA_API hsa_status_t hsa_amd_pointer_info_set_userdata(const void *, void *);
HSA_API hsa_status_t hsa_amd_register_deallocation_callback(void *, hsa_amd_deallocation_callback_t, void *);
HSA_API hsa_status_t hsa_amd_deregister_deallocation_callback(void *, hsa_amd_deallocation_callback_t);
HSA_API hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t, uint32_t *);
HSA_API hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t, uint32_t);
/* copy.c */
HSA_API hsa_status_t hsa_amd_memory_async_copy(void *, hsa_agent_t, const void *, hsa_agent_t, size_t,
	uint32_t ndeps, const hsa_signal_t *deps, hsa_signal_t completion);
HSA_API hsa_status_t hsa_amd_memory_async_copy_on_engine(void *, hsa_agent_t, const void *, hsa_agent_t, size_t,
	uint32_t ndeps, const hsa_signal_t *deps, hsa_signal_t completion, uint32_t engine, bool force);
HSA_API hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t, hsa_agent_t, uint32_t *mask);
HSA_API hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t, hsa_agent_t, uint32_t *mask);
HSA_API hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t *, const hsa_dim3_t *,
	const hsa_pitched_ptr_t *, const hsa_dim3_t *, const hsa_dim3_t *range, hsa_agent_t, uint32_t direction,
	uint32_t ndeps, const hsa_signal_t *deps, hsa_signal_t completion);
HSA_API hsa_status_t hsa_amd_profiling_async_copy_enable(bool);
HSA_API hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t, hsa_amd_profiling_async_copy_time_t *);
/* signal.c */
HSA_API hsa_status_t hsa_signal_create(hsa_signal_value_t, uint32_t n, const hsa_agent_t *, hsa_signal_t *);
HSA_API hsa_status_t hsa_amd_signal_create(hsa_signal_value_t, uint32_t n, const hsa_agent_t *, uint64_t attributes,
	hsa_signal_t *);
HSA_API hsa_status_t hsa_signal_destroy(hsa_signal_t);
HSA_API hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t, volatile hsa_signal_value_t **);
/* Each operation in each order; all are done in the strongest. */
#define SIGNAL_OP(op, order) HSA_API void hsa_signal_##op##_##order(hsa_signal_t, hsa_signal_value_t);
#define SIGNAL_GET(op, order) HSA_API hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t);
#define SIGNAL_SWAP(op, order) HSA_API hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t, hsa_signal_value_t);
#define SIGNAL_CAS(op, order) HSA_API hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t, \
	hsa_signal_value_t expected, hsa_signal_value_t);
#define SIGNAL_WAIT(op, order) HSA_API hsa_signal_value_t hsa_signal_##op##_##order(hsa_signal_t, uint32_t condition, \
	hsa_signal_value_t, uint64_t timeout, uint32_t state);
#define QUEUE_LOAD(which, order) HSA_API uint64_t hsa_queue_load_##which##_index_##order(const hsa_queue_t *);
#define QUEUE_STORE(which, order) HSA_API void hsa_queue_store_##which##_index_##order(const hsa_queue_t *, uint64_t);
#define QUEUE_CAS(which, order) HSA_API uint64_t hsa_queue_cas_##which##_index_##order(const hsa_queue_t *, \
	uint64_t expected, uint64_t value);
#define QUEUE_ADD(which, order) HSA_API uint64_t hsa_queue_add_##which##_index_##order(const hsa_queue_t *, uint64_t);
#include "hsa/order.def"
HSA_API hsa_status_t hsa_signal_group_create(uint32_t, const hsa_signal_t *, uint32_t, const hsa_agent_t *,
	hsa_signal_group_t *);
HSA_API hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t);
HSA_API hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t, const uint32_t *conditions,
	const hsa_signal_value_t *, uint32_t state, hsa_signal_t *, hsa_signal_value_t *);
HSA_API hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t, const uint32_t *conditions,
	const hsa_signal_value_t *, uint32_t state, hsa_signal_t *, hsa_signal_value_t *);
HSA_API uint32_t hsa_amd_signal_wait_any(uint32_t n, hsa_signal_t *, uint32_t *conditions, hsa_signal_value_t *,
	uint64_t timeout, uint32_t state, hsa_signal_value_t *value);
HSA_API uint32_t hsa_amd_signal_wait_all(uint32_t n, hsa_signal_t *, uint32_t *conditions, hsa_signal_value_t *,
	uint64_t timeout, uint32_t state, hsa_signal_value_t *value);
HSA_API hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t, uint32_t condition, hsa_signal_value_t,
	hsa_amd_signal_handler, void *);
HSA_API hsa_status_t hsa_amd_async_function(void (*)(void *), void *);
/* queue.c */
HSA_API hsa_status_t hsa_queue_create(hsa_agent_t, uint32_t size, uint32_t type, hsa_queue_callback, void *data,
	uint32_t private_size, uint32_t group_size, hsa_queue_t **);
HSA_API hsa_status_t hsa_queue_destroy(hsa_queue_t *);
HSA_API hsa_status_t hsa_queue_inactivate(hsa_queue_t *);
HSA_API hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t *, uint32_t bits, const uint32_t *);
HSA_API hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t *, uint32_t bits, uint32_t *);
HSA_API hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t *, uint32_t);
HSA_API hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t, void *);
HSA_API hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t *, int);
HSA_API hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t, hsa_signal_t, hsa_amd_profiling_dispatch_time_t *);
HSA_API hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t, uint64_t, uint64_t *);
/* loader.c */
HSA_API hsa_status_t hsa_code_object_reader_create_from_memory(const void *, size_t, hsa_code_object_reader_t *);
HSA_API hsa_status_t hsa_code_object_reader_create_from_file(int fd, hsa_code_object_reader_t *);
HSA_API hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t);
HSA_API hsa_status_t hsa_executable_create(uint32_t profile, uint32_t state, const char *, hsa_executable_t *);
HSA_API hsa_status_t hsa_executable_create_alt(uint32_t profile, uint32_t rounding, const char *, hsa_executable_t *);
HSA_API hsa_status_t hsa_executable_destroy(hsa_executable_t);
HSA_API hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t, hsa_agent_t, hsa_code_object_reader_t,
	const char *options, hsa_loaded_code_object_t *);
HSA_API hsa_status_t hsa_executable_freeze(hsa_executable_t, const char *);
HSA_API hsa_status_t hsa_executable_validate(hsa_executable_t, uint32_t *);
HSA_API hsa_status_t hsa_executable_validate_alt(hsa_executable_t, const char *, uint32_t *);
HSA_API hsa_status_t hsa_executable_get_info(hsa_executable_t, uint32_t, void *);
HSA_API hsa_status_t hsa_executable_get_symbol(hsa_executable_t, const char *module, const char *name, hsa_agent_t,
	int32_t convention, hsa_executable_symbol_t *);
HSA_API hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t, const char *, const hsa_agent_t *,
	hsa_executable_symbol_t *);
HSA_API hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t, uint32_t, void *);
HSA_API hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t,
	hsa_status_t (*)(hsa_executable_t, hsa_executable_symbol_t, void *), void *);
HSA_API hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t, hsa_agent_t,
	hsa_status_t (*)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void *), void *);
HSA_API hsa_status_t hsa_executable_iterate_program_symbols(hsa_executable_t,
	hsa_status_t (*)(hsa_executable_t, hsa_executable_symbol_t, void *), void *);
#endif
