/* emu.h -- an AMDGPU in software: memory, code objects, kernels, dispatches.
 * Needs isa/ for decoding; a device belongs to the caller and may be used from several threads.
 * Sources: AMD's ISA manuals; LLVM's "User Guide for AMDGPU Backend" (kernel descriptor, initial
 * register state, metadata); HSA runtime specification 2.9 (AQL kernel dispatch packet).
 *
 *	emu_config c = { .size = sizeof c, .target = "gfx1100" };
 *	emu_device *dev;
 *	emu_error err;
 *	if (emu_create(&c, &dev, &err) != EMU_OK) complain(err.text);
 *	emu_object *obj;
 *	if (emu_load(dev, bytes, size, &obj, &err) != EMU_OK) complain(err.text);
 *	const emu_kernel *k = emu_find_kernel(obj, "add");
 *	uint64_t buf = emu_alloc(dev, 4096);             // is a host address too: memcpy works
 *	emu_launch_config l = { .grid = { 16, 1, 1 }, .block = { 64, 1, 1 },
 *		.args = &buf, .args_size = 8 };
 *	emu_result r;
 *	if (emu_launch(dev, k, &l, &r) == EMU_EFAULT) complain(r.fault.message);
 *
 * A device address is the address of the host memory behind it. Every access that a kernel makes is
 * checked against the table of live buffers. A fault ends the launch, never the process. */
#ifndef EMU_EMU_H
#define EMU_EMU_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct emu_device emu_device;
typedef struct emu_object emu_object;            /* a loaded code object */

typedef enum emu_status {
	EMU_OK,
	/* caller's fault: unknown target, NULL, a launch beyond the chip's limits */
	EMU_EARG,
	EMU_ENOMEM,
	EMU_EOBJECT,     /* the code object is refused */
	EMU_EFAULT,      /* the kernel faulted: see emu_result.fault */
	/* the kernel ran longer than the device's timeout; fault says where it stood */
	EMU_ETIMEOUT
} emu_status;

/* What is checked while a kernel runs, each level with those before it. */
typedef enum emu_check {
	EMU_CHECK_DEFAULT,  /* = MEMORY */
	/* Always: accesses inside live buffers, LDS and scratch, no stores to read-only
	 * segments, registers within the kernel's allocation, FLAT_SCRATCH set up, known
	 * instructions, barriers that end. */
	EMU_CHECK_NONE,
	/* Alignment of LDS and scalar accesses (emu_config.unaligned_lds); even registers for wide operands where the chip
	 * wants them. */
	EMU_CHECK_MEMORY,
	/* Registers used while a load to them is in flight, addresses and stored data that nothing
	 * has written, bytes of LDS read that nothing has written, LDS stores not waited for at a barrier, gfx9's wait states; approximations
	 * (v_rcp, v_rsq, v_sqrt, v_exp) come back at the far end of what the manual allows. */
	EMU_CHECK_ALL
} emu_check;

typedef struct emu_error { char text[256]; } emu_error;

/* Zero means default in every field but target. */
typedef struct emu_config {
	size_t size;             /* sizeof(emu_config) of the caller */
	const char *target;      /* required, e.g. "gfx90a:xnack-" */
	emu_check check;
	double timeout;          /* seconds a launch may take; 0: no limit */
	unsigned threads;        /* host threads; 0: one a processor, at most 64 */
	/* host vectors: 0 the widest there are, 1 baseline, 2 AVX2, 3 AVX-512 */
	unsigned simd;
	/* Loads and stores of LDS at any address are no fault: SH_MEM_CONFIG.alignment_mode is `unaligned`, as HSA
	 * sets it up. RDNA3 ISA manual 3.4.4. */
	bool unaligned_lds;
	/* The host or another launch may write what a kernel waits for: workgroups that all wait for ever while others have no
	 * room to begin are no fault. */
	bool shared;
	uint64_t memory;         /* bytes that emu_alloc gives in all; 0: half of the host's, for results are copied there */
} emu_config;

emu_status emu_create(const emu_config *, emu_device **, emu_error *);
/* also frees its buffers and objects; NULL is fine */
void emu_destroy(emu_device *);
const char *emu_target(const emu_device *);      /* the chip's name without features */
unsigned emu_wave_size(const emu_device *);      /* lanes that PTX code is compiled for here */
const char *emu_simd(const emu_device *);        /* "baseline", "avx2", "avx512" */

/* Memory. Addresses are 256-aligned and zero-filled; size 0 gives a buffer of one byte; 0: no
 * memory. emu_free waits until no launch is running that could still use the buffer; its addresses
 * are not given out again before 255 more buffers and objects are gone, unless memory is short. */
uint64_t emu_alloc(emu_device *, size_t size);
emu_status emu_free(emu_device *, uint64_t addr);
void emu_memory(emu_device *, uint64_t *total, uint64_t *used);  /* of emu_alloc, in bytes */
/* Makes memory of the caller's visible to kernels, or invisible again. */
emu_status emu_map(emu_device *, void *host, size_t size, bool writable);
emu_status emu_unmap(emu_device *, void *host);
/* The same at another address than the host's: what kernels access from addr on lies at host. */
emu_status emu_map_at(emu_device *, uint64_t addr, void *host, size_t size, bool writable);
/* Takes a mapping away without waiting for launches: those that run may use the memory to their
 * end, so the caller keeps it until then. Never blocks behind a kernel that waits for the host. */
emu_status emu_unmap_soon(emu_device *, uint64_t addr);
/* The live buffer that holds addr: its start and size. false: none. */
bool emu_find_buffer(emu_device *, uint64_t addr, uint64_t *start, size_t *size);
/* Does the range lie in one live buffer, and in an object's image in one variable (STT_OBJECT)? */
bool emu_holds(emu_device *, uint64_t addr, size_t size);

