// arch: sm_75
// alloca of as much as the lane asks for; an array on the stack that the lane indexes.
extern "C" __global__ void stack(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned m, sum = 0, seen[32], *list;

	if (i >= n)
		return;
	m = in[i] % 17;
	list = (unsigned *)__builtin_alloca((m + 1) * sizeof *list);
	for (unsigned k = 0; k <= m; k++)
		list[k] = in[i] * (k + 3) ^ k;
	for (unsigned k = 0; k < 32; k++)
		seen[k] = k * 5;
	for (unsigned k = 0; k <= m; k++)
		seen[list[k] >> 27] += list[m - k];
	for (unsigned k = 0; k < 32; k++)
		sum = sum * 31 + seen[(k * 7 + m) & 31];
	out[i] = sum;
}
