/* usual.c -- a HIP program of the usual kinds of calls, for test_exec.sh: usual OBJECT [DEVICES].
 * OBJECT has the kernels of kernels.ptx beside it, for every device. Prints what is wrong; exit status 0: nothing. */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000 };
static int bad;

#define DO(call) do { \
	hipError_t e_ = (call); \
	if (e_ != hipSuccess) { \
		printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorName(e_)); \
		exit(1); \
	} \
} while (0)
#define IS(got, wanted) do { \
	long long g_ = (long long)(got), w_ = (long long)(wanted); \
	if (g_ != w_) { \
		printf("%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, g_, w_); \
		bad++; \
	} \
} while (0)

static hipModule_t module;
static hipFunction_t plus, count;

static void launch(hipFunction_t f, unsigned n, hipStream_t s, void *in, void *out, unsigned add)
{
	void *args[] = { &in, &out, &n, &add };
	DO(hipModuleLaunchKernel(f, (n + 127) / 128, 1, 1, 128, 1, 1, 0, s, args, NULL));
}

static void called(hipStream_t s, hipError_t e, void *p)
{
	(void)s;
	*(int *)p = e == hipSuccess ? 43 : -1;
}

static void *load(const char *path)
{
	FILE *f = fopen(path, "rb");
	static char *bytes;
	if (!f || !(bytes = calloc(1, 1 << 20)) || !fread(bytes, 1, 1 << 20, f)) {
		printf("%s: cannot be read\n", path);
		exit(1);
	}
	fclose(f);
	return bytes;
}

static void copies_and_kernels(void)
{
	static unsigned x[N], y[N];
	void *a, *b;
	unsigned wrong = 0;
	for (unsigned i = 0; i < N; i++)
		x[i] = i * 3;
	DO(hipMalloc(&a, sizeof x));
	DO(hipMalloc(&b, sizeof x));
	DO(hipMemcpy(a, x, sizeof x, hipMemcpyHostToDevice));
	launch(plus, N, 0, a, b, 11);
	DO(hipDeviceSynchronize());
	DO(hipMemcpy(a, b, sizeof x, hipMemcpyDeviceToDevice));
	DO(hipMemcpy(y, a, sizeof x, hipMemcpyDeviceToHost));
	for (unsigned i = 0; i < N; i++)
		wrong += y[i] != x[i] + 11;
	IS(wrong, 0);
	DO(hipMemset(a, 0x5a, 1001));
	DO(hipMemsetD32(b, 0x12345678, N));
	DO(hipMemcpy(y, a, 1004, hipMemcpyDeviceToHost));
	IS(y[0], 0x5a5a5a5a);
	IS(y[250] & 255, 0x5a);
	IS(y[250] >> 8, (x[250] + 11) >> 8);
	DO(hipMemcpy(y, b, sizeof y, hipMemcpyDeviceToHost));
	IS(y[N - 1], 0x12345678);
	DO(hipMemset2D(a, 256, 7, 100, 10));
	DO(hipMemcpy2D(y, 128, a, 256, 100, 10, hipMemcpyDeviceToHost));
	IS(((unsigned char *)y)[9 * 128 + 99], 7);
	DO(hipMemcpy2D(b, 512, a, 256, 100, 10, hipMemcpyDeviceToDevice));
	DO(hipMemcpy(y, b, 9 * 512 + 100, hipMemcpyDeviceToHost));
	IS(((unsigned char *)y)[9 * 512 + 99], 7);
	DO(hipFree(a));
	DO(hipFree(b));
}

static void streams_and_events(void)
{
	unsigned *host, *managed, wrong = 0;
	void *d;
	hipStream_t s, t;
	hipEvent_t e, f;
	float ms = -1;
	int told = 0;
	DO(hipHostMalloc((void **)&host, N * 4, 0));
	DO(hipMallocManaged((void **)&managed, N * 4, hipMemAttachGlobal));
	DO(hipMalloc(&d, N * 4));
	for (unsigned i = 0; i < N; i++)
		host[i] = i;
	DO(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
	DO(hipStreamCreate(&t));
	DO(hipEventCreate(&e));
	DO(hipEventCreate(&f));
	DO(hipEventRecord(e, s));
	launch(plus, N, s, host, d, 1);
	DO(hipEventRecord(f, s));
	DO(hipStreamWaitEvent(t, f, 0));
	launch(plus, N, t, d, managed, 2);
	DO(hipStreamAddCallback(t, called, &told, 0));
	DO(hipStreamSynchronize(t));
	IS(told, 43);
	for (unsigned i = 0; i < N; i++)
		wrong += managed[i] != i + 3;
	IS(wrong, 0);
	DO(hipEventElapsedTime(&ms, e, f));
	IS(ms >= 0 && ms < 60000, 1);
	DO(hipStreamQuery(s));
	for (int i = 0; i < 300; i++)
		launch(plus, 1, s, managed, managed, 1);
	DO(hipStreamSynchronize(s));
	IS(managed[0], 303);
	DO(hipStreamDestroy(s));
	DO(hipStreamDestroy(t));
	DO(hipFree(d));
	DO(hipFree(managed));
	DO(hipHostFree(host));
}

/* The program's own memory made known to the device, by the device's address of it. */
static void registered(void)
{
	unsigned *own = malloc(N * 4);
	void *seen;
	memset(own, 0, N * 4);
	DO(hipHostRegister(own, N * 4, hipHostRegisterMapped));
	DO(hipHostGetDevicePointer(&seen, own, 0));
	launch(plus, N, 0, seen, seen, 5);
	DO(hipDeviceSynchronize());
	IS(own[N - 1], 5);
	DO(hipHostUnregister(own));
	free(own);
}

static void globals(void)
{
	hipDeviceptr_t g;
	size_t size = 0;
	unsigned x = 0;
	DO(hipModuleGetGlobal(&g, &size, module, "counter"));
	IS(size, 4);
	DO(hipMemcpyDtoH(&x, g, 4));
	IS(x, 41);
	launch(count, 256, 0, NULL, NULL, 0);
	DO(hipMemcpyDtoH(&x, g, 4));
	IS(x, 41 + 256);
}

/* Copies only: libamdhip64 5.2 executes hipModuleLaunchKernel while a stream is captured. */
static void graphs(void)
{
	unsigned *host;
	void *a, *b;
	hipStream_t s;
	hipGraph_t graph;
	hipGraphExec_t exec;
	DO(hipHostMalloc((void **)&host, 2 * N * 4, 0));
	DO(hipMalloc(&a, N * 4));
	DO(hipMalloc(&b, N * 4));
	DO(hipStreamCreate(&s));
	DO(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	DO(hipMemcpyAsync(a, host, N * 4, hipMemcpyHostToDevice, s));
	DO(hipMemcpyAsync(b, a, N * 4, hipMemcpyDeviceToDevice, s));
	DO(hipMemcpyAsync(host + N, b, N * 4, hipMemcpyDeviceToHost, s));
	DO(hipStreamEndCapture(s, &graph));
	DO(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (unsigned i = 1; i < 4; i++) {
		host[N - 1] = i;
		DO(hipGraphLaunch(exec, s));
		DO(hipStreamSynchronize(s));
		IS(host[2 * N - 1], i);
	}
	DO(hipGraphExecDestroy(exec));
	DO(hipGraphDestroy(graph));
	DO(hipStreamDestroy(s));
	DO(hipFree(a));
	DO(hipFree(b));
	DO(hipHostFree(host));
}

/* Pitches come from a device with images, of which the largest has no elements. */
static void pitches(void)
{
	void *a, *textures = NULL;
	size_t pitch = 0;
	hipPitchedPtr box;
	hipArray_t array;
	struct hipChannelFormatDesc format = { 32, 0, 0, 0, hipChannelFormatKindFloat };
	struct hipResourceDesc linear = { .resType = hipResourceTypeLinear };
	struct hipTextureDesc how = { 0 };
	hipTextureObject_t texture = 0;
	hipExtent e = { 100, 7, 3 };
	int width = 1;
	DO(hipMallocPitch(&a, &pitch, 100, 7));
	IS(pitch >= 100, 1);
	DO(hipFree(a));
	DO(hipMalloc3D(&box, e));
	DO(hipFree(box.ptr));
	DO(hipDeviceGetAttribute(&width, hipDeviceAttributeMaxTexture2DWidth, 0));
	IS(width, 0);
	IS(hipMallocArray(&array, &format, 64, 64, 0) != hipSuccess, 1);
	DO(hipMalloc(&textures, 4096));
	linear.res.linear.devPtr = textures;
	linear.res.linear.desc = format;
	linear.res.linear.sizeInBytes = 4096;
	IS(hipCreateTextureObject(&texture, &linear, &how, NULL) != hipSuccess, 1);
	(void)hipGetLastError();
	DO(hipFree(textures));
}

static void peers(int n)
{
	void *a, *b;
	int can = 0;
	unsigned x = 17;
	if (n < 2)
		return;
	DO(hipDeviceCanAccessPeer(&can, 0, 1));
	IS(can, 1);
	DO(hipSetDevice(0));
	DO(hipMalloc(&a, 4));
	DO(hipMemcpy(a, &x, 4, hipMemcpyHostToDevice));
	DO(hipSetDevice(1));
	DO(hipMalloc(&b, 4));
	DO(hipMemcpyPeer(b, 1, a, 0, 4));
	x = 0;
	DO(hipMemcpy(&x, b, 4, hipMemcpyDeviceToHost));
	IS(x, 17);
	DO(hipFree(b));
	DO(hipSetDevice(0));
	DO(hipFree(a));
}

int main(int argc, char **argv)
{
	int n = 0;
	void *object = load(argv[1]);
	DO(hipInit(0));
	DO(hipGetDeviceCount(&n));
	IS(n, argc > 2 ? atoi(argv[2]) : 1);
	DO(hipModuleLoadData(&module, object));
	DO(hipModuleGetFunction(&plus, module, "plus"));
	DO(hipModuleGetFunction(&count, module, "count"));
	copies_and_kernels();
	streams_and_events();
	registered();
	globals();
	graphs();
	pitches();
	peers(n);
	DO(hipModuleUnload(module));
	free(object);
	if (!bad)
		puts("all is well");
	return bad != 0;
}
