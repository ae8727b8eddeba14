/* test_bfi_places.c -- every setting of registers that p2a_bfi.h allows: which operand is a VGPR, an SGPR, an inline
 * constant, a literal; which registers are shared (dst with operands, operands with each other, whole pairs, crossed, by one
 * dword); no dst at all; who dies; RENAME. Each combination is planned and its promises are checked; each different sequence runs on a
 * wave under several EXEC masks. All registers are looked at afterwards: what no plan may write, and lanes that are
 * off, must be as before. Expected: PTX ISA 9.7.1.19 to 9.7.1.22. All positions and lengths: test_bfi_all.c. */
#include "bfi_known.h"
#include "wave.h"

#include "lower/bfi.h"

enum { A, B, POS, LEN, DST, NPLACES };
enum { RUNS = 6, NVGPRS = 80, BATCH_WORDS = 12000, CAPACITY = 1 << 21, NROWS = 256 };

/* ---- what is combined ---- */

typedef struct chip { const char *name; uint8_t wave; } chip;
static const chip chips[] = { { "gfx900", 64 }, { "gfx90a", 64 }, { "gfx942", 64 }, { "gfx1030", 32 },
	{ "gfx1100", 32 }, { "gfx1200", 32 }, { "gfx1200", 64 } };

/* Data: a register of either kind, a number that fits into an instruction, one that does not. */
typedef enum data_form { D_LANES, D_SAME, D_INLINE, D_LITERAL, NDATA } data_form;
static const uint64_t inline_of[] = { 5, (uint64_t)-3 }, literal_of[] = { 0x8123456789abcdefull, 0xfedcba9876543210ull };

/* pos and len: nothing known, below the width, of 64-bit forms in one half alone, a number. The numbers reach each row with
 * those of the other. */
typedef enum bounds { ANY, SHORT, LITTLE, HIGH } bounds;
typedef struct number_form { uint8_t kind; bounds known; uint32_t x; } number_form;
#define REGISTERS { P2A_K_VGPR, ANY, 0 }, { P2A_K_VGPR, SHORT, 0 }, { P2A_K_SGPR, ANY, 0 }, { P2A_K_SGPR, SHORT, 0 }
#define NUMBER(x) { P2A_K_IMM, ANY, x }
static const number_form pos_forms[] = { REGISTERS, NUMBER(0), NUMBER(5), NUMBER(16), NUMBER(26), NUMBER(33), NUMBER(0x12c),
	{ P2A_K_VGPR, LITTLE, 0 }, { P2A_K_VGPR, HIGH, 0 }, { P2A_K_SGPR, HIGH, 0 } };
static const number_form len_forms[] = { REGISTERS, NUMBER(0), NUMBER(7), NUMBER(16), NUMBER(40), NUMBER(255), NUMBER(0x1234520),
	{ P2A_K_VGPR, LITTLE, 0 }, { P2A_K_SGPR, LITTLE, 0 } };
enum { NREGISTERS = 4, NPOS = COUNT(pos_forms), NLEN = COUNT(len_forms) };

/* Who is whose register, in words of "what=where": a dword of a place (a0 a1 b0 b1 p l d0 d1) lies where another does. */
static const char *const shares[] = { "",
	"d0=a0 d1=a1", "d0=b0 d1=b1", "d0=p", "d0=l", "d1=p", "d1=l", "d0=p d1=l", "d0=l d1=p",
	"d0=a1 d1=a0", "d0=b1 d1=b0", "d0=a1", "d1=a0", "d0=b1", "d1=b0", "d0=a0", "d1=a1", "d0=b0", "d1=b1",
	"d0=a0 d1=b1", "d0=b0 d1=a1", "d0=a1 d1=b0", "d0=b1 d1=a0", "d0=a0 d1=p", "d0=l d1=b1",
	"b0=a0 b1=a1", "b0=a0 b1=a1 d0=a0 d1=a1", "b0=a1 b1=a0", "b0=a1 b1=a0 d0=a0 d1=a1", "b0=a1 b1=a0 d0=b0 d1=b1",
	"b0=a1", "b0=a1 d0=a0 d1=a1", "b0=a1 d0=b0 d1=b1", "b1=a0", "b1=a0 d0=a0 d1=a1", "b1=a0 d0=b0 d1=b1", "b0=a1 d0=a1 d1=a0",
	"l=p", "l=p d0=p", "l=p d1=p", "p=a0", "p=a0 d0=a0 d1=a1", "p=a1", "p=a1 d0=a0 d1=a1", "p=b0", "p=b0 d0=b0 d1=b1",
	"p=b1", "p=b1 d0=b0 d1=b1", "l=a0", "l=a0 d0=a0 d1=a1", "l=a1", "l=b0", "l=b0 d0=b0 d1=b1", "l=b1", "l=b1 d0=b0 d1=b1",
	"p=a0 l=a1", "p=a0 l=a1 d0=a0 d1=a1", "p=b0 l=b1", "p=b0 l=b1 d0=b0 d1=b1", "b0=a0 b1=a1 l=p d0=a0 d1=a1",
	"b0=a0 b1=a1 p=a0 l=a1 d0=a0 d1=a1",
	/* both dwords of an operand in one register */
	"a1=a0", "b1=b0", "a1=a0 d0=a0", "a1=a0 d1=a0", "b1=b0 d0=b0", "b1=b0 d1=b0", "a1=a0 b0=a0 b1=a0 d1=a0", "a1=a0 b1=a0 l=a0 d0=a0" };

