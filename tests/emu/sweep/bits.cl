KERNEL(fields)
{
	uint i = GID, a = in[2 * i], b = in[2 * i + 1];
	uint r = (a >> 5 & 0x1f) | (b >> 20 & 0x3ff) << 7;
	r += (uint)((int)(a << 9) >> 21) ^ (a & 0xff00ff) << 4 ^ (b & 0xf0f0f0f0) >> 4;
	r ^= (a & 0xffff0000) | (b & 0xffff);
	r += (uint)(((ulong)a << 32 | b) >> (b & 31));
	r ^= __builtin_bswap32(a) + (a >> 8 | b << 24);
	r += __builtin_bitreverse32(b) ^ (a & ((1u << (b & 31)) - 1));
	r ^= (a & ~(0xffu << (b & 24))) | (b & 0xff) << (b & 24);
	out[i] = r;
}
KERNEL(wide_bits)
{
	uint i = GID;
	ulong a = (ulong)in[2 * i] << 32 | in[2 * i + 1], b = (ulong)in[i] << 32 | i;
	ulong r = __builtin_bitreverse64(a) + __builtin_bswap64(b);
	r ^= a << (in[i] & 63) | a >> (-in[i] & 63);
	r += (a & 0x00ff00ff00ff00fful) << 8 | (b >> 13 & 0x1fffff);
	r ^= (a & b) | (~a & r);
	out[i] = (uint)r ^ (uint)(r >> 32);
}
KERNEL(crc32)
{
	uint i = GID, c = ~0u;
	for (uint k = 0; k < 4; k++) {
		c ^= in[i + k];
		for (uint j = 0; j < 32; j++)
			c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
	}
	out[i] = ~c;
}
KERNEL(morton)
{
	uint i = GID, x = in[i] & 0xffff, y = in[i] >> 16;
	x = (x | x << 8) & 0xff00ff;
	x = (x | x << 4) & 0x0f0f0f0f;
	x = (x | x << 2) & 0x33333333;
	x = (x | x << 1) & 0x55555555;
	y = (y | y << 8) & 0xff00ff;
	y = (y | y << 4) & 0x0f0f0f0f;
	y = (y | y << 2) & 0x33333333;
	y = (y | y << 1) & 0x55555555;
	out[i] = x | y << 1;
}
