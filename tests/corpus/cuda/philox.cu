// arch: sm_90
// Philox 4x32-10 (Salmon et al., SC 2011): four random words a lane, and uniform floats of them.
extern "C" __global__ void philox(const unsigned *key, uint4 *out, float *unit, int n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x, k0 = key[0], k1 = key[1];
	uint4 c = make_uint4(i, 0, key[2], key[3]);

	if ((int)i >= n)
		return;
	for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
		unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
		unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
		c = make_uint4(h1 ^ c.y ^ k0, l1, h0 ^ c.w ^ k1, l0);
	}
	out[i] = c;
	if (unit)
		unit[i] = c.x * 2.3283064e-10f + 1.1641532e-10f;
}
