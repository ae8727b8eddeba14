/* hip.c -- an AMD GPU as a device of the runtime, through HIP; the only file that knows HIP.
 * Needs no HIP headers: opens libamdhip64 at run time. Code objects are read by the emulator's loader
 * first, for their parameters and because HIP crashes on damaged ones. HIP manual: "Module API". */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hip.h"

/* What is used of HIP's interface; it is the same in versions 5, 6 and 7. hipError_t is an int. */
typedef struct ihipModule *hip_module;
typedef struct ihipFunction *hip_function;
typedef struct ihipEvent *hip_event;
typedef struct ihipStream *hip_stream;

/* HIP(function, parameters): the calls that must be there. */
#define HIP_CALLS \
	HIP(hipInit, (unsigned)) \
	HIP(hipGetDeviceCount, (int *)) \
	HIP(hipSetDevice, (int)) \
	HIP(hipDeviceGetName, (char *, int, int)) \
	HIP(hipMalloc, (void **, size_t)) \
	HIP(hipFree, (void *)) \
	HIP(hipMemGetAddressRange, (void **, size_t *, void *)) \
	HIP(hipMemcpyAsync, (void *, const void *, size_t, int, hip_stream)) \
	HIP(hipMemsetAsync, (void *, int, size_t, hip_stream)) \
	HIP(hipStreamCreateWithFlags, (hip_stream *, unsigned)) \
	HIP(hipStreamQuery, (hip_stream)) \
	HIP(hipStreamSynchronize, (hip_stream)) \
	HIP(hipStreamDestroy, (hip_stream)) \
	HIP(hipModuleLoadData, (hip_module *, const void *)) \
	HIP(hipModuleUnload, (hip_module)) \
	HIP(hipModuleGetFunction, (hip_function *, hip_module, const char *)) \
	HIP(hipModuleGetGlobal, (void **, size_t *, hip_module, const char *)) \
	HIP(hipModuleLaunchKernel, (hip_function, unsigned, unsigned, unsigned, unsigned, unsigned, \
				    unsigned, unsigned, hip_stream, void **, void **)) \
	HIP(hipEventCreate, (hip_event *)) \
	HIP(hipEventRecord, (hip_event, hip_stream)) \
	HIP(hipEventElapsedTime, (float *, hip_event, hip_event)) \
	HIP(hipEventDestroy, (hip_event))

typedef struct api {
#define HIP(name, params) int (*name) params;
	HIP_CALLS
#undef HIP
	/* These may be missing. */
	const char *(*error_name)(int);
	int (*properties)(void *, int);
	int (*runtime_version)(int *);
} api;

static const struct { const char *name; size_t at; } calls[] = {
#define HIP(name, params) { #name, offsetof(api, name) },
	HIP_CALLS
#undef HIP
};

enum { HIP_TO_DEVICE = 1, HIP_TO_HOST = 2 };
enum { HIP_BAD_VALUE = 1, HIP_BAD_POINTER = 17, HIP_NO_DEVICE = 100, HIP_BAD_DEVICE = 101, HIP_NOT_READY = 600 };
enum { HIP_STREAM_NON_BLOCKING = 1 };
#define HIP_PARAM_POINTER ((void *)1)
#define HIP_PARAM_SIZE    ((void *)2)
#define HIP_PARAM_END     ((void *)3)

/* All work goes through one stream of our own, so that it neither waits for the host program's other
 * work nor holds it up. */
typedef struct device {
	api hip;
	int index;
	hip_stream stream;
	double timeout;
	atomic_uint pending;     /* launches since the stream was last seen empty */
	atomic_bool lost;        /* a kernel ran past the timeout: never wait for this device again */
	char name[256], target[64], driver[64];
	pthread_mutex_t lock;    /* of what follows */
	void **buffers;          /* live ones, freed with the device */
	size_t nbuffers, cap;
} device;

typedef struct module {
	device *dev;
	hip_module handle;
	void *bytes;             /* a copy of the object: HIP reads from it as long as the module lives */
	void *reader, *object;   /* an emulated device and the object on it: metadata only */
	struct kernel *kernels;
} module;

typedef struct kernel {
	module *mod;
	hip_function handle;
	backend_kernel meta;
} kernel;

/* ---- Errors ---------------------------------------------------------------------------------- */

