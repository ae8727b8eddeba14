// arch: sm_80
// Sparse matrix times vector: rows by warps, sums by shuffles. The block of words holds row starts, columns, values, x.
extern "C" __global__ void spmv(const int *in, float *y, int rows, int entries)
{
	const int *start = in, *column = in + rows + 1;
	const float *value = (const float *)(column + entries), *x = value + entries;
	int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
	float sum = 0;

	if (row >= rows)
		return;
	for (int k = start[row] + lane; k < start[row + 1]; k += 32)
		sum = fmaf(__ldg(value + k), __ldg(x + column[k]), sum);
	for (int d = 16; d; d >>= 1)
		sum += __shfl_down_sync(~0u, sum, d);
	if (lane == 0)
		y[row] = sum;
}
