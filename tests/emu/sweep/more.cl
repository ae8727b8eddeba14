/* Instructions that only builtins reach, calls by pointer, a sort in local memory, bytes at odd places, wide atomics. */
#pragma OPENCL EXTENSION __cl_clang_function_pointers : enable
#ifdef HOST
static inline uint away(uint a, uint b) { return a > b ? a - b : b - a; }
static uint sad8(uint a, uint b, uint c, int masked)
{
	for (int k = 0; k < 32; k += 8)
		c += masked && !(b >> k & 255) ? 0 : away(a >> k & 255, b >> k & 255);
	return c;
}
static uint perm_(uint a, uint b, uint s)
{
	ulong in = (ulong)a << 32 | b;
	uint d = 0;
	for (int k = 0; k < 4; k++)
		d |= (uint)(in >> 8 * (s >> 8 * k & 7) & 255) << 8 * k;
	return d;
}
static uint lerp_(uint a, uint b, uint c)
{
	uint d = 0;
	for (int k = 0; k < 32; k += 8)
		d |= ((a >> k & 255) + (b >> k & 255) + (c >> k & 1)) >> 1 << k;
	return d;
}
static uint pk_u8(float x, uint at, uint old)
{
	uint v = x > 0 ? x > 255 ? 255 : (uint)x : 0;
	return (old & ~(255u << 8 * at)) | v << 8 * at;
}
#define SAD(a, b, c) sad8(a, b, c, 0)
#define MSAD(a, b, c) sad8(a, b, c, 1)
#define SADHI(a, b, c) ((sad8(a, b, 0, 0) << 16) + (c))
#define SAD16(a, b, c) (away((a) & 0xffff, (b) & 0xffff) + away((a) >> 16, (b) >> 16) + (c))
#define LERP(a, b, c) lerp_(a, b, c)
#define ALIGN(a, b, c) ((uint)(((ulong)(a) << 32 | (b)) >> 8 * ((c) & 3)))
#define PERM(a, b, c) perm_(a, b, c)
#define PKU8(x, at, old) pk_u8(x, at, old)
#define MQSAD(a, b, c) ((uint4)(MSAD((uint)(a), b, (c).x), MSAD((uint)((a) >> 8), b, (c).y), MSAD((uint)((a) >> 16), b, (c).z), \
	MSAD((uint)((a) >> 24), b, (c).w)))
