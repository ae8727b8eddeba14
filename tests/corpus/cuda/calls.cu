// arch: sm_75
// Functions that stay functions: recursion, mutual recursion, pointers, virtual methods, structures by value.
struct point { int x, y; short z; };

__device__ __noinline__ int ackermann(int m, int n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

__device__ int is_odd(unsigned n);
__device__ __noinline__ int is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
__device__ __noinline__ int is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }

__device__ __noinline__ point mirror(point p, int by)
{
	point r = { p.y + by, p.x - by, (short)-p.z };
	return r;
}

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int less(int x) { return x - 7; }
__device__ int (*const table[3])(int) = { twice, square, less };

struct shape { __device__ virtual int area(int) const = 0; };
struct box : shape { int a; __device__ int area(int k) const { return a * a + k; } };
struct bar : shape { int a, b; __device__ int area(int k) const { return a * b - k; } };

extern "C" __global__ void calls(const int *in, int *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, *o = out + i * 6;
	point p;
	box s;
	bar t;
	const shape *one;

	if (i >= n)
		return;
	o[0] = ackermann(in[i] & 1, in[i] >> 1 & 7);
	o[1] = is_even((unsigned)in[i] & 15);
	p.x = in[i], p.y = i, p.z = (short)in[i];
	p = mirror(mirror(p, 3), in[i] & 7);
	o[2] = p.x, o[3] = p.y * 65536 + p.z;
	o[4] = table[(unsigned)in[i] % 3](in[i]);
	s.a = i, t.a = in[i], t.b = 5;
	one = in[i] & 4 ? (const shape *)&s : &t;
	o[5] = one->area(in[i] & 3);
}
