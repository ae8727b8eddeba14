/* test_words.c -- every spelling of what gives no value by itself or none of a type: barriers and their reductions, fences, hints,
 * policies, addresses of state spaces, the stack, calls, jumps by table, trap. Each step changes a number that each of 128 threads
 * carries, as C does it; steps that only wait or hint must leave everything as it is.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.15 - 9.7.9.24, 9.7.12, 9.7.13.1 - 9.7.13.4, 9.7.17, 9.7.19. */
#include "forms.h"
#include "spell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 128, MAX_STEPS = 1000 };

/* What a step does to the numbers of all threads; arg: its own. */
typedef void step_fn(uint32_t *acc, unsigned arg);
typedef struct plan {
	text t;
	struct { step_fn *fn; unsigned arg; } step[MAX_STEPS];
	unsigned n;
} plan;

static const uint8_t table[8] = { 11, 22, 33, 44, 55, 66, 77, 88 };

static void
add_step(plan *p, step_fn *fn, unsigned arg)
{
	if (p->n == MAX_STEPS)
		abort();
	p->step[p->n].fn = fn;
	p->step[p->n++].arg = arg;
}

static void
each(uint32_t *acc, uint32_t (*more)(unsigned thread, const uint32_t *was, unsigned arg), unsigned arg)
{
	uint32_t was[THREADS];

	memcpy(was, acc, sizeof was);
	for (unsigned t = 0; t < THREADS; t++)
		acc[t] = was[t] * 3 + more(t, was, arg);
}

/* ---- steps that do nothing ---- */

static uint32_t constant(unsigned t, const uint32_t *was, unsigned arg) { (void)t, (void)was; return arg; }
static void nothing(uint32_t *acc, unsigned arg) { each(acc, constant, arg); }

/* An operand of forms.def, for those steps. */
static const char *
plain_operand(const char *name, const spelled *s)
{
	if (!strncmp(name, "a:mem", 5) && spell_has(s, "local"))
		return "[depot]";
	return !strncmp(name, "a:mem", 5) ? "[%beyond]" : !strncmp(name, "size:", 5) ? "128" : !strncmp(name, "imm-reg-count", 13) ? "64" :
		!strncmp(name, "a:imm", 5) ? "3" : !strncmp(name, "t:val", 5) ? "20" : !strncmp(name, "membermask", 10) ? "0xffffffff" : "1";
}

static void
add_plain(void *ctx, const spelled *s)
{
	plan *p = ctx;
	const char *o = spell_operands(s);

	text_add(&p->t, "%s ", s->text);
	for (const char *sep = ""; *o; sep = ", ") {
		text_add(&p->t, "%s%s", sep, plain_operand(o, s));
		o += strcspn(o, ",");
		o += strspn(o, ", ");
	}
	text_add(&p->t, "; mad.lo.u32 %%acc, %%acc, 3, %u;\n", p->n);
	add_step(p, nothing, p->n);
}

static uint32_t first_word(unsigned t, const uint32_t *was, unsigned arg) { (void)t, (void)was, (void)arg; return 0x01234567; }
static void reads_first(uint32_t *acc, unsigned arg) { each(acc, first_word, arg); }

static void
add_policy(void *ctx, const spelled *s)
{
	plan *p = ctx;

	for (int more = 0; more < (strstr(spell_operands(s), "fraction") ? 2 : 1); more++) {
		text_add(&p->t, "%s %%policy%s; ld.global.L2::cache_hint.u32 %%x0, [%%in], %%policy; mad.lo.u32 %%acc, %%acc, 3, %%x0;\n", s->text,
		         strstr(spell_operands(s), "primary") ? ", [%in], 64, 128" : strstr(spell_operands(s), "access") ? ", %policy" : more ? ", 0f3f000000" : "");
		add_step(p, reads_first, 0);
	}
}

/* ---- barriers ---- */

