/* test_fuzz.c -- random PTX programs (fuzz_make.c), run by translation and emulation and, lane by lane, by a
 * direct interpreter (fuzz_walk.c; meanings: fuzz_ops.def, fuzz_atoms.def); all registers and memory are compared.
 * SEED=n COUNT=m picks seeds, ALL=1 runs each on every chip, CHIP=k and OPT=o on one chip or level only; WITH=1 has every program
 * wait (fuzz_wait.c), which else one in twelve does, WITH=2 call (fuzz_call.c), which one in eight does, WITH=3 both; SHOW=1 prints
 * programs, REDUCE=1 what remains of a failing program when all that can be deleted is: a file for tests/e2e/regress.
 * Ten thousand programs on all chips:
 *     SEED=1 COUNT=10000 ALL=1 build/tests/e2e_test_fuzz */
#include "fuzz.h"
#include "length.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct trial {
	fuzz_program *p;
	uint64_t *in;
	uint32_t params[1024];
	uint32_t *want, *got;
	size_t out_size;
	e2e_run r;
	char name[80];
} trial;

enum { GOOD, DIFFERENT, FAILED, INVALID };

static void *
need(void *p)
{
	if (!p)
		abort();
	return p;
}

static long
wanted(const char *variable)
{
	const char *v = getenv(variable);

	return v ? strtol(v, NULL, 10) : -1;
}

static void
trial_free(trial *t)
{
	free(t->in);
	free(t->want);
	free(t->got);
	t->in = NULL;
	t->want = t->got = NULL;
}

static bool
full(const fuzz_program *p)
{
	return p->n >= MAX_INST - 1 || p->nlabels >= MAX_LABEL - 1;
}

/* Inputs and expected outputs. False: the program is invalid. */
static bool
prepare(trial *t, uint64_t seed)
{
	size_t n;

	fuzz_make(t->p, seed, wanted("WITH") > 0 ? (unsigned)wanted("WITH") : 0);
	n = (size_t)fuzz_lanes(t->p) * t->p->slots;
	t->out_size = fuzz_out_size(t->p);
	t->in = need(calloc(n, sizeof *t->in));
	t->want = need(calloc(1, t->out_size));
	t->got = need(calloc(1, t->out_size));
	fuzz_fill(seed, t->in, n);
	fuzz_fill_params(seed, t->params, t->p->nparams);
	t->r = (e2e_run){ .kernel = "k", .sem = fuzz_sem, .grid = { t->p->grid[0], t->p->grid[1], 1 }, .block = { t->p->block[0], t->p->block[1], 1 },
		.in = t->in, .in_size = n * sizeof *t->in, .out = t->got, .out_size = t->out_size,
		.extra = t->params, .extra_size = t->p->nparams * 4 };
	return !full(t->p) && fuzz_walk(t->p, t->in, t->params, t->want);
}

static void
complain(const trial *t)
{
	uint32_t words = fuzz_stride(t->p) / 4;
	size_t tail = fuzz_tail(t->p) / 4;

	for (size_t k = 0; k < t->out_size / 4; k++)
		if (t->got[k] != t->want[k] && k >= tail) {
			printf("not ok %s: block %zu word %zu: got %#x, should be %#x\n", t->name, (k - tail) / TAIL, (k - tail) % TAIL, t->got[k], t->want[k]);
			return;
		} else if (t->got[k] != t->want[k]) {
			printf("not ok %s: lane %zu word %d: got %#x, should be %#x\n", t->name, k / words, (int)(k % words) - AREA / 4, t->got[k], t->want[k]);
			return;
		}
}

static int
run(trial *t)
{
	text x = { 0 };
	int bad;

	text_add(&x, "%s", "");
	fuzz_text(&x, t->p);
	t->r.ptx = x.s;
	memset(t->got, 0xcc, t->out_size);
	bad = e2e_launch(t->name, &t->r);
	free(x.s);
	if (bad)
		return FAILED;
	return memcmp(t->got, t->want, t->out_size) ? DIFFERENT : GOOD;
}

/* ---- reduction ---- */

/* Has each lock its end? */
static bool
paired(const fuzz_program *p)
{
	uint64_t open = 0;

	for (uint32_t k = 0; k < p->n; k++)
		if (p->i[k].kind == I_LOCK || p->i[k].kind == I_UNLOCK)
			open ^= 1ull << p->i[k].imm[1];
	return !open;
}

static bool
still(trial *t, int how)
{
	if (!paired(t->p))
		return false;
	fuzz_place_labels(t->p);
	for (uint32_t f = 0; f < t->p->nfuncs; f++)
		if (t->p->func[f].start == NONE)
			return false;
	for (uint32_t k = 0; k < t->p->n; k++) {
		const fuzz_inst *i = &t->p->i[k];
		unsigned n = i->kind == I_SWITCH ? (unsigned)i->imm[0] + 1 : i->kind == I_BRA || i->kind == I_BACK || i->kind == I_LOOP || i->kind == I_PART || i->kind == I_AGAIN ||
			i->kind == I_NOT_TURN || i->kind == I_NOT_FIRST;

		for (unsigned j = 0; j < n; j++)
			if (t->p->label[i->target[j]] == NONE)
				return false;
	}
	return fuzz_walk(t->p, t->in, t->params, t->want) && run(t) == how;
}