/* A kernel's argument as the metadata note has it. */
typedef enum emu_arg_kind {
#define EMU_ARG(id, name) EMU_ARG_##id,
#include "emu/arg.def"
#undef EMU_ARG
	EMU_NARG_KINDS
} emu_arg_kind;

typedef struct emu_arg {
	const char *name;        /* "" where the note has none */
	uint32_t offset, size;   /* bytes in the kernarg segment */
	emu_arg_kind kind;
} emu_arg;

typedef struct emu_kernel {
	const char *name;        /* as in the source; owned by the object */
	emu_object *object;
	uint64_t descriptor;     /* address of the 64-byte kernel descriptor: AQL kernel_object */
	uint64_t entry;          /* address of its code */
	uint32_t kernarg_size, kernarg_align;
	uint32_t group_size;     /* static LDS of a workgroup, bytes */
	uint32_t private_size;   /* scratch of a lane, bytes */
	bool dynamic_stack;      /* it may need more: it calls what is not known, or itself */
	uint32_t max_workgroup;  /* work-items; 0: not said */
	uint32_t wave;           /* lanes: 32 or 64 */
	uint32_t sgprs, vgprs;   /* as the note has them; 0: not said */
	const emu_arg *args;
	size_t nargs;
} emu_kernel;

/* Loads an ELF code object; the bytes are copied. On EMU_EOBJECT err says why. */
emu_status emu_load(emu_device *, const void *elf, size_t size, emu_object **, emu_error *);
void emu_unload(emu_object *);                   /* waits for running launches; NULL is fine */
/* Where the segments lie, from the first byte to the last; vaddr: the first one's address in the file. */
void emu_image(const emu_object *, uint64_t *start, size_t *size, uint64_t *vaddr);
size_t emu_kernel_count(const emu_object *);
const emu_kernel *emu_kernel_at(const emu_object *, size_t i);
const emu_kernel *emu_find_kernel(const emu_object *, const char *name);
/* The defined symbols in the file's order, all of them. */
typedef struct emu_symbol {
	const char *name;            /* owned by the object */
	uint64_t addr;               /* as loaded */
	uint64_t size;
	uint8_t type, binding;       /* STT_*, STB_* of ELF */
} emu_symbol;
size_t emu_symbol_count(const emu_object *);
const emu_symbol *emu_symbol_at(const emu_object *, size_t i);    /* NULL past the end */
/* A module variable. false: there is none of that name. */
bool emu_find_global(const emu_object *, const char *name, uint64_t *addr, size_t *size);
/* Where code at addr comes from: line is 0 where the object does not say. */
bool emu_find_line(const emu_object *, uint64_t addr, const char **file, uint32_t *line);

/* Instruction counts in the classes of `p2a run --stats`, one a wave-instruction. */
typedef struct emu_stats {
	uint64_t valu, salu, vmem, smem, lds, branch, other, total;
	uint64_t waves, workgroups;
	uint64_t lane_ops;       /* enabled lanes summed over the vector instructions */
	double seconds;
} emu_stats;

typedef enum emu_fault_kind {
	EMU_FAULT_OTHER,         /* registers, barriers, what the checks find */
	EMU_FAULT_MEMORY,        /* global memory, by vector or scalar instructions */
	EMU_FAULT_SEGMENT,       /* LDS or private memory */
	EMU_FAULT_TRAP,          /* s_trap: the kernel gave up */
	EMU_FAULT_ILLEGAL        /* unknown instructions, running out of the code */
} emu_fault_kind;

typedef struct emu_fault {
	emu_fault_kind kind;
	char kernel[128];
	uint32_t workgroup[3];
	uint32_t wave;           /* in the workgroup */
	int lane;                /* -1: the whole wave */
	uint32_t work_item[3];   /* of the lane in its workgroup, where there is a lane */
	/* bytes from the kernel's entry (or from the segment's start outside it) */
	uint64_t pc;
	char instruction[128];
	uint64_t address;        /* that was accessed; 0 where none was */
	char file[256];          /* PTX place from .debug_line; "" unknown */
	uint32_t line;
	char message[256];       /* one line: what happened */
} emu_fault;

typedef struct emu_result {
	emu_stats stats;
	emu_fault fault;         /* where the status is EMU_EFAULT or EMU_ETIMEOUT */
	emu_error error;         /* where it is EMU_EARG or EMU_ENOMEM */
} emu_result;

typedef struct emu_launch_config {
	uint32_t grid[3];        /* workgroups; 0 counts as 1 */
	uint32_t block[3];       /* work-items a workgroup; 0 counts as 1 */
	uint32_t dynamic_lds;    /* bytes behind the static ones */
	/* the explicit arguments' bytes, laid out as the kernarg segment */
	const void *args;
	size_t args_size;        /* may be less than kernarg_size; hidden arguments are filled in */
} emu_launch_config;

/* What emu_launch gives a lane of a kernel with dynamic_stack beyond its private_size, bytes. */
enum { EMU_DYNAMIC_STACK = 16 << 10 };

/* Runs a kernel to its end. *result is always written. */
emu_status emu_launch(emu_device *, const emu_kernel *, const emu_launch_config *, emu_result *);
/* The same from a 64-byte AQL kernel dispatch packet, as a queue would hold it: grid in work-items,
 * segment sizes whole, kernarg_address in a live buffer. Signals are the caller's business. */
emu_status emu_dispatch(emu_device *, const void *packet, emu_result *);
#endif