static uint32_t of_peer(unsigned t, const uint32_t *was, unsigned arg) { return was[(t + arg) % THREADS]; }
static void exchanged(uint32_t *acc, unsigned arg) { each(acc, of_peer, arg); }
static uint32_t of_lower(unsigned t, const uint32_t *was, unsigned arg) { (void)arg; return t < THREADS / 2 ? 0 : was[t - THREADS / 2]; }
static void arrived(uint32_t *acc, unsigned arg) { each(acc, of_lower, arg); }

/* %xa: a thread's place, arg: how far the one is that it reads. A number is told and, behind the barrier, read. */
static void
put_peer(plan *p, unsigned far)
{
	text_add(&p->t, "add.u32 %%x0, %%me, %u; and.b32 %%x0, %%x0, %d; shl.b32 %%x0, %%x0, 2; add.u32 %%x0, %%x0, %%room; ld.shared.u32 %%x0, [%%x0];\n"
	         "bar.sync 15; mad.lo.u32 %%acc, %%acc, 3, %%x0;\n", far, THREADS - 1);
}

/* A barrier, and how many meet there; one barrier is used with a count or without. */
static const char *
barrier(const plan *p, const spelled *s)
{
	static char operands[16];

	if (strstr(spell_operands(s), "b:warps"))
		snprintf(operands, sizeof operands, "%u, %d", 7 + p->n % 7, THREADS);
	else
		snprintf(operands, sizeof operands, "%u", p->n % 7);
	return operands;
}

static void
add_sync(void *ctx, const spelled *s)
{
	plan *p = ctx;
	unsigned far = 1 + p->n * 7 % (THREADS - 1);

	text_add(&p->t, "st.shared.u32 [%%place], %%acc; %s %s; ", s->text, barrier(p, s));
	put_peer(p, far);
	add_step(p, exchanged, far);
}

/* The lower half tells and arrives, the upper half waits for it. */
static void
add_arrive(void *ctx, const spelled *s)
{
	plan *p = ctx;

	text_add(&p->t, "st.shared.u32 [%%place], %%acc; mov.u32 %%x0, 0; @!%%lower bra WAIT%u; %s %s; bra.uni MET%u;\n"
	         "WAIT%u: bar.sync %s; sub.u32 %%x0, %%place, %d; ld.shared.u32 %%x0, [%%x0];\nMET%u: bar.sync 15; mad.lo.u32 %%acc, %%acc, 3, %%x0;\n",
	         p->n, s->text, barrier(p, s), p->n, p->n, barrier(p, s), THREADS * 2, p->n);
	add_step(p, arrived, 0);
}

/* arg: 0 popc, 1 and, 2 or; 4: of the opposite. The predicate: is the number odd. */
static uint32_t
reduced(unsigned t, const uint32_t *was, unsigned arg)
{
	unsigned n = 0;

	(void)t;
	for (unsigned k = 0; k < THREADS; k++)
		n += (was[k] & 1) != (arg >> 2);
	return (arg & 3) == 0 ? n : (arg & 3) == 1 ? n == THREADS : n > 0;
}

static void reduction(uint32_t *acc, unsigned arg) { each(acc, reduced, arg); }

/* All even, all odd, or as it comes. */
static void
levelled(uint32_t *acc, unsigned arg)
{
	each(acc, constant, 0);
	for (unsigned t = 0; t < THREADS; t++)
		acc[t] = (acc[t] & ~1u) | (arg < 2 ? arg : acc[t] >> 3 & 1);
}

