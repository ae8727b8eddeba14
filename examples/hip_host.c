/* hip_host.c -- a plain HIP program around code objects that p2a made of PTX: hipModuleLoadData, launches in
 * both ways, streams, events, dynamic shared memory, a variable of the module; compared with the CPU.
 *
 *	p2a compile --target=gfx90a -o kernels.hsaco examples/{radix_digit/radix_digit.clang,warp_ops/warp_ops,field_histogram/field_histogram}.ptx
 *	cc -D__HIP_PLATFORM_AMD__ -o hip_host examples/hip_host.c -lamdhip64
 *	./hip_host kernels.hsaco                                on the GPU that the object is for
 *	p2a exec --target=gfx90a -- ./hip_host kernels.hsaco    without one
 *
 * Exit status: 0 all right, 1 a result or call is wrong, 77 no device. */
#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5000, BLOCK = 160, BLOCKS = (N + BLOCK - 1) / BLOCK, BUCKETS = 16, NO_DEVICE = 77 };

static int wrong;

static void
try(hipError_t e, const char *call)
{
	if (e == hipSuccess)
		return;
	fprintf(stderr, "%s: %s (%d)\n", call, hipGetErrorName(e), (int)e);
	exit(e == hipErrorNoDevice || e == hipErrorInvalidDevice ? NO_DEVICE : EXIT_FAILURE);
}
#define TRY(call) try((call), #call)

static void
verdict(const char *what, uint32_t differ, uint32_t of)
{
	printf("%s: %u of %u words differ from the CPU\n", what, (unsigned)differ, (unsigned)of);
	wrong |= differ != 0;
}

static uint32_t
differences(const uint32_t *got, const uint32_t *want, uint32_t n)
{
	uint32_t differ = 0;

	for (uint32_t i = 0; i < n; i++)
		differ += got[i] != want[i];
	return differ;
}

/* ---- The device and the object --------------------------------------------------------------- */

static void
describe_device(void)
{
	hipDeviceProp_t p;
	int n = 0, version = 0;

	TRY(hipInit(0));
	TRY(hipGetDeviceCount(&n));
	TRY(hipRuntimeGetVersion(&version));
	TRY(hipSetDevice(0));
	TRY(hipGetDeviceProperties(&p, 0));
	printf("device: %s, %s, HIP %d\n", p.name, p.gcnArchName, version);
}

static hipModule_t
load(const char *path)
{
	enum { CAP = 1 << 22 };
	FILE *f = fopen(path, "rb");
	char *bytes = malloc(CAP);
	size_t n = f && bytes ? fread(bytes, 1, CAP, f) : 0;
	hipModule_t module;

	if (!n || n == CAP) {
		fprintf(stderr, "cannot read '%s'\n", path);
		exit(EXIT_FAILURE);
	}
	fclose(f);
	TRY(hipModuleLoadData(&module, bytes));
	return module;          /* HIP may read the bytes as long as the module lives: they stay */
}

static hipFunction_t
kernel(hipModule_t module, const char *name)
{
	hipFunction_t f;

	TRY(hipModuleGetFunction(&f, module, name));
	return f;
}

static void *
buffer(const void *from, size_t size)
{
	void *p;

	TRY(hipMalloc(&p, size));
	TRY(from ? hipMemcpy(p, from, size, hipMemcpyHostToDevice) : hipMemset(p, 0, size));
	return p;
}

/* ---- Sums of blocks: shuffles, barriers; parameters as pointers ------------------------------- */

