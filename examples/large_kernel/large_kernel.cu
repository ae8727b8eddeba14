/* PRESENT-128, bit-sliced: each thread encrypts 64 blocks at once, each with its own key.
 * Needs 64 planes of text and 128 of key a thread (plane p holds bit p of its blocks), n threads
 * side by side; leaves 64 planes of cipher text. (Bogdanov et al., CHES 2007.)
 * Shows: 192 planes of 64 bits alive at once, more than the 256 registers that a lane can name;
 * bfi.b64 32,32 (keys in halves). nvcc unrolls it all, clang keeps the loop over the rounds. */
#include "../ptx_ops.cuh"

#define ROUNDS 31

/* The S-box c56b90ad3ef84712 as the polynomials of its four output bits over GF(2), factored. */
static __device__ __forceinline__ void substitute(u64 &x0, u64 &x1, u64 &x2, u64 &x3)
{
	u64 a = x1 & x2;
	u64 b = x3 & (x1 ^ x2);
	u64 t = x0 & (a ^ b);
	u64 c = x1 ^ x3;
	u64 d = x2 ^ x3;
	u64 e = x0 ^ a;
	u64 u = c ^ b;
	u64 y2 = ~((x0 & u) ^ d ^ (x1 & x3));
	x0 = e ^ d;
	x1 = u ^ t;
	x2 = y2;
	x3 = ~(e ^ c ^ t);
}

static __device__ __forceinline__ void encrypt_round(u64 (&s)[64], const u64 (&key)[128])
{
	u64 moved[64];
#pragma unroll
	for (u32 i = 0; i < 64; i++)
		s[i] ^= key[64 + i];
#pragma unroll
	for (u32 i = 0; i < 64; i += 4)
		substitute(s[i], s[i + 1], s[i + 2], s[i + 3]);
#pragma unroll
	for (u32 i = 0; i < 64; i++)
		moved[i == 63 ? 63 : 16 * i % 63] = s[i];
#pragma unroll
	for (u32 i = 0; i < 64; i++)
		s[i] = moved[i];
}

static __device__ __forceinline__ void next_key(u64 (&key)[128], u32 round)
{
	u64 turned[128];
#pragma unroll
	for (u32 i = 0; i < 128; i++)
		turned[(i + 61) % 128] = key[i];
	substitute(turned[124], turned[125], turned[126], turned[127]);
	substitute(turned[120], turned[121], turned[122], turned[123]);
#pragma unroll
	for (u32 bit = 0; bit < 5; bit++)
		if (round >> bit & 1)
			turned[62 + bit] = ~turned[62 + bit];
#pragma unroll
	for (u32 i = 0; i < 128; i++)
		key[i] = turned[i];
}

extern "C" __global__ void large_kernel(const u64 *__restrict__ text, const u32 *__restrict__ keys,
					u64 *__restrict__ cipher, u32 n)
{
	u32 lane = blockIdx.x * blockDim.x + threadIdx.x;
	if (lane >= n)
		return;
	u64 s[64], key[128];
#pragma unroll
	for (u32 p = 0; p < 64; p++)
		s[p] = text[p * n + lane];
#pragma unroll
	for (u32 p = 0; p < 128; p++)
		key[p] = bfi64_at<32, 32>(keys[(2 * p + 1) * n + lane], keys[2 * p * n + lane]);
#pragma unroll
	for (u32 round = 1; round <= ROUNDS; round++) {
		encrypt_round(s, key);
		next_key(key, round);
	}
#pragma unroll
	for (u32 p = 0; p < 64; p++)
		cipher[p * n + lane] = s[p] ^ key[64 + p];
}
