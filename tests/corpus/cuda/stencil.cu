// arch: sm_75
// options: -fmad=false
// Five points in the plane by way of shared memory with a rim; seven points in space, straight from memory.
extern "C" __global__ void plane(const float *in, float *out, int nx, int ny)
{
	__shared__ float t[10][34];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
	int cx = min(x, nx - 1), cy = min(y, ny - 1), i = threadIdx.x + 1, j = threadIdx.y + 1;

	t[j][i] = in[cy * nx + cx];
	if (threadIdx.x == 0)
		t[j][0] = in[cy * nx + max(cx - 1, 0)];
	if (threadIdx.x == 31)
		t[j][33] = in[cy * nx + min(cx + 1, nx - 1)];
	if (threadIdx.y == 0)
		t[0][i] = in[max(cy - 1, 0) * nx + cx];
	if (threadIdx.y == 7)
		t[9][i] = in[min(cy + 1, ny - 1) * nx + cx];
	__syncthreads();
	if (x < nx && y < ny)
		out[y * nx + x] = 0.5f * t[j][i] + 0.125f * (((t[j][i - 1] + t[j][i + 1]) + t[j - 1][i]) + t[j + 1][i]);
}

extern "C" __global__ void space(const float *__restrict__ in, float *__restrict__ out, int n)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, nn = n * n;

	if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1)
		return;
	for (int z = 1; z < n - 1; z++) {
		const float *p = in + z * nn + y * n + x;
		out[z * nn + y * n + x] = p[0] * -6.0f + (((((p[-1] + p[1]) + p[-n]) + p[n]) + p[-nn]) + p[nn]);
	}
}
