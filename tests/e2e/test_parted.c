/* test_parted.c -- which .sync instructions are warned of: those that name, by a constant, lanes which may be elsewhere and come to
 * none of their kind. Those that may come to one are waited for (test_meet.c); code that whole warps take or leave, masks that were
 * computed, and lanes that have ended are not warned of. Manual: "Parallel Thread Execution ISA", 9.7.9.6. */
#include "e2e.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHFL "shfl.sync.down.b32 %r9, %r9, 1, 31, -1;\n"
#define VOTE "vote.sync.any.pred %q, %q, -1;\n"
#define TID "mov.u32 %r1, %tid.x;\n"
#define LOCK "T:\natom.acquire.gpu.global.cas.b32 %r2, [%o+4], 0, 1; setp.ne.u32 %p, %r2, 0; @%p bra T;\natom.release.gpu.global.exch.b32 %r2, [%o+4], 0;\n"
#define LANE "mov.u32 %r1, %laneid;\n"

static const struct { const char *name, *body; int warnings; /* -1: refused */ } cases[] = {
	{ "straight code", SHFL SHFL, 0 },
	{ "whole warps branch by tid", TID "setp.gt.u32 %p, %r1, 31; @%p bra E;\n" SHFL "bra J;\nE:\n" SHFL "J:\n" SHFL, 0 },
	{ "whole warps branch by tid >> 5", TID "shr.u32 %r1, %r1, 5; setp.ne.u32 %p, %r1, 2; @%p bra J;\n" SHFL "J:\n" SHFL, 0 },
	{ "whole warps branch by %tid.y", "mov.u32 %r1, %tid.y; setp.ne.u32 %p, %r1, 2; @%p bra J;\n" SHFL "J:\n" SHFL, 0 },
	{ "whole warps branch by a global number", TID "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r1, %r2, %r3, %r1; "
	  "shr.s32 %r1, %r1, 5; setp.ne.u32 %p, %r1, 2; @%p bra J;\n" SHFL "J:\n" SHFL, 0 },
	{ "lanes branch, both sides of a kind", LANE "setp.gt.u32 %p, %r1, 7; @%p bra E;\n" SHFL "bra J;\nE:\n" SHFL "J:\n", 0 },
	{ "lanes branch, another kind on each side: the first", LANE "setp.gt.u32 %p, %r1, 7; @%p bra E;\n" SHFL "bra J;\nE:\n" VOTE "J:\n", 1 },
	{ "lanes branch, another kind on each side, one after: the one that is not of its kind", LANE "setp.gt.u32 %p, %r1, 7; @%p bra E;\n" SHFL "bra J;\nE:\n" VOTE "J:\n" SHFL, 1 },
	{ "lanes branch, and meet again", LANE "setp.gt.u32 %p, %r1, 7; @%p bra E;\nadd.u32 %r9, %r9, 1;\nbra J;\nE:\nadd.u32 %r9, %r9, 2;\nJ:\n" SHFL, 0 },
	{ "lanes branch by tid at a number that splits a warp", TID "setp.gt.u32 %p, %r1, 40; @%p bra J;\n" SHFL "J:\n" VOTE, 1 },
	{ "one side, nothing after", LANE "setp.gt.u32 %p, %r1, 7; @%p bra J;\n" SHFL "J:\n", 0 },
	{ "one side, another after", LANE "setp.gt.u32 %p, %r1, 7; @%p bra J;\n" SHFL "J:\n" SHFL, 0 },
	{ "one side, another kind after", LANE "setp.gt.u32 %p, %r1, 7; @%p bra J;\n" SHFL "J:\n" VOTE, 1 },
	{ "lanes that ended", LANE "setp.gt.u32 %p, %r1, 7; @%p ret;\n" SHFL SHFL, 0 },
	{ "a computed mask", LANE "setp.gt.u32 %p, %r1, 7; @%p bra J;\nactivemask.b32 %r2;\nshfl.sync.down.b32 %r9, %r9, 1, 31, %r2;\nJ:\n" SHFL, 0 },
	{ "a mask of one lane", LANE "setp.ne.u32 %p, %r1, 7; @%p bra J;\nbar.warp.sync 128;\nJ:\n" SHFL, 0 },
	{ "a loop of as many turns for all", LANE "mov.u32 %r2, 5;\nL:\n" SHFL "sub.u32 %r2, %r2, 1; setp.ne.u32 %p, %r2, 0; @%p bra L;\n" SHFL, 0 },
	{ "a loop of different turns, which lanes leave for the end", LANE "L:\n" SHFL "sub.u32 %r1, %r1, 1; setp.gt.s32 %p, %r1, 0; @%p bra L;\n", 0 },
	{ "a loop of different turns, one inside", LANE "L:\n" SHFL "sub.u32 %r1, %r1, 1; setp.gt.s32 %p, %r1, 0; @%p bra L;\n" SHFL, 0 },
	{ "a loop of different turns, another kind behind", LANE "L:\n" SHFL "sub.u32 %r1, %r1, 1; setp.gt.s32 %p, %r1, 0; @%p bra L;\n" VOTE, 1 },
	{ "a loop of different turns, one behind", LANE "L:\n" "sub.u32 %r1, %r1, 1; setp.gt.s32 %p, %r1, 0; @%p bra L;\n" SHFL, 0 },
	{ "a loop that a vote ends", LANE "L:\n" SHFL "sub.u32 %r1, %r1, 1; setp.gt.s32 %p, %r1, 0; vote.sync.any.pred %p, %p, -1; @%p bra L;\n" SHFL, 0 },
	{ "a counted barrier.sync where lanes parted", LANE "setp.gt.u32 %p, %r1, 7; @%p bra E;\nbarrier.sync 1, 64;\nbra J;\nE:\nbarrier.sync 2, 64;\nJ:\n", -1 },
	{ "a counted barrier.sync where warps parted", TID "setp.gt.u32 %p, %r1, 31; @%p bra E;\nbarrier.sync 1, 64;\nbra J;\nE:\nbarrier.sync 2, 64;\nJ:\n", 0 },
	{ "lanes branch behind a lock of each thread: the gate gathers them", LANE LOCK "setp.gt.u32 %p, %r1, 7; @%p bra E;\n" SHFL "bra J;\nE:\n" SHFL "J:\n" SHFL, 0 },
	{ "lanes branch before a lock of each thread", LANE "setp.gt.u32 %p, %r1, 7; @%p bra E;\n" SHFL "bra J;\nE:\n" VOTE "J:\n" LOCK, 1 },
	{ "a loop that the gate heads, lanes branch inside", LANE "L:\n" LOCK "setp.gt.u32 %p, %r1, 7; @%p bra J;\n" SHFL "J:\nsub.u32 %r1, %r1, 1; setp.gt.s32 %p, %r1, 0; @%p bra L;\n" SHFL, 0 },
	{ "under a guard", LANE "setp.gt.u32 %p, %r1, 7;\n@%p " SHFL "@!%p " SHFL SHFL, 0 },
	{ "under a guard, another kind behind", LANE "setp.gt.u32 %p, %r1, 7;\n@%p " SHFL VOTE, 1 },
	{ "in step: forms without .sync", LANE "setp.gt.u32 %p, %r1, 7; @%p bra E;\n" SHFL "bra J;\nE:\n" SHFL "J:\nvote.any.pred %q, %q;\n" SHFL, 2 },
	{ "every kind", LANE "setp.gt.u32 %p, %r1, 7; @%p bra J;\nvote.sync.ballot.b32 %r2, %p, -1; match.any.sync.b32 %r3, %r1, 3; redux.sync.add.u32 %r4, %r1, 5;\n"
	  "elect.sync %r5|%q, -1; bar.warp.sync -1; match.all.sync.b32 %r6, %r1, -1; vote.sync.any.pred %q, %p, 7;\nadd.u32 %r9, %r2, %r3; add.u32 %r9, %r9, %r4; "
	  "add.u32 %r9, %r9, %r5; add.u32 %r9, %r9, %r6;\nJ:\n" SHFL, 7 },
};