static void
add_reduction(void *ctx, const spelled *s)
{
	plan *p = ctx;
	unsigned how = spell_has(s, "popc") ? 0 : spell_has(s, "and") ? 1 : 2;

	for (unsigned k = 0; k < 6; k++) {
		unsigned level = k >> 1, not = k & 1;

		text_add(&p->t, level < 2 ? "mul.lo.u32 %%acc, %%acc, 3; and.b32 %%acc, %%acc, 0xfffffffe; or.b32 %%acc, %%acc, %u;" :
		         "mul.lo.u32 %%acc, %%acc, 3; bfe.u32 %%x0, %%acc, 3, 1; and.b32 %%acc, %%acc, 0xfffffffe; or.b32 %%acc, %%acc, %%x0;", level);
		text_add(&p->t, " and.b32 %%x0, %%acc, 1; setp.ne.u32 %%c, %%x0, 0; ");
		add_step(p, levelled, level);
		text_add(&p->t, "%s %s, %s, %s%%c;", s->text, how ? "%c" : "%x0", barrier(p, s), not ? "!" : "");
		text_add(&p->t, "%s mad.lo.u32 %%acc, %%acc, 3, %%x0;\n", how ? " selp.u32 %x0, 1, 0, %c;" : "");
		add_step(p, reduction, how | not << 2);
	}
}

static void
add_barrier(void *ctx, const spelled *s)
{
	plan *p = ctx;
	unsigned far = 1 + p->n * 5 % (THREADS - 1);

	if (spell_has(s, "warp"))
		add_plain(ctx, s);
	else if (spell_has(s, "cluster")) {
		text_add(&p->t, "st.shared.u32 [%%place], %%acc;%s %s;%s ", spell_has(s, "wait") ? " barrier.cluster.arrive;" : spell_has(s, "relaxed") ? " fence.acq_rel.cta;" : "",
		         s->text, spell_has(s, "arrive") ? " barrier.cluster.wait;" : "");
		put_peer(p, far);
		add_step(p, exchanged, far);
	} else if (spell_has(s, "arrive"))
		add_arrive(ctx, s);
	else if (spell_has(s, "red"))
		add_reduction(ctx, s);
	else
		add_sync(ctx, s);
}

/* ---- addresses ---- */

static uint32_t table_byte(unsigned t, const uint32_t *was, unsigned arg) { (void)t, (void)was; return table[arg]; }
static void reads_table(uint32_t *acc, unsigned arg) { each(acc, table_byte, arg); }
static uint32_t own(unsigned t, const uint32_t *was, unsigned arg) { (void)arg; return was[t]; }
static void reads_own(uint32_t *acc, unsigned arg) { each(acc, own, arg); }
static uint32_t none(unsigned t, const uint32_t *was, unsigned arg) { (void)t, (void)was, (void)arg; return 0; }
static void zero(uint32_t *acc, unsigned arg) { each(acc, none, arg); }

/* The number lies in .shared and .local, the table in .const, .global and .param. */
static void
add_cvta(void *ctx, const spelled *s)
{
	plan *p = ctx;
	bool own_number = strstr(s->text, ".shared") || spell_has(s, "local"), to = spell_has(s, "to");
	const char *space = strstr(s->text, ".shared") ? "shared" : spell_has(s, "local") ? "local" : spell_has(s, "const") ? "const" :
		spell_has(s, "global") ? "global" : "param";
	const char *name = *space == 's' ? "%y0" : *space == 'l' ? "depot" : *space == 'c' ? "ctable" : *space == 'g' ? "gtable" : "block";
	unsigned k = p->n % 8;

	text_add(&p->t, "st.shared.u32 [%%place], %%acc; st.local.u32 [depot], %%acc; cvt.u64.u32 %%y0, %%place; ");
	if (to)
		text_add(&p->t, "cvta.%s.u64 %%y1, %s; %s %%y1, %%y1; ", space, name, s->text);
	else
		text_add(&p->t, "%s %%y1, %s; ", s->text, name);
	text_add(&p->t, "ld%s%s.%s %%x0, [%%y1+%u]; mad.lo.u32 %%acc, %%acc, 3, %%x0;\n", to ? "." : "", to ? space : "", own_number ? "u32" : "u8", own_number ? 0 : k);
	add_step(p, own_number ? reads_own : reads_table, k);
}

