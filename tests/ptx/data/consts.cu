// Module variables with every kind of initial value.
struct node { int key; const node *left, *right; float w[2][3]; };
__device__ int grid[3][4] = { { 1, 2 }, {}, { 7, 8, 9, 10 } };
__constant__ double dbl[4] = { 1.5, -2.25, 1e300 };
__constant__ float flt = -0.75f;
__device__ const char *names[3] = { "ab", "cde", 0 };
__device__ node leaf = { 3, 0, 0, { { 1, 2, 3 }, { 4 } } };
__device__ node root = { 5, &leaf, &leaf + 1, {} };
__device__ int *inner = &grid[2][1];
__device__ volatile short half = -7;
__device__ unsigned long long big = 0xffffffffffffffffull;
__managed__ int shared_with_host = 11;
__device__ int4 quad = { 1, 2, 3, 4 };
template <int N> __device__ int weak_var = N;
__global__ void consts(int *out, double *d, int i)
{
	out[0] = grid[i % 3][i & 3] + names[i % 2][0] + root.left->key + *inner + half;
	out[1] = shared_with_host + quad.z + weak_var<5> + (int)flt;
	d[0] = dbl[i & 3] + (double)big;
}
