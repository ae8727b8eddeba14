KERNEL(switches)
{
	uint i = GID, a = in[i], r = 1;
	for (uint k = 0; k < 8; k++, a >>= 4) {
		switch (a & 15) {
		case 0: r += 3; break;
		case 1: r *= 5; break;
		case 2: r ^= i; break;
		case 3: r = r << 3 | r >> 29; /* falls through */
		case 4: r -= 7; break;
		case 5: if (r & 1) continue; r /= 2; break;
		case 6: r += in[r & 255]; break;
		case 7: case 8: case 9: r = ~r; break;
		case 13: r *= r; break;
		default: r += a & 31;
		}
		if (r == 0xdead)
			break;
	}
	out[i] = r;
}
KERNEL(loops)
{
	uint i = GID, a = in[i], s = 0;
	for (uint x = a % 17; x; x--) {
		uint y = a >> x & 15;
		while (y < 40) {
			y += x + 1;
			if (y % 7 == 3)
				continue;
			s += y;
			if (s % 11 == 5)
				break;
		}
		if (s > 3000) {
			s ^= x;
			goto end;
		}
	}
	s += 100;
end:
	if (a & 1)
		out[i] = s;
	else if (a & 2)
		out[i] = s * 3;
	else
		out[i] = s ^ a;
}
KERNEL(early)
{
	uint i = GID, a = in[i];
	out[i] = 1;
	if ((a & 7) == 0)
		return;
	out[i] = 2;
	for (uint k = 0; k < 20; k++) {
		a = a * 1664525 + 1013904223;
		if (a >> 28 == 3)
			return;
		out[i] = a;
	}
}
KERNEL(collatz)
{
	uint i = GID, n_ = in[i] % 1000 + 1, c = 0;
	while (n_ != 1) {
		n_ = n_ & 1 ? 3 * n_ + 1 : n_ / 2;
		c++;
	}
	out[i] = c;
}
