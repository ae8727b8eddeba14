// arch: sm_75
// One round of AES on columns: tables of bytes in shared memory, products by 2 and 3 in GF(256).
__device__ __forceinline__ unsigned twice(unsigned x)
{
	return (x << 1 & 0xfefefefe) ^ ((x >> 7 & 0x01010101) * 0x1b);
}

extern "C" __global__ void aes_round(const unsigned *in, uint4 *out, int n)
{
	__shared__ unsigned char box[256];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	const unsigned char *table = (const unsigned char *)(in + 4 * n + 4);
	unsigned s[4], r[4];

	for (int k = threadIdx.x; k < 256; k += blockDim.x)
		box[k] = table[k];
	__syncthreads();
	if (i >= n)
		return;
	for (int k = 0; k < 4; k++)
		s[k] = in[i * 4 + k];
	for (int k = 0; k < 4; k++) {
		unsigned c = box[s[k] & 255] | box[s[(k + 1) & 3] >> 8 & 255] << 8 | box[s[(k + 2) & 3] >> 16 & 255] << 16 |
			(unsigned)box[s[(k + 3) & 3] >> 24] << 24;
		unsigned d = twice(c), next = c >> 8 | c << 24;

		r[k] = d ^ twice(next) ^ next ^ (c >> 16 | c << 16) ^ (c >> 24 | c << 8) ^ in[4 * n + k];
	}
	out[i] = make_uint4(r[0], r[1], r[2], r[3]);
}