static void
block_sums(hipModule_t module, const uint32_t *words)
{
	uint32_t want[BLOCKS] = { 0 }, got[BLOCKS], n = N;
	void *in = buffer(words, N * 4), *out = buffer(NULL, sizeof got), *args[] = { &in, &out, &n };

	for (uint32_t i = 0; i < N; i++)
		want[i / BLOCK] += words[i];
	TRY(hipModuleLaunchKernel(kernel(module, "block_sum"), BLOCKS, 1, 1, BLOCK, 1, 1, 0, NULL, args, NULL));
	TRY(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
	verdict("block_sum", differences(got, want, BLOCKS), BLOCKS);
	TRY(hipFree(in));
	TRY(hipFree(out));
}

/* ---- Histograms: dynamic shared memory; on a stream, timed; parameters packed ----------------- */

static void
histograms(hipModule_t module, const uint32_t *words)
{
	enum { THREADS = 128, GRID = 4, POS = 13 };
	struct { void *words, *histogram; uint32_t pos, n; } params = { buffer(words, N * 4), buffer(NULL, GRID * BUCKETS * 4), POS, N };
	size_t size = sizeof params;
	void *extra[] = { HIP_LAUNCH_PARAM_BUFFER_POINTER, &params, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END };
	uint32_t want[GRID * BUCKETS] = { 0 }, *got;
	hipStream_t stream;
	hipEvent_t begin, end;
	float ms;

	for (uint32_t i = 0; i < N; i++)
		want[i / THREADS % GRID * BUCKETS + (words[i] >> POS & 15)]++;
	TRY(hipHostMalloc((void **)&got, sizeof want, hipHostMallocDefault));
	TRY(hipStreamCreate(&stream));
	TRY(hipEventCreate(&begin));
	TRY(hipEventCreate(&end));
	TRY(hipEventRecord(begin, stream));
	TRY(hipModuleLaunchKernel(kernel(module, "field_histogram"), GRID, 1, 1, THREADS, 1, 1, BUCKETS * 4 * THREADS, stream, NULL, extra));
	TRY(hipEventRecord(end, stream));
	TRY(hipMemcpyAsync(got, params.histogram, sizeof want, hipMemcpyDeviceToHost, stream));
	TRY(hipStreamSynchronize(stream));
	TRY(hipEventElapsedTime(&ms, begin, end));
	verdict("field_histogram", differences(got, want, GRID * BUCKETS), GRID * BUCKETS);
	printf("time: %s\n", ms >= 0 && ms < 60000 ? "sensible" : "not sensible");
	wrong |= !(ms >= 0 && ms < 60000);
	TRY(hipEventDestroy(begin));
	TRY(hipEventDestroy(end));
	TRY(hipStreamDestroy(stream));
	TRY(hipHostFree(got));
	TRY(hipFree(params.words));
	TRY(hipFree(params.histogram));
}

/* ---- Digits: a table in a .visible variable of the module, replaced by the host --------------- */

static uint32_t
replace_digits(uint32_t key, const uint32_t *table)
{
	uint32_t result = 0;

	for (uint32_t k = 0; k < 32; k += 4)
		result |= table[key >> k & 15] << k;
	return result;
}

static void
digits(hipModule_t module, const uint32_t *words)
{
	uint32_t table[BUCKETS], own[BUCKETS], want[N], got[N], bits = 4, n = N / 4;
	void *keys = buffer(words, N * 4), *out = buffer(NULL, N), *args[] = { &keys, &out, &bits, &n };
	hipDeviceptr_t variable;
	size_t size = 0;

	TRY(hipModuleGetGlobal(&variable, &size, module, "bucket_of"));
	if (size < sizeof table) {
		printf("bucket_of has %zu bytes\n", size);
		wrong = 1;
		return;
	}
	TRY(hipMemcpyDtoH(own, variable, sizeof own));
	for (uint32_t i = 0; i < BUCKETS; i++)
		table[i] = own[i] ^ 5;
	TRY(hipMemcpyHtoD(variable, table, sizeof table));
	for (uint32_t i = 0; i < N; i++)
		want[i] = replace_digits(words[i], table);
	TRY(hipModuleLaunchKernel(kernel(module, "radix_digit"), (n + 63) / 64, 1, 1, 64, 1, 1, 0, NULL, args, NULL));
	TRY(hipMemcpy(got, keys, sizeof got, hipMemcpyDeviceToHost));
	verdict("radix_digit", differences(got, want, N), N);
	TRY(hipMemcpyHtoD(variable, own, sizeof own));
	TRY(hipFree(keys));
	TRY(hipFree(out));
}

int
main(int argc, char **argv)
{
	static uint32_t words[N];
	hipFunction_t none;
	hipModule_t module;
	uint32_t x = 1;

	if (argc != 2) {
		fprintf(stderr, "usage: hip_host OBJECT\n");
		return EXIT_FAILURE;
	}
	for (uint32_t i = 0; i < N; i++)
		words[i] = x = x * 1664525 + 1013904223;
	describe_device();
	module = load(argv[1]);
	block_sums(module, words);
	histograms(module, words);
	digits(module, words);
	if (hipModuleGetFunction(&none, module, "no_such_kernel") == hipSuccess) {
		printf("a kernel that is not there was found\n");
		wrong = 1;
	}
	TRY(hipModuleUnload(module));
	printf("%s\n", wrong ? "wrong" : "all right");
	return wrong;
}
