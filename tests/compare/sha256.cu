// SHA-256 of one block of 16 words a thread (FIPS 180-4, section 6.2), without padding.
#include "shim.h"

static __constant__ unsigned int round_constant[64] = {
	0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
	0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
	0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
	0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
	0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
	0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
	0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
	0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u,
};

static __forceinline__ __device__ unsigned int rotr(unsigned int x, unsigned int by)
{
	return __funnelshift_r(x, x, by);
}

extern "C" __global__ void sha256(const unsigned int *__restrict__ in, unsigned int *__restrict__ out)
{
	unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned int w[16], v[8], start[8];

	v[0] = 0x6a09e667u;
	v[1] = 0xbb67ae85u;
	v[2] = 0x3c6ef372u;
	v[3] = 0xa54ff53au;
	v[4] = 0x510e527fu;
	v[5] = 0x9b05688cu;
	v[6] = 0x1f83d9abu;
	v[7] = 0x5be0cd19u;
#pragma unroll
	for (int k = 0; k < 8; k++)
		start[k] = v[k];
#pragma unroll
	for (int k = 0; k < 16; k++)
		w[k] = in[i * 16 + k];
#pragma unroll
	for (int t = 0; t < 64; t++) {
		if (t >= 16) {
			unsigned int x = w[(t - 15) & 15], y = w[(t - 2) & 15];
			w[t & 15] += (rotr(x, 7) ^ rotr(x, 18) ^ x >> 3) + w[(t - 7) & 15] +
				     (rotr(y, 17) ^ rotr(y, 19) ^ y >> 10);
		}
		unsigned int e = v[4], a = v[0];
		unsigned int t1 = v[7] + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & v[5]) ^ (~e & v[6])) +
				  round_constant[t] + w[t & 15];
		unsigned int t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) +
				  ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
		v[7] = v[6];
		v[6] = v[5];
		v[5] = e;
		v[4] = v[3] + t1;
		v[3] = v[2];
		v[2] = v[1];
		v[1] = a;
		v[0] = t1 + t2;
	}
#pragma unroll
	for (int k = 0; k < 8; k++)
		out[i * 8 + k] = v[k] + start[k];
}
