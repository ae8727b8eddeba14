/* fuzz_warp.c -- the warp operations of random programs: which there are, their text, and what they mean to the lanes
 * that execute one together, from the manual's programs ("Parallel Thread Execution ISA", 9.7.9.6, 9.7.13.4,
 * 9.7.13.9 to 9.7.13.12). In text: %lane, %wm (the lanes that this warp has), %wsh (the lane's word in wroom). */
#include "fuzz.h"

#include <string.h>

const fuzz_wop fuzz_wops[] = {
	{ "shfl.sync.up.b32",    W_UP,        'r', 'r', true, false },
	{ "shfl.sync.down.b32",  W_DOWN,      'r', 'r', true, false },
	{ "shfl.sync.bfly.b32",  W_BFLY,      'r', 'r', true, false },
	{ "shfl.sync.idx.b32",   W_IDX,       'r', 'r', true, false },
	{ "vote.sync.all.pred",  W_ALL,       'p', 'p', false, false },
	{ "vote.sync.any.pred",  W_ANY,       'p', 'p', false, false },
	{ "vote.sync.uni.pred",  W_UNI,       'p', 'p', false, false },
	{ "vote.sync.ballot.b32", W_BALLOT,   'r', 'p', false, false },
	{ "match.any.sync.b32",  W_MATCH_ANY, 'r', 'r', false, false },
	{ "match.any.sync.b64",  W_MATCH_ANY, 'r', 'd', false, false },
	{ "match.all.sync.b32",  W_MATCH_ALL, 'r', 'r', true, false },
	{ "match.all.sync.b64",  W_MATCH_ALL, 'r', 'd', true, false },
	{ "redux.sync.add.u32",  W_ADD,       'r', 'r', false, false },
	{ "redux.sync.add.s32",  W_ADD,       'r', 'r', false, false },
	{ "redux.sync.min.u32",  W_MIN_U,     'r', 'r', false, false },
	{ "redux.sync.max.u32",  W_MAX_U,     'r', 'r', false, false },
	{ "redux.sync.min.s32",  W_MIN_S,     'r', 'r', false, false },
	{ "redux.sync.max.s32",  W_MAX_S,     'r', 'r', false, false },
	{ "redux.sync.and.b32",  W_AND,       'r', 'r', false, false },
	{ "redux.sync.or.b32",   W_OR,        'r', 'r', false, false },
	{ "redux.sync.xor.b32",  W_XOR,       'r', 'r', false, false },
	{ "redux.sync.min.f32",  W_FMIN,      'r', 'r', false, false },
	{ "redux.sync.max.f32",  W_FMAX,      'r', 'r', false, false },
	{ "redux.sync.min.abs.f32", W_FMIN,   'r', 'r', false, false },
	{ "redux.sync.max.NaN.f32", W_FMAX,   'r', 'r', false, false },
	{ "redux.sync.min.abs.NaN.f32", W_FMIN, 'r', 'r', false, false },
	{ "shfl.up.b32",         W_UP,        'r', 'r', true, true },
	{ "shfl.down.b32",       W_DOWN,      'r', 'r', true, true },
	{ "shfl.bfly.b32",       W_BFLY,      'r', 'r', true, true },
	{ "shfl.idx.b32",        W_IDX,       'r', 'r', true, true },
	{ "vote.all.pred",       W_ALL,       'p', 'p', false, true },
	{ "vote.any.pred",       W_ANY,       'p', 'p', false, true },
	{ "vote.uni.pred",       W_UNI,       'p', 'p', false, true },
	{ "vote.ballot.b32",     W_BALLOT,    'r', 'p', false, true },
	{ "elect.sync",          W_ELECT,     'r', 0,   false, false },
	{ "activemask.b32",      W_ACTIVE,    'r', 0,   false, true },
	{ "bar.warp.sync",       W_BARRIER,   0,   0,   false, false },
	{ "exchange",            W_EXCHANGE,  'r', 'r', false, false },
};
const unsigned fuzz_nwops = sizeof fuzz_wops / sizeof *fuzz_wops;

/* ---- meaning ---- */

/* The lane that shfl would read, before its predicate is looked at. */
static int
shfl_lane(unsigned kind, int lane, uint32_t b, uint32_t c)
{
	int bval = b & 31, segmask = c >> 8 & 31;

	switch (kind) {
	case W_UP:   return lane - bval;
	case W_DOWN: return lane + bval;
	case W_BFLY: return lane ^ bval;
	default:     return (lane & segmask) | (bval & ~segmask);
	}
}

