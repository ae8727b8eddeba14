/* test_hoist.c -- moves of constants and scalars stand before loops that do not change them: small loops whose moves, loads
 * and LDS additions, in order, are written by hand. A load shows where the loop begins. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define START ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n" \
	".reg .b32 %r<99>, %t, %s, %n, %i, %j; .reg .b64 %q<5>; .reg .pred %p, %d; .shared .align 16 .b8 room[4096];\n" \
	"ld.param.u32 %n, [n]; ld.param.u64 %q1, [in]; mov.u32 %t, %tid.x; mov.u32 %s, room; mad.lo.u32 %s, %t, 4, %s; add.u32 %i, %t, 1;\n"
#define HEAD "L: ld.shared.u32 %r1, [%s];\n"
#define TURN "add.u32 %i, %i, %r1; setp.lt.u32 %p, %i, %n; @%p bra L;\n"
#define END "ret;\n}\n"
#define ADD(x) "red.shared.add.u32 [%s+128], " x ";\n"

static const struct form { const char *name, *ptx, *want; } forms[] = {
	{ "a constant", HEAD ADD("7") TURN END, "v_mov_b32 ds_read_b32 ds_add_u32" },
	{ "the same in two blocks", HEAD ADD("7") "setp.eq.u32 %d, %r1, 9; @%d bra M;" ADD("7") "M:" TURN END,
		"v_mov_b32 ds_read_b32 ds_add_u32 ds_add_u32" },
	{ "two constants", HEAD ADD("7") ADD("9") TURN END, "v_mov_b32 v_mov_b32 ds_read_b32 ds_add_u32 ds_add_u32" },
	{ "a scalar", HEAD ADD("%n") TURN END, "v_mov_b32 ds_read_b32 ds_add_u32" },
	{ "out of two loops", "add.u32 %j, %t, 2; K: mul.lo.u32 %i, %j, %j;" HEAD ADD("7") TURN "add.u32 %j, %j, 1; setp.lt.u32 %p, %j, %t; @%p bra K;" END,
		"v_mov_b32 ds_read_b32 ds_add_u32" },
	{ "a scalar that the loop changes", "mov.u32 %j, 5;" HEAD ADD("%j") "mad.lo.u32 %j, %j, %n, 3; setp.lt.u32 %p, %r1, %n; @%p bra L;" END,
		"ds_read_b32 v_mov_b32 ds_add_u32" },
	{ "no loop", "ld.volatile.shared.u32 %r1, [%s];" ADD("7") END, "ds_read_b32 v_mov_b32 ds_add_u32" },
};

static bool
counts(const char *mnemonic)
{
	return !strcmp(mnemonic, "v_mov_b32") || !strncmp(mnemonic, "ds_", 3);
}

int
main(void)
{
	int bad = 0;

	for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
		text t = { 0 };
		char got[400];

		text_add(&t, "%s%s", START, forms[k].ptx);
		e2e_mnemonics("gfx90a", t.s, counts, got, sizeof got);
		if (!strcmp(got, forms[k].want)) {
			printf("ok hoist: %s\n", forms[k].name);
		} else {
			printf("not ok hoist: %s: %s, not %s\n", forms[k].name, got, forms[k].want);
			bad = 1;
		}
		free(t.s);
	}
	return bad;
}