static int
run(size_t k, const char *chip)
{
	text t = { 0 };
	p2a_source src;
	p2a_options o = { .size = sizeof o, .target = chip };
	p2a_result *r;
	int n = 0;

	text_add(&t, ".version 8.8\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %%r<10>; .reg .pred %%p, %%q; .reg .b64 %%o;\n"
	         "ld.param.u64 %%o, [out]; ld.global.u32 %%r9, [%%o];\n%sst.global.u32 [%%o], %%r9; ret;\n}\n", cases[k].body);
	src = (p2a_source){ "k.ptx", t.s, t.n };
	r = p2a_translate(&src, 1, &o);
	for (size_t i = 0; r && i < r->ndiags; i++)
		n += r->diags[i].severity == P2A_WARNING && strstr(r->diags[i].message, "may be elsewhere") != NULL && r->diags[i].line > 5;
	for (size_t i = 0; r && r->status == P2A_EINPUT && i < r->ndiags; i++)
		n = r->diags[i].id == 313 ? -1 : n;
	if (!r || (r->status != P2A_OK && n >= 0) || n != cases[k].warnings)
		printf("not ok %s on %s: %d warnings, should be %d; %s\n", cases[k].name, chip, n, cases[k].warnings, r && r->ndiags ? r->diags[0].message : "");
	n = !r || (r->status != P2A_OK && n >= 0) || n != cases[k].warnings;
	p2a_result_free(r);
	free(t.s);
	return n;
}

int
main(void)
{
	int bad = 0;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		int wrong = run(k, "gfx90a") | run(k, "gfx1100");

		if (!wrong)
			printf("ok %s\n", cases[k].name);
		bad |= wrong;
	}
	return bad;
}
