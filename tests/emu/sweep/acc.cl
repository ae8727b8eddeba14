/* More values than there are registers: clang puts them into accumulation registers on gfx908, gfx90a and gfx942. */
#ifdef HOST
#define FEW
#define ALONE
#else
#define FEW __attribute__((amdgpu_num_vgpr(32)))
#define ALONE __attribute__((amdgpu_waves_per_eu(1, 1)))
#endif
FEW KERNEL(acc_spilled)
{
	uint i = GID, v[60], r = 0;
	#pragma unroll
	for (uint k = 0; k < 60; k++)
		v[k] = in[i + k * 3] * (k + 1);
	for (uint n = 0; n < (in[i] & 7); n++) {
		#pragma unroll
		for (uint k = 0; k < 60; k++)
			v[k] ^= v[(k * 7 + 5) % 60] >> (k & 7);
	}
	#pragma unroll
	for (uint k = 0; k < 60; k++)
		r = r * 33 + v[k];
	out[i] = r;
}
#if HOST || __gfx908__ || __gfx90a__ || __gfx942__
ALONE KERNEL(acc_values)
{
	uint i = GID, v[280], r = 0;
	#pragma unroll
	for (uint k = 0; k < 280; k++)
		v[k] = in[i + k * 3] * (k + 1);
	for (uint n = 0; n < (in[i] & 3); n++) {
		#pragma unroll
		for (uint k = 0; k < 280; k++)
			v[k] ^= v[(k * 7 + 5) % 280] >> (k & 7);
	}
	#pragma unroll
	for (uint k = 0; k < 280; k++)
		r = r * 33 + v[k];
	out[i] = r;
}
/* Loaded, kept over a barrier and stored: loads and stores have accumulation registers themselves. */
ALONE KERNEL(acc_loaded)
{
	uint i = GID, r = 0;
	uint4 v[70];
	global volatile uint4 *to = (global volatile uint4 *)(out + i * 12);
	#pragma unroll
	for (uint k = 0; k < 70; k++)
		v[k] = *(global const volatile uint4 *)(in + (i * 4 + k * 8) % 4092 / 4 * 4);
	BARRIER();
	#pragma unroll
	for (uint k = 0; k < 70; k++)
		to[k % 3] = v[k];
	BARRIER();
	#pragma unroll
	for (uint k = 0; k < 70; k++)
		r = r * 33 + (v[k].x ^ v[k].y * 3 ^ v[k].z * 5 ^ v[k].w * 7);
	out[i + 7168] = r;
}
#endif
