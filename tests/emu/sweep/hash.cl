#define ROT(x, k) ((x) >> (k) | (x) << (32 - (k)))
KERNEL(sha256)
{
	const uint k[16] = { 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174 };
	uint i = GID, w[16], s[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	for (uint j = 0; j < 16; j++)
		w[j] = in[i + j];
	for (uint j = 0; j < 32; j++) {
		uint m = j & 15;
		if (j > 15)
			w[m] += (ROT(w[(m + 1) & 15], 7) ^ ROT(w[(m + 1) & 15], 18) ^ w[(m + 1) & 15] >> 3) + w[(m + 9) & 15];
		uint t = s[7] + (ROT(s[4], 6) ^ ROT(s[4], 11) ^ ROT(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[m] + w[m];
		uint u = (ROT(s[0], 2) ^ ROT(s[0], 13) ^ ROT(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		for (uint q = 7; q; q--)
			s[q] = s[q - 1];
		s[4] += t;
		s[0] = t + u;
	}
	out[i] = s[0] ^ s[3] ^ s[7];
}
KERNEL(random_walk)
{
	uint i = GID;
	ulong x = (ulong)in[i] << 32 | i | 1;
	for (uint k = 0; k < 10; k++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	out[i] = (uint)(x * 2685821657736338717ul >> 32);
}
#undef ROT