static const struct { int code; p2a_rt_status status; const char *name, *advice; } errors[] = {
#define HIP_ERROR(code, name, status, advice) { code, status, #name, advice },
#include "hip_errors.def"
};

static p2a_rt_status
failed(const device *dev, p2a_error *err, int code, const char *call)
{
	const char *name = dev->hip.error_name ? dev->hip.error_name(code) : NULL;
	const char *advice = "the device or its driver failed: dmesg may say why";
	p2a_rt_status status = P2A_RT_EDEVICE;

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		if (errors[i].code != code)
			continue;
		status = errors[i].status;
		advice = errors[i].advice;
		name = name ? name : errors[i].name;
	}
	return rt_fail(err, status, "%s: %s (%d): %s", call, name ? name : "unknown error", code, advice);
}

/* Every call to the device begins here: HIP's current device is the thread's. */
static p2a_rt_status
enter(device *dev, p2a_error *err)
{
	if (dev->lost)
		return rt_fail(err, P2A_RT_EDEVICE, "the device is busy with a kernel that ran past its "
			       "timeout");
	int code = dev->hip.hipSetDevice(dev->index);
	return code ? failed(dev, err, code, "hipSetDevice") : P2A_RT_OK;
}

#define ENTER(dev, err) do { \
	p2a_rt_status status_ = enter((dev), (err)); \
	if (status_ != P2A_RT_OK) \
		return status_; \
} while (0)

#define TRY(dev, err, name, ...) do { \
	int code_ = (dev)->hip.name(__VA_ARGS__); \
	if (code_) \
		return failed((dev), (err), code_, #name); \
} while (0)

/* May this user open one of the render nodes? Also yes where there is none to open. Else its path in
 * `closed`. */
static bool
render_node_opens(const char *folder, char *closed, size_t cap)
{
	DIR *d = opendir(folder);
	bool open = false, any = false;

	for (struct dirent *e; d && (e = readdir(d)); ) {
		if (strncmp(e->d_name, "renderD", 7))
			continue;
		any = true;
		snprintf(closed, cap, "%s/%s", folder, e->d_name);
		open |= !access(closed, R_OK | W_OK);
	}
	if (d)
		closedir(d);
	return open || !any;
}

/* WSL has no /dev/kfd but /dev/dxg. */
p2a_rt_status
hip_no_device(const char *dev, p2a_error *err)
{
	char kfd[256], dxg[256], node[512];

	snprintf(kfd, sizeof kfd, "%s/kfd", dev);
	snprintf(dxg, sizeof dxg, "%s/dxg", dev);
	if (access(kfd, R_OK | W_OK) && access(dxg, R_OK | W_OK)) {
		if (!access(kfd, F_OK) || errno == EACCES)
			return rt_fail(err, P2A_RT_ENODEVICE, "no ROCm device: this user may not open %s; add "
				       "the user to the groups 'render' and 'video' and log in again", kfd);
		return rt_fail(err, P2A_RT_ENODEVICE, "no ROCm device: there is no %s (no AMD GPU, or the "
			       "amdgpu kernel driver is not loaded); device emu needs none", kfd);
	}
	snprintf(dxg, sizeof dxg, "%s/dri", dev);
	if (!render_node_opens(dxg, node, sizeof node))
		return rt_fail(err, P2A_RT_ENODEVICE, "no ROCm device: this user may not open %s; add the user "
			       "to the group 'render' and log in again", node);
	return rt_fail(err, P2A_RT_ENODEVICE, "no ROCm device: the driver is there, but HIP finds no GPU that "
		       "it supports (rocminfo lists what it sees; HIP_VISIBLE_DEVICES and "
		       "ROCR_VISIBLE_DEVICES hide devices)");
}

/* ---- Library --------------------------------------------------------------------------------- */

const char *const hip_libraries[] = {
	"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
	"/opt/rocm/lib/libamdhip64.so", NULL
};

/* Where to look HIP's names up: in the process. A HIP that the program has brought itself is used, and a library
 * loaded before all others may stand in front of single calls. Never closed: HIP leaves threads and exit handlers behind. */
