/* backend.h -- what a kind of device must do for the runtime: one struct of function pointers.
 * rt.c checks every argument before it calls: no NULL, geometry and parameters that fit the kernel.
 * Ownership and threads are as p2a_rt.h says; each function may be called from several threads. */
#ifndef RT_BACKEND_H
#define RT_BACKEND_H
#include "p2a_rt.h"

typedef struct backend_kernel {
	const void *handle;      /* for launch and param_at; lives as long as the module */
	p2a_kernel_attr attr;    /* params NULL, param_size 0: the runtime sets both; nparams counts the
	                          * explicit ones; name lives with the module */
} backend_kernel;

typedef struct backend_launch {
	uint32_t grid[3], block[3];  /* none is 0 */
	uint32_t shared;
	const void *params;          /* packed */
	size_t params_size;
} backend_launch;

typedef struct backend {
	const char *name;
	/* Could a device answer? Cheap, may be wrong when it says yes: decides "auto" only. */
	bool (*present)(void);
	unsigned (*count)(void);
	p2a_rt_status (*open)(const p2a_device_config *, void **dev, p2a_error *);
	void (*close)(void *dev);
	const char *(*device_name)(const void *dev);
	const char *(*device_target)(const void *dev);
	const char *(*device_driver)(const void *dev);

	p2a_rt_status (*alloc)(void *dev, size_t size, uint64_t *addr, p2a_error *);
	p2a_rt_status (*free)(void *dev, uint64_t addr, p2a_error *);
	p2a_rt_status (*write)(void *dev, uint64_t to, const void *from, size_t, p2a_error *);
	p2a_rt_status (*read)(void *dev, void *to, uint64_t from, size_t, p2a_error *);
	p2a_rt_status (*fill)(void *dev, uint64_t to, unsigned char byte, size_t, p2a_error *);

	p2a_rt_status (*load)(void *dev, const void *elf, size_t, void **mod, p2a_error *);
	void (*unload)(void *dev, void *mod);
	size_t (*kernels)(const void *mod);
	void (*kernel_at)(const void *mod, size_t index, backend_kernel *);
	/* Explicit parameter i of a kernel, in order of offsets. */
	void (*param_at)(const void *kernel, size_t index, p2a_param *);
	bool (*global)(const void *mod, const char *name, uint64_t *addr, size_t *size);
	/* Bytes of a variable as the module has it from its file, for variables that `read` does not reach. The variable
	 * `name`, which stands at addr, says where the module lies. NULL: `read` reaches them all. */
	bool (*initial)(const void *mod, const char *name, uint64_t addr, void *to, uint64_t from, size_t);

	/* stats NULL: need not wait. The fault is written with EFAULT and ETIMEOUT only. */
	p2a_rt_status (*launch)(void *dev, const void *kernel, const backend_launch *, p2a_stats *,
				p2a_fault *, p2a_error *);
	p2a_rt_status (*sync)(void *dev, p2a_fault *, p2a_error *);
} backend;

extern const backend backend_emu;
extern const backend backend_hip;

/* Does code for `want` run on a device that calls itself `have`? Target ids with features or without. */
bool rt_target_agrees(const char *have, const char *want);

/* Writes the error, if there is one to write, and returns status. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
p2a_rt_status rt_fail(p2a_error *, p2a_rt_status status, const char *fmt, ...);

#endif
