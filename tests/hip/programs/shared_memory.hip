/* Static and dynamic shared memory: a transposition in tiles, a scan, all 64 KiB at once. */
#include "check.h"

__global__ void transpose(const float *in, float *out, int w, int h)
{
	__shared__ float tile[16][17];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
	if (x < w && y < h)
		tile[threadIdx.y][threadIdx.x] = in[y * w + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
	if (x < h && y < w)
		out[y * h + x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void scan(const uint32_t *in, uint32_t *out)
{
	extern __shared__ uint32_t sums[];
	uint32_t t = threadIdx.x, n = blockDim.x;
	sums[t] = in[blockIdx.x * n + t];
	for (uint32_t d = 1; d < n; d *= 2) {
		__syncthreads();
		uint32_t v = t >= d ? sums[t - d] : 0;
		__syncthreads();
		sums[t] += v;
	}
	out[blockIdx.x * n + t] = sums[t];
}

__global__ void whole(uint32_t *out, uint32_t words)
{
	extern __shared__ uint32_t sums[];
	for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
		sums[i] = i * 7;
	__syncthreads();
	uint32_t v = 0;
	for (uint32_t i = threadIdx.x; i < words; i += blockDim.x)
		v += sums[words - 1 - i];
	out[threadIdx.x] = v;
}

int main()
{
	const int w = 50, h = 35, n = 512, blocks = 5;
	std::vector<float> picture(w * h), turned;
	for (int i = 0; i < w * h; i++)
		picture[i] = (float)i;
	float *a = on_device(picture.data(), w * h), *b = zeroed<float>(w * h);
	transpose<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, b, w, h);
	FINISH();
	turned = on_host(b, w * h);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			FACT(turned[x * h + y] == picture[y * w + x]);
	std::vector<uint32_t> v(n * blocks), got;
	for (uint32_t i = 0; i < v.size(); i++)
		v[i] = mix(i) & 1023;
	uint32_t *in = on_device(v.data(), v.size()), *out = zeroed<uint32_t>(v.size());
	scan<<<blocks, n, n * 4>>>(in, out);
	FINISH();
	got = on_host(out, v.size());
	uint32_t sum = 0;
	for (uint32_t i = 0; i < v.size(); i++) {
		sum = i % n ? sum + v[i] : v[i];
		FACT(got[i] == sum);
	}
	whole<<<2, 256, 65536>>>(out, 16384);
	FINISH();
	got = on_host(out, 256);
	for (uint32_t t = 0; t < 256; t++) {
		uint32_t want = 0;
		for (uint32_t i = t; i < 16384; i += 256)
			want += (16383 - i) * 7;
		FACT(got[t] == want);
	}
	CALL(hipFree(a));
	CALL(hipFree(b));
	CALL(hipFree(in));
	CALL(hipFree(out));
	return done();
}