#define FIRST(x) (in[GROUP * 64])
#else
#define SAD __builtin_amdgcn_sad_u8
#define MSAD __builtin_amdgcn_msad_u8
#define SADHI __builtin_amdgcn_sad_hi_u8
#define SAD16 __builtin_amdgcn_sad_u16
#define LERP __builtin_amdgcn_lerp
#define ALIGN __builtin_amdgcn_alignbyte
#define PERM __builtin_amdgcn_perm
#define PKU8 __builtin_amdgcn_cvt_pk_u8_f32
#define MQSAD __builtin_amdgcn_mqsad_u32_u8
#define FIRST(x) (LID < 32 || __AMDGCN_WAVEFRONT_SIZE == 64 ? (uint)__builtin_amdgcn_readfirstlane((int)(x)) : in[GROUP * 64])
#endif
KERNEL(byte_builtins)
{
	uint i = GID, a = in[i], b = in[i + 1], c = in[i + 2], s = 0;
	s += SAD(a, b, c);
	s ^= MSAD(a, b & 0xff00ffff, s) * 3;
	s += SADHI(a, c, b) * 5;
	s ^= SAD16(a, b, s) * 7;
	s += LERP(a, b, c) * 9;
	s ^= ALIGN(a, b, c) * 11;
	s += PERM(a, b, c & 0x07070707) * 13;
	s ^= PKU8(small_float(c) * 4, b & 3, a) * 17;
	uint4 q = MQSAD((ulong)a << 32 | b, c & 0x00ffff00, ((uint4)(a, b, c, s)));
	s += q.x ^ q.y * 3 ^ q.z * 5 ^ q.w * 7;
	out[i] = s + FIRST(a);
}
typedef uint (*step_fn)(uint, uint);
NOINLINE uint step_mix(uint x, uint y) { return (x ^ y >> 7) * 0x9e3779b1u; }
NOINLINE uint step_add(uint x, uint y) { return x + (y << 3 | y >> 29); }
NOINLINE uint step_div(uint x, uint y) { return x / (y % 1000 + 1) ^ y; }
NOINLINE uint step_bits(uint x, uint y) { return (uint)__builtin_popcount(x) << (y & 15) ^ x; }
KERNEL(by_pointer)
{
	uint x = in[GID];
	for (uint k = 0; k < 6; k++) {
		uint y = in[(GID + k) & 4095], which = (x >> k) & 3;
		step_fn f = which == 0 ? step_mix : which == 1 ? step_add : which == 2 ? step_div : step_bits;
		x = f(x, y);
	}
	out[GID] = x;
}
KERNEL(radix_sort)
{
	local uint key[2][64];
	local ushort count[64];
	uint t = LID;
	key[0][t] = in[GID] & 0xffff;
	BARRIER();
	for (uint bit = 0; bit < 16; bit++) {
		uint from = bit & 1, k = key[from][t], zeros = 0, ones = 0;
		count[t] = (ushort)(k >> bit & 1);
		BARRIER();
		for (uint j = 0; j < 64; j++) {
			zeros += !count[j] && (j < t || count[t]);
			ones += count[j] && j < t;
		}
		key[from ^ 1][count[t] ? zeros + ones : zeros] = k;
		BARRIER();
	}
	out[GID] = key[0][t];
}
/* Bytes and shorts at places that nothing aligns. */
typedef uint __attribute__((aligned(1))) odd_uint;
typedef ushort __attribute__((aligned(1))) odd_ushort;
KERNEL(odd_places)
{
	local uchar l[64 * 9 + 8];
	uint t = LID, x = in[GID], y = in[GID + 1];
	*(local odd_uint *)(l + 9 * t + 1) = x;
	*(local odd_ushort *)(l + 9 * t + 5) = (ushort)y;
	l[9 * t] = (uchar)(y >> 16);
	*(local odd_ushort *)(l + 9 * t + 7) = (ushort)(y >> 8);
	if (t < 8)
		l[64 * 9 + t] = (uchar)t;
	BARRIER();
	uint s = *(local const odd_uint *)(l + 9 * t + 6);
	global const uchar *b = (global const uchar *)in + 3 * GID;
	s ^= *(global const odd_uint *)(b + 1) + *(global const odd_ushort *)(b + 7) * 3;
	out[GID] = s;
}
#define W(p) ((global atomic_ulong *)(p))
KERNEL(wide_atomics)
{
	global ulong *o = (global ulong *)out + GROUP * 8;
	ulong x = (ulong)in[GID] << 21 ^ in[GID + 1];
	__opencl_atomic_fetch_add(W(&o[0]), x, ORDER, 2);
	__opencl_atomic_fetch_sub(W(&o[1]), x, ORDER, 2);
	__opencl_atomic_fetch_max(W(&o[2]), x, ORDER, 2);
	__opencl_atomic_fetch_xor(W(&o[3]), x, ORDER, 2);
	__opencl_atomic_fetch_or(W(&o[4]), x, ORDER, 2);
	__opencl_atomic_fetch_max((global atomic_long *)&o[5], (long)(x << 13), ORDER, 2);
	ulong want = 0;
	while (!__opencl_atomic_compare_exchange_weak(W(&o[6]), &want, want + (x & 255), ORDER, ORDER, 2))
		;
	__opencl_atomic_fetch_min((global atomic_long *)&o[7], (long)(x << 13) - 1, ORDER, 2);
}
KERNEL(double_steps)
{
	double a = small_double(in[GID], in[GID + 1]), b = small_double(in[GID + 2], in[GID + 3]) + 0.5, s = a;
	for (int k = 0; k < 4; k++) {
		s = s / b + __builtin_sqrt(__builtin_fabs(s - a)) - __builtin_floor(s * 0.125);
		s = __builtin_fma(s, 0.75, b) > 4096 ? __builtin_rint(s) * 0.001 : s;
	}
	out[GID] = double_bits(s) ^ (uint)(long)__builtin_trunc(a) ^ (uint)(__builtin_fmin(a, b) < s);
}