/* Sets of operands that die, A as bit 0: none, each, all, all but one. */
static const uint8_t deaths[] = { 0, 1, 2, 4, 8, 15, 14, 13, 11, 7 };

/* ---- a combination ---- */

typedef struct setting {
	p2a_bfi_op op;
	p2a_semantics sem;
	data_form a, b;
	const number_form *pos, *len;
	unsigned zeros;          /* 1: b has zeros all over the field, 2: and a above it */
} setting;

/* Of places the destination is always there. */
static bool has(p2a_bfi_op op, unsigned k) { return k == DST || bfi_has(op, k); }
static unsigned width(const setting *s) { return bfi_is_wide(s->op) ? 64 : 32; }
static uint64_t low(uint64_t n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

static p2a_bfi_operand *
place(p2a_bfi_query *q, unsigned k)
{
	p2a_bfi_operand *all[NPLACES] = { &q->a, &q->b, &q->pos, &q->len, &q->dst };

	return all[k];
}

/* Where operands lie that share nothing. */
static p2a_bfi_operand
at_home(uint8_t kind, unsigned k)
{
	static const uint8_t home[NPLACES] = { [A] = 8, [B] = 10, [POS] = 12, [LEN] = 13, [DST] = 14 };
	uint16_t lo = (uint16_t)(home[k] + (kind == P2A_K_SGPR ? FIRST_S : 0));

	return (p2a_bfi_operand){ .kind = kind, .lo = lo, .hi = (uint16_t)(lo + 1) };
}

static p2a_bfi_operand
data_operand(const setting *s, unsigned k)
{
	data_form f = k == A ? s->a : s->b;

	if (f == D_LANES || f == D_SAME)
		return at_home(f == D_LANES ? P2A_K_VGPR : P2A_K_SGPR, k);
	return (p2a_bfi_operand)P2A_BFI_IMM((f == D_INLINE ? inline_of : literal_of)[k] & low(width(s)));
}

static p2a_bfi_operand
number_operand(const setting *s, unsigned k)
{
	const number_form *f = k == POS ? s->pos : s->len;
	p2a_bfi_operand o = at_home(f->kind, k);

	if (f->kind == P2A_K_IMM)
		return (p2a_bfi_operand)P2A_BFI_IMM(f->x);
	o.min = f->known == HIGH ? 32 : 0;
	o.max = f->known == LITTLE ? (bfi_is_wide(s->op) ? 15 : 32) : f->known != ANY ? width(s) - 1 : 0;
	return o;
}

static p2a_bfi_query
base_query(const chip *c, const setting *s)
{
	uint32_t pos = s->pos->x & (s->sem == P2A_SEM_NVIDIA && bfi_is_wide(s->op) ? ~0u : 0xff), len = s->len->x & 0xff;
	p2a_bfi_query q = { .size = sizeof q, .target = p2a_target_find(c->name), .op = s->op, .semantics = s->sem, .wave = c->wave,
		.dst = at_home(P2A_K_VGPR, DST), .a = data_operand(s, A), .b = data_operand(s, B),
		.pos = number_operand(s, POS), .len = number_operand(s, LEN) };

	if (s->zeros && pos < width(s))
		q.b.zero = low(len) << pos & low(width(s));
	if (s->zeros > 1)
		q.a.zero = ~low(len) & low(width(s));
	return q;
}

/* One dword of a place: its register, or NULL where the place has none. */
static uint16_t *
dword(p2a_bfi_query *q, const char *name, unsigned *k)
{
	p2a_bfi_operand *o;
	bool high = name[0] != 'p' && name[0] != 'l' && name[1] == '1';

	*k = name[0] == 'a' ? A : name[0] == 'b' ? B : name[0] == 'p' ? POS : name[0] == 'l' ? LEN : DST;
	o = place(q, *k);
	if (o->kind == P2A_K_IMM || (high && !bfi_is_wide(q->op)) || !has(q->op, *k))
		return NULL;
	return high ? &o->hi : &o->lo;
}

static bool knows(const p2a_bfi_operand *o) { return o->zero | o->one | o->min | o->max; }

/* Does as the text says; false: it speaks of places that are not there. The high dwords of 32-bit operands are passed over. */
static bool
share(p2a_bfi_query *q, const char *text)
{
	while (*text) {
		unsigned to, from;
		const char *other = strchr(text, '=') + 1, *rest = other + strcspn(other, " ");
		uint16_t *d = dword(q, text, &to), *s = dword(q, other, &from);

		if (!bfi_is_wide(q->op) && (text[1] == '1' || other[1] == '1')) {
			text = rest + (*rest == ' ');
			continue;
		}
		if (!d || !s || place(q, to)->kind != place(q, from)->kind)
			return false;
		/* Two facts about one register would contradict each other, or be one. */
		if (to != DST && (knows(place(q, to)) || knows(place(q, from))))
			return false;
		*d = *s;
		text = rest + (*rest == ' ');
	}
	return q->dst.lo != q->dst.hi;
}

static bool
has_register(const p2a_bfi_query *q, unsigned k)
{
	return place((p2a_bfi_query *)(uintptr_t)q, k)->kind != P2A_K_IMM && has(q->op, k);
}

/* The texts that make different settings of this operation; the first is the one that shares nothing. */
static unsigned
different_shares(p2a_bfi_op op, unsigned list[COUNT(shares)])
{
	static p2a_bfi_query q[COUNT(shares)];
	unsigned n = 0;

	for (unsigned k = 0; k < COUNT(shares); k++) {
		bool is_old = false;

		q[n] = (p2a_bfi_query){ .op = op };
		for (unsigned i = 0; i < NPLACES; i++)
			*place(&q[n], i) = at_home(P2A_K_VGPR, i);
		if (!share(&q[n], shares[k]))
			continue;
		for (unsigned i = 0; i < n; i++)
			is_old |= !memcmp(&q[i], &q[n], sizeof q[i]);
		if (!is_old)
			list[n++] = k;
	}
	return n;
}

/* ---- what has run ---- */

typedef struct tally { unsigned long settings, sequences, runs; } tally;

typedef struct batch {
	const chip *c;
	t_code *code;
	test t[4096];
	uint32_t at[4096];
	unsigned n;
	bool good;
	tally *count;
} batch;

static uint64_t seen[CAPACITY];
static size_t nseen;
static bool row_seen[NROWS];

static uint64_t
mix(uint64_t h, uint64_t x)
{
	h = (h ^ x) * 0xd6e8feb86659fd93ull;
	return h ^ h >> 32;
}

/* The instructions, where operands and result are, and what is computed. Who dies is in the promises alone. */
static uint64_t
key_of(const test *t)
{
	p2a_bfi_query q = t->q;
	const p2a_bfi_plan *p = &t->plan;
	uint64_t h = mix(mix(q.op, q.semantics), p->n), x = 0;
	const char *at = (const char *)p->inst, *end = (const char *)(p->inst + p->n);

	for (; at < end; at += MIN((size_t)(end - at), sizeof x)) {
		memcpy(&x, at, MIN((size_t)(end - at), sizeof x));
		h = mix(h, x);
	}
	for (unsigned k = 0; k < NPLACES; k++) {
		const p2a_bfi_operand *o = place(&q, k);

		if (!has(q.op, k))
			continue;
		h = mix(mix(h, (uint64_t)o->kind << 32 | o->lo << 16 | (bfi_is_wide(q.op) ? o->hi : 0)), o->imm);
		h = mix(mix(mix(mix(h, o->min), o->max), o->zero), o->one);
	}
	for (unsigned k = 0; k < 1u + bfi_is_wide(q.op); k++)
		h = mix(mix(h, (uint64_t)t->plan.result[k].kind << 32 | t->plan.result[k].reg), (uint64_t)t->plan.result[k].imm);
	return h ? h : 1;
}

static bool
is_new(uint64_t h)
{
	size_t k = h & (CAPACITY - 1);

	for (; seen[k]; k = (k + 1) & (CAPACITY - 1))
		if (seen[k] == h)
			return false;
	if (++nseen > CAPACITY / 2)
		abort();
	seen[k] = h;
	return true;
}

/* ---- values ---- */

static const uint32_t edges[] = { 0, 1, 5, 8, 31, 32, 33, 40, 63, 64, 65, 255, 0x100, 0x120, 0xffffff07, 0x80000020 };
enum { NEDGES = COUNT(edges) };
static uint64_t random_data[256];

static uint64_t
some_data(unsigned n)
{
	return n % 8 == 0 ? 0 : n % 8 == 1 ? ~0ull : n % 8 == 2 ? 1ull << n / 8 % 64 : random_data[n % 256];
}

/* Lanes of a run go through pairs of edges. Of a bounded number a third are the upper bound. */
static uint32_t
some_number(const p2a_bfi_operand *o, unsigned pair, bool is_len)
{
	uint32_t x = edges[(is_len ? pair / NEDGES : pair) % NEDGES];

	if (!o->max || (x >= o->min && x <= o->max))
		return x;
	return (uint32_t)(x % 3 ? o->min + x % (o->max + 1 - o->min) : o->max);
}

typedef struct state { uint32_t v[NVGPRS * EMU_LANES], s[R_COUNT]; } state;
static state before;

static uint32_t *
reg(state *x, const emu_wave *w, uint8_t kind, unsigned number, unsigned lane)
{
	return kind == P2A_K_VGPR ? &x->v[(number << w->shift) + lane] : &x->s[number];
}

static void
put_operands(state *x, const emu_wave *w, const test *t, unsigned lane, unsigned run)
{
	const p2a_bfi_query *q = &t->q;
	unsigned n = lane + run * 37, pair = n * 5;
	uint64_t data[2] = { (some_data(n * 3 + run) & ~q->a.zero) | q->a.one, (some_data(n * 7 + 11 + run) & ~q->b.zero) | q->b.one };
	uint32_t number[2] = { some_number(&q->pos, pair, false), some_number(&q->len, pair, true) };

	for (unsigned k = A; k <= LEN; k++) {
		const p2a_bfi_operand *o = place((p2a_bfi_query *)(uintptr_t)q, k);

		if (!has_register(q, k) || (o->kind == P2A_K_SGPR && lane))
			continue;
		*reg(x, w, o->kind, o->lo, lane) = k < POS ? (uint32_t)data[k] : number[k - POS];
		if (k < POS && bfi_is_wide(q->op))
			*reg(x, w, o->kind, o->hi, lane) = (uint32_t)(data[k] >> 32);
	}
}

static uint64_t
operand_value(state *x, const emu_wave *w, const p2a_bfi_operand *o, bool wide, unsigned lane)
{
	uint64_t v;

	if (o->kind == P2A_K_IMM)
		return o->imm;
	v = *reg(x, w, o->kind, o->lo, lane);
	return wide ? v | (uint64_t)*reg(x, w, o->kind, o->hi, lane) << 32 : v;
}

/* The masks: all, one lane, odd lanes, the upper half, random ones. */
static uint64_t
exec_of(unsigned run, unsigned lanes)
{
	uint64_t all = low(lanes), masks[RUNS] = { all, 1ull << 17, 0xaaaaaaaaaaaaaaaaull, low(lanes) << lanes / 2, random_data[run],
		random_data[run] | random_data[run + 1] };
	uint64_t m = masks[run] & all;

	return m ? m : all;
}

/* Registers hold numbers of their own before operands get theirs. */
static void
prepare(emu_wave *w, const test *t, unsigned run, uint64_t exec)
{
	static state fresh;
	size_t bytes = (size_t)NVGPRS << w->shift << 2;

	if (!fresh.v[0]) {
		for (unsigned k = 0; k < COUNT(fresh.v); k++)
			fresh.v[k] = 0x5a000000 + k * 2654435761u;
		fresh.v[0] = 1;
		for (unsigned k = 0; k < EMU_SGPRS + 2; k++)
			fresh.s[k] = 0xa5000000 + k * 40503;
	}
	memcpy(before.v, fresh.v, bytes);
	memcpy(before.s, w->s, sizeof before.s);
	memcpy(before.s, fresh.s, (EMU_SGPRS + 2) * sizeof *before.s);
	before.s[R_SCC] = run & 1;
	before.s[R_EXEC] = (uint32_t)exec;
	before.s[R_EXEC + 1] = (uint32_t)(exec >> 32);
	for (unsigned lane = 0; lane < w->lanes; lane++)
		put_operands(&before, w, t, lane, run);
	memcpy(w->v, before.v, bytes);
	memcpy(w->s, before.s, sizeof before.s);
}

/* ---- what must hold afterwards ---- */

typedef struct writable { bool v[NVGPRS], s[R_COUNT]; } writable;

static void
may_be_written(const test *t, writable *m)
{
	memset(m, 0, sizeof *m);
	for (unsigned r = 0; r < NVGPRS; r++)
		m->v[r] = may_clobber(t, P2A_K_VGPR, r);
	for (unsigned r = 0; r < EMU_SGPRS; r++)
		m->s[r] = may_clobber(t, P2A_K_SGPR, r);
	m->s[R_VCC] = m->s[R_VCC + 1] = t->plan.writes_vcc;
	m->s[R_SCC] = t->plan.writes_scc;
}

static const char *
check_untouched(const emu_wave *w, const writable *m, uint64_t exec)
{
	size_t row = (size_t)4 << w->shift;

	for (unsigned r = 0; r < NVGPRS; r++) {
		const uint32_t *new = w->v + (r << w->shift), *old = before.v + (r << w->shift);

		if (!memcmp(new, old, row))
			continue;
		if (!m->v[r])
			return "a VGPR is written that is not the plan's";
		for (unsigned k = 0; k < w->lanes; k++)
			if (!(exec >> k & 1) && new[k] != old[k])
				return "a lane is written that is off";
	}
	if (w->s[R_EXEC] != before.s[R_EXEC] || w->s[R_EXEC + 1] != before.s[R_EXEC + 1])
		return "EXEC is not as before";
	for (unsigned r = 0; r <= R_M0; r++)
		if (w->s[r] != before.s[r] && !m->s[r])
			return "an SGPR is written that is not the plan's";
	return w->s[R_SCC] != before.s[R_SCC] && !m->s[R_SCC] ? "SCC is not as before" : NULL;
}

static uint64_t
result_value(const emu_wave *w, const test *t, unsigned lane)
{
	uint64_t r = 0;

	for (unsigned h = 0; h < 1u + bfi_is_wide(t->q.op); h++) {
		p2a_opnd o = result_of(t, h);
		uint32_t x = o.kind == P2A_K_IMM ? (uint32_t)o.imm : o.kind == P2A_K_SGPR ? w->s[o.reg]
			: w->v[(o.reg << w->shift) + lane];

		r |= (uint64_t)x << 32 * h;
	}
	return r;
}

static const char *
check_result(const emu_wave *w, const test *t, uint64_t exec, unsigned *lane)
{
	const p2a_bfi_query *q = &t->q;
	bool wide = bfi_is_wide(q->op);

	for (*lane = 0; *lane < w->lanes; ++*lane) {
		uint64_t a, b, pos, len;

		if (!(exec >> *lane & 1))
			continue;
		a = has(q->op, A) ? operand_value(&before, w, &q->a, wide, *lane) : 0;
		b = has(q->op, B) ? operand_value(&before, w, &q->b, wide, *lane) : 0;
		pos = has(q->op, POS) ? operand_value(&before, w, &q->pos, false, *lane) : 0;
		len = operand_value(&before, w, &q->len, false, *lane);
		if (result_value(w, t, *lane) != bfi_by_masks(q, a, b, (uint32_t)pos, (uint32_t)len))
			return "the result is wrong";
	}
	return NULL;
}

static void
complain(const chip *c, const test *t, const char *why, unsigned lane, uint64_t exec)
{
	p2a_bfi_query q = t->q;
	char text[4096] = "";

	p2a_bfi_text(&t->plan, &bfi_scratch, text, sizeof text);
	t_bad("%s wave %u op %d sem %d row %s, exec %llx, lane %u: %s\n%s", c->name, c->wave, (int)q.op, (int)q.semantics, t->plan.name,
	      (unsigned long long)exec, lane, why, text);
	for (unsigned k = 0; k < NPLACES; k++) {
		const p2a_bfi_operand *o = place(&q, k);

		printf("#  %s kind %d %u:%u imm %llx min %llu max %llu zero %llx one %llx%s\n",
		       (const char *[]){ "a", "b", "pos", "len", "dst" }[k], o->kind, o->lo, o->hi, (unsigned long long)o->imm,
		       (unsigned long long)o->min, (unsigned long long)o->max, (unsigned long long)o->zero, (unsigned long long)o->one,
		       o->dies ? " dies" : "");
	}
}

/* ---- running ---- */

static bool
run_test(batch *z, t_wave *x, unsigned k)
{
	const test *t = &z->t[k];
	writable m;

	may_be_written(t, &m);
	for (unsigned run = 0; run < RUNS; run++) {
		uint64_t exec = exec_of(run, x->w->lanes);
		unsigned lane = 0;
		const char *why;

		prepare(x->w, t, run, exec);
		why = t_wave_run(x, z->at[k], !run) ? NULL : x->r.r.fault.message;
		why = why ? why : check_untouched(x->w, &m, exec);
		why = why ? why : check_result(x->w, t, exec, &lane);
		if (why) {
			complain(z->c, t, why, lane, exec);
			return false;
		}
	}
	z->count->runs += RUNS;
	return true;
}

static void
flush(batch *z)
{
	t_wave x;

	if (z->n && z->good) {
		z->good = t_wave_open(&x, z->code);
		for (unsigned k = 0; k < z->n && z->good; k++)
			z->good = run_test(z, &x, k);
		t_wave_close(&x);
	}
	z->n = 0;
	z->code->n = 0;
}

static bool
add(batch *z, const p2a_bfi_query *q)
{
	test t = { .q = *q };
	uint32_t w[MOST_WORDS];
	unsigned n;
	int err = p2a_bfi_make(q, &t.plan);
	bool fresh = !err && is_new(key_of(&t));
	const char *why = err ? p2a_isa_error_name(err) : fresh ? promises(&t) : writes_its_own(&t) ? NULL : "it writes other registers";

	if (why) {
		complain(z->c, &t, why, 0, 0);
		return z->good = false;
	}
	row_seen[t.plan.row] = true;
	z->count->settings++;
	if (!fresh)
		return true;
	z->count->sequences++;
	n = code_of(&t, w);
	z->t[z->n] = t;
	z->at[z->n++] = (uint32_t)z->code->n;
	for (unsigned k = 0; k < n; k++)
		t_word(z->code, w[k]);
	t_op(z->code, OP_s_endpgm, NULL, 0);
	if (z->n == COUNT(z->t) || z->code->n > BATCH_WORDS)
		flush(z);
	return z->good;
}

/* ---- all combinations ---- */

/* Operands that die: registers only, each set once. */
static bool
all_deaths(batch *z, p2a_bfi_query q)
{
	unsigned done = 0;

	for (unsigned d = 0; d < COUNT(deaths) && z->good; d++) {
		unsigned set = 0;

		for (unsigned k = A; k <= LEN; k++)
			set |= (unsigned)(deaths[d] >> k & 1 && has_register(&q, k)) << k;
		if (done >> set & 1)
			continue;
		done |= 1u << set;
		for (unsigned k = A; k <= LEN; k++)
			place(&q, k)->dies = set >> k & 1;
		add(z, &q);
	}
	return z->good;
}

/* base: operands that share nothing, and a VGPR to go to. */
static bool
all_shares(batch *z, const p2a_bfi_query *base)
{
	unsigned list[COUNT(shares)], n = different_shares(base->op, list);
	bool lanes = false;

	for (unsigned k = A; k <= LEN; k++)
		lanes |= has_register(base, k) && place((p2a_bfi_query *)(uintptr_t)base, k)->kind == P2A_K_VGPR;
	for (unsigned scalar = 0; scalar < (lanes ? 1u : 2u) && z->good; scalar++)
		for (unsigned k = 0; k < n && z->good; k++) {
			p2a_bfi_query q = *base;

			if (scalar)
				q.dst = at_home(P2A_K_SGPR, DST);
			if (!share(&q, shares[list[k]]))
				continue;
			for (q.flags = 0; q.flags <= (k ? 0u : P2A_BFI_RENAME) && z->good; q.flags++)
				all_deaths(z, q);
		}
	if (z->good) {
		p2a_bfi_query q = *base;

		q.dst = (p2a_bfi_operand){ .kind = P2A_K_NONE };
		all_deaths(z, q);
	}
	return z->good;
}

/* step: takes one of so many pairs of forms. */
static bool
all_settings(batch *z, p2a_bfi_op op, p2a_semantics sem, unsigned step)
{
	bounds most = bfi_counts_all(op, sem) ? LITTLE : SHORT;
	unsigned n = 0;

	for (unsigned f = 0; f < NPOS * NLEN && z->good; f++)
		for (unsigned d = 0; d < NDATA * NDATA && z->good; d++) {
			setting s = { op, sem, (data_form)(d % NDATA), (data_form)(d / NDATA), &pos_forms[f % NPOS], &len_forms[f / NPOS], 0 };
			bool numbers = s.pos->kind == P2A_K_IMM && s.len->kind == P2A_K_IMM, registers = d % NDATA < 2 && d / NDATA < 2;

			if ((!has(op, A) && s.a) || (!has(op, B) && s.b) || (!has(op, POS) && f % NPOS) ||
			    (!bfi_is_wide(op) && (s.pos->known > most || s.len->known > most)) || n++ % step)
				continue;
			for (; s.zeros < (numbers && registers && bfi_is_insert(op) ? 3u : 1u) && z->good; s.zeros++) {
				p2a_bfi_query q = base_query(z->c, &s);

				all_shares(z, &q);
			}
		}
	return z->good;
}

/* Rows for operands that are known in part: the first few questions of bfi_known.c that each of them answers. */
enum { ENOUGH = 2, LOOK = 3 };

static bool
known_settings(batch *z, p2a_bfi_op op, p2a_semantics sem, unsigned step)
{
	static unsigned char answers[NROWS];
	p2a_bfi_query q;

	memset(answers, 0, sizeof answers);
	for (unsigned long at = 0; bfi_known_query(z->c->name, op, sem, at, &q) && z->good; at += LOOK * step) {
		p2a_bfi_plan plan;

		q.wave = z->c->wave;
		for (unsigned k = A; k <= LEN; k++) {
			p2a_bfi_operand *o = place(&q, k), home = at_home(o->kind, k);

			o->lo = home.lo;
			o->hi = home.hi;
		}
		q.dst = at_home(P2A_K_VGPR, DST);
		if (p2a_bfi_make(&q, &plan) || answers[plan.row] == ENOUGH)
			continue;
		answers[plan.row]++;
		all_shares(z, &q);
	}
	return z->good;
}

static void
all_of(const chip *c, p2a_bfi_op op, p2a_semantics sem)
{
	static batch z;
	tally count = { 0 };
	unsigned step;

	z.c = c;
	z.count = &count;
	z.good = true;
	z.code = t_new(c->name);
	if (c->wave != z.code->t->wave)
		t_wave64(z.code);
	z.code->vgprs = NVGPRS;
	memset(seen, 0, sizeof seen);
	nseen = 0;
	step = getenv("P2A_TEST_QUICK") ? 13 : 1;
	if (all_settings(&z, op, sem, step) && known_settings(&z, op, sem, step))
		flush(&z);
	if (z.good)
		t_ok("%s wave %u %s%s: %lu settings of registers, %lu different sequences, %lu runs", c->name, c->wave, bfi_op_names[op],
		     sem ? ", NVIDIA's meaning" : "", count.settings, count.sequences, count.runs);
	free(z.code);
}

static void
check_rows(void)
{
	size_t n, missing = 0;
	const bfi_row *row = bfi_rows(&n);

	for (size_t k = 0; k < n; k++)
		if (!row_seen[bfi_row_id(&row[k])]) {
			t_bad("row %u %s: no setting takes it", (unsigned)row[k].gop, row[k].name);
			missing++;
		}
	if (!missing)
		t_ok("all %zu rows are taken", n);
}

int
main(int argc, char **argv)
{
	for (unsigned k = 0; k < COUNT(random_data); k++)
		random_data[k] = t_random();
	for (unsigned c = 0; c < COUNT(chips); c++)
		for (int op = 0; op < BFI_OPS; op++)
			for (int sem = 0; sem <= bfi_has_meanings((p2a_bfi_op)op); sem++)
				if (argc < 2 || !strcmp(argv[1], chips[c].name))
					all_of(&chips[c], (p2a_bfi_op)op, (p2a_semantics)sem);
	if (argc < 2 && !getenv("P2A_TEST_QUICK"))
		check_rows();
	return t_end();
}
