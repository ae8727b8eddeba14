// arch: sm_75
// Constant memory: tables, a structure, pointers to other variables, and variables of the module that the kernel changes.
struct entry { unsigned char kind; unsigned short size; unsigned value; };
__constant__ struct entry table[5] = { { 1, 500, 7u }, { 2, 60000, 1u << 31 }, { 3, 3, 0xdeadbeef }, { 255, 65535, 0 }, { 0, 1, 2 } };
__constant__ float weight[3] = { 0.25f, -2.0f, 1e10f };
__constant__ unsigned long long big = 0x123456789abcdefull;
__device__ int counter = 40, grid[3][2] = { { 1, 2 }, { 3 } };
__device__ int *where[2] = { &counter, &grid[1][1] };
__device__ const char text[] = "words\n\377";

extern "C" __global__ void constants(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const struct entry *e;
	unsigned *o = out + i * 5;

	if (i >= n)
		return;
	e = &table[in[i] % 5];
	o[0] = e->value + e->size * e->kind;
	o[1] = __float_as_uint(weight[in[i] % 3] * (float)i);
	o[2] = (unsigned)(big >> (in[i] & 63));
	o[3] = (unsigned)(grid[i % 3][0] + (unsigned char)text[in[i] % 8]);
	o[4] = (unsigned)*where[0];
	__syncthreads();
	atomicAdd(where[1], (int)in[i]);
}
