KERNEL(float_math)
{
	uint i = GID;
	float a = small_float(in[2 * i]), b = small_float(in[2 * i + 1]), c = small_float(in[i]);
	float r = a * b + c - a * 0.5f;
	r = __builtin_fmaf(r, b, -c) + __builtin_fabsf(a) * 3.0f;
	float m = __builtin_fminf(a, __builtin_fmaxf(b, -c)) + __builtin_fminf(__builtin_fmaxf(a, -1.0f), 1.0f);
	float f = __builtin_floorf(a) + __builtin_ceilf(b) - __builtin_truncf(c) + __builtin_rintf(a * 0.75f);
	float q = a / (b * b + 1.0f) + __builtin_sqrtf(__builtin_fabsf(c));
	float s = __builtin_copysignf(a, b) + __builtin_ldexpf(c, (int)(in[i] & 15) - 7);
	int k = (a < b) + 2 * (b >= c) + 4 * (a != c) + (int)m + (int)(uint)__builtin_fabsf(r * 0.001f);
	out[i] = float_bits(r) ^ float_bits(m) * 3 ^ float_bits(f) * 5 ^ float_bits(q) * 7 ^ float_bits(s) * 9 ^ (uint)k;
}
KERNEL(float_raw)
{
	uint i = GID;
	float a = as_(float, in[2 * i]), b = as_(float, in[2 * i + 1]);
	uint r = float_bits(a + b) ^ float_bits(a * b) * 3 ^ float_bits(a - b) * 5 ^ float_bits(a / b) * 7;
	r += (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | __builtin_isunordered(a, b) << 4 | __builtin_isinf(a) << 5;
	r ^= float_bits(__builtin_fmaf(a, b, a)) + float_bits((float)(double)a) + double_bits((double)b);
	out[i] = r;
}
KERNEL(float_vectors)
{
	uint i = GID;
	float4 a = (float4)(small_float(in[i]), small_float(in[i + 1]), small_float(in[i + 2]), small_float(in[i + 3]));
	float4 b = a.wzyx * 0.25f + a.xxyy - (float4)(1.0f, 2.0f, 3.0f, 4.0f);
	float2 c = a.xy * b.zw + a.zw * 1.5f, d = __builtin_elementwise_fma(a.xy, b.xy, c);
	float s = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
	int4 k = convert(int4, a * 0.01f) + (a < b ? (int4)5 : (int4)9);
	out[i] = float_bits(s) ^ float_bits(c.x + c.y) ^ float_bits(d.x - d.y) * 3 ^ (uint)(k.x + k.y * 3 + k.z * 5 + k.w * 7);
}
