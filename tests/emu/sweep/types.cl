/* Atomics of every type and kind of memory, each on a cell of its own with its old value used, or added up in an order that does
 * not matter; vectors of bytes, shorts and halves; switches with gaps; numbers whose overflow is asked for. */
#define OLD memory_order_relaxed, 2
#define EACH(p, x, type, s) \
	s = s * 3 + (type)__opencl_atomic_fetch_add(p, (x), OLD); \
	s = s * 3 + (type)__opencl_atomic_fetch_sub(p, (x) >> 3, OLD); \
	s = s * 3 + (type)__opencl_atomic_fetch_min(p, (x) << 2, OLD); \
	s = s * 3 + (type)__opencl_atomic_fetch_max(p, (x) >> 1, OLD); \
	s = s * 3 + (type)__opencl_atomic_fetch_and(p, ~(x) | 0xff, OLD); \
	s = s * 3 + (type)__opencl_atomic_fetch_or(p, (x) & 0x7070, OLD); \
	s = s * 3 + (type)__opencl_atomic_fetch_xor(p, (x) ^ 5, OLD); \
	s = s * 3 + (type)__opencl_atomic_exchange(p, (x) + 9, OLD); \
	{ \
		type want = (x) & 1 ? (x) + 9 : (x); \
		s = s * 3 + __opencl_atomic_compare_exchange_strong(p, &want, (x) * 5, memory_order_relaxed, OLD); \
		s = s * 3 + want; \
	} \
	s = s * 3 + (type)__opencl_atomic_load(p, OLD);
#define CELLS(name, space, cell, type, place) \
	KERNEL(name) \
	{ \
		place; \
		uint i = GID; \
		type x = (type)in[i] << (sizeof(type) == 8 ? 20 : 0) ^ in[i + 1]; \
		space atomic_##cell *p = (space atomic_##cell *)&PLACE; \
		ulong s = 0; \
		type old = 0; \
		__opencl_atomic_store(p, x * 7, OLD); \
		EACH(p, x, type, old) \
		s = (ulong)old; \
		out[i] = (uint)s ^ (uint)(s >> 32); \
	}