static void *
open_library(const char *const *names, p2a_error *err)
{
	void *process = dlopen(NULL, RTLD_NOW);
	char why[256] = "";

	if (process && dlsym(process, "hipInit"))
		return process;
	for (; *names; names++) {
		void *lib = dlopen(*names, RTLD_NOW | RTLD_GLOBAL);
		if (lib)
			return process ? process : lib;
		const char *e = dlerror();
		if (e && (!*why || !strstr(e, "No such file")))
			snprintf(why, sizeof why, "%s", e);
	}
	rt_fail(err, P2A_RT_ENODEVICE, "no HIP library: install ROCm's hip-runtime-amd or Debian's "
		"libamdhip64-5, or set LD_LIBRARY_PATH to it (%s)", *why ? why : "no name to try");
	return NULL;
}

static void
find(void *lib, const char *name, void *to)
{
	void *p = dlsym(lib, name);

	memcpy(to, &p, sizeof p);
}

static p2a_rt_status
load_api(const char *const *names, api *hip, p2a_error *err)
{
	void *lib = open_library(names, err);

	if (!lib)
		return P2A_RT_ENODEVICE;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		void *p = dlsym(lib, calls[i].name);
		if (!p)
			return rt_fail(err, P2A_RT_ENODEVICE, "the HIP library lacks %s: version 5 to 7 "
				       "is needed", calls[i].name);
		memcpy((char *)hip + calls[i].at, &p, sizeof p);
	}
	find(lib, "hipGetErrorName", &hip->error_name);
	find(lib, "hipGetDevicePropertiesR0600", &hip->properties);
	if (!hip->properties)
		find(lib, "hipGetDeviceProperties", &hip->properties);
	find(lib, "hipRuntimeGetVersion", &hip->runtime_version);
	return P2A_RT_OK;
}

/* ---- Waiting --------------------------------------------------------------------------------- */

static double
now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Until the stream is empty, in pauses that grow to a millisecond. */
static p2a_rt_status
wait_until(device *dev, double end, p2a_error *err)
{
	struct timespec pause = { .tv_nsec = 20000 };
	int code;

	while ((code = dev->hip.hipStreamQuery(dev->stream)) == HIP_NOT_READY) {
		if (now() > end) {
			dev->lost = true;
			return rt_fail(err, P2A_RT_ETIMEOUT, "the kernel ran longer than %g seconds",
				       dev->timeout);
		}
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec += pause.tv_nsec / 2;
	}
	return code ? failed(dev, err, code, "hipStreamQuery") : P2A_RT_OK;
}

/* Waits for all that was sent to the device, but no longer than its launches may take together. */
static p2a_rt_status
wait(device *dev, p2a_error *err)
{
	unsigned launches = atomic_exchange(&dev->pending, 0);

	if (launches && dev->timeout > 0)
		return wait_until(dev, now() + dev->timeout * launches, err);
	TRY(dev, err, hipStreamSynchronize, dev->stream);
	return P2A_RT_OK;
}

/* ---- Device ---------------------------------------------------------------------------------- */

static bool
present(void)
{
	return !access("/dev/kfd", F_OK) || !access("/dev/dxg", F_OK);
}

static p2a_rt_status
start(const char *const *names, device *dev, int *n, p2a_error *err)
{
	p2a_rt_status s = load_api(names, &dev->hip, err);

	if (s != P2A_RT_OK)
		return s;
	int code = dev->hip.hipInit(0);
	if (!code)
		code = dev->hip.hipGetDeviceCount(n);
	if (code == HIP_NO_DEVICE || code == HIP_BAD_DEVICE || (!code && *n <= 0))
		return hip_no_device("/dev", err);
	return code ? failed(dev, err, code, "hipInit") : P2A_RT_OK;
}

static unsigned
count(void)
{
	device dev = { .index = 0 };
	int n = 0;

	return start(hip_libraries, &dev, &n, NULL) == P2A_RT_OK ? (unsigned)n : 0;
}

/* Is a string that ends soon, like gfx90a:sramecc+:xnack-? */
static bool
is_target_id(const char *p, size_t cap)
{
	size_t n = 3;

	if (strncmp(p, "gfx", 3))
		return false;
	while (n < cap && p[n] && strchr("0123456789abcdefghijklmnopqrstuvwxyz:+-", p[n]))
		n++;
	return n < cap && !p[n] && n > 5;
}

/* The target id in hipDeviceProp_t, whose layout differs between versions: it is the last string in
 * there that reads as one. The struct has fewer than 2 KiB in all of them. */
