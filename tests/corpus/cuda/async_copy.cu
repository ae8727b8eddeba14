// arch: sm_80
// Copies into shared memory that run beside the work, two stages deep.
#include <cuda_pipeline.h>

extern "C" __global__ __launch_bounds__(128) void async_copy(const float4 *in, float4 *out, int n)
{
	__shared__ float4 stage[2][128];
	int t = threadIdx.x, step = gridDim.x * 128, at = blockIdx.x * 128 + t, turn = 0;
	float4 sum = make_float4(0, 0, 0, 0);

	if (at < n)
		__pipeline_memcpy_async(&stage[0][t], in + at, sizeof *in);
	__pipeline_commit();
	for (int i = at; i < n; i += step, turn ^= 1) {
		if (i + step < n)
			__pipeline_memcpy_async(&stage[turn ^ 1][t], in + i + step, sizeof *in);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		sum.x += stage[turn][t].x;
		sum.y = fmaxf(sum.y, stage[turn][t].y);
		sum.z -= stage[turn][t].z;
		sum.w += 1;
	}
	out[at] = sum;
}
