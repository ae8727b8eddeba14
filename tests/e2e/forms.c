/* forms.c -- kernels made of tables of instructions, run and compared (forms.h).
 * Needs e2e.h; a vector is four 64-bit words in memory, a result one, at out[form * vectors + vector]. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 48, BLOCK = 128, FEW = 5, SOME = 60 };
static const char *const way_name[] = { "per lane", "uniform", "constants", "one constant" };

/* ---- tables ---- */

static void *
grown(void *p, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return p;
	*cap = *cap ? *cap * 2 : 64;
	p = realloc(p, *cap * size);
	if (!p)
		abort();
	return p;
}

form *
form_add(form_list *l, const char *sig, form_fn *fn, const char *fmt, ...)
{
	va_list ap;
	form *f;

	l->f = grown(l->f, l->n, &l->cap, sizeof *l->f);
	f = &l->f[l->n++];
	memset(f, 0, sizeof *f);
	f->fn = fn;
	f->dst = sig[0];
	snprintf(f->src, sizeof f->src, "%s", sig + 2);       /* "d:ab" */
	va_start(ap, fmt);
	if (vsnprintf(f->text, sizeof f->text, fmt, ap) >= (int)sizeof f->text)
		abort();
	va_end(ap);
	return f;
}

uint64_t
form_plain(const form *f, const uint64_t *s)
{
	return f->plain(s[0], s[1], s[2], s[3]);
}

void
form_vector(form_data *d, uint64_t a, uint64_t b, uint64_t c, uint64_t e)
{
	d->v = grown(d->v, d->n, &d->cap, sizeof *d->v);
	memcpy(d->v[d->n++], (uint64_t[4]){ a, b, c, e }, sizeof *d->v);
}

void
form_pairs(form_data *d, const uint64_t *edge, size_t n)
{
	for (size_t i = 0; i < n * n; i++)
		form_vector(d, edge[i / n], edge[i % n], edge[(i * 7 + 3) % n], edge[(i * 5 + 1) % n]);
}

void
form_triples(form_data *d, const uint64_t *edge, size_t n)
{
	for (size_t i = 0; i < n * n * n; i++)
		form_vector(d, edge[i / n / n], edge[i / n % n], edge[i % n], edge[(i * 5 + 1) % n]);
}

uint64_t
form_random(uint64_t *s)
{
	*s = *s * 6364136223846793005ull + 1442695040888963407ull;
	return (*s ^ *s >> 29) * 0x9e3779b97f4a7c15ull >> 7 ^ *s;
}

uint64_t
form_cut(char kind, uint64_t x)
{
	switch (kind) {
	case 'p': return x & 1;
	case 'h': case 'x': return x & 0xffff;
	case 'r': case 'f': return x & 0xffffffff;
	default: return x;
	}
}

