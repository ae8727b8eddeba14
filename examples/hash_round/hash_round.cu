/* SHA-256 of many short messages, one a thread: padding, schedule and all 64 rounds.
 * Needs messages of at most 55 bytes in slots of 64; leaves eight words a message, big-endian.
 * Shows: shf (rotate), lop3 (choose, majority, three-way xor), prmt (byte swap), bfi at a variable
 * position (the padding), a table in .const memory, 16-byte vectors. (FIPS 180-4, section 6.2.) */
#include "../ptx_ops.cuh"

__constant__ u32 round_constant[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static __device__ __forceinline__ u32 xor3(u32 a, u32 b, u32 c)
{
	return lop3<0x96>(a, b, c);
}

static __device__ __forceinline__ u32 swap_bytes(u32 a)
{
	return prmt<0x0123>(a, 0);
}

/* Word k of a message as the rounds see it: bytes past the end give way to 0x80, then zeros. */
static __device__ __forceinline__ u32 padded(u32 word, u32 k, u32 size)
{
	u32 used = size - 4 * k;
	if (size < 4 * k)
		return 0;
	if (used >= 4)
		return swap_bytes(word);
	word = bfi32(0x80, word, 8 * used, 32 - 8 * used);
	return swap_bytes(word);
}

extern "C" __global__ void hash_round(const uint4 *__restrict__ messages,
				      const u8 *__restrict__ sizes, uint4 *__restrict__ digests,
				      u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 size = sizes[i];
	u32 w[16];
#pragma unroll
	for (u32 k = 0; k < 4; k++) {
		uint4 quad = messages[4 * i + k];
		w[4 * k] = padded(quad.x, 4 * k, size);
		w[4 * k + 1] = padded(quad.y, 4 * k + 1, size);
		w[4 * k + 2] = padded(quad.z, 4 * k + 2, size);
		w[4 * k + 3] = padded(quad.w, 4 * k + 3, size);
	}
	w[15] = 8 * size;
	u32 s[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
		     0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
#pragma unroll 1
	for (u32 round = 0; round < 64; round += 16) {
#pragma unroll
		for (u32 k = 0; k < 16; k++) {
			u32 a = s[0], e = s[4];
			u32 sum1 = xor3(rotate_right<6>(e), rotate_right<11>(e),
					rotate_right<25>(e));
			u32 sum0 = xor3(rotate_right<2>(a), rotate_right<13>(a),
					rotate_right<22>(a));
			u32 t1 = s[7] + sum1 + lop3<0xca>(e, s[5], s[6]) +
				 round_constant[round + k] + w[k];
			u32 t2 = sum0 + lop3<0xe8>(a, s[1], s[2]);
			s[7] = s[6], s[6] = s[5], s[5] = e, s[4] = s[3] + t1;
			s[3] = s[2], s[2] = s[1], s[1] = a, s[0] = t1 + t2;
			u32 w1 = w[(k + 1) & 15], w14 = w[(k + 14) & 15];
			w[k] += xor3(rotate_right<7>(w1), rotate_right<18>(w1), w1 >> 3) +
				w[(k + 9) & 15] +
				xor3(rotate_right<17>(w14), rotate_right<19>(w14), w14 >> 10);
		}
	}
	uint4 high = { swap_bytes(s[0] + 0x6a09e667), swap_bytes(s[1] + 0xbb67ae85),
		       swap_bytes(s[2] + 0x3c6ef372), swap_bytes(s[3] + 0xa54ff53a) };
	uint4 low = { swap_bytes(s[4] + 0x510e527f), swap_bytes(s[5] + 0x9b05688c),
		      swap_bytes(s[6] + 0x1f83d9ab), swap_bytes(s[7] + 0x5be0cd19) };
	digests[2 * i] = high;
	digests[2 * i + 1] = low;
}
