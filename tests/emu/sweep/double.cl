KERNEL(double_math)
{
	uint i = GID;
	double a = small_double(in[2 * i], in[i]), b = small_double(in[2 * i + 1], in[i + 1]), c = small_double(in[i], 5);
	double r = a * b + c - a * 0.5;
	r = __builtin_fma(r, b, -c) + __builtin_fabs(a) * 3.0;
	double m = __builtin_fmin(a, __builtin_fmax(b, -c)) + __builtin_fmin(__builtin_fmax(a, -1.0), 1.0);
	double f = __builtin_floor(a) + __builtin_ceil(b) - __builtin_trunc(c) + __builtin_rint(a * 0.75);
	double q = a / (b * b + 1.0) + __builtin_sqrt(__builtin_fabs(c));
	double s = __builtin_copysign(a, b) + __builtin_ldexp(c, (int)(in[i] & 15) - 7);
	int k = (a < b) + 2 * (b >= c) + 4 * (a != c) + (int)m + (int)(uint)__builtin_fabs(a * 0.001);
	out[i] = double_bits(r) ^ double_bits(m) * 3 ^ double_bits(f) * 5 ^ double_bits(q) * 7 ^ double_bits(s) * 9 ^ (uint)k;
}
KERNEL(double_raw)
{
	uint i = GID;
	double a = as_(double, (ulong)in[2 * i] << 32 | in[i]), b = as_(double, (ulong)in[2 * i + 1] << 32 | in[i + 1]);
	uint r = double_bits(a + b) ^ double_bits(a * b) * 3 ^ double_bits(a - b) * 5 ^ double_bits(a / b) * 7;
	r += (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | __builtin_isunordered(a, b) << 4;
	r ^= float_bits((float)a) + half_bits((half)(float)b);
	out[i] = r;
}
