// Video instructions, SIMD within a register, carry chains.
__global__ void video(unsigned *p, int *s)
{
	unsigned x = p[0], y = p[1], r;
	int t;

	p[2] = __vadd4(x, y) + __vabsdiffu2(x, y) + __vmaxs4(x, y) + __vseteq4(x, y) + __vavgu4(x, y);
	p[3] = __umulhi(x, y) + __umul24(x, y) + __usad(x, y, 3) + __uhadd(x, y);
	asm("vadd.u32.u32.u32.sat %0, %1.b0, %2.h1;" : "=r"(r) : "r"(x), "r"(y));
	asm("vmad.s32.s32.s32.shr7 %0, %1, %2, -%3;" : "=r"(t) : "r"(s[0]), "r"(s[1]), "r"(s[2]));
	p[4] = r + (unsigned)t;
	asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %2, 0;" : "=r"(p[5]), "=r"(p[6]) : "r"(x), "r"(y));
	asm("mad.lo.cc.u32 %0, %2, %3, %2;\n\tmadc.hi.u32 %1, %2, %3, 0;" : "=r"(p[7]), "=r"(p[8]) : "r"(x), "r"(y));
	asm("bfe.s32 %0, %1, 3, 9; bfind.shiftamt.u32 %0, %0;" : "=r"(s[3]) : "r"(s[4]));
}
