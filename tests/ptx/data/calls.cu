// Functions that stay functions: recursion, pointers, structs by value, printf, assert.
#include <cassert>
#include <cstdio>
struct pair { long a; int b; char c[5]; };
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ __noinline__ pair twist(pair p, double d) { p.a += (long)d; p.b ^= p.c[3]; return p; }
__device__ __noinline__ void give(int *out, int x) { *out = x * 3; }
__device__ int one(int x) { return x + 1; }
__device__ int two(int x) { return x * 2; }
__device__ int (*const table[2])(int) = { one, two };
extern __device__ int elsewhere(int, float);
__global__ void calls(int *out, pair p, int n)
{
	pair r = twist(p, n * 0.5);
	int x = fib(n);

	give(out + 1, x);
	assert(n > 0);
	printf("%d %ld %s\n", x, r.a, "text");
	out[0] = table[n & 1](x) + r.b + elsewhere(n, 2.0f);
}
