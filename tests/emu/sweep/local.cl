KERNEL(reduction)
{
	local uint s[64];
	uint t = LID;
	s[t] = in[GID];
	for (uint k = 32; k; k >>= 1) {
		BARRIER();
		if (t < k)
			s[t] += s[t + k] ^ k;
	}
	BARRIER();
	out[GID] = s[0] + t;
}
KERNEL(scan)
{
	local uint s[128];
	uint t = LID, p = 0;
	s[t] = in[GID] & 0xffff;
	BARRIER();
	for (uint k = 1; k < 64; k <<= 1) {
		s[(p ^ 64) + t] = t >= k ? s[p + t] + s[p + t - k] : s[p + t];
		p ^= 64;
		BARRIER();
	}
	out[GID] = s[p + t];
}
KERNEL(transpose)
{
	local uint4 s[64];
	local uchar b[256];
	local ulong w[64];
	uint t = LID, i = GID;
	s[t] = (uint4)(in[i], in[i + 1], in[i + 2], in[i + 3]);
	b[t * 4] = (uchar)in[i];
	b[t * 4 + 1] = (uchar)(in[i] >> 24);
	*(local ushort *)(b + t * 4 + 2) = (ushort)in[i + 1];
	w[t] = (ulong)in[i] << 32 | t;
	BARRIER();
	uint u = t / 8 + t % 8 * 8;
	uint4 v = s[u];
	ulong x = w[u] + w[63 - t];
	out[i] = v.x + v.y * 3 + v.z * 5 + v.w * 7 + b[255 - t * 4] + (uint)*(local short *)(b + u * 4) + (uint)(x >> 30) + s[t ^ 1].y;
}
KERNEL(bitonic)
{
	local uint s[64];
	uint t = LID;
	s[t] = in[GID];
	for (uint k = 2; k <= 64; k <<= 1)
		for (uint j = k >> 1; j; j >>= 1) {
			BARRIER();
			uint o = t ^ j, a = s[t], b = s[o];
			BARRIER();
			if (((t & k) == 0) == (t < o) ? a > b : a < b)
				s[t] = b;
		}
	BARRIER();
	out[GID] = s[t];
}
KERNEL(matrix)
{
	local float a[8][9], b[8][8];
	uint t = LID, x = t & 7, y = t >> 3;
	float sum = 0;
	for (uint k = 0; k < 4; k++) {
		a[y][x] = small_float(in[GROUP * 64 + k * 64 + t]);
		b[y][x] = small_float(in[(k * 64 + t) ^ 5]);
		BARRIER();
		for (uint j = 0; j < 8; j++)
			sum = __builtin_fmaf(a[y][j], b[j][x], sum);
		BARRIER();
	}
	out[GID] = float_bits(sum);
}
