// arch: sm_86
// Rows of f32: (x - mean) / sqrt(variance + eps) * scale + shift, a block a row.
struct shape { int n; float eps; };

__device__ float block_sum(float v, float *part)
{
	for (int d = 16; d; d >>= 1)
		v += __shfl_xor_sync(~0u, v, d);
	if ((threadIdx.x & 31) == 0)
		part[threadIdx.x >> 5] = v;
	__syncthreads();
	v = 0;
	for (int w = 0; w < (int)blockDim.x / 32; w++)
		v += part[w];
	__syncthreads();
	return v;
}

extern "C" __global__ void layer_norm(const float *in, float *out, struct shape s)
{
	__shared__ float part[32];
	const float4 *x = (const float4 *)(in + 2 * s.n + blockIdx.x * s.n);
	const float4 *scale = (const float4 *)in, *shift = (const float4 *)(in + s.n);
	float4 *y = (float4 *)(out + blockIdx.x * s.n);
	float sum = 0, square = 0, mean, r;

	for (int i = threadIdx.x; i < s.n / 4; i += blockDim.x)
		sum += x[i].x + x[i].y + x[i].z + x[i].w;
	mean = block_sum(sum, part) / s.n;
	for (int i = threadIdx.x; i < s.n / 4; i += blockDim.x) {
		float a = x[i].x - mean, b = x[i].y - mean, c = x[i].z - mean, d = x[i].w - mean;
		square += a * a + b * b + c * c + d * d;
	}
	r = rsqrtf(block_sum(square, part) / s.n + s.eps);
	for (int i = threadIdx.x; i < s.n / 4; i += blockDim.x)
		y[i] = make_float4((x[i].x - mean) * r * scale[i].x + shift[i].x, (x[i].y - mean) * r * scale[i].y + shift[i].y,
		                   (x[i].z - mean) * r * scale[i].z + shift[i].z, (x[i].w - mean) * r * scale[i].w + shift[i].w);
}
