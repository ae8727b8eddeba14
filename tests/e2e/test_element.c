/* test_element.c -- name[r] and name[r+n] are the elements of variables: of each state space, by registers of each width,
 * in ld, st and mov. A vector's components count one by one; a negative index wraps at 32 bits (what NVIDIA's assembler makes of it).
 * Manual: "Parallel Thread Execution ISA", 6.4.2. */
#include "e2e.h"

#include <stdio.h>
#include <string.h>

enum { LANES = 8, WORDS = 14 };

static const char ptx[] =
	".version 7.0\n"
	".target sm_75\n"
	".address_size 64\n"
	".global .u32 ga[16] = {100,101,102,103,104,105,106,107,108,109,110,111,112,113,114,115};\n"
	".const .u16 ca[16] = {200,201,202,203,204,205,206,207,208,209,210,211,212,213,214,215};\n"
	".global .v2 .u32 gv[8] = {{0,1},{2,3},{4,5},{6,7},{8,9},{10,11},{12,13},{14,15}};\n"
	".func (.param .b32 r) f (.param .align 4 .b8 a[32], .param .b32 i)\n"
	"{\n"
	".reg .u32 x, y;\n"
	"ld.param.u32 x, [i];\n"
	"ld.param.u8 y, a[x];\n"
	"st.param.b32 [r], y;\n"
	"ret;\n"
	"}\n"
	".visible .entry k(.param .u64 in, .param .u64 out, .param .align 4 .b8 kp[16])\n"
	"{\n"
	".reg .u64 o, q; .reg .u32 t, v, w; .reg .s16 h; .reg .s32 s; .reg .b64 d; .reg .b64 a;\n"
	".shared .u64 sa[32]; .local .u16 la[16];\n"
	"mov.u32 t, %tid.x; and.b32 t, t, 7; cvt.u64.u32 d, t; cvt.s16.u32 h, t; mov.b32 s, t;\n"
	"ld.param.u64 o, [out]; mad.wide.u32 o, t, 56, o;\n"
	"ld.global.u32 v, ga[t]; st.global.u32 [o], v;\n"
	"ld.u32 v, ga[h+2]; st.global.u32 [o+4], v;\n"
	"ld.const.u16 v, ca[d]; st.global.u32 [o+8], v;\n"
	"ld.const.u16 v, ca[s+3]; st.global.u32 [o+12], v;\n"
	"st.shared.u64 sa[t], d; ld.shared.u32 v, sa[t]; st.global.u32 [o+16], v;\n"
	"st.local.u16 la[t+1], h; ld.local.u16 v, la[t+1]; st.global.u32 [o+20], v;\n"
	"ld.param.u8 v, kp[t]; st.global.u32 [o+24], v;\n"
	"mov.u64 a, ga[t]; ld.global.u32 v, [a]; st.global.u32 [o+28], v;\n"
	"mov.u32 w, sa[t]; ld.shared.u32 v, [w]; st.global.u32 [o+32], v;\n"
	"mov.b32 w, -1; ld.global.u32 v, ga[w+5]; st.global.u32 [o+36], v;\n"
	"ld.global.u32 v, gv[t]; st.global.u32 [o+40], v;\n"
	"ld.global.u32 v, gv[3]; st.global.u32 [o+44], v;\n"
	"{ .param .align 4 .b8 pa[32]; .param .b32 pi; .param .b32 rr;\n"
	"st.param.b32 [pa], 0x03020100; st.param.b32 [pa+4], 0x07060504; st.param.b32 [pi], t;\n"
	"call (rr), f, (pa, pi); ld.param.b32 v, [rr]; st.global.u32 [o+48], v; }\n"
	"st.global.u32 ga[t+8], t;\n"
	"ld.volatile.global.u32 v, ga[t+8]; st.global.u32 [o+52], v;\n"
	"ret;\n"
	"}\n";
static const char bytes[] = "ABCDEFGHIJKLMNO";

int
main(void)
{
	uint32_t out[LANES][WORDS];
	int bad = 0;

	for (const char *const *chip = e2e_on(e2e_chips, 4); *chip; chip++)
		for (unsigned opt = 0; opt < 3; opt += 2) {
			e2e_run r = { .chip = *chip, .ptx = ptx, .kernel = "k", .opt = opt ? 2 : P2A_O0, .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 },
				.in = "", .in_size = 1, .out = out, .out_size = sizeof out, .extra = bytes, .extra_size = sizeof bytes };
			bool wrong = false;

			if (e2e_launch("element", &r))
				return 1;
			for (uint32_t i = 0; i < LANES; i++) {
				const uint32_t want[WORDS] = { 100 + i, 102 + i, 200 + i, 203 + i, i, i, (uint32_t)bytes[i], 100 + i, i, 104,
					i, 3, i, i };

				for (unsigned k = 0; k < WORDS && !wrong; k++)
					if ((wrong = out[i][k] != want[k]))
						printf("not ok element on %s -O%u: lane %u, word %u is %u, not %u\n", *chip, opt, (unsigned)i, k,
						       (unsigned)out[i][k], (unsigned)want[k]);
			}
			bad |= wrong;
		}
	if (!bad)
		printf("ok element\n");
	return bad;
}
