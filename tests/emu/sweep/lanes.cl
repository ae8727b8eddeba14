/* Lanes by builtins, within 32: reductions and scans by DPP and permlane, reads and writes of single lanes, counts of lanes
 * below, permutes. The host walks over the inputs of the others. */
#ifdef HOST
#define BASE (GROUP * 64 + (LID & 32))
#define PEER(k) in[BASE + ((k) & 31)]
#else
#define MOVE(x, ctl) ((uint)__builtin_amdgcn_update_dpp(0, (int)(x), ctl, 0xf, 0xf, true))
/* The other row of 16. */
static inline uint other_row(uint x)
{
#if __GFX9__
	return (uint)__builtin_amdgcn_ds_swizzle((int)x, 0x401f);
#else
	return __builtin_amdgcn_permlanex16(x, x, 0x76543210, 0xfedcba98, true, false);
#endif
}
#endif
KERNEL(lane_sums)
{
	uint i = GID, x = in[i], sum = 0, most = 0;
#ifdef HOST
	for (uint k = 0; k < 32; k++) {
		sum += PEER(k);
		most = PEER(k) > most ? PEER(k) : most;
	}
#else
	sum = x;
	sum += MOVE(sum, 0xb1);
	sum += MOVE(sum, 0x4e);
	sum += MOVE(sum, 0x141);
	sum += MOVE(sum, 0x140);
	sum += other_row(sum);
	most = x;
	most = __builtin_elementwise_max(most, MOVE(most, 0xb1));
	most = __builtin_elementwise_max(most, MOVE(most, 0x4e));
	most = __builtin_elementwise_max(most, MOVE(most, 0x141));
	most = __builtin_elementwise_max(most, MOVE(most, 0x140));
	most = __builtin_elementwise_max(most, other_row(most));
#endif
	out[i] = sum ^ most * 3;
}
KERNEL(lane_scan)
{
	uint i = GID, x = in[i] & 0xffff, s = x;
#ifdef HOST
	s = 0;
	for (uint k = 0; k <= (LID & 31); k++)
		s += PEER(k) & 0xffff;
#else
	s += MOVE(s, 0x111);
	s += MOVE(s, 0x112);
	s += MOVE(s, 0x114);
	s += MOVE(s, 0x118);
	uint last = (uint)__builtin_amdgcn_ds_bpermute((int)(LID & 32) * 4 + 15 * 4, (int)s);
	s += LID & 16 ? last : 0;
#endif
	out[i] = s;
}
KERNEL(lane_halves)
{
	uint i = GID, x = in[i], s = 0;
	float f = small_float(x);
	half h = small_half(x);
	double d = small_double(x, x ^ 77);
#ifdef HOST
	uint y = LID & 1 ? 0 : PEER((LID & 31) + 1);
	float g = small_float(PEER((LID & 31) ^ 1));
	half q = small_half(PEER((LID & 31) ^ 2));
	double e = small_double(PEER(LID & 16), PEER(LID & 16) ^ 77);
#else
	uint y = (uint)__builtin_amdgcn_update_dpp(0, (int)x, 0x101, 0xf, 0xf, true);
	y = LID & 1 ? 0 : y;
	float g = as_(float, MOVE(as_(uint, f), 0xb1));
	half q = as_(half, (ushort)MOVE((uint)as_(ushort, h), 0x4e));
	ulong u = as_(ulong, d);
	int from = (int)(LID & 48) * 4;
	double e = as_(double, (ulong)(uint)__builtin_amdgcn_ds_bpermute(from, (int)(u >> 32)) << 32 |
		(uint)__builtin_amdgcn_ds_bpermute(from, (int)u));
#endif
	s += y ^ float_bits(f - g) * 3 ^ half_bits(h + q) * 5 ^ double_bits(d + e) * 7 ^ double_bits(e < d ? e : d);
	out[i] = s;
}
KERNEL(lane_values)
{
	uint i = GID, x = in[i], s = 0, l = LID & 31;
#ifdef HOST
	for (uint k = 0; k < 4; k++)
		s = s * 5 + (in[GROUP * 64 + (k * 11 & 31)] ^ k);
	s = l == 9 ? 1234 : s;
	s += l * 65536 + (PEER((l * 7 + 3) & 31)) * 3;
	/* ds_permute: the lane whose number times 9 is this one */
	s ^= PEER((l * 25 & 31));
#else
	for (uint k = 0; k < 4; k++)
		s = s * 5 + ((LID < 32 || __AMDGCN_WAVEFRONT_SIZE == 64 ? (uint)__builtin_amdgcn_readlane((int)x, (int)(k * 11 & 31)) :
			in[GROUP * 64 + (k * 11 & 31)]) ^ k);
	s = l == 9 ? 1234 : s;
	uint below = __builtin_amdgcn_mbcnt_lo(~0u, 0);
#if __AMDGCN_WAVEFRONT_SIZE == 64
	below = __builtin_amdgcn_mbcnt_hi(~0u, below) & 31;
#endif
	s += below * 65536;
	s += (uint)__builtin_amdgcn_ds_bpermute((int)((LID & 32) + ((l * 7 + 3) & 31)) * 4, (int)x) * 3;
	s ^= (uint)__builtin_amdgcn_ds_permute((int)((LID & 32) + (l * 9 & 31)) * 4, (int)x);
#endif
	out[i] = s;
}
/* One address for all lanes: the compiler adds within the wave first. */
KERNEL(lane_atomics)
{
	uint i = GID, x = in[i];
	global atomic_uint *o = (global atomic_uint *)out + GROUP * 4;
	__opencl_atomic_fetch_add(o, x & 0xfff, memory_order_relaxed, 2);
	__opencl_atomic_fetch_or(o + 1, 1u << (x & 31), memory_order_relaxed, 2);
	if (x & 4)
		__opencl_atomic_fetch_max(o + 2, x, memory_order_relaxed, 2);
	__opencl_atomic_fetch_sub(o + 3, 3, memory_order_relaxed, 2);
}
