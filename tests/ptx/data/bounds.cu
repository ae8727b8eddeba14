// Performance directives, grid constants, 8- and 16-bit data, vectors.
struct big { int v[20]; char4 c; };
__global__ void __launch_bounds__(256, 4) bounded(short *s, unsigned char *c, uchar4 *v)
{
	s[threadIdx.x] += c[threadIdx.x] * (signed char)v[threadIdx.x].y;
	v[blockIdx.y] = make_uchar4(1, c[0], c[1], c[2]);
}
__global__ void __maxnreg__(40) registers(float4 *a, int2 *b, double2 *d)
{
	a[1] = a[0];
	b[threadIdx.z] = make_int2(gridDim.x, blockDim.y);
	d[1].x = d[0].y;
}
__global__ void byvalue(const __grid_constant__ big g, int *out, int i)
{
	out[i] = g.v[i] + g.c.z;
}
__global__ void local_array(int *out, int n)
{
	int stack[33];

	for (int k = 0; k < 33; k++)
		stack[k] = out[k] * n;
	for (int k = 0; k < n; k++)
		out[k] = stack[out[k] & 31];
}
