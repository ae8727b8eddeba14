NOINLINE uint mix_three(uint a, uint b, uint c) { return a * 31 + (b ^ c); }
NOINLINE uint sum_up(global const uint *p, uint n)
{
	uint s = n;
	for (uint k = 0; k < n; k++)
		s = mix_three(s, p[k], k);
	return s;
}
NOINLINE void swap_in(uint *a, uint *b)
{
	uint t = *a;
	*a = *b + 1;
	*b = t * 3;
}
NOINLINE ulong twelve(ulong a, uint b, uint c, uint d, uint e, uint f, uint g, uint h, ulong i, ulong j, uint k, uint l)
{
	return a + b * 3 + c * 5 + d * 7 + e * 11 + f * 13 + g * 17 + h * 19 + i * 23 + j * 29 + k * 31 + l * 37;
}
KERNEL(calls)
{
	uint i = GID, a = in[i], b = in[i + 1];
	uint s = sum_up(in + i, a & 7);
	swap_in(&a, &b);
	s ^= mix_three(a, b, s);
	if (a & 4)
		s += sum_up(in, b & 3);
	ulong w = twelve(a, b, s, i, 1, 2, 3, 4, b, s, a, 9);
	out[i] = s ^ (uint)w ^ (uint)(w >> 32);
}
