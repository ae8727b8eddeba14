// arch: sm_75
// A board of bits, 32 cells a word: eight neighbours added up in bit planes with lop3's; and a board of bytes.
extern "C" __global__ void life(const unsigned *in, unsigned *out, int words, int rows)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
	unsigned one = 0, two = 0, four = 0, mid = 0;

	if (x >= words)
		return;
	for (int dy = -1; dy <= 1; dy++) {
		const unsigned *row = in + (y + dy + rows) % rows * words;
		unsigned c = row[x], l = c << 1 | row[(x + words - 1) % words] >> 31, r = c >> 1 | row[(x + 1) % words] << 31;
		unsigned s[3] = { l, r, dy ? c : 0 };

		if (!dy)
			mid = c;
		for (int k = 0; k < 3; k++) {
			unsigned carry = one & s[k], more = two & carry;
			one ^= s[k];
			two ^= carry;
			four |= more;
		}
	}
	out[y * words + x] = two & ~four & (one | mid);
}
