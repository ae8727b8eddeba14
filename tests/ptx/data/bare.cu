// No CUDA headers: for clang --cuda-device-only -nocudainc -nocudalib.
#define KERNEL __attribute__((global))
#define DEVICE __attribute__((device))
#define SHARED __attribute__((shared))
#define CONST __attribute__((constant))
typedef float v4f __attribute__((ext_vector_type(4)));
struct item { short s; unsigned char c[3]; double d; };
DEVICE item items[4] = { { 1, { 2, 3, 4 }, 5.5 }, { -1 } };
DEVICE const char *word = "hello";
CONST float table[2][2] = { { 1.0f, 2.0f }, { 3.0f } };
DEVICE unsigned counter;
DEVICE __attribute__((noinline)) item change(item i, int n)
{
	i.c[n & 1] += (unsigned char)n;
	i.d *= n;
	return i;
}
KERNEL void __attribute__((launch_bounds(128, 2))) bare(int *out, v4f *v, item in, int n)
{
	SHARED int tile[128];
	int t = __nvvm_read_ptx_sreg_tid_x(), b = __nvvm_read_ptx_sreg_ctaid_x();

	tile[t] = out[t];
	__nvvm_bar_sync(0);
	item i = change(in, n);
	switch (n) {
	case 0: t += 1; break;
	case 1: t *= 3; break;
	case 2: t -= tile[b]; break;
	case 3: t ^= 21; break;
	case 4: t <<= 3; break;
	case 5: t = (int)i.d; break;
	case 6: t |= i.s; break;
	}
	v[t] = v[b] * table[n & 1][b & 1] + (float)items[n & 3].c[1];
	out[t] = tile[t ^ 1] + word[n] + (int)__nvvm_atom_add_gen_i(out + 1, 2) + __builtin_popcount(t);
	for (int k = 0; k < n; k++)
		out[k] = (out[k] & ~0xff00) | (tile[k & 127] << 8 & 0xff00);
	__atomic_fetch_add(&counter, 1u, 0);
}
