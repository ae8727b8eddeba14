// arch: sm_75
// options: -fmad=false
// An 8 x 8 cosine transform of pictures of bytes, rows then columns, in shared memory; rounded to 16 bits.
__constant__ float cosine[8][8];

extern "C" __global__ void dct(const unsigned char *in, short *out, int width)
{
	__shared__ float t[8][9], u[8][9];
	int x = threadIdx.x, y = threadIdx.y, at = (blockIdx.y * 8 + y) * width + blockIdx.x * 8 + x;
	const float *table = (const float *)(in + width * gridDim.y * 8);
	float s = 0;

	t[y][x] = (float)in[at] - 128.0f;
	__syncthreads();
	for (int k = 0; k < 8; k++)
		s += t[y][k] * table[x * 8 + k];
	u[y][x] = s;
	__syncthreads();
	s = cosine[x & 7][y & 7];
	for (int k = 0; k < 8; k++)
		s += u[k][x] * table[y * 8 + k];
	out[at] = (short)__float2int_rn(s * 0.25f);
}