static bool
delete(trial *t, uint32_t at, uint32_t n, int how)
{
	fuzz_program *was = need(malloc(sizeof *was));
	bool ok;

	memcpy(was, t->p, sizeof *was);
	memmove(&t->p->i[at], &t->p->i[at + n], (t->p->n - at - n) * sizeof t->p->i[0]);
	t->p->n -= n;
	ok = still(t, how);
	if (!ok)
		memcpy(t->p, was, sizeof *was);
	free(was);
	return ok;
}

/* One change of an instruction that makes it plainer. */
static void
plainer(trial *t, uint32_t k, int how)
{
	fuzz_inst was = t->p->i[k], *i = &t->p->i[k];

	if (i->guard < 0 || i->kind == I_PART)
		return;
	i->guard = -1;
	if (!still(t, how))
		*i = was;
}

static void
reduce(trial *t, int how)
{
	text x = { 0 };
	bool any = true;

	t->r.quiet = true;
	while (any) {
		any = false;
		for (uint32_t n = t->p->n / 2 + 1; n > 0; n = n == 1 ? 0 : (n + 1) / 2)
			for (uint32_t at = t->p->n; at >= n; at = at > n ? at - n : 0)
				any |= delete(t, at - n, n, how);
		for (uint32_t k = 0; k < t->p->n; k++)
			plainer(t, k, how);
	}
	still(t, how);
	fuzz_text(&x, t->p);
	printf("// grid %u %u block %u %u slots %u params %u seed %llu sem %d out %zu %016llx\n// failed as %s\n%s", t->p->grid[0], t->p->grid[1],
	       t->p->block[0], t->p->block[1], t->p->slots, t->p->nparams, (unsigned long long)t->p->seed, fuzz_sem,
	       t->out_size, (unsigned long long)fuzz_hash(t->want, t->out_size), t->name, x.s);
	if (how == DIFFERENT)
		complain(t);
	t->r.quiet = false;
	if (how == FAILED)
		run(t);
	free(x.s);
}

/* ---- seeds ---- */

static void
show(const fuzz_program *p)
{
	text x = { 0 };

	fuzz_text(&x, p);
	fputs(x.s, stderr);
	free(x.s);
}

/* Chips two by two, levels and semantics in turn. */
static int
one(uint64_t seed, uint32_t *skipped)
{
	static fuzz_program p;
	trial t = { .p = &p };
	int bad = 0;

	fuzz_sem = seed / 2 % 2 ? P2A_SEM_NVIDIA : P2A_SEM_DOCUMENTED;
	if (!prepare(&t, seed)) {
		trial_free(&t);
		++*skipped;
		return 0;
	}
	if (getenv("SHOW"))
		show(&p);
	const char *const *chips = e2e_on(e2e_chips, 4);
	for (unsigned c = 0; chips[c] && !bad; c++) {
		int how;

		if (wanted("CHIP") >= 0 ? wanted("CHIP") != (long)c : chips[1] && (seed + c) % 2 != 0 && wanted("ALL") < 0)
			continue;
		t.r.chip = chips[c];
		t.r.opt = wanted("OPT") >= 0 ? (unsigned)wanted("OPT") : (unsigned)(seed / 4 % 5 < 3 ? 0 : seed / 4 % 5 == 3 ? 1 : P2A_O0);
		t.r.code_object = seed % 7 ? 4 : 5;
		t.r.timeout = 60;
		t.r.check = p.strict ? P2A_CHECK_ALL : P2A_CHECK_DEFAULT;
		snprintf(t.name, sizeof t.name, "fuzz seed %llu %s opt %u", (unsigned long long)seed, t.r.chip, t.r.opt);
		how = run(&t);
		bad = how != GOOD;
		if (how == DIFFERENT)
			complain(&t);
		if (bad && getenv("REDUCE"))
			reduce(&t, how);
	}
	trial_free(&t);
	return bad;
}

int
main(void)
{
	uint64_t first = wanted("SEED") >= 0 ? (uint64_t)wanted("SEED") : 1;
	uint64_t n = wanted("COUNT") >= 0 ? (uint64_t)wanted("COUNT") : wanted("SEED") >= 0 ? 1 : test_length(100, 400, 1500);
	uint32_t skipped = 0;
	int bad = 0;

	for (uint64_t s = first; s < first + n && bad < 10; s++)
		bad += one(s, &skipped);
	if (!bad)
		printf("ok fuzz: seeds %llu to %llu, %u of them left out\n", (unsigned long long)first, (unsigned long long)(first + n - 1), skipped);
	return bad != 0;
}