static bool
shfl_in_range(unsigned kind, int lane, int j, uint32_t c)
{
	int segmask = c >> 8 & 31, max_lane = (lane & segmask) | ((int)(c & 31) & ~segmask);

	return kind == W_UP ? j >= max_lane : j <= max_lane;
}

/* False: undefined, the lane read is not here. */
static bool
shfl(const fuzz_wop *o, fuzz_warp *w, unsigned lane)
{
	int from = shfl_lane(o->kind, (int)lane, w->b[lane], w->c[lane]);
	bool in = shfl_in_range(o->kind, (int)lane, from, w->c[lane]);

	w->q[lane] = in;
	w->d[lane] = FUZZ_NOWHERE;
	if (w->checked && !(w->mask >> (from & 31) & 1))
		return true;
	if (!in)
		from = (int)lane;
	w->d[lane] = w->a[from & 31];
	return w->here >> (from & 31) & 1;
}

static uint32_t
combine(unsigned kind, uint32_t x, uint32_t y)
{
	switch (kind) {
	case W_ADD:   return x + y;
	case W_MIN_U: return x < y ? x : y;
	case W_MAX_U: return x > y ? x : y;
	case W_MIN_S: return (int32_t)x < (int32_t)y ? x : y;
	case W_MAX_S: return (int32_t)x > (int32_t)y ? x : y;
	case W_AND:   return x & y;
	case W_OR:    return x | y;
	default:      return x ^ y;
	}
}

static uint32_t
redux(unsigned kind, const fuzz_warp *w)
{
	uint32_t r = 0;
	bool first = true;

	for (unsigned j = 0; j < 32; j++)
		if (w->here >> j & 1) {
			r = first ? (uint32_t)w->a[j] : combine(kind, r, (uint32_t)w->a[j]);
			first = false;
		}
	return r;
}

/* Without .NaN numbers win; -0 is less than 0. */
static uint64_t
float_redux(const fuzz_wop *o, const fuzz_warp *w)
{
	bool nan = strstr(o->text, ".NaN") != NULL, first = true;
	uint64_t r = 0;

	for (unsigned j = 0; j < 32; j++) {
		uint64_t x = strstr(o->text, ".abs") ? w->a[j] & 0x7fffffff : w->a[j];

		if (!(w->here >> j & 1))
			continue;
		if (nan && fuzz_cmp32(x, x, 0) == 2)
			return 0x7fffffff;
		r = fuzz_min32(first ? x : r, x, o->kind == W_FMAX, 0);
		first = false;
	}
	return r;
}

/* Of the lanes here: those whose source is the same as x. */
static uint32_t
same(const fuzz_warp *w, uint64_t x)
{
	uint32_t m = 0;

	for (unsigned j = 0; j < 32; j++)
		m |= (uint32_t)(w->a[j] == x) << j;
	return m & w->here;
}

static bool
exchange(fuzz_warp *w, unsigned lane)
{
	unsigned from = (lane + w->b[lane]) & 31;

	if (!(w->mask >> from & 1))
		from = lane;
	w->d[lane] = w->a[from];
	return w->here >> from & 1;
}

static bool
lane_means(const fuzz_wop *o, fuzz_warp *w, unsigned lane)
{
	uint32_t yes = same(w, 1);

	switch ((fuzz_wkind)o->kind) {
	case W_UP: case W_DOWN: case W_BFLY: case W_IDX: return shfl(o, w, lane);
	case W_ALL:       w->d[lane] = yes == w->here; return true;
	case W_ANY:       w->d[lane] = yes != 0; return true;
	case W_UNI:       w->d[lane] = yes == w->here || !yes; return true;
	case W_BALLOT:    w->d[lane] = yes; return true;
	case W_MATCH_ANY: w->d[lane] = same(w, w->a[lane]); return true;
	case W_MATCH_ALL:
		w->q[lane] = same(w, w->a[lane]) == w->here;
		w->d[lane] = w->q[lane] ? w->here : 0;
		return true;
	case W_ACTIVE:    w->d[lane] = w->here; return true;
	case W_FMIN: case W_FMAX: w->d[lane] = float_redux(o, w); return true;
	case W_ELECT:     w->d[lane] = 1; return true;
	case W_EXCHANGE:  return exchange(w, lane);
	case W_BARRIER:   return true;
	default:          w->d[lane] = redux(o->kind, w); return true;
	}
}

