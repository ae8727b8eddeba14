// arch: sm_75
// Quantised products: bytes of a row with bytes of a column, four and two at a time.
extern "C" __global__ void dot(const int *in, int *out, int n, int words)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y, s = 0;
	unsigned u = 0;

	if (i >= n)
		return;
	for (int k = 0; k < words; k++) {
		int a = in[i * words + k], b = in[(n + j) * words + k];

		s = __dp4a(a, b, s);
		u = __dp4a((unsigned)a, (unsigned)b, u);
		s = __dp2a_lo(a, b, s);
		u = __dp2a_hi((unsigned)a, (unsigned)b, u);
	}
	out[(j * n + i) * 2] = s;
	out[(j * n + i) * 2 + 1] = (int)u;
}
