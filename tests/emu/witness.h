/* witness.h -- functions in the common part of C and OpenCL C: compiled by the host's compiler
 * into the test and by clang for the chips. Each maps two dwords to one; test_clang.c compares
 * bit by bit.
 * FN(name) makes a function and, on the device, a kernel over arrays. */
FN(mix)
{
	uint x = a * 0x9e3779b1u ^ (b << 13 | b >> 19);
	x ^= x >> 16;
	x = x * 0x85ebca6bu + (a & ~b) - (a | b);
	return x ^ (x << 7) ^ (uint)__builtin_popcount(a ^ b) ^ (a ? (uint)__builtin_clz(a) : 77) ^
		(b ? (uint)__builtin_ctz(b) << 8 : 99);
}
FN(wide)
{
	ulong x = (ulong)a << 32 | b, y = (ulong)b << 32 | ~a;
	x = x * y + (x >> (a & 63)) - (y << (b & 63));
	x ^= (ulong)((long)y >> (a & 31));
	return (uint)(x >> 32) ^ (uint)x ^ (x < y) ^ ((long)x < (long)y) << 1;
}
FN(divide)
{
	uint q = b ? a / b : 1, r = b ? a % b : 2;
	int sa = (int)(a & 0xfffffff) - 0x8000000, sb = (int)(b % 1000) - 500;
	int sq = sb ? sa / sb : 3, sr = sb ? sa % sb : 4;
	return q * 31 + r * 7 + (uint)sq * 5 + (uint)sr;
}
FN(divide64)
{
	ulong x = (ulong)a << 32 | (a ^ 0x12345678), y = (ulong)(b & 0xffff) << (b >> 28) | 1;
	return (uint)(x / y) ^ (uint)(x % y) * 3 ^ (uint)(x / y >> 32);
}
FN(mulhi)
{
	return (uint)((ulong)a * b >> 32) ^ (uint)((ulong)((long)(int)a * (int)b) >> 32) * 3;
}
FN(collatz)
{
	uint x = a % 10000 + 1, n = 0, limit = b % 200;
	while (x != 1) {
		if (n > limit)
			return n | 0x80000000u;
		x = x & 1 ? 3 * x + 1 : x / 2;
		n++;
		if (x > 1000000 && (b & 1))
			break;
	}
	return n;
}
FN(nested)
{
	uint s = 0;
	for (uint i = 0; i < (a & 15); i++) {
		for (uint j = 0; j < (b & 15); j++) {
			if ((i ^ j) == 5)
				continue;
			if (i + j == 20)
				goto out;
			s += i * j + 1;
			switch ((s + i) & 7) {
			case 0: s ^= 0x55; break;
			case 1: s += a; /* fall through */
			case 2: s *= 3; break;
			case 5: if (s & 0x100) goto next; break;
			default: s -= 2;
			}
		}
next:
		s += 11;
	}
out:
	return s;
}
FN(fields)
{
	uint x = (a >> 8 & 0xff) | (b & 0xff) << 8 | (a & 0xff) << 16 | b >> 24 << 24;
	int s = (int)(a << 5) >> 20;
	uint pos = b & 31, len = a & 31;
	uint mask = ((1u << len) - 1) << pos;
	return (x & ~mask) | (a << pos & mask) | ((uint)s >> 30);
}
FN(floats)
{
	float x = as_float((a & 0x807fffff) | (0x3f800000 + ((a >> 23 & 15) << 23))), y = as_float((b & 0x807fffff) | 0x3e800000);
	float z = x * y + x - y * 0.5f;
	z = __builtin_fmaf(z, x, y);
	if (z > 1000.0f)
		z = -z;
	return as_uint(z) ^ as_uint(x < y ? x : y) ^ as_uint((float)(int)(y * 1000.0f)) ^ (uint)(int)(x * 17.0f);
}
FN(quotient)
{
	float x = as_float(a), y = as_float(b);
	uint r = as_uint(x / y);
	return (r & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : r;
}
FN(near)                         /* quotients of numbers near one another: normal, denormal, rounded */
{
	float x = as_float((a & 0x007fffff) | (a >> 24 & 15) << 23), y = as_float((b & 0x807fffff) | (b >> 24 & 127) << 24);
	uint r = as_uint(x / y);
	return (r & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : r;
}
FN(root)
{
	return as_uint(__builtin_sqrtf(as_float(a & 0x7fffffff) < as_float(0x7f800000) ? as_float(a & 0x7fffffff) : 2.0f));
}
FN(doubles)
{
	double x = as_double((ulong)(a & 0x800fffff) << 32 | b | (ulong)(0x3f0 + (b & 31)) << 52), y = (double)(int)b * 1.25;
	double z = x * y + x;
	z = __builtin_fma(z, y, x);
	ulong u = as_ulong(z) ^ as_ulong((double)(float)x) ^ as_ulong((double)(uint)(y < 0 ? -y : y));
	return (uint)u ^ (uint)(u >> 32) ^ (z < x) ^ (uint)(int)(x * 3.0);
}
FN(quotient64)
{
	double x = as_double((ulong)a << 32 | (b * 77)), y = as_double((ulong)b << 32 | (a * 3));
	ulong r = as_ulong(x / y);
	if ((r & 0x7ffffffffffffffful) > 0x7ff0000000000000ul)
		return 1;
	return (uint)r ^ (uint)(r >> 32);
}
FN(root64)
{
	double x = as_double((ulong)(a & 0x3fffffff) << 32 | b);
	ulong r = as_ulong(__builtin_sqrt(x));
	return (uint)r ^ (uint)(r >> 32);
}
FN(table)                        /* an array of a lane's own, indexed by data */
{
	uint t[16];
	for (uint i = 0; i < 16; i++)
		t[i] = a * i + (b >> i);
	for (uint i = 0; i < 40; i++)
		t[(t[i & 15] ^ i) & 15] += t[(i * 7) & 15];
	return t[b & 15] ^ t[a & 15];
}
FN(bytes)
{
	uchar c = (uchar)(a * 3), d = (uchar)(b >> 5);
	ushort h = (ushort)(c * 257 + d);
	short s = (short)(a >> 3);
	char e = (char)(b);
	return (uint)(uchar)(c + d) | (uint)(ushort)(h * s) << 16 | (uint)(e < 0) << 9 | (uint)(s > (short)h) << 10;
}
