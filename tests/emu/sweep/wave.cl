/* What lanes hand to each other, within 32: the host reads the other's input. */
#ifdef HOST
#define OF(expr, lane, else_) ((lane) < 32 ? in[GROUP * 64 + (LID & 32) + (lane)] : (else_))
#define DPP(old, ctl, bound, lane) OF(0, lane, (bound) ? 0 : (old))
#else
#define OF(expr, lane, else_) (expr)
#define DPP(old, ctl, bound, lane) ((uint)__builtin_amdgcn_update_dpp((int)(old), (int)x, ctl, 0xf, 0xf, bound))
#endif
KERNEL(neighbours)
{
	uint i = GID, x = in[i], l = LID & 31, k = l & 15, r = l & 16, s = 0;
	s += DPP(7, 0x111, 0, k ? l - 1 : 99);
	s ^= DPP(9, 0x101, 1, k < 15 ? l + 1 : 99) * 3;
	s += DPP(5, 0x124, 0, r + ((k - 4) & 15)) * 5;
	s ^= DPP(1, 0x140, 0, r + 15 - k) * 7;
	s += DPP(2, 0x141, 0, (l & 24) + 7 - (l & 7)) * 9;
	s ^= DPP(3, 0x4e, 1, l ^ 2) * 11;
	s += DPP(3, 0xb1, 1, l ^ 1) * 13;
	s ^= OF((uint)__builtin_amdgcn_ds_swizzle((int)x, 0x041f), l ^ 1, 0) * 17;
	s += OF((uint)__builtin_amdgcn_ds_swizzle((int)x, 0x80e4), l, 0) * 19;
	s ^= OF((uint)__builtin_amdgcn_ds_bpermute((int)((LID & 32) + (l * 5 & 31)) * 4, (int)x), l * 5 & 31, 0) * 23;
	out[i] = s;
}
KERNEL(votes)
{
	uint i = GID, x = in[i] >> 5, s = 0;
#ifdef HOST
	uint ones = 0, below = 0, base = GROUP * 64 + (LID & 32);
	for (uint k = 0; k < 32; k++) {
		ones += in[base + k] >> 5 & 1;
		below += k < (LID & 31) ? in[base + k] >> 5 & 1 : 0;
	}
	s = ones + below * 100;
#else
	/* the ballot of this half of a wave of 64, or of the whole wave of 32 */
#if __AMDGCN_WAVEFRONT_SIZE == 64
	uint m = (uint)(__builtin_amdgcn_ballot_w64(x & 1) >> (LID & 32));
#else
	uint m = __builtin_amdgcn_ballot_w32(x & 1);
#endif
	s = (uint)__builtin_popcount(m) + (uint)__builtin_popcount(m & ((1u << (LID & 31)) - 1)) * 100;
#endif
	out[i] = s;
}