/* Of a cluster of one block: the same address, rank 0. A generic address has 64 bits. */
static void
add_cluster(void *ctx, const spelled *s)
{
	plan *p = ctx;
	bool wide = !strcmp(s->type[0], "u64"), window = spell_has(s, "shared::cluster");

	if (!wide && !window)
		return;
	text_add(&p->t, "st.shared.u32 [%%place], %%acc; cvt.u64.u32 %%y0, %%place; %s", window ? "" : "cvta.shared.u64 %y0, %y0; ");
	if (*s->text == 'm') {
		text_add(&p->t, "%s %s, %s, 0; ld%s.u32 %%x0, [%s]; mad.lo.u32 %%acc, %%acc, 3, %%x0;\n", s->text, wide ? "%y1" : "%x1", wide ? "%y0" : "%place",
		         window ? ".shared::cluster" : "", wide ? "%y1" : "%x1");
		add_step(p, reads_own, 0);
	} else {
		text_add(&p->t, "%s %%x0, %s; mad.lo.u32 %%acc, %%acc, 3, %%x0;\n", s->text, wide ? "%y0" : "%place");
		add_step(p, zero, 0);
	}
}

static void
add_stack(void *ctx, const spelled *s)
{
	plan *p = ctx;
	const char *type = s->type[0], *r = !strcmp(type, "u64") ? "%y" : "%x";

	text_add(&p->t, "stacksave.%s %s2; %s %s1, 16%s; st.local.u32 [%s1+12], %%acc; add.u32 %%acc, %%acc, 0; ld.local.u32 %%x0, [%s1+12]; stackrestore.%s %s2; "
	         "mad.lo.u32 %%acc, %%acc, 3, %%x0;\n", type, r, s->text, r, p->n % 2 ? ", 32" : "", r, r, type, r);
	add_step(p, reads_own, 0);
}

/* ---- calls and jumps ---- */

static const char functions[] =
	".shared .align 4 .b8 mail[512];\n"
	/* without parameters: what the thread has in mail, times five */
	".func five()\n{\n.reg .b32 %r<3>;\nmov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 2; mov.u32 %r1, mail; add.u32 %r0, %r0, %r1; ld.shared.u32 %r1, [%r0]; "
	"mul.lo.u32 %r1, %r1, 5; st.shared.u32 [%r0], %r1; ret.uni;\n}\n"
	".func (.reg .b32 %out) seven()\n{\n.reg .b32 %r<3>;\nmov.u32 %r0, %tid.x; mul.lo.u32 %out, %r0, 7; ret;\n}\n"
	".func (.reg .b32 %out) more(.reg .b32 %a)\n{\nadd.u32 %out, %a, 9; ret.uni;\n}\n"
	".func put(.reg .b32 %a)\n{\n.reg .b32 %r<3>;\nmov.u32 %r0, %tid.x; shl.b32 %r0, %r0, 2; mov.u32 %r1, mail; add.u32 %r0, %r0, %r1; st.shared.u32 [%r0], %a; ret;\n}\n";

static uint32_t times_five(unsigned t, const uint32_t *was, unsigned arg) { (void)arg; return was[t] * 5; }
static void mailed(uint32_t *acc, unsigned arg) { each(acc, times_five, arg); }
static uint32_t times_seven(unsigned t, const uint32_t *was, unsigned arg) { (void)was, (void)arg; return t * 7; }
static void sevens(uint32_t *acc, unsigned arg) { each(acc, times_seven, arg); }
static uint32_t plus_nine(unsigned t, const uint32_t *was, unsigned arg) { (void)arg; return was[t] + 9; }
static void nines(uint32_t *acc, unsigned arg) { each(acc, plus_nine, arg); }
static uint32_t by_case(unsigned t, const uint32_t *was, unsigned arg) { (void)was; return (t + arg) % 3 * 10; }
static void cases(uint32_t *acc, unsigned arg) { each(acc, by_case, arg); }
static uint32_t of_number(unsigned t, const uint32_t *was, unsigned arg) { (void)t, (void)was; return arg % 3 * 10; }
static void one_case(uint32_t *acc, unsigned arg) { each(acc, of_number, arg); }