static int
is_nan(char kind, uint64_t x)
{
	switch (kind) {
	case 'x': return (x & 0x7fff) > 0x7c00;
	case 'f': return (x & 0x7fffffff) > 0x7f800000;
	case 'F': return (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
	default: return 0;
	}
}

int
form_agree(char kind, uint64_t x, uint64_t y)
{
	return form_cut(kind, x) == form_cut(kind, y) || (is_nan(kind, x) && is_nan(kind, y));
}

int
form_chips(int i, const char **chip)
{
	const char *const quick[] = { e2e_chips[0], e2e_chips[2] };

	if (getenv("CHIP") && !e2e_hip()) {
		*chip = getenv("CHIP");
		return i == 0;
	}
	*chip = e2e_on(e2e_quick() ? quick : e2e_chips, e2e_quick() ? 2 : 4)[i];
	return *chip != NULL;
}

/* ---- code ---- */

void
form_print(text *t, const form *f, char (*reg)[16])
{
	for (const char *p = f->text; *p; p++)
		if (*p == '$' && p[1] >= '0' && p[1] <= '4')
			text_add(t, "%s", reg[*++p - '0']);
		else
			text_add(t, "%c", *p);
	text_add(t, "\n");
}

static const char *
class_of(char kind)
{
	return kind == 'p' ? "p" : kind == 'h' || kind == 'x' ? "h" : kind == 'd' || kind == 'F' ? "rd" : "r";
}

static int
bits_of(char kind)
{
	return *class_of(kind) == 'h' ? 16 : kind != 'p' && class_of(kind)[1] ? 64 : 32;
}

/* A 16-bit source comes with zeros above it, or with what memory holds there. Uniform ones by .nc: scalar loads. */
static void
load_source(text *t, char kind, unsigned k, form_way w)
{
	const char *nc = w == FORM_UNIFORM ? ".nc" : "";

	if (kind == 'p')
		text_add(t, "ld.global%s.u32 %%t0, [%%in+%u]; and.b32 %%t0, %%t0, 1; setp.ne.u32 %%p%u, %%t0, 0;\n", nc, k * 8, k + 1);
	else if (bits_of(kind) == 16 && (k % 2 || w == FORM_UNIFORM))
		text_add(t, "ld.global%s.u32 %%t0, [%%in+%u]; mov.b32 {%%h%u, %%h0}, %%t0;\n", nc, k * 8, k + 1);
	else
		text_add(t, "ld.global%s.b%d %%%s%u, [%%in+%u];\n", nc, bits_of(kind), class_of(kind), k + 1, k * 8);
}

static void
constant_source(text *t, char kind, unsigned k, uint64_t x)
{
	x = form_cut(kind, x);
	if (kind == 'p')
		text_add(t, "setp.eq.u32 %%p%u, 1, %u;\n", k + 1, (unsigned)x);
	else
		text_add(t, "mov.b%d %%%s%u, %#llx;\n", bits_of(kind), class_of(kind), k + 1, (unsigned long long)x);
}

static void
head(text *t)
{
	t->n = 0;
	text_add(t, ".version 8.8\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)\n{\n"
	         ".reg .b16 %%h<6>; .reg .b32 %%r<6>, %%t<4>; .reg .b64 %%rd<6>, %%in, %%out, %%at; .reg .pred %%p<6>, %%q;\n"
	         "ld.param.u64 %%in, [in]; ld.param.u64 %%out, [out]; ld.param.u32 %%t3, [n];\n");
}

/* %in, %out: of this vector */
static void
index_code(text *t, form_way w)
{
	if (w == FORM_UNIFORM)
		text_add(t, "mov.u32 %%t1, %%ctaid.x;\n");
	else
		text_add(t, "mov.u32 %%t0, %%tid.x; mov.u32 %%t1, %%ctaid.x; mad.lo.u32 %%t1, %%t1, %d, %%t0;\n"
		         "setp.ge.u32 %%q, %%t1, %%t3; @%%q ret;\n", BLOCK);
	text_add(t, "mul.wide.u32 %%at, %%t1, 32; add.u64 %%in, %%in, %%at; mul.wide.u32 %%at, %%t1, 8; add.u64 %%out, %%out, %%at;\n");
}

/* constant: which source is the vector's value in c; -1: none, 4: all */
static void
form_code(text *t, const form *f, size_t index, size_t n, form_way w, int constant, const uint64_t *c)
{
	char reg[5][16];

	for (unsigned k = 0; f->src[k]; k++)
		if (constant == 4 || (int)k == constant)
			constant_source(t, f->src[k], k, c[k]);
		else
			load_source(t, f->src[k], k, w);
	snprintf(reg[0], sizeof reg[0], "%%%s0", class_of(f->dst));
	for (unsigned k = 0; k < 4; k++)
		snprintf(reg[k + 1], sizeof reg[0], "%%%s%u", f->src[k] ? class_of(f->src[k]) : "r", k + 1);
	form_print(t, f, reg);
	if (f->dst == 'p')
		text_add(t, "selp.u32 %%r0, 1, 0, %%p0;\n");
	text_add(t, "st.global.b%d [%%out+%zu], %%%s0;\n", bits_of(f->dst), index * n * 8, f->dst == 'p' ? "r" : class_of(f->dst));
}

/* ---- runs ---- */

typedef struct job {
	const char *name, *chip;
	p2a_semantics sem;
	const form_list *list;
	const form_data *data;          /* the vectors of the launch */
	form_way way;
	p2a_check_level check;
	uint64_t *out;
	text t;
	unsigned long long checked;
} job;

static int
wrong(const job *j, const form *f, const uint64_t *v, uint64_t got, uint64_t want)
{
	printf("not ok %s on %s, %s: %s:", j->name, j->chip, way_name[j->way], f->text);
	for (unsigned k = 0; f->src[k]; k++)
		printf(" %#llx", (unsigned long long)form_cut(f->src[k], v[k]));
	printf(": got %#llx, should be %#llx\n", (unsigned long long)got, (unsigned long long)form_cut(f->dst, want));
	return 1;
}

static uint64_t
reference(const form *f, const uint64_t *v)
{
	uint64_t s[4] = { 0 };

	for (unsigned k = 0; f->src[k]; k++)
		s[k] = form_cut(f->src[k], v[k]);
	return form_cut(f->dst, f->fn(f, s));
}

static int
right(const form *f, const uint64_t *v, uint64_t got, uint64_t want)
{
	uint64_t s[4] = { 0 };

	for (unsigned k = 0; f->src[k]; k++)
		s[k] = form_cut(f->src[k], v[k]);
	return f->holds ? f->holds(f, s, form_cut(f->dst, got)) : form_agree(f->dst, got, want);
}

static int
launch(job *j, size_t results)
{
	uint32_t n = (uint32_t)j->data->n;
	e2e_run r = { .chip = j->chip, .ptx = j->t.s, .kernel = "k", .sem = j->sem, .grid = { n, 1, 1 }, .block = { 1, 1, 1 },
		.in = j->data->v, .in_size = n * sizeof *j->data->v, .extra = &n, .extra_size = 4, .check = j->check };

	if (j->way != FORM_UNIFORM) {
		r.grid[0] = (n + BLOCK - 1) / BLOCK;
		r.block[0] = BLOCK;
	}
	r.out_size = results * n * 8;
	free(j->out);
	j->out = malloc(r.out_size);
	if (!j->out)
		abort();
	r.out = j->out;
	if (getenv("SHOW"))
		fputs(j->t.s, stderr);
	return e2e_launch(j->name, &r);
}

static int
lanes(job *j, const form *f, size_t nf)
{
	size_t n = j->data->n;
	int bad = 0;

	head(&j->t);
	index_code(&j->t, j->way);
	for (size_t i = 0; i < nf; i++)
		form_code(&j->t, &f[i], i, n, j->way, -1, NULL);
	text_add(&j->t, "ret;\n}\n");
	if (launch(j, nf))
		return 1;
	for (size_t i = 0; i < nf; i++)
		for (size_t k = 0; k < n; k++) {
			uint64_t want = reference(&f[i], j->data->v[k]);

			j->checked++;
			if (right(&f[i], j->data->v[k], j->out[i * n + k], want))
				continue;
			bad = wrong(j, &f[i], j->data->v[k], j->out[i * n + k], want);
			break;
		}
	return bad;
}

/* A few vectors give constants for every form: for all sources, or for one in turn. */
static int
constants(job *j, const form *f, size_t nf)
{
	size_t n = j->data->n, all = n < FEW ? n : FEW, bad = 0;
	bool one = j->way == FORM_MIXED;

	head(&j->t);
	index_code(&j->t, j->way);
	for (size_t i = 0; i < nf * all; i++) {
		const form *o = &f[i / all];

		form_code(&j->t, o, i, n, j->way, one ? (int)((i + i / all) % strlen(o->src)) : 4, j->data->v[i * 13 % n]);
	}
	text_add(&j->t, "ret;\n}\n");
	if (launch(j, nf * all))
		return 1;
	for (size_t i = 0; i < nf * all && bad < 8; i++) {
		const form *o = &f[i / all];
		size_t which = (i + i / all) % strlen(o->src);

		for (size_t k = 0; k < n; k++) {
			uint64_t v[4], want;

			memcpy(v, j->data->v[one ? k : i * 13 % n], sizeof v);
			if (one)
				v[which] = j->data->v[i * 13 % n][which];
			want = reference(o, v);
			j->checked++;
			if (right(o, v, j->out[i * n + k], want))
				continue;
			bad += (size_t)wrong(j, o, v, j->out[i * n + k], want);
			break;
		}
	}
	return bad != 0;
}

/* Every step-th vector, from a start that differs from batch to batch. */
static void
thin(form_data *to, const form_data *from, size_t most, size_t start)
{
	size_t step = (from->n + most - 1) / most;

	to->n = 0;
	for (size_t i = step > 1 ? start % step : 0; i < from->n; i += step)
		form_vector(to, from->v[i][0], from->v[i][1], from->v[i][2], from->v[i][3]);
}

static int
batch(job *j, const form *f, size_t nf, const form_data *all)
{
	static const size_t most[2][FORM_NWAYS] = { { 1u << 20, 150, 4, SOME }, { 600, 30, 4, 20 } };
	form_data some = { 0 };
	int bad;

	thin(&some, all, most[e2e_quick()][j->way], (size_t)(f - j->list->f) * 31 + 7);
	j->data = &some;
	bad = j->way < FORM_CONSTANT ? lanes(j, f, nf) : constants(j, f, nf);
	free(some.v);
	return bad;
}

int
form_run_as(const char *name, const form_list *l, const form_data *d, unsigned ways, p2a_semantics sem)
{
	job j = { .name = name, .sem = sem, .list = l };
	int bad = 0;

	if (ways & FORM_ROUGH)
		j.check = P2A_CHECK_ALL;
	for (int c = 0; form_chips(c, &j.chip); c++)
		for (j.way = 0; j.way < FORM_NWAYS; j.way++) {
			size_t most = j.way < FORM_CONSTANT ? BATCH : BATCH / 2;

			if (!(ways >> j.way & 1))
				continue;
			for (size_t i = 0; i < l->n; i += most)
				bad |= batch(&j, l->f + i, l->n - i < most ? l->n - i : most, d);
		}
	free(j.out);
	free(j.t.s);
	if (!bad)
		printf("ok %s: %zu forms, %llu results\n", name, l->n, j.checked);
	fflush(stdout);
	return bad;
}

int
form_run(const char *name, const form_list *l, const form_data *d, unsigned ways)
{
	return form_run_as(name, l, d, ways, P2A_SEM_DOCUMENTED);
}

int
form_run_on(const char *const *chips, size_t n, const char *name, const form_list *l, const form_data *d, unsigned ways)
{
	char only[32] = "";
	int bad = 0;

	if (getenv("CHIP") && !e2e_hip())
		snprintf(only, sizeof only, "%s", getenv("CHIP"));
	for (const char *const *chip = e2e_on(chips, n); *chip; chip++) {
		char both[64];

		if (*only && strcmp(only, *chip))
			continue;
		setenv("CHIP", *chip, 1);
		snprintf(both, sizeof both, "%s, %s", name, *chip);
		bad |= form_run(both, l, d, ways);
	}
	return bad;
}
