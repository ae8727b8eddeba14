/* p2a_rt.h -- run AMDGPU code objects and PTX: devices, memory, modules, kernels, launches.
 * The same program runs on the built-in emulator ("emu") and on an AMD GPU through HIP ("hip").
 *
 *	p2a_error err;
 *	p2a_device *dev;
 *	p2a_module *mod;
 *	uint64_t buf;
 *	uint32_t n = 1000;
 *	p2a_stats stats;
 *	if (p2a_device_open(NULL, &dev, &err) != P2A_RT_OK) return complain(err.text);
 *	if (p2a_module_load(dev, ptx, strlen(ptx), &mod, &err) != P2A_RT_OK) return complain(err.text);
 *	p2a_mem_alloc(dev, n * 4, &buf, &err);
 *	p2a_mem_write(dev, buf, input, n * 4, &err);
 *	const void *args[] = { &buf, &n };
 *	p2a_launch_config l = { .size = sizeof l, .grid = { 4 }, .block = { 256 }, .args = args, .nargs = 2 };
 *	if (p2a_launch(p2a_module_kernel(mod, "scale"), &l, &stats, &err) != P2A_RT_OK) complain(err.text);
 *	p2a_mem_read(dev, output, buf, n * 4, &err);
 *	p2a_device_close(dev);
 *
 * There are no mutable globals; nothing is printed; no call ends the process. Every call may be made
 * from any thread, also on one device at once, except that an object must not be used after it is
 * freed. A p2a_error argument may be NULL; it is written only by a call that does not return P2A_RT_OK.
 * Sizes are bytes. A device address is a 64-bit number, the same that a kernel sees. */
#ifndef P2A_RT_H
#define P2A_RT_H
#include "p2a.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum p2a_rt_status {
	P2A_RT_OK = 0,
	P2A_RT_EARG,       /* the caller's fault: a NULL, an unknown name, a size that does not fit */
	P2A_RT_ENOMEM,     /* host or device memory is short */
	P2A_RT_ENODEVICE,  /* no such backend, no library, no device, or it is another chip */
	P2A_RT_EPTX,       /* the PTX is refused; p2a_translate gives all diagnostics */
	P2A_RT_EOBJECT,    /* the code object is refused: damaged, or for another chip */
	P2A_RT_EFAULT,     /* a kernel faulted: p2a_last_fault */
	P2A_RT_ETIMEOUT,   /* a kernel ran longer than the device's timeout: p2a_last_fault */
	P2A_RT_EDEVICE     /* the device or its driver failed; the text names the call */
} p2a_rt_status;
P2A_API const char *p2a_rt_status_name(p2a_rt_status);  /* "fault"; "unknown status" out of range */

typedef struct p2a_error {
	p2a_rt_status status;
	char text[512];    /* one line without newline: what failed, and what can be done */
} p2a_error;

/* ---- Devices ------------------------------------------------------------------------------- */

typedef struct p2a_device p2a_device;

/* What the emulator checks while a kernel runs; other devices ignore it. */
typedef enum p2a_check_level {
	P2A_CHECK_DEFAULT, /* = MEMORY */
	P2A_CHECK_NONE,    /* only that every address lies in a live buffer */
	P2A_CHECK_MEMORY,  /* and alignment where the chip demands it (scalar, LDS), writes to code, registers
	                    * beyond the kernel's allocation */
	P2A_CHECK_ALL      /* and registers in flight, addresses, stored data and bytes of LDS that nothing has written, wait states
	                    * of gfx9. A value computed from an unwritten register is not followed further.
	                    * Approximations (v_rcp, v_sqrt, ...) err as far as AMD's manuals allow */
} p2a_check_level;

/* Zero means default in every field. */
typedef struct p2a_device_config {
	size_t size;          /* sizeof(p2a_device_config) of the caller */
	const char *backend;  /* "emu", "hip"; NULL or "auto": hip where a device answers, else emu */
	const char *target;   /* emu: the chip, default "gfx1100". hip: must agree with the device's own;
	                       * auto: another chip than the device's is emulated */
	unsigned index;       /* hip: which device, 0 .. p2a_device_count("hip")-1 */
	p2a_check_level check; /* emu */
	double timeout;       /* seconds that one launch may take, 0: no limit; launches that are waited for
	                       * together, that many times as long. After a timeout on hip the
	                       * device is lost to this process: a GPU's kernel cannot be ended */
	unsigned threads;     /* emu: host threads, 0: one a processor */
} p2a_device_config;
#define P2A_DEFAULT_TARGET "gfx1100"