/* Each form of call, by name and through a register: $ the call, # a number. */
static const struct { const char *text; step_fn *fn; } calls[] = {
	{ "st.shared.u32 [%post], %acc; $ five; ld.shared.u32 %x0, [%post];", mailed },
	{ "$ (%x0), seven;", sevens },
	{ "$ put, (%acc); ld.shared.u32 %x0, [%post];", reads_own },
	{ "$ (%x0), more, (%acc);", nines },
	{ "mov.u64 %y0, five; st.shared.u32 [%post], %acc;\nP#: .callprototype _ ();\n$ %y0, P#; ld.shared.u32 %x0, [%post];", mailed },
	{ "mov.u64 %y0, put;\nP#: .callprototype _ (.reg .b32 _);\n$ %y0, (%acc), P#; ld.shared.u32 %x0, [%post];", reads_own },
	{ "mov.u64 %y0, more;\nP#: .callprototype (.reg .b32 _) _ (.reg .b32 _);\n$ (%x0), %y0, (%acc), P#;", nines },
};

static void
put_filled(text *t, const char *s, const char *opcode, unsigned number)
{
	for (; *s; s++)
		if (*s == '$')
			text_add(t, "%s", opcode);
		else if (*s == '#')
			text_add(t, "%u", number);
		else
			text_add(t, "%c", *s);
}

static void
add_call(plan *p, const char *opcode, size_t k)
{
	put_filled(&p->t, calls[k].text, opcode, p->n);
	text_add(&p->t, " mad.lo.u32 %%acc, %%acc, 3, %%x0;\n");
	add_step(p, calls[k].fn, 0);
}

/* By thread, or alike in all, as .uni wants it. */
static void
add_table_jump(plan *p, const char *opcode, const char *from)
{
	put_filled(&p->t, "T#: .branchtargets C#, D#, E#;\n", "", p->n);
	text_add(&p->t, "add.u32 %%x1, %s, %u; rem.u32 %%x1, %%x1, 3;\n", from, p->n);
	put_filled(&p->t, "$ %x1, T#;\nC#: mov.u32 %x0, 0; bra F#;\nD#: mov.u32 %x0, 10; bra.uni F#;\nE#: mov.u32 %x0, 20;\nF#: mad.lo.u32 %acc, %acc, 3, %x0;\n",
	           opcode, p->n);
	add_step(p, *from == '0' ? one_case : cases, p->n);
}

/* ---- the whole ---- */

static const struct { const char *opcode; spell_fn *fn; } rows[] = {
	{ "prefetch", add_plain }, { "prefetchu", add_plain }, { "applypriority", add_plain }, { "discard", add_plain }, { "createpolicy", add_policy },
	{ "cvta", add_cvta }, { "mapa", add_cluster }, { "getctarank", add_cluster }, { "bar", add_barrier }, { "barrier", add_barrier },
	{ "membar", add_plain }, { "fence", add_plain }, { "griddepcontrol", add_plain }, { "alloca", add_stack }, { "nanosleep", add_plain },
	{ "pmevent", add_plain }, { "setmaxnreg", add_plain },
};

static void
put_head(text *t)
{
	text_add(t, ".version 8.8\n.target sm_100a\n.address_size 64\n.const .align 8 .b8 ctable[8] = {11, 22, 33, 44, 55, 66, 77, 88};\n"
	         ".global .align 8 .b8 gtable[8] = {11, 22, 33, 44, 55, 66, 77, 88};\n%s", functions);
	text_add(t, ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 8 .b8 block[8])\n{\n.reg .b32 %%x<4>, %%acc, %%me, %%place, %%post, %%room; "
	         ".reg .b64 %%y<4>, %%in, %%out, %%beyond, %%policy; .reg .pred %%c, %%lower;\n.shared .align 4 .b8 room[%d]; .local .align 4 .b8 depot[16];\n", THREADS * 4);
	text_add(t, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; add.u64 %%beyond, %%in, 128; mov.u32 %%me, %%tid.x; mov.u32 %%room, room; shl.b32 %%x0, %%me, 2;\n"
	         "add.u32 %%place, %%room, %%x0; mov.u32 %%post, mail; add.u32 %%post, %%post, %%x0; mad.wide.u32 %%out, %%me, 4, %%out; "
	         "setp.lt.u32 %%lower, %%me, %d; mad.lo.u32 %%acc, %%me, 7, 3;\n", THREADS / 2);
}

