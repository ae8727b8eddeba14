struct cell { uint key; ushort count; uchar tag; float weight; };
KERNEL(tables)
{
	uint i = GID, t[16], r = 0;
	for (uint k = 0; k < 16; k++)
		t[k] = in[i + k] ^ k;
	for (uint k = 0; k < 40; k++) {
		uint j = (in[i] >> (k & 31)) & 15;
		t[j] += t[(j + k) & 15] * 3 + 1;
		r += t[j];
	}
	out[i] = r;
}
KERNEL(structures)
{
	uint i = GID;
	struct cell c[6];
	for (uint k = 0; k < 6; k++) {
		c[k].key = in[i + k];
		c[k].count = (ushort)k;
		c[k].tag = (uchar)in[i + k];
		c[k].weight = (float)(in[i + k] & 1023);
	}
	for (uint k = 0; k < 12; k++) {
		struct cell *p = &c[in[i + k] % 6];
		p->count += p->tag;
		p->key ^= c[(p->count + k) % 6].key >> 3;
		p->weight += 0.5f;
	}
	uint r = 0;
	for (uint k = 0; k < 6; k++)
		r += c[k].key ^ c[k].count * 77u ^ as_(uint, c[k].weight);
	out[i] = r;
}
KERNEL(bytes_of)
{
	uint i = GID, r = 0;
	uchar b[64];
	for (uint k = 0; k < 64; k++)
		b[k] = (uchar)(in[i] >> (k & 24)) + (uchar)k;
	for (uint k = 0; k < 64; k++) {
		uint j = (b[k] * 7 + k) & 63;
		uchar x = b[k];
		b[k] = b[j];
		b[j] = x;
	}
	for (uint k = 0; k < 60; k += 3)
		r = r * 31 + b[k] + (uint)*(ushort *)(b + (k & 62)) + *(uint *)(b + (k & 60));
	out[i] = r;
}
KERNEL(many_values)
{
	uint i = GID, v[48];
	#pragma unroll
	for (uint k = 0; k < 48; k++)
		v[k] = in[i + k] * (k + 1);
	#pragma unroll
	for (uint k = 0; k < 48; k++)
		v[k] ^= v[(k * 7 + 5) % 48] >> (k & 7);
	uint r = 0;
	for (uint k = 0; k < 48; k++)
		r = r * 33 + v[k];
	out[i] = r;
}
