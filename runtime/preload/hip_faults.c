/* hip_faults.c -- libp2a-hip-faults.so, preloaded by `p2a exec --on-fault=error`: HIP calls return an error after a kernel
 * faulted. libamdhip64 has no way to learn of a fault but the queue's callback, in which it ends the program; so the
 * callback is left out, and these functions stand before HIP's and ask our HSA runtime themselves.
 * They are found by the linker, as this is loaded before libamdhip64, and by dlsym and hipGetProcAddress, which are stood before too.
 * Without our runtime below, every call is passed on as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>

#define API __attribute__((visibility("default")))
enum { HIP_NOT_SUPPORTED = 801, HIP_ILLEGAL_ADDRESS = 700, HIP_LAUNCH_FAILURE = 719 };
enum { P2A_SYSTEM_INFO_FAULT = 0x2a00, MEMORY_FAULT = 43, SEGMENT_FAULT = 41 };     /* runtime.h, hsa_abi.def */
typedef uintptr_t word;
typedef struct dim3 { uint32_t x, y, z; } dim3;
typedef struct pitched { void *p; size_t pitch, x, y; } pitched;
typedef struct extent { size_t w, h, d; } extent;
typedef void *lookup(void *library, const char *name);

/* ---- The real dlsym --------------------------------------------------------------------------- */

#ifdef __GLIBC__
static lookup *
real_dlsym(void)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.0", "GLIBC_2.27" };
	static lookup *found;
	lookup *f = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	for (size_t i = 0; !f && i < sizeof versions / sizeof *versions; i++) {
		void *p = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
		memcpy(&f, &p, sizeof f);
	}
	__atomic_store_n(&found, f, __ATOMIC_RELEASE);
	return f;
}
#else
static lookup *
real_dlsym(void)
{
	return dlsym;
}
#endif

/* An address of an object as a pointer to a function. */
static void
find(void *where, const char *name, void *function)
{
	lookup *f = real_dlsym();
	void *p = f ? f(where, name) : NULL;

	memcpy(function, &p, sizeof p);
}

/* The HSA runtime, where it is loaded: libamdhip64 may be a library that is opened for one user, and what it needs too. */
static void *
runtime(void)
{
	static void *found;
	void *lib = __atomic_load_n(&found, __ATOMIC_ACQUIRE);

	if (!lib) {
		lib = dlopen("libhsa-runtime64.so.1", RTLD_LAZY | RTLD_NOLOAD);
		__atomic_store_n(&found, lib, __ATOMIC_RELEASE);
	}
	return lib ? lib : RTLD_DEFAULT;
}

/* What a call returns: the fault, once there was one, whatever HIP says. */
static uint32_t
verdict(uint32_t status)
{
	uint32_t (*ask)(uint32_t, void *), fault = 0;

	find(runtime(), "hsa_system_get_info", &ask);
	if (!ask || ask(P2A_SYSTEM_INFO_FAULT, &fault) || !fault)
		return status;
	return fault == MEMORY_FAULT || fault == SEGMENT_FAULT ? HIP_ILLEGAL_ADDRESS : HIP_LAUNCH_FAILURE;
}

/* ---- The calls -------------------------------------------------------------------------------- */

#define CALL(name, n) AT_##name,
#define FULL(name, params, args) AT_##name,
enum {
#include "hip_faults.def"
	NCALLS
};

/* HIP's functions, where they were found. A library that was opened by dlopen alone is not behind this one. */
static void *real[NCALLS];

static const char *const names[NCALLS] = {
#define CALL(name, n) #name,
#define FULL(name, params, args) #name,
#include "hip_faults.def"
};

static void
get(int at, void *function)
{
	void *p = __atomic_load_n(&real[at], __ATOMIC_ACQUIRE);

	if (!p) {
		find(RTLD_NEXT, names[at], &p);
		__atomic_store_n(&real[at], p, __ATOMIC_RELEASE);
	}
	memcpy(function, &p, sizeof p);
}

#define PARAMS_0 (void)
#define PARAMS_1 (word a)
#define PARAMS_2 (word a, word b)
#define PARAMS_3 (word a, word b, word c)
#define PARAMS_4 (word a, word b, word c, word d)
#define PARAMS_5 (word a, word b, word c, word d, word e)
#define PARAMS_6 (word a, word b, word c, word d, word e, word f)
#define PARAMS_7 (word a, word b, word c, word d, word e, word f, word g)
#define PARAMS_8 (word a, word b, word c, word d, word e, word f, word g, word h)
#define ARGS_0 ()
#define ARGS_1 (a)
#define ARGS_2 (a, b)
#define ARGS_3 (a, b, c)
#define ARGS_4 (a, b, c, d)
#define ARGS_5 (a, b, c, d, e)
#define ARGS_6 (a, b, c, d, e, f)
#define ARGS_7 (a, b, c, d, e, f, g)
#define ARGS_8 (a, b, c, d, e, f, g, h)
#define CALL(name, n) FULL(name, PARAMS_##n, ARGS_##n)
#define FULL(name, params, args) \
	API uint32_t name params; \
	API uint32_t name params \
	{ \
		uint32_t (*real_) params; \
		get(AT_##name, &real_); \
		return real_ ? verdict(real_ args) : HIP_NOT_SUPPORTED; \
	}
#include "hip_faults.def"

/* ---- Calls that are found by name ------------------------------------------------------------- */

static void *
own(int at)
{
	static uint32_t (*const f[NCALLS])() = {
#define CALL(name, n) (uint32_t (*)())name,
#define FULL(name, params, args) (uint32_t (*)())name,
#include "hip_faults.def"
	};
	void *p;

	memcpy(&p, &f[at], sizeof p);
	return p;
}

/* What stands before HIP's function p of this name; p itself where nothing does, or where it is not the one that is known. */
static void *
stand_before(const char *name, void *p)
{
	int at = 0;

	while (at < NCALLS && strcmp(names[at], name))
		at++;
	if (!p || at == NCALLS || p == own(at))
		return p;
	void *known = NULL;
	if (__atomic_compare_exchange_n(&real[at], &known, p, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) || known == p)
		return own(at);
	return p;
}

/* Of HIP 6; with four arguments or with five. */
API uint32_t hipGetProcAddress(const char *name, void **function, word version, word flags, word status);
API uint32_t
hipGetProcAddress(const char *name, void **function, word version, word flags, word status)
{
	uint32_t (*get_address)(const char *, void **, word, word, word), code;

	find(RTLD_NEXT, "hipGetProcAddress", &get_address);
	if (!get_address)
		return HIP_NOT_SUPPORTED;
	code = get_address(name, function, version, flags, status);
	if (!code && name && function)
		*function = stand_before(name, *function);
	return code;
}

#ifdef __GLIBC__
/* The C library takes the caller of dlsym, by the address to which it returns, for whom RTLD_NEXT is meant. So what is none of HIP's
 * is passed on by a jump, which a last call becomes (-O2). */
API void *
dlsym(void *restrict library, const char *restrict name)
{
	if (!strncmp(name, "hip", 3)) {
		void *p = real_dlsym()(library, name);
		return stand_before(name, p);
	}
	return real_dlsym()(library, name);
}
#endif
