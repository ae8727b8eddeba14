/* programs.c -- random control flow around the instructions of a table (forms.h), run by translation and
 * emulation and, lane by lane, by following the program. Needs single instructions whose results do not
 * depend on a NaN's payload. */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 6, REGS = 6, PREDS = 3, MOST = 120, LABELS = 12, LANES = 64, FUEL = 40 };
static const char kinds[KINDS + 1] = "hrdfFp";
static const char *const prefix[KINDS] = { "%h", "%r", "%d", "%f", "%e", "%p" };
static const int bits_of[KINDS] = { 16, 32, 64, 32, 64, 32 };

typedef struct step { const form *f; uint8_t dst, src[4]; int8_t label, guard, neg; } step;      /* no form: a branch */
typedef struct program { step i[MOST]; int n, label[LABELS]; } program;
typedef struct lane { uint64_t v[KINDS][REGS]; } lane;

static int
index_of(char kind)
{
	return kind ? (int)(strchr(kinds, kind) - kinds) : 1;
}

static unsigned
count_of(int kind)
{
	return kinds[kind] == 'p' ? PREDS : REGS;
}

/* Where a register lies in a lane's record */
static unsigned
slot(int kind, unsigned i)
{
	return ((unsigned)kind * REGS + i) * 8;
}

static uint64_t *
register_of(lane *l, char kind, unsigned i)
{
	int k = index_of(kind);

	return &l->v[k][i % count_of(k)];
}

static bool
fits(const form *f)
{
	const char *end = strchr(f->text, ';');

	for (const char *p = f->src; *p; p++)
		if (!strchr(kinds, *p))
			return false;
	return strchr(kinds, f->dst) && end && !end[1] && !strstr(f->text, "%r") && !strstr(f->text, ".reg");
}

static void
make(program *p, const form_list *l, uint64_t *s)
{
	p->n = 20 + (int)(form_random(s) % (MOST - 20));
	for (int k = 0; k < LABELS; k++)
		p->label[k] = (int)(form_random(s) % (unsigned)p->n);
	for (int k = 0; k < p->n; k++) {
		uint64_t x = form_random(s), y = form_random(s);
		step *i = &p->i[k];

		*i = (step){ .f = x % 7 ? &l->f[(x >> 8) % l->n] : NULL, .dst = y & 63, .label = (int8_t)((x >> 40) % LABELS) };
		for (int j = 0; j < 4; j++)
			i->src[j] = (y >> (8 + j * 8)) & 63;
		i->guard = i->f && x >> 50 & 3 ? -1 : (int8_t)((x >> 52) % PREDS);
		i->neg = x >> 60 & 1;
	}
}

/* Each branch back costs fuel; without fuel it falls through. */
static void
follow(const program *p, lane *l)
{
	int fuel = FUEL;

	for (int pc = 0; pc < p->n; ) {
		const step *i = &p->i[pc++];
		uint64_t v[4] = { 0 };

		if (i->guard >= 0 && (int)*register_of(l, 'p', (unsigned)i->guard) == i->neg)
			continue;
		if (!i->f) {
			if (p->label[i->label] >= pc || --fuel > 0)
				pc = p->label[i->label];
			continue;
		}
		for (int j = 0; i->f->src[j]; j++)
			v[j] = *register_of(l, i->f->src[j], i->src[j]);
		*register_of(l, i->f->dst, i->dst) = form_cut(i->f->dst, i->f->fn(i->f, v));
	}
}

/* ---- as PTX ---- */

static void
register_name(char out[16], char kind, unsigned i)
{
	int k = index_of(kind);

	snprintf(out, 16, "%s%u", prefix[k], i % count_of(k));
}