bool
fuzz_warp_means(const fuzz_wop *o, fuzz_warp *w)
{
	bool ok = !o->loose || w->here == w->alive;

	for (unsigned lane = 0; lane < 32; lane++)
		if (w->here >> lane & 1)
			ok &= lane_means(o, w, lane);
	return ok;
}

/* ---- text ---- */

bool
fuzz_warp_checked(const fuzz_program *p, const fuzz_inst *i)
{
	return i->guard >= 0 || i->target[0] != NONE || fuzz_threads(p) % 32;
}

static void
put_mask(text *t, uint32_t mask)
{
	if (mask == NONE)
		text_add(t, "0xffffffff");
	else
		text_add(t, "%%r%u", mask);
}

static void
put_guard(text *t, const fuzz_inst *i)
{
	if (i->guard >= 0)
		text_add(t, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
}

/* The mask that the instruction names; under a guard the ballot of it. */
static void
put_member(text *t, const fuzz_inst *i)
{
	if (i->guard >= 0)
		text_add(t, "%%t6");
	else
		put_mask(t, i->target[0]);
}

/* The same as a last operand, where there is one. */
static void
put_last_member(text *t, const fuzz_inst *i)
{
	if (fuzz_wops[i->op].loose)
		return;
	text_add(t, ", ");
	put_member(t, i);
}

/* By a function w and its number, which has nothing else in it. */
static bool
is_called(const fuzz_inst *i)
{
	const fuzz_wop *o = &fuzz_wops[i->op];

	return i->form & WARP_CALLED && o->dst == 'r' && o->a == 'r' && i->target[1] == NONE && o->kind != W_FMIN && o->kind != W_FMAX && o->kind != W_EXCHANGE;
}

void
fuzz_warp_functions(text *t, const fuzz_program *p)
{
	bool used[64] = { false };

	for (uint32_t k = 0; k < p->n; k++)
		if (p->i[k].kind == I_WARP && is_called(&p->i[k]))
			used[p->i[k].op] = true;
	for (unsigned k = 0; k < fuzz_nwops; k++)
		if (used[k] && fuzz_wops[k].kind <= W_IDX)
			text_add(t, ".func (.reg .b32 %%wd) w%u(.reg .b32 %%wa, .reg .b32 %%wb, .reg .b32 %%wc, .reg .b32 %%wk)\n{\n%s %%wd, %%wa, %%wb, %%wc, %%wk;\nret;\n}\n",
			         k, fuzz_wops[k].text);
		else if (used[k])
			text_add(t, ".func (.reg .b32 %%wd) w%u(.reg .b32 %%wa, .reg .b32 %%wk)\n{\n%s %%wd, %%wa, %%wk;\nret;\n}\n", k, fuzz_wops[k].text);
}

/* A register with the lanes that may be read from. */
static void
put_lanes(text *t, const fuzz_inst *i)
{
	if (i->guard < 0 && i->target[0] == NONE)
		text_add(t, "%%wm");
	else
		put_member(t, i);
}

static void
put_register_or(text *t, uint32_t reg, uint64_t constant)
{
	if (reg == NONE)
		text_add(t, "%u", (unsigned)constant);
	else
		text_add(t, "%%r%u", reg);
}

/* %t5: the lane that shfl reads, where it is in range. */
static void
put_shfl_lane(text *t, const fuzz_wop *o, const fuzz_inst *i)
{
	static const char *const how[] = { [W_UP] = "sub.s32 %t5, %lane, %t5; ", [W_DOWN] = "add.s32 %t5, %lane, %t5; ", [W_BFLY] = "xor.b32 %t5, %lane, %t5; " };

	text_add(t, "mov.b32 %%t5, ");
	put_register_or(t, i->src[1], i->imm[1]);
	text_add(t, "; and.b32 %%t5, %%t5, 31; ");
	if (o->kind == W_IDX) {
		text_add(t, "mov.b32 %%t7, ");
		put_register_or(t, i->src[2], i->imm[2]);
		text_add(t, "; shr.u32 %%t7, %%t7, 8; and.b32 %%t4, %%lane, %%t7; not.b32 %%t7, %%t7; and.b32 %%t5, %%t5, %%t7; or.b32 %%t5, %%t5, %%t4; ");
	} else {
		text_add(t, "%s", how[o->kind]);
	}
}

/* %q2: lane %t5 may be read from. */
static void
put_check(text *t, const fuzz_inst *i)
{
	text_add(t, "and.b32 %%t5, %%t5, 31; shr.u32 %%t7, ");
	put_lanes(t, i);
	text_add(t, ", %%t5; and.b32 %%t7, %%t7, 1; setp.ne.u32 %%q2, %%t7, 0; ");
}

static void
put_shfl(text *t, const fuzz_program *p, const fuzz_inst *i)
{
	const fuzz_wop *o = &fuzz_wops[i->op];
	bool checked = fuzz_warp_checked(p, i);

	if (checked) {
		put_shfl_lane(t, o, i);
		put_check(t, i);
	}
	put_guard(t, i);
	if (is_called(i))
		text_add(t, checked ? "call (%%t4), w%u, (" : "call (%%r%2$u), w%1$u, (", i->op, i->dst);
	else
		text_add(t, checked ? "%s %%t4" : "%s %%r%u", o->text, i->dst);
	if (i->target[1] != NONE)
		text_add(t, checked ? "|%%q" : "|%%p%u", i->target[1]);
	text_add(t, is_called(i) ? "%%r%u, " : ", %%r%u, ", i->src[0]);
	put_register_or(t, i->src[1], i->imm[1]);
	text_add(t, ", ");
	put_register_or(t, i->src[2], i->imm[2]);
	put_last_member(t, i);
	text_add(t, is_called(i) ? ");" : ";");
	if (checked) {
		text_add(t, " ");
		put_guard(t, i);
		text_add(t, "selp.b32 %%r%u, %%t4, %u, %%q2;", i->dst, FUZZ_NOWHERE);
		if (i->target[1] != NONE) {
			text_add(t, " ");
			put_guard(t, i);
			text_add(t, "mov.pred %%p%u, %%q;", i->target[1]);
		}
	}
}

/* A warp's words in shared memory: the lane's own, then that of the lane imm[1] further, if that may be read. */
static void
put_exchange(text *t, const fuzz_inst *i)
{
	text_add(t, "add.u32 %%t5, %%lane, %u; ", (unsigned)i->imm[1]);
	put_check(t, i);
	text_add(t, "selp.b32 %%t5, %%t5, %%lane, %%q2; sub.s32 %%t5, %%t5, %%lane; shl.b32 %%t5, %%t5, 2; add.s32 %%t5, %%t5, %%wsh; ");
	for (unsigned k = 0; k < 5; k++) {
		put_guard(t, i);
		if (k == 1)
			text_add(t, "st.shared.u32 [%%wsh], %%r%u; ", i->src[0]);
		else if (k == 3)
			text_add(t, "ld.shared.u32 %%r%u, [%%t5]; ", i->dst);
		else {
			text_add(t, "bar.warp.sync ");
			put_member(t, i);
			text_add(t, "; ");
		}
	}
}

static void
put_plain(text *t, const fuzz_inst *i)
{
	const fuzz_wop *o = &fuzz_wops[i->op];
	bool masked = o->a == 'd' || (o->a == 'r' && i->imm[0] != UINT32_MAX);

	if (masked)
		text_add(t, "and.b%d %%t%s4, %%%c%u, %u; ", o->a == 'd' ? 64 : 32, o->a == 'd' ? "d" : "", o->a, i->src[0], (unsigned)i->imm[0]);
	put_guard(t, i);
	if (is_called(i))
		text_add(t, "call (%%r%u), w%u, (", i->dst, i->op);
	else
		text_add(t, "%s %%%c%u", o->text, o->dst, i->dst);
	if (i->target[1] != NONE)
		text_add(t, "|%%p%u", i->target[1]);
	if (!is_called(i))
		text_add(t, ", ");
	if (masked)
		text_add(t, "%%t%s4", o->a == 'd' ? "d" : "");
	else
		text_add(t, "%s%%%c%u", i->imm[3] ? "!" : "", o->a, i->src[0]);
	put_last_member(t, i);
	text_add(t, is_called(i) ? ");" : ";");
}

/* NaN results become one constant. */
static void
put_float_redux(text *t, const fuzz_inst *i)
{
	put_guard(t, i);
	text_add(t, "%s %%t4, %%r%u", fuzz_wops[i->op].text, i->src[0]);
	put_last_member(t, i);
	text_add(t, "; ");
	put_guard(t, i);
	text_add(t, "setp.nan.f32 %%q, %%t4, %%t4; ");
	put_guard(t, i);
	text_add(t, "selp.b32 %%r%u, 0x7fffffff, %%t4, %%q;", i->dst);
}

/* Which lane PTX leaves open: one of the mask, and what all are told. */
static void
put_elect(text *t, const fuzz_inst *i)
{
	put_guard(t, i);
	text_add(t, "elect.sync %%t4|%%q");
	put_last_member(t, i);
	text_add(t, "; ");
	put_guard(t, i);
	text_add(t, "vote.sync.ballot.b32 %%t5, %%q");
	put_last_member(t, i);
	text_add(t, "; ");
	put_guard(t, i);
	text_add(t, "shl.b32 %%t7, 1, %%t4; ");
	put_guard(t, i);
	text_add(t, "setp.eq.u32 %%q, %%t5, %%t7; ");
	put_guard(t, i);
	text_add(t, "selp.u32 %%r%u, 1, 0, %%q;", i->dst);
}

static void
put_once(text *t, const fuzz_program *p, const fuzz_inst *i)
{
	unsigned kind = fuzz_wops[i->op].kind;

	if (i->guard >= 0) {
		text_add(t, "vote.sync.ballot.b32 %%t6, %s%%p%d, ", i->neg ? "!" : "", i->guard);
		put_mask(t, i->target[0]);
		text_add(t, "; ");
	}
	if (fuzz_wops[i->op].loose)
		text_add(t, "bar.warp.sync 0xffffffff; ");
	if (kind <= W_IDX) {
		put_shfl(t, p, i);
	} else if (kind == W_FMIN || kind == W_FMAX) {
		put_float_redux(t, i);
	} else if (kind == W_ELECT) {
		put_elect(t, i);
	} else if (kind == W_EXCHANGE) {
		put_exchange(t, i);
	} else if (kind == W_BARRIER) {
		put_guard(t, i);
		text_add(t, "bar.warp.sync ");
		put_member(t, i);
		text_add(t, ";");
	} else if (kind == W_ACTIVE) {
		text_add(t, "activemask.b32 %%r%u;", i->dst);
	} else {
		put_plain(t, i);
	}
	text_add(t, "\n");
}

void
fuzz_warp_text(text *t, const fuzz_program *p, const fuzz_inst *i)
{
	unsigned places = i->form & ~(unsigned)WARP_CALLED, id = i->target[2];

	if (places == WARP_ONCE) {
		put_once(t, p, i);
		return;
	}
	text_add(t, "@%%p%u bra VA%u;\n", i->src[3], id);
	if (places == WARP_THRICE)
		text_add(t, "@!%%p%u bra VB%u;\n", i->target[3], id);
	put_once(t, p, i);
	text_add(t, "bra VE%u;\nVA%u:\n", id, id);
	put_once(t, p, i);
	if (places == WARP_THRICE) {
		text_add(t, "bra VE%u;\nVB%u:\n", id, id);
		put_once(t, p, i);
	}
	text_add(t, "VE%u:\n", id);
}

/* Masks first, while all lanes are here; then the branch. */
void
fuzz_part_text(text *t, const fuzz_inst *i)
{
	const char *not = i->neg ? "!" : "", *but = i->neg ? "" : "!";

	if (i->form == PART_BLOCK) {
		text_add(t, "mov.u32 %%t4, %%ctaid.x; setp.%s.u32 %%q, %%t4, %u; @%%q bra L%u;\n", i->neg ? "ne" : "eq", (unsigned)i->imm[0], i->target[0]);
		return;
	}
	if (i->form == PART_VOTE) {
		text_add(t, "%s %%q, %s%%p%d, ", fuzz_wops[i->op].text, not, i->guard);
		put_mask(t, i->src[0]);
		text_add(t, "; @%s%%q bra L%u;\n", i->imm[0] ? "!" : "", i->target[0]);
		return;
	}
	text_add(t, "vote.sync.ballot.b32 %%t6, %s%%p%d, ", not, i->guard);
	put_mask(t, i->src[0]);
	text_add(t, "; vote.sync.ballot.b32 %%r%u, %s%%p%d, ", i->dst, but, i->guard);
	put_mask(t, i->src[0]);
	text_add(t, "; mov.b32 %%r%u, %%t6; @%s%%p%d bra L%u;\n", i->src[1], not, i->guard, i->target[0]);
}

void
fuzz_again_text(text *t, const fuzz_inst *i)
{
	text_add(t, "sub.s32 %%r%u, %%r%u, 1; setp.gt.s32 %%q, %%r%u, 0; vote.sync.ballot.b32 %%r%u, %%q, %%r%u; @%%q bra L%u;\n",
	         i->dst, i->dst, i->dst, i->src[0], i->src[0], i->target[0]);
}