static void
make(plan *p)
{
	put_head(&p->t);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (unsigned row = 0; (row = spell_next(rows[i].opcode, row)) != UINT32_MAX; row++)
			spell(row, rows[i].fn, p);
	for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
		add_call(p, "call", k);
		add_call(p, "call.uni", k);
	}
	add_table_jump(p, "brx.idx", "%me");
	add_table_jump(p, "brx.idx.uni", "0");
	text_add(&p->t, "st.global.u32 [%%out], %%acc; exit;\n}\n");
}

static int
steps(const char *chip)
{
	static const uint32_t in[64] = { 0x01234567 };
	uint32_t acc[THREADS], out[THREADS] = { 0 };
	plan p = { .n = 0 };
	e2e_run r = { .chip = chip, .kernel = "k", .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .in = in, .in_size = sizeof in, .out = out,
		.out_size = sizeof out, .extra = table, .extra_size = sizeof table };
	int bad;

	make(&p);
	r.ptx = p.t.s;
	if (getenv("SHOW"))
		fputs(p.t.s, stderr);
	for (unsigned t = 0; t < THREADS; t++)
		acc[t] = t * 7 + 3;
	for (unsigned k = 0; k < p.n; k++)
		p.step[k].fn(acc, p.step[k].arg);
	bad = e2e_launch("words", &r);
	for (unsigned t = 0; t < THREADS && !bad; t++)
		if (out[t] != acc[t]) {
			printf("not ok words on %s: thread %u: got %#x, should be %#x\n", chip, t, out[t], acc[t]);
			bad = 1;
		}
	if (!bad)
		printf("ok %u words on %s\n", p.n, chip);
	free(p.t.s);
	return bad;
}

/* The kernel ends in a fault if and only if some thread comes to the instruction. */
static int
stops(const char *chip, const char *how)
{
	uint32_t in = 0, out = 0;
	text t = { 0 };
	e2e_run r = { .chip = chip, .kernel = "k", .grid = { 1, 1, 1 }, .block = { THREADS, 1, 1 }, .in = &in, .in_size = sizeof in, .out = &out,
		.out_size = sizeof out };
	int bad;

	text_add(&t, ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %%r<3>; .reg .b64 %%a<2>; .reg .pred %%p;\n"
	         "ld.param.u64 %%a0, [in]; ld.param.u64 %%a1, [out]; ld.global.u32 %%r0, [%%a0]; mov.u32 %%r1, %%tid.x; add.u32 %%r1, %%r1, 1; setp.eq.u32 %%p, %%r0, %%r1;\n"
	         "@%%p %s; mov.u32 %%r2, 77; st.global.u32 [%%a1], %%r2; ret;\n}\n", how);
	r.ptx = t.s;
	bad = e2e_launch(how, &r) || out != 77;
	in = 70;
	r.quiet = true;
	if (!e2e_hip() && !bad)
		bad = !e2e_launch(how, &r);
	printf(bad ? "not ok %s on %s\n" : "ok %s on %s\n", how, chip);
	free(t.s);
	return bad;
}

int
main(void)
{
	const char *chip;
	int bad = 0;

	for (int c = 0; form_chips(c, &chip); c++)
		bad |= steps(chip) | stops(chip, "trap") | stops(chip, "brkpt");
	return bad;
}
