#define ORDER __ATOMIC_RELAXED
#define L(x) ((local atomic_uint *)(x))
#define G(x) ((global atomic_uint *)(x))
KERNEL(local_atomics)
{
	local uint h[16];
	local ulong w[4];
	uint t = LID, x = in[GID];
	if (t < 16)
		h[t] = t == 4 ? 0xffffffffu : 0;
	if (t < 4)
		w[t] = 0;
	BARRIER();
	__opencl_atomic_fetch_add(L(&h[x & 3]), x >> 8, ORDER, 1);
	__opencl_atomic_fetch_min(L(&h[4]), x, ORDER, 1);
	__opencl_atomic_fetch_max(L(&h[5]), x, ORDER, 1);
	__opencl_atomic_fetch_min((local atomic_int *)&h[6], (int)x, ORDER, 1);
	__opencl_atomic_fetch_max((local atomic_int *)&h[7], (int)x, ORDER, 1);
	__opencl_atomic_fetch_and(L(&h[8]), x, ORDER, 1);
	__opencl_atomic_fetch_or(L(&h[9]), x, ORDER, 1);
	__opencl_atomic_fetch_xor(L(&h[10]), x, ORDER, 1);
	__opencl_atomic_fetch_sub(L(&h[11]), x, ORDER, 1);
	uint old = __opencl_atomic_fetch_add(L(&h[12]), 1u, ORDER, 1);
	__opencl_atomic_fetch_or(L(&h[13]), 1u << (old & 31), ORDER, 1);
	uint want = 0;
	while (!__opencl_atomic_compare_exchange_weak(L(&h[14]), &want, want + (x & 15), ORDER, ORDER, 1))
		;
	__opencl_atomic_fetch_add((local atomic_ulong *)&w[x & 1], (ulong)x << 20, ORDER, 1);
	__opencl_atomic_fetch_max((local atomic_ulong *)&w[2], (ulong)x << 20 | 1, ORDER, 1);
	__opencl_atomic_fetch_xor((local atomic_ulong *)&w[3], (ulong)x << 31, ORDER, 1);
	BARRIER();
	out[GID] = t < 16 ? h[t] : t < 24 ? (uint)(w[t & 3] >> (t & 4) * 8) : 0;
}
KERNEL(global_atomics)
{
	uint x = in[GID];
	global uint *o = out + GROUP * 64;
	__opencl_atomic_fetch_add(G(&o[x & 3]), x >> 8, ORDER, 2);
	__opencl_atomic_fetch_sub(G(&o[4]), x, ORDER, 2);
	__opencl_atomic_fetch_max(G(&o[5]), x, ORDER, 2);
	__opencl_atomic_fetch_min((global atomic_int *)&o[6], (int)x, ORDER, 2);
	__opencl_atomic_fetch_max((global atomic_int *)&o[7], (int)x, ORDER, 2);
	__opencl_atomic_fetch_xor(G(&o[8]), x, ORDER, 2);
	__opencl_atomic_fetch_or(G(&o[9]), x, ORDER, 2);
	uint old = __opencl_atomic_fetch_add(G(&o[10]), 3u, ORDER, 2);
	__opencl_atomic_fetch_or(G(&o[11]), 1u << (old / 3 & 31), ORDER, 2);
	uint want = 0;
	while (!__opencl_atomic_compare_exchange_strong(G(&o[12]), &want, want + (x & 15), __ATOMIC_ACQ_REL, ORDER, 2))
		;
	__opencl_atomic_fetch_add((global atomic_ulong *)&o[14], (ulong)x << 20, ORDER, 2);
	__opencl_atomic_fetch_max((global atomic_long *)&o[16], (long)(ulong)x << 20, ORDER, 2);
	ulong wide = 0;
	while (!__opencl_atomic_compare_exchange_strong((global atomic_ulong *)&o[18], &wide, wide + x, ORDER, ORDER, 2))
		;
	/* whole numbers: their sum does not depend on the order */
	__opencl_atomic_fetch_add((global atomic_float *)&o[20], (float)(x & 255), ORDER, 2);
	__opencl_atomic_fetch_and(G(&o[9]), ~(x & 1), ORDER, 2);
	o[32 + (LID & 31)] = __opencl_atomic_load(G(&o[21]), __ATOMIC_ACQUIRE, 2) + 1;
}
#undef L
#undef G
