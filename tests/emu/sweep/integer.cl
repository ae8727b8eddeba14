KERNEL(integer)
{
	uint i = GID, a = in[2 * i], b = in[2 * i + 1];
	int sa = (int)a, sb = (int)b;
	uint r = a * b + (a >> (b & 31)) - (b << (a & 31)) + (uint)(sa >> (b & 15));
	r ^= (a << 13 | a >> 19) + (b << (a & 31) | b >> (-a & 31));
	r += (uint)(sa < sb ? sa : sb) * 3 + (a > b ? a : b);
	r ^= (uint)(sa < 0 ? -sa : sa) + (uint)(sa - sb < 0 ? sb - sa : sa - sb);
	r += (uint)((ulong)a * b >> 32) ^ (uint)((long)sa * sb >> 32);
	r ^= (a & b) | (~a & i);
	r += (a + b) << 3 | (b & 7);
	r ^= a + b + i;
	r += (a ^ b ^ r) + ((a << 5) + b);
	r ^= (uint)__builtin_popcount(a) * 5 + (a ? (uint)__builtin_clz(a) : 40) + (b ? (uint)__builtin_ctz(b) : 50);
	out[i] = r;
}
KERNEL(divides)
{
	uint i = GID, a = in[2 * i], b = in[2 * i + 1] >> (i & 31) | 1;
	int sa = (int)a, sb = (int)b;
	uint r = a / b * 7 + a % b + a / 10 * 3 + a % 1000 + (uint)(sa / 7) + (uint)(sa % 12);
	r ^= sb == -1 ? 5 : (uint)(sa / sb) + (uint)(sa % sb) * 11;
	out[i] = r;
}
KERNEL(muladd)
{
	uint i = GID, a = in[2 * i], b = in[2 * i + 1], c = in[i];
	uint r = (a & 0xffffff) * (b & 0xffffff) + c;
	r ^= (uint)(((int)(a << 8) >> 8) * ((int)(b << 8) >> 8)) + (c >> 3);
	r += (uint)((ushort)a * (ushort)b) + c + (uint)((short)a * (short)b + (int)c);
	ulong w = (ulong)a * b + ((ulong)c << 32 | a);
	r ^= (uint)(w >> 32) + (uint)w;
	uint s, t;
	r += __builtin_add_overflow(a, b, &s) ? s : ~s;
	r ^= __builtin_sub_overflow(a, c, &t) ? t : ~t;
	r += __builtin_elementwise_add_sat(a, b) ^ __builtin_elementwise_sub_sat(a, b);
	r += (uint)__builtin_elementwise_add_sat((int)a, (int)b) ^ (uint)__builtin_elementwise_sub_sat((int)a, (int)b);
	out[i] = r;
}
KERNEL(median)
{
	uint i = GID;
	int a = (int)in[2 * i], b = (int)in[2 * i + 1], c = (int)in[i], lo = a < b ? a : b, hi = a < b ? b : a;
	uint m = (uint)(c < lo ? lo : c > hi ? hi : c);
	uint u = in[i], v = in[i + 1], w = in[i + 2];
	m += u < v ? (v < w ? v : u < w ? w : u) : (u < w ? u : v < w ? w : v);
	m ^= (uint)(a < -100 ? -100 : a > 100 ? 100 : a) + (u < 5 ? 5 : u > 1000 ? 1000 : u);
	out[i] = m + (u > v ? u > w ? u : w : v > w ? v : w);
}
KERNEL(short_math)
{
	uint i = GID;
	short a = (short)in[i], b = (short)(in[i] >> 16);
	ushort ua = (ushort)a, ub = (ushort)b;
	short r = (short)(a * b + (a >> (ub & 15)) - (short)(b << (ua & 15)));
	ushort u = (ushort)(ua * 3 + (ua > ub ? ua : ub) + (ub >> (ua & 15)));
	r = (short)(r + (a < b ? a : b) + (a > 77 ? 77 : a));
	char c = (char)(a + b), d = (char)(a - b);
	out[i] = (uint)(ushort)r << 16 | (ushort)(u ^ (uchar)(c * d) ^ (a == b) ^ (ua < ub ? 0x100 : 0));
}
