constant uint primes[32] = { 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109, 113, 127, 131 };
constant uchar crc_nibble[16] = { 0, 7, 14, 9, 28, 27, 18, 21, 56, 63, 54, 49, 36, 35, 42, 45 };
KERNEL(widths)
{
	uint i = GID;
	uint4 v = *(global const uint4 *)(in + 4 * (i & 255));
	uint2 w = *(global const uint2 *)(in + 2 * i);
	uint3 x = *(global const uint3 *)(in + 4 * (i & 127));
	ulong2 y = *(global const ulong2 *)(in + 4 * (i & 63));
	uint a = *(global const ushort *)((global const uchar *)in + 6 * i) + *(global const uchar *)((global const uchar *)in + i);
	int b = *(global const short *)((global const uchar *)in + 2 * i) - *(global const char *)((global const uchar *)in + 3 * i);
	*(global uint4 *)(out + 4 * i) = (uint4)(v.x + w.y + x.z, v.y ^ (uint)(y.x >> 32), v.z + a, v.w + (uint)b);
}
KERNEL(unaligned)
{
	typedef struct __attribute__((packed)) { uint x; ulong y; ushort z; } loose;
	uint i = GID;
	global const loose *p = (global const loose *)((global const uchar *)in + 7 * i + 1);
	out[i] = p->x + (uint)p->y + (uint)(p->y >> 32) * 3 + p->z;
}
KERNEL(lookup)
{
	uint i = GID, a = in[i], c = 0;
	for (uint k = 0; k < 8; k++, a >>= 4)
		c = crc_nibble[(c ^ a) & 15] ^ c << 4;
	out[i] = c * primes[a & 31] + primes[in[i] >> 27] + primes[(i * 5) & 31];
}
KERNEL(generic_pointers)
{
	local uint s[64];
	uint t = LID, i = GID, v[2];
	s[t] = in[i] + 1;
	v[0] = in[i] * 3;
	v[1] = t;
	BARRIER();
	const uint *p = (in[i] & 3) == 0 ? (const uint *)&s[t ^ 1] : (in[i] & 3) == 1 ? (const uint *)&in[i + 5] : &v[in[i] >> 31];
	out[i] = *p + 3;
}
KERNEL(histogram)
{
	local uint h[256];
	uint t = LID;
	for (uint k = t; k < 256; k += 64)
		h[k] = 0;
	BARRIER();
	for (uint k = 0; k < 4; k++)
		__opencl_atomic_fetch_add((local atomic_uint *)&h[in[GROUP * 256 + k * 64 + t] & 255], 1u, __ATOMIC_RELAXED, 1);
	BARRIER();
	for (uint k = t; k < 256; k += 64)
		out[GROUP * 256 + k] = h[k];
}
