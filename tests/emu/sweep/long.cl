KERNEL(long_math)
{
	uint i = GID;
	ulong a = (ulong)in[2 * i] << 32 | in[2 * i + 1], b = (ulong)in[i] << 32 | in[i + 7];
	long sa = (long)a, sb = (long)b;
	ulong r = a * b + (a << (b & 63)) - (b >> (a & 63)) + (ulong)(sa >> (b & 63));
	r ^= (a < b ? a : b) + (ulong)(sa > sb ? sa : sb) + (ulong)(sa < 0 ? -sa : sa);
	r += (a & ~b) | (a ^ (b << 3)) | (a >> 63);
	r ^= (ulong)__builtin_popcountl(a) + (ulong)(a ? __builtin_clzl(a) : 70) * 3 + (ulong)(b ? __builtin_ctzl(b) : 80) * 5;
	r += (ulong)(uint)((a * 3) >> 17) * (ulong)in[i];
	r ^= a == b ? 1 : (a >= b) + 2 * (sa >= sb);
	out[i] = (uint)r ^ (uint)(r >> 32);
}
KERNEL(long_divide)
{
	uint i = GID;
	ulong a = (ulong)in[2 * i] << 32 | in[2 * i + 1], b = ((ulong)in[i] << 32 | in[i + 7]) >> (in[i] & 63) | 1;
	long sa = (long)a, sb = (long)(b >> 1) + 1;
	ulong r = a / b + a % b * 3 + (ulong)(sa / sb) + (ulong)(sa % sb) * 7 + a / 1000003 + (ulong)(sa % 12345);
	out[i] = (uint)r ^ (uint)(r >> 32);
}
KERNEL(long_convert)
{
	uint i = GID;
	ulong a = (ulong)in[2 * i] << 32 | in[2 * i + 1];
	a >>= in[i] & 63;
	float f = (float)a, g = (float)(long)a;
	double d = (double)a, e = (double)(long)a;
	ulong back = (ulong)(small_float(in[i]) * small_float(in[i])) + (ulong)(long)(small_double(in[i], in[i + 1]) * 1e6);
	out[i] = float_bits(f) ^ float_bits(g) * 3 ^ double_bits(d) * 5 ^ double_bits(e) * 7 ^ (uint)back ^ (uint)(back >> 32);
}