static bool
read_target(device *dev)
{
	enum { CAP = 16384 };
	char *props = calloc(1, CAP);
	size_t at = 0;

	if (!props || !dev->hip.properties || dev->hip.properties(props, dev->index)) {
		free(props);
		return false;
	}
	for (size_t i = 1; i < CAP - sizeof dev->target; i++)
		if (!props[i - 1] && is_target_id(props + i, sizeof dev->target))
			at = i;
	if (at)
		snprintf(dev->target, sizeof dev->target, "%.63s", props + at);
	free(props);
	return at != 0;
}

/* Versions read 50221153 for 5.2.21153. */
static void
read_version(device *dev)
{
	int v = 0;

	if (!dev->hip.runtime_version || dev->hip.runtime_version(&v) || v <= 0)
		snprintf(dev->driver, sizeof dev->driver, "HIP of unknown version");
	else
		snprintf(dev->driver, sizeof dev->driver, "HIP %d.%d.%d", v / 10000000, v / 100000 % 100,
			 v % 100000);
}

static p2a_rt_status
identify(device *dev, p2a_error *err)
{
	ENTER(dev, err);
	TRY(dev, err, hipDeviceGetName, dev->name, (int)sizeof dev->name, dev->index);
	dev->name[sizeof dev->name - 1] = 0;
	if (!read_target(dev))
		return rt_fail(err, P2A_RT_EDEVICE, "hipGetDeviceProperties: HIP does not say which chip "
			       "device %d is", dev->index);
	if (!*dev->name)        /* HIP knows no name of some cards */
		snprintf(dev->name, sizeof dev->name, "%s", dev->target);
	read_version(dev);
	TRY(dev, err, hipStreamCreateWithFlags, &dev->stream, HIP_STREAM_NON_BLOCKING);
	return P2A_RT_OK;
}

p2a_rt_status
hip_open(const char *const *names, const p2a_device_config *c, void **out, p2a_error *err)
{
	device *dev = calloc(1, sizeof *dev);
	int n = 0;

	if (!dev)
		return rt_fail(err, P2A_RT_ENOMEM, "out of memory");
	p2a_rt_status s = start(names, dev, &n, err);
	if (s == P2A_RT_OK && c->index >= (unsigned)n)
		s = rt_fail(err, P2A_RT_ENODEVICE, "there is no ROCm device %u: HIP sees %d", c->index, n);
	dev->index = (int)c->index;
	dev->timeout = c->timeout;
	if (s == P2A_RT_OK)
		s = identify(dev, err);
	if (s != P2A_RT_OK) {
		free(dev);
		return s;
	}
	pthread_mutex_init(&dev->lock, NULL);
	*out = dev;
	return s;
}

static p2a_rt_status
open_device(const p2a_device_config *c, void **out, p2a_error *err)
{
	return hip_open(hip_libraries, c, out, err);
}

static void
close_device(void *impl)
{
	device *dev = impl;

	if (!dev->lost && !dev->hip.hipSetDevice(dev->index)) {
		wait(dev, NULL);
		for (size_t i = 0; i < dev->nbuffers && !dev->lost; i++)
			dev->hip.hipFree(dev->buffers[i]);
		if (!dev->lost)
			dev->hip.hipStreamDestroy(dev->stream);
	}
	pthread_mutex_destroy(&dev->lock);
	free(dev->buffers);
	free(dev);
}

static const char *
device_name(const void *impl)
{
	return ((const device *)impl)->name;
}

static const char *
device_target(const void *impl)
{
	return ((const device *)impl)->target;
}