static void
step_code(text *t, const program *p, int k)
{
	const step *i = &p->i[k];
	char reg[5][16];

	for (int j = 0; j < LABELS; j++)
		if (p->label[j] == k)
			text_add(t, "L%d:\n", j);
	if (!i->f && p->label[i->label] <= k) {         /* out of fuel: past it */
		text_add(t, "@%s%%p%d bra N%d; sub.s32 %%fuel, %%fuel, 1; setp.gt.s32 %%q, %%fuel, 0; @%%q bra L%d;\nN%d:\n",
		         i->neg ? "" : "!", i->guard, k, i->label, k);
		return;
	}
	if (i->guard >= 0)
		text_add(t, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
	if (!i->f) {
		text_add(t, "bra L%d;\n", i->label);
		return;
	}
	register_name(reg[0], i->f->dst, i->dst);
	for (int j = 0; j < 4; j++)
		register_name(reg[j + 1], j < (int)strlen(i->f->src) ? i->f->src[j] : 0, i->src[j]);
	form_print(t, i->f, reg);
}

/* same: all lanes read the first one's operands, so that values and branches are uniform. */
static void
program_code(text *t, const program *p, bool same)
{
	text_add(t, ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
	         ".reg .b16 %%h<%d>; .reg .b32 %%r<%d>, %%t, %%fuel; .reg .b64 %%d<%d>, %%in, %%out, %%at; .reg .f32 %%f<%d>; .reg .f64 %%e<%d>; "
	         ".reg .pred %%p<%d>, %%q;\n", REGS, REGS, REGS, REGS, REGS, PREDS);
	text_add(t, "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mov.u32 %%fuel, %d;\n"
	         "mul.wide.u32 %%at, %%t, %zu; add.u64 %%out, %%out, %%at;\n", FUEL, sizeof(lane));
	if (!same)
		text_add(t, "add.u64 %%in, %%in, %%at;\n");
	for (int k = 0; k < KINDS; k++)
		for (unsigned i = 0; i < count_of(k); i++)
			if (kinds[k] == 'p')
				text_add(t, "ld.global.nc.b32 %%t, [%%in+%u]; setp.ne.u32 %%p%u, %%t, 0;\n", slot(k, i), i);
			else
				text_add(t, "ld.global.nc.b%d %s%u, [%%in+%u];\n", bits_of[k], prefix[k], i, slot(k, i));
	for (int k = 0; k < p->n; k++)
		step_code(t, p, k);
	for (int k = 0; k < KINDS; k++)
		for (unsigned i = 0; i < count_of(k); i++)
			if (kinds[k] == 'p')
				text_add(t, "selp.u32 %%t, 1, 0, %%p%u; st.global.b32 [%%out+%u], %%t;\n", i, slot(k, i));
			else
				text_add(t, "st.global.b%d [%%out+%u], %s%u;\n", bits_of[k], slot(k, i), prefix[k], i);
	text_add(t, "ret;\n}\n");
}

/* ---- runs ---- */

static void
operands(lane *in, uint64_t (*value)(char, uint64_t *), bool same, uint64_t *s)
{
	memset(in, 0, LANES * sizeof *in);
	for (int n = 0; n < LANES; n++)
		for (int k = 0; k < KINDS; k++)
			for (unsigned i = 0; i < count_of(k); i++)
				in[n].v[k][i] = same && n ? in[0].v[k][i] : form_cut(kinds[k], value(kinds[k], s));
}

static int
compare(const char *name, const char *chip, int n, const lane *got, const lane *want)
{
	for (int k = 0; k < KINDS; k++)
		for (unsigned i = 0; i < count_of(k); i++)
			if (!form_agree(kinds[k], got->v[k][i], want->v[k][i])) {
				printf("not ok %s on %s: lane %d register %s%u: got %#llx, should be %#llx\n", name, chip, n, prefix[k], i,
				       (unsigned long long)got->v[k][i], (unsigned long long)want->v[k][i]);
				return 1;
			}
	return 0;
}

static int
one(const char *what, const form_list *l, uint64_t (*value)(char, uint64_t *), uint64_t seed, const char *chip)
{
	static program p;
	static lane in[LANES], out[LANES];
	uint64_t s = seed * 0x9e3779b97f4a7c15ull;
	bool same = seed % 3 == 0;
	char name[64];
	text t = { 0 };
	e2e_run r = { .chip = chip, .kernel = "k", .opt = seed % 16 == 5 ? 1 : seed % 16 == 7 ? P2A_O0 : 0, .grid = { 1, 1, 1 }, .block = { LANES, 1, 1 },
		.in = in, .in_size = sizeof in, .out = out, .out_size = sizeof out };
	int bad;

	make(&p, l, &s);
	operands(in, value, same, &s);
	program_code(&t, &p, same);
	r.ptx = t.s;
	if (getenv("SHOW"))
		fputs(t.s, stderr);
	snprintf(name, sizeof name, "%s, seed %llu", what, (unsigned long long)seed);
	bad = e2e_launch(name, &r);
	for (int n = 0; n < LANES && !bad; n++) {
		follow(&p, &in[n]);
		bad = compare(name, chip, n, &out[n], &in[n]);
	}
	free(t.s);
	return bad;
}

int
form_programs(const char *name, const form_list *all, uint64_t (*value)(char, uint64_t *), unsigned n)
{
	const char *seed = getenv("SEED"), *many = getenv("COUNT"), *chip;
	uint64_t first = seed ? strtoull(seed, NULL, 10) : 1;
	form_list l = { 0 };
	int bad = 0;

	for (size_t i = 0; i < all->n; i++)
		if (fits(&all->f[i]))
			*form_add(&l, "r:r", NULL, "%s", "") = all->f[i];
	n = many ? (unsigned)strtoul(many, NULL, 10) : seed ? 1 : e2e_quick() ? n / 8 : n;
	for (uint64_t s = first; s < first + n && bad < 5; s++)
		for (int c = 0; form_chips(c, &chip); c++)
			bad += one(name, &l, value, s, chip);
	free(l.f);
	if (!bad)
		printf("ok %s: seeds %llu to %llu\n", name, (unsigned long long)first, (unsigned long long)(first + n - 1));
	return bad != 0;
}
