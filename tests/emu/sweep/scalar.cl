KERNEL(uniform)
{
	uint g = GROUP, a = in[g], b = in[g * 3 + 1], s = 0;
	ulong w = (ulong)a << 32 | b;
	for (uint k = 0; k < (a & 15) + 3; k++) {
		s += in[(g + k * 5) & 1023] ^ k;
		w = w * 6364136223846793005ul + (b >> (k & 31));
		if (w >> 60 > 12)
			s = s << 3 | s >> 29;
	}
	s ^= (uint)__builtin_popcountl(w) + (a ? (uint)__builtin_clz(a) : 1) + (b ? (uint)__builtin_ctz(b) : 2) + (uint)((int)(a << 5) >> 20);
	s += (a > b ? a : b) + (uint)((int)a < (int)b ? (int)a : (int)b) + (uint)((ulong)a * b >> 32);
	s ^= (uint)(((long)w >> 20) & 0xfffff) + (a & ~b) + (a >> 7 & 0x1ff) + __builtin_bitreverse32(a);
	s += (uint)(w >> (a & 63)) ^ (uint)(w << (b & 63)) ^ (w > 77 ? 5 : 9);
	out[GID] = s + LID;
}
KERNEL(uniform_float)
{
	uint g = GROUP;
	float a = small_float(in[g]), b = small_float(in[g + 1]);
	float r = a * b + 3.0f;
	r = __builtin_fmaf(r, 0.5f, a) - b;
	int k = (a < b ? 3 : 5) + (int)(r * 0.001f) + (int)__builtin_floorf(a) + (int)__builtin_ceilf(b);
	half h = (half)a;
	h = h * small_half(in[g]) + (half)1.5f;
	out[GID] = float_bits(r) + (uint)k + LID + half_bits(h) + float_bits((float)(int)in[g]) + float_bits(__builtin_fmaxf(a, b)) + float_bits(__builtin_truncf(a * 0.1f));
}
KERNEL(uniform_branch)
{
	uint g = GROUP, a = in[g], s = LID;
	if (a & 1) {
		s += 5;
		if (a & 2)
			s *= in[g + 1];
	} else if (a & 4)
		s ^= in[LID];
	switch (a >> 3 & 3) {
	case 0: s += 7; break;
	case 1: s -= in[GID]; break;
	case 2: s *= 9; break;
	}
	out[GID] = s;
}