static const char *
device_driver(const void *impl)
{
	return ((const device *)impl)->driver;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void *
pointer(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

static bool
keep_buffer(device *dev, void *p)
{
	pthread_mutex_lock(&dev->lock);
	if (dev->nbuffers == dev->cap) {
		size_t cap = dev->cap ? dev->cap * 2 : 64;
		void **more = realloc(dev->buffers, cap * sizeof *more);
		if (more)
			dev->buffers = more;
		dev->cap = more ? cap : dev->cap;
	}
	bool kept = dev->nbuffers < dev->cap;
	if (kept)
		dev->buffers[dev->nbuffers++] = p;
	pthread_mutex_unlock(&dev->lock);
	return kept;
}

/* Newest first: that is the order in which most buffers go. */
static bool
drop_buffer(device *dev, const void *p)
{
	bool found = false;

	pthread_mutex_lock(&dev->lock);
	for (size_t i = dev->nbuffers; i-- && !found; ) {
		found = dev->buffers[i] == p;
		if (found)
			dev->buffers[i] = dev->buffers[--dev->nbuffers];
	}
	pthread_mutex_unlock(&dev->lock);
	return found;
}

static p2a_rt_status
mem_alloc(void *impl, size_t size, uint64_t *addr, p2a_error *err)
{
	device *dev = impl;
	void *p = NULL;

	ENTER(dev, err);
	size += !size;           /* hipMalloc gives no address for nothing */
	TRY(dev, err, hipMalloc, &p, size);
	int code = dev->hip.hipMemsetAsync(p, 0, size, dev->stream);
	p2a_rt_status s = code ? failed(dev, err, code, "hipMemsetAsync") : wait(dev, err);
	if (s == P2A_RT_OK && !keep_buffer(dev, p))
		s = rt_fail(err, P2A_RT_ENOMEM, "out of memory");
	if (s == P2A_RT_OK)
		*addr = (uintptr_t)p;
	else if (!dev->lost)
		dev->hip.hipFree(p);
	return s;
}

static p2a_rt_status
mem_free(void *impl, uint64_t addr, p2a_error *err)
{
	device *dev = impl;

	ENTER(dev, err);
	if (!drop_buffer(dev, pointer(addr)))
		return rt_fail(err, P2A_RT_EARG, "no buffer begins at this address");
	p2a_rt_status s = wait(dev, err);
	if (s != P2A_RT_OK)
		return s;
	TRY(dev, err, hipFree, pointer(addr));
	return P2A_RT_OK;
}

/* HIP takes an address that it does not know for one of the host, and crashes. */
static p2a_rt_status
check_range(device *dev, uint64_t addr, size_t size, p2a_error *err)
{
	void *start = NULL;
	size_t n = 0;

	ENTER(dev, err);
	int code = dev->hip.hipMemGetAddressRange(&start, &n, pointer(addr));
	if (!code && addr - (uintptr_t)start <= n && size <= n - (addr - (uintptr_t)start))
		return P2A_RT_OK;
	if (code && code != HIP_BAD_VALUE && code != HIP_BAD_POINTER)
		return failed(dev, err, code, "hipMemGetAddressRange");
	return rt_fail(err, P2A_RT_EARG, "%zu bytes at 0x%llx are not inside one buffer", size,
		       (unsigned long long)addr);
}

static p2a_rt_status
copy(device *dev, void *to, const void *from, size_t size, int way, p2a_error *err)
{
	TRY(dev, err, hipMemcpyAsync, to, from, size, way, dev->stream);
	return wait(dev, err);
}

static p2a_rt_status
mem_write(void *impl, uint64_t to, const void *from, size_t size, p2a_error *err)
{
	p2a_rt_status s = check_range(impl, to, size, err);

	return s == P2A_RT_OK ? copy(impl, pointer(to), from, size, HIP_TO_DEVICE, err) : s;
}

static p2a_rt_status
mem_read(void *impl, void *to, uint64_t from, size_t size, p2a_error *err)
{
	p2a_rt_status s = check_range(impl, from, size, err);

	return s == P2A_RT_OK ? copy(impl, to, pointer(from), size, HIP_TO_HOST, err) : s;
}

static p2a_rt_status
mem_fill(void *impl, uint64_t to, unsigned char byte, size_t size, p2a_error *err)
{
	device *dev = impl;
	p2a_rt_status s = check_range(dev, to, size, err);

	if (s != P2A_RT_OK)
		return s;
	TRY(dev, err, hipMemsetAsync, pointer(to), byte, size, dev->stream);
	return wait(dev, err);
}

/* ---- Modules --------------------------------------------------------------------------------- */

static void
unload(void *impl, void *mod)
{
	device *dev = impl;
	module *m = mod;

	if (m->handle && !dev->lost && !dev->hip.hipSetDevice(dev->index)) {
		wait(dev, NULL);
		if (!dev->lost)
			dev->hip.hipModuleUnload(m->handle);
	}
	if (m->object)
		backend_emu.unload(m->reader, m->object);
	if (m->reader)
		backend_emu.close(m->reader);
	if (!dev->lost)         /* a kernel that does not end may still be reading */
		free(m->bytes);
	free(m->kernels);
	free(m);
}

/* Reads and checks the object; its chip must be the device's. */
static p2a_rt_status
read_object(module *m, const void *elf, size_t size, p2a_error *err)
{
	char target[64];
	p2a_device_config c = { .size = sizeof c, .target = target, .threads = 1 };
	p2a_rt_status s = p2a_object_target(elf, size, target, err);

	if (s != P2A_RT_OK)
		return s;
	if (!rt_target_agrees(m->dev->target, target))
		return rt_fail(err, P2A_RT_EOBJECT, "the code object is for %s, this device is %s", target,
			       m->dev->target);
	s = backend_emu.open(&c, &m->reader, err);
	return s == P2A_RT_OK ? backend_emu.load(m->reader, elf, size, &m->object, err) : s;
}

/* Aligned as a file that is mapped. */
static p2a_rt_status
copy_object(module *m, const void *elf, size_t size, p2a_error *err)
{
	enum { PAGE = 4096 };

	m->bytes = aligned_alloc(PAGE, (size + PAGE - 1) / PAGE * PAGE);
	if (!m->bytes)
		return rt_fail(err, P2A_RT_ENOMEM, "out of memory");
	memcpy(m->bytes, elf, size);
	return P2A_RT_OK;
}

static p2a_rt_status
load_module(module *m, const void *elf, size_t size, p2a_error *err)
{
	device *dev = m->dev;
	p2a_rt_status s = read_object(m, elf, size, err);

	if (s == P2A_RT_OK)
		s = copy_object(m, elf, size, err);
	if (s != P2A_RT_OK)
		return s;
	size_t n = backend_emu.kernels(m->object);
	m->kernels = calloc(n ? n : 1, sizeof *m->kernels);
	if (!m->kernels)
		return rt_fail(err, P2A_RT_ENOMEM, "out of memory");
	ENTER(dev, err);
	TRY(dev, err, hipModuleLoadData, &m->handle, m->bytes);
	for (size_t i = 0; i < n; i++) {
		kernel *k = &m->kernels[i];
		k->mod = m;
		backend_emu.kernel_at(m->object, i, &k->meta);
		TRY(dev, err, hipModuleGetFunction, &k->handle, m->handle, k->meta.attr.name);
	}
	return P2A_RT_OK;
}

static p2a_rt_status
load(void *impl, const void *elf, size_t size, void **mod, p2a_error *err)
{
	module *m = calloc(1, sizeof *m);

	if (!m)
		return rt_fail(err, P2A_RT_ENOMEM, "out of memory");
	m->dev = impl;
	p2a_rt_status s = load_module(m, elf, size, err);
	if (s == P2A_RT_OK)
		*mod = m;
	else
		unload(impl, m);
	return s;
}

static size_t
kernels(const void *mod)
{
	return backend_emu.kernels(((const module *)mod)->object);
}

static void
kernel_at(const void *mod, size_t index, backend_kernel *out)
{
	const kernel *k = &((const module *)mod)->kernels[index];

	*out = k->meta;
	out->handle = k;
}

static void
param_at(const void *handle, size_t index, p2a_param *out)
{
	backend_emu.param_at(((const kernel *)handle)->meta.handle, index, out);
}

static bool
global(const void *mod, const char *name, uint64_t *addr, size_t *size)
{
	const module *m = mod;
	void *p = NULL;

	if (m->dev->hip.hipSetDevice(m->dev->index) ||
	    m->dev->hip.hipModuleGetGlobal(&p, size, m->handle, name))
		return false;
	*addr = (uintptr_t)p;
	return true;
}

/* HIP copies from variables only that it finds by name, and a format has none. The reader's copy of the object is laid
 * out as the device's. */
static bool
initial(const void *mod, const char *name, uint64_t addr, void *to, uint64_t from, size_t size)
{
	const module *m = mod;
	uint64_t here;
	size_t n;

	return backend_emu.global(m->object, name, &here, &n) &&
	       backend_emu.read(m->reader, to, from - addr + here, size, NULL) == P2A_RT_OK;
}

/* ---- Launches -------------------------------------------------------------------------------- */

static void
plain_fault(p2a_fault *f, const char *kernel_name, const char *message)
{
	*f = (p2a_fault){ .lane = -1 };
	snprintf(f->kernel, sizeof f->kernel, "%.*s", (int)sizeof f->kernel - 1, kernel_name);
	snprintf(f->message, sizeof f->message, "%.*s", (int)sizeof f->message - 1, message);
}

static p2a_rt_status
start_kernel(device *dev, const kernel *k, const backend_launch *l, p2a_error *err)
{
	size_t size = l->params_size;
	union { const void *in; void *out; } params = { .in = l->params };
	void *extra[] = { HIP_PARAM_POINTER, params.out, HIP_PARAM_SIZE, &size, HIP_PARAM_END };

	TRY(dev, err, hipModuleLaunchKernel, k->handle, l->grid[0], l->grid[1], l->grid[2], l->block[0],
	    l->block[1], l->block[2], l->shared, dev->stream, NULL, extra);
	atomic_fetch_add(&dev->pending, 1);
	return P2A_RT_OK;
}

static void
fill_stats(const kernel *k, const backend_launch *l, float ms, p2a_stats *out)
{
	uint64_t items = (uint64_t)l->block[0] * l->block[1] * l->block[2];
	uint64_t wave = k->meta.attr.wave ? k->meta.attr.wave : 64;

	*out = (p2a_stats){ .seconds = (double)ms * 1e-3,
			    .workgroups = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] };
	out->waves = out->workgroups * ((items + wave - 1) / wave);
}

/* Between two events, so that the time is the device's own. */
static p2a_rt_status
timed(device *dev, const kernel *k, const backend_launch *l, p2a_stats *stats, const hip_event e[2],
      p2a_error *err)
{
	float ms = 0;

	TRY(dev, err, hipEventRecord, e[0], dev->stream);
	p2a_rt_status s = start_kernel(dev, k, l, err);
	if (s != P2A_RT_OK)
		return s;
	TRY(dev, err, hipEventRecord, e[1], dev->stream);
	s = wait(dev, err);
	if (s != P2A_RT_OK)
		return s;
	TRY(dev, err, hipEventElapsedTime, &ms, e[0], e[1]);
	fill_stats(k, l, ms, stats);
	return P2A_RT_OK;
}

static p2a_rt_status
launch_timed(device *dev, const kernel *k, const backend_launch *l, p2a_stats *stats, p2a_error *err)
{
	hip_event e[2] = { NULL, NULL };

	TRY(dev, err, hipEventCreate, &e[0]);
	int code = dev->hip.hipEventCreate(&e[1]);
	p2a_rt_status s = code ? failed(dev, err, code, "hipEventCreate")
			       : timed(dev, k, l, stats, e, err);
	if (s == P2A_RT_ETIMEOUT)       /* destroying an event that is under way would wait for it */
		return s;
	dev->hip.hipEventDestroy(e[0]);
	if (e[1])
		dev->hip.hipEventDestroy(e[1]);
	return s;
}

static p2a_rt_status
launch(void *impl, const void *handle, const backend_launch *l, p2a_stats *stats, p2a_fault *fault,
       p2a_error *err)
{
	device *dev = impl;
	const kernel *k = handle;
	p2a_error own = { .text = "" };

	ENTER(dev, err);
	p2a_rt_status s = stats ? launch_timed(dev, k, l, stats, &own) : start_kernel(dev, k, l, &own);
	if (s == P2A_RT_EFAULT || s == P2A_RT_ETIMEOUT)
		plain_fault(fault, k->meta.attr.name, own.text);
	return s == P2A_RT_OK ? s : rt_fail(err, s, "%s", own.text);
}

static p2a_rt_status
sync_device(void *impl, p2a_fault *fault, p2a_error *err)
{
	device *dev = impl;
	p2a_error own = { .text = "" };

	ENTER(dev, err);
	p2a_rt_status s = wait(dev, &own);
	if (s == P2A_RT_OK)
		return s;
	plain_fault(fault, "", own.text);
	return rt_fail(err, s, "%s", own.text);
}

const backend backend_hip = {
	.name = "hip", .present = present, .count = count, .open = open_device, .close = close_device,
	.device_name = device_name, .device_target = device_target, .device_driver = device_driver,
	.alloc = mem_alloc, .free = mem_free, .write = mem_write, .read = mem_read, .fill = mem_fill,
	.load = load, .unload = unload, .kernels = kernels, .kernel_at = kernel_at,
	.param_at = param_at, .global = global, .initial = initial, .launch = launch, .sync = sync_device,
};