#define PLACE (((global ulong *)(out + 4096))[i])
CELLS(cells_global_uint, global, uint, uint, )
CELLS(cells_global_int, global, int, int, )
CELLS(cells_global_ulong, global, ulong, ulong, )
CELLS(cells_global_long, global, long, long, )
#undef PLACE
#define PLACE (cell[LID])
CELLS(cells_local_uint, local, uint, uint, local uint cell[64])
CELLS(cells_local_int, local, int, int, local int cell[64])
CELLS(cells_local_ulong, local, ulong, ulong, local ulong cell[64])
CELLS(cells_local_long, local, long, long, local long cell[64])
#undef PLACE
/* By a pointer of which the compiler does not know the space. */
KERNEL(cells_generic)
{
	local uint cell[64];
	uint i = GID, s = 0, x = in[i];
	generic uint *a = x & 1 ? (generic uint *)&cell[LID] : (generic uint *)&out[4096 + i];
	generic atomic_uint *p = (generic atomic_uint *)a;
	__opencl_atomic_store(p, x * 7, OLD);
	EACH(p, x, uint, s)
	out[i] = s;
}
/* Floats that are added exactly in any order. */
KERNEL(cells_float)
{
	local float sum[4];
	local double wide[2];
	uint t = LID;
	if (t < 4)
		sum[t] = 0;
	if (t < 2)
		wide[t] = 0;
	BARRIER();
	float f = (float)(int)(in[GID] & 0xff) - 100;
	__opencl_atomic_fetch_add((local atomic_float *)&sum[t & 1], f, OLD);
	__opencl_atomic_fetch_max((local atomic_float *)&sum[2], f, OLD);
	__opencl_atomic_fetch_min((local atomic_float *)&sum[3], f, OLD);
	__opencl_atomic_fetch_add((local atomic_double *)&wide[0], (double)f * 0.25, OLD);
	__opencl_atomic_fetch_min((local atomic_double *)&wide[1], (double)f * 0.5, OLD);
	__opencl_atomic_fetch_add((global atomic_float *)out + 4096 + GROUP * 8, f, OLD);
	__opencl_atomic_fetch_max((global atomic_float *)out + 4096 + GROUP * 8 + 1, f, OLD);
	__opencl_atomic_fetch_add((global atomic_double *)(out + 4096) + GROUP * 4 + 1, (double)f, OLD);
	__opencl_atomic_fetch_max((global atomic_double *)(out + 4096) + GROUP * 4 + 2, (double)f, OLD);
	BARRIER();
	out[GID] = float_bits(sum[t & 3]) ^ double_bits(wide[t & 1]);
}
typedef uchar uchar8 __attribute__((ext_vector_type(8)));
typedef short short8 __attribute__((ext_vector_type(8)));
typedef half half4 __attribute__((ext_vector_type(4)));
KERNEL(vectors_small)
{
	uint i = GID;
	uchar8 a = as_(uchar8, ((uint2)(in[i], in[i + 1]))), b = as_(uchar8, ((uint2)(in[i + 2], in[i + 3])));
	uchar8 r = (a & b) * (uchar8)3 - (a >> (uchar8)2) + (b > a ? a : b).s76543210;
	short8 s = convert(short8, a) * convert(short8, b) - convert(short8, r);
	s = s.s02461357 >> (short8)2 ^ (s < (short8)0);
	half4 h = convert(half4, s.lo) * (half4)0.03125h + convert(half4, r.lo);
	h = h > (half4)100.0h ? h - h.wzyx : h * h.yxwz;
	out[i] = as_(uint2, r).x ^ as_(uint2, r).y * 3 ^ (half_bits(h.x) | half_bits(h.y) << 16) ^ (half_bits(h.z) * 7 + half_bits(h.w)) ^
		(uint)(ushort)(s.s0 + s.s3 * 5 + s.s7 * 9);
}
KERNEL(switch_gaps)
{
	uint x = in[GID], s = 0;
	for (uint k = 0; k < 8; k++, x = x * 1664525 + 1013904223)
		switch (x >> 20 & 0xfff) {
		case 0 ... 99: s += x; break;
		case 100: s ^= 77; break;
		case 1000: s = s << 3 | s >> 29; break;
		case 1001 ... 1999: s -= x / 7; break;
		case 2000: s *= 5; /* falls through */
		case 2001 ... 3000: s ^= x; break;
		default: s += s >> 9;
		}
	out[GID] = s;
}
KERNEL(overflows)
{
	uint i = GID, a = in[i], b = in[i + 1], r, s = 0;
	int q;
	ulong w, x = (ulong)a << 32 | b, y = (ulong)b << 31 ^ a;
	long v;
	s += __builtin_add_overflow(a, b, &r) ? r * 3 : r;
	s ^= __builtin_sub_overflow(a, b, &r) ? r * 5 : r;
	s += __builtin_mul_overflow(a, b & 0xffff, &r) ? r * 7 : r;
	s ^= __builtin_add_overflow((int)a, (int)b, &q) ? (uint)q * 9 : (uint)q;
	s += __builtin_mul_overflow((int)a, (int)b >> 17, &q) ? (uint)q * 11 : (uint)q;
	s ^= (uint)(__builtin_add_overflow(x, y, &w) ? w >> 32 : w);
	s += (uint)(__builtin_sub_overflow((long)x, (long)y, &v) ? v >> 31 : v);
	s ^= (uint)(__builtin_mul_overflow(x, (ulong)b & 0xfffff, &w) ? w >> 30 : w);
	s += __builtin_bitreverse32(a) ^ (uint)__builtin_bitreverse64(x) ^ __builtin_bitreverse16((ushort)b) ^ __builtin_bitreverse8((uchar)a);
	s ^= __builtin_rotateleft32(a, b) + __builtin_rotateright16((ushort)a, (ushort)b) + (uint)__builtin_rotateleft64(x, y);
	s += __builtin_bswap32(a) ^ (uint)__builtin_bswap64(y) ^ __builtin_bswap16((ushort)a);
	s ^= (uint)(__builtin_popcountll(x) + __builtin_clzll(y | 1) * 64 + __builtin_ctzll(y | 1ul << 63) * 4096);
	out[i] = s;
}
