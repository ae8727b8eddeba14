KERNEL(converts)
{
	uint i = GID, a = in[i], b = in[i + 1];
	float f = small_float(a);
	uchar4 p = as_(uchar4, a);
	float s = (float)p.x + (float)p.y * 2.0f + (float)p.z * 3.0f + (float)p.w * 4.0f;
	float t = (float)(short)a + (float)(ushort)b + (float)(char)b + (float)(int)a + (float)b;
	double d = (double)(int)a + (double)b + (double)(short)b;
	half h = (half)(short)(a & 0x3ff) + (half)(ushort)(b & 0x3ff);
	uchar c = (uchar)__builtin_fminf(__builtin_fmaxf(f, 0.0f), 255.0f);
	short e = (short)(int)f;
	long g = (long)f;
	int4 v = convert(int4, convert(float4, p) * 0.3f);
	uint bits = (uint)c | (uint)(ushort)e << 8;
	out[i] = float_bits(s) ^ float_bits(t) * 3 ^ double_bits(d) ^ half_bits(h) * 5 ^ bits ^ (uint)g ^ (uint)(v.x + v.y * 3 + v.z * 5 + v.w * 7);
}
KERNEL(narrow_stores)
{
	uint i = GID;
	global uchar *o = (global uchar *)(out + 4 * i);
	global const uchar *p = (global const uchar *)(in + i);
	o[0] = (uchar)(p[0] + p[3]);
	o[1] = (uchar)(p[1] >> 1);
	*(global ushort *)(o + 2) = (ushort)(*(global const ushort *)(p + 2) * 3);
	*(global half *)(o + 4) = (half)(short)p[1];
	o[6] = (uchar)((in[i] >> 16) + 1);
	o[7] = (uchar)(in[i] >> 24);
	*(global ushort *)(o + 8) = (ushort)(in[i] >> 16);
	*(global short *)(o + 10) = *(global const char *)(p + 1);
	*(global uint *)(o + 12) = (uint)*(global const short *)(p + 2);
}