/* Devices of a backend: 1 for "emu", what HIP sees for "hip" (0 where there is none, or no library). */
P2A_API unsigned p2a_device_count(const char *backend);

/* Opens a device. config NULL: all defaults. Errors: EARG, ENOMEM, ENODEVICE. */
P2A_API p2a_rt_status p2a_device_open(const p2a_device_config *config, p2a_device **, p2a_error *);
/* Waits for what runs, then frees the device with all its memory and modules. NULL is fine. */
P2A_API void p2a_device_close(p2a_device *);

P2A_API const char *p2a_device_backend(const p2a_device *);  /* "emu", "hip" */
P2A_API const char *p2a_device_name(const p2a_device *);     /* "emulated gfx1100 (avx2)", "AMD Instinct MI210" */
P2A_API const char *p2a_device_target(const p2a_device *);   /* "gfx1100", "gfx90a:sramecc+:xnack-" */
P2A_API const char *p2a_device_driver(const p2a_device *);   /* "p2a 0.1.0", "HIP 5.2.21153" */

/* ---- Memory -------------------------------------------------------------------------------- */

/* A zero-filled buffer, 256-aligned at least. size 0 gives a buffer of one byte. An emulated device has half of the
 * computer's memory for its buffers together. Errors: ENOMEM, EDEVICE. */
P2A_API p2a_rt_status p2a_mem_alloc(p2a_device *, size_t size, uint64_t *addr, p2a_error *);
/* addr must come from p2a_mem_alloc; 0 is fine. Waits for launches that may use it. emu does not hand the addresses out
 * again before 255 more buffers and modules are freed (unless memory is short), so that later accesses fault. */
P2A_API p2a_rt_status p2a_mem_free(p2a_device *, uint64_t addr, p2a_error *);
/* Copies and fills wait for launches before them. The range must lie inside one buffer or one
 * variable of a module: EARG otherwise. On hip a variable's end is where HIP says (hipMemGetAddressRange): a HIP
 * that knows a module's variables only together lets ranges from one into the next pass. */
P2A_API p2a_rt_status p2a_mem_write(p2a_device *, uint64_t to, const void *from, size_t size, p2a_error *);
P2A_API p2a_rt_status p2a_mem_read(p2a_device *, void *to, uint64_t from, size_t size, p2a_error *);
P2A_API p2a_rt_status p2a_mem_fill(p2a_device *, uint64_t to, unsigned char byte, size_t size, p2a_error *);

/* ---- Modules and kernels --------------------------------------------------------------------- */

typedef struct p2a_module p2a_module;
typedef struct p2a_kernel p2a_kernel;

/* Loads a code object (an AMDGPU ELF file, of any compiler) or a PTX text; PTX is translated for this
 * device with default options. The bytes are copied. Errors: EARG, ENOMEM, EPTX, EOBJECT, EDEVICE. */
P2A_API p2a_rt_status p2a_module_load(p2a_device *, const void *data, size_t size, p2a_module **,
				      p2a_error *);
/* Translates n PTX texts as one program for this device and loads it. options NULL: defaults; its
 * target and emit are replaced by the device's and P2A_EMIT_HSACO. On EPTX the error's text is the
 * first diagnostic, and "(and more)" where there are more. ENODEVICE: p2a does not know the device's chip. */
P2A_API p2a_rt_status p2a_module_load_ptx(p2a_device *, const p2a_source *, size_t n,
					  const p2a_options *options, p2a_module **, p2a_error *);
/* Waits for launches that use it. Its kernels are gone. NULL is fine. */
P2A_API void p2a_module_unload(p2a_module *);

/* A variable of the module (.global and .const of PTX; hip shows those that are .visible, and others whose name is in
 * one file of the program alone). EARG: there is none of that name. */
P2A_API p2a_rt_status p2a_module_global(const p2a_module *, const char *name, uint64_t *addr,
					size_t *size, p2a_error *);

/* What the module's kernels have printed since the last call (printf and failed assertions of CUDA, as far as the PTX was
 * translated by p2a), in the order in which it came into a buffer of 1 MiB; what had no room is lost, which the text then says.
 * Waits for launches. *text ends with a NUL and is to be given to free(). Errors: EARG, ENOMEM, EDEVICE. */
