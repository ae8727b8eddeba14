KERNEL(half_math)
{
	uint i = GID;
	half a = small_half(in[2 * i]), b = small_half(in[2 * i + 1]), c = small_half(in[i]);
	half r = a * b + c - a;
	r = __builtin_elementwise_fma(r, b, c);
	half m = __builtin_fminf16(a, b) + __builtin_fmaxf16(b, c) - __builtin_fabsf16(a);
	half f = __builtin_floorf16(a) + __builtin_ceilf16(b) - __builtin_truncf16(c) + __builtin_rintf16(r);
	half q = a / (b + (half)100.5f);
	uint k = (a < b) + 2 * (b >= c) + 4 * (a == c) + 8 * (int)(a * (half)3.0f) + (uint)(int)m;
	out[i] = half_bits(r) ^ half_bits(m) << 8 ^ half_bits(f) << 16 ^ half_bits(q) << 3 ^ k;
}
KERNEL(half_bits_in)
{
	uint i = GID;
	half a = as_(half, (ushort)in[i]), b = as_(half, (ushort)(in[i] >> 16));
	uint r = half_bits(a + b) ^ half_bits(a * b) << 16;
	r += half_bits(a - b) * 3 + float_bits((float)a) + half_bits((half)small_float(in[i] >> 9)) * 5;
	r ^= (a < b) | (a != a) << 1 | (a >= b) << 2 | (a == b) << 3;
	out[i] = r ^ half_bits(-a) << 7 ^ half_bits(__builtin_fabsf16(b)) << 9;
}
KERNEL(half_pairs)
{
	uint i = GID;
	half2 a = (half2)(small_half(in[2 * i]), small_half(in[2 * i] >> 16)), b = (half2)(small_half(in[2 * i + 1]), small_half(in[i]));
	half2 c = (half2)(small_half(in[i + 1]), small_half(in[i + 2]));
	half2 r = a * b + c;
	r = __builtin_elementwise_fma(r, b.yx, -c);
	r += __builtin_elementwise_min(a, b) - __builtin_elementwise_max(b, c);
	r *= (half2)(0.5h, 2.0h);
	r = r.yx + (half2)(a.x, -b.y) - (half2)1.0h;
	float mixed = (float)a.x * (float)b.y + small_float(in[i]);
	half low = (half)((float)c.x * 0.25f + (float)r.x);
	out[i] = (half_bits(r.x) | half_bits(r.y) << 16) ^ float_bits(mixed) ^ half_bits(low) * 3;
}
