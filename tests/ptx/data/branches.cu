// Jump tables, loops with breaks, unstructured flow, inline assembly with scopes and labels.
__global__ void branches(int *p, int n)
{
	int x = p[threadIdx.x];

	for (int i = 0; i < n; i++) {
		switch (x & 15) {
		case 0: x += 3; break;
		case 1: x *= 5; break;
		case 2: x ^= 77; continue;
		case 3: x -= p[i]; break;
		case 4: x = ~x; break;
		case 5: x <<= 1; /* fall through */
		case 6: x |= 8; break;
		case 7: goto out;
		case 8: x /= 3; break;
		case 9: x %= 7; break;
		case 10: x = -x; break;
		default: x >>= 1;
		}
		if (x == 42)
			break;
	}
out:
	asm volatile("{\n\t.reg .pred q; .reg .b32 t<3>;\n\tsetp.lt.and.s32 q|_, %0, 9, !q;\n"
		"\tmov.b32 t0, 0b1011; mov.b32 t1, (1 << 4) | 0x3; mov.b32 t2, WARP_SZ * 2;\n"
		"\t@!q bra skip;\n\tbfi.b32 %0, t0, %0, 4, 8; lop3.b32 %0, %0, t1, t2, 0x96;\nskip:\n\t}"
		: "+r"(x));
	p[threadIdx.x] = __byte_perm(x, n, 0x5410) + __funnelshift_l(x, n, 5) + __dp4a(x, n, 3);
}