P2A_API p2a_rt_status p2a_module_printed(p2a_module *, char **text, size_t *size, p2a_error *);

P2A_API size_t p2a_module_kernels(const p2a_module *);
P2A_API const p2a_kernel *p2a_module_kernel_at(const p2a_module *, size_t index); /* NULL past the end */
P2A_API const p2a_kernel *p2a_module_kernel(const p2a_module *, const char *name); /* NULL: none */

/* One parameter that a launch must pass; hidden ones are filled in and not listed. */
typedef struct p2a_param {
	const char *name;       /* "" where the object does not say */
	uint32_t offset, size;  /* in the packed parameters */
	bool pointer;           /* said to be a pointer; PTX does not say, so false there */
} p2a_param;

typedef struct p2a_kernel_attr {
	const char *name;
	const p2a_param *params;
	size_t nparams;
	uint32_t param_size;    /* of the packed parameters: where the last one ends */
	uint32_t lds;           /* static shared memory of a workgroup */
	uint32_t scratch;       /* private memory of a lane */
	uint32_t max_block;     /* work-items a workgroup may have; 0: the object does not say */
	uint32_t wave;          /* lanes of a wave: 32 or 64 */
	uint32_t sgprs, vgprs;  /* registers a wave / a lane, 0: the object does not say */
} p2a_kernel_attr;
/* Lives as long as the module. */
P2A_API const p2a_kernel_attr *p2a_kernel_attributes(const p2a_kernel *);

/* ---- Launches -------------------------------------------------------------------------------- */

typedef struct p2a_launch_config {
	size_t size;            /* sizeof(p2a_launch_config) of the caller */
	uint32_t grid[3];       /* workgroups; 0 counts as 1 */
	uint32_t block[3];      /* work-items of a workgroup; 0 counts as 1; at most 1024 together */
	uint32_t shared;        /* dynamic shared memory, behind the static one */
	const void *const *args;/* nargs pointers, one a parameter: each to as many bytes as it has */
	size_t nargs;           /* must be the kernel's nparams, unless packed is given */
	const void *packed;     /* or: all parameters, laid out by their offsets */
	size_t packed_size;     /* at least param_size, and no more than 64 KiB */
} p2a_launch_config;

/* What a launch did. Counts are wave-instructions. counted is false on a device that does not count:
 * then only waves, workgroups and seconds are set. */
typedef struct p2a_stats {
	uint64_t valu, salu, vmem, smem, lds, branch, other, total;
	uint64_t waves, workgroups;
	uint64_t lane_ops;      /* enabled lanes, summed over the vector instructions */
	double seconds;
	bool counted;
} p2a_stats;

typedef struct p2a_fault {
	char kernel[128];
	bool located;           /* false: the device does not say where; only kernel and message are set */
	uint32_t workgroup[3];
	uint32_t wave;          /* in the workgroup */
	int lane;               /* in the wave; -1: the whole wave */
	uint32_t work_item[3];  /* of that lane, in the workgroup */
	uint64_t pc;            /* from the kernel's first instruction */
	uint64_t address;       /* that was accessed; 0: none, or the null address (the message says which) */
	char instruction[128];  /* in LLVM's spelling */
	char file[256];         /* PTX (or source) place; "" unknown */
	uint32_t line;          /* 0 unknown */
	char message[256];
} p2a_fault;

/* Runs a kernel. With stats it waits for the end; with NULL it may return before, and a fault shows in
 * p2a_synchronise. Errors: EARG (parameters, geometry or shared memory do not fit: the text says
 * which), ENOMEM, EFAULT, ETIMEOUT, EDEVICE. */
P2A_API p2a_rt_status p2a_launch(const p2a_kernel *, const p2a_launch_config *, p2a_stats *stats,
				 p2a_error *);
/* Waits until all launches are done. Errors: EFAULT, ETIMEOUT, EDEVICE. */
P2A_API p2a_rt_status p2a_synchronise(p2a_device *, p2a_error *);
/* Copies the newest fault of this device. false: there was none. */
P2A_API bool p2a_last_fault(p2a_device *, p2a_fault *);

/* ---- Code objects without a device --------------------------------------------------------- */

/* The chip that an AMDGPU ELF file is made for, as a target id ("gfx90a:xnack-"). EOBJECT: it is none. */
P2A_API p2a_rt_status p2a_object_target(const void *elf, size_t size, char id[64], p2a_error *);

#ifdef __cplusplus
}
#endif
#endif
