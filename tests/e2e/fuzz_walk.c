/* fuzz_walk.c -- the direct interpreter of random programs: each lane alone, from barrier to barrier
 * and from one operation of its warp to the next. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

/* A call under way: what the caller continues with. */
typedef struct frame {
	uint64_t *v[NCLASS];
	bool *def[NCLASS];
	uint64_t arg[NARG];
	uint8_t local[AREA];
	uint32_t pc, fuel, dst, left, mask, func;
} frame;

typedef struct lane {
	uint64_t *v[NCLASS];
	bool *def[NCLASS];
	uint8_t area[SP_SHARED + 1][AREA];
	uint32_t pc, steps, fuel;
	uint32_t tid[2], ctaid[2], index;        /* index: over the whole grid */
	uint32_t warp;
	bool ended, bad;
	frame *frame;                            /* MAX_DEEP of them */
	uint32_t nframes;
	uint32_t held;                           /* locks, by number */
	uint32_t given;                          /* how often it gave a lock back */
	uint32_t told, link[NCHAIN];             /* chains that it has passed, and what it told */
} lane;

typedef struct walk {
	const fuzz_program *p;
	const uint64_t *in;
	const uint32_t *params;
	uint32_t *out;
	uint64_t *values, *room;
	bool *defs;
	uint32_t warp_lanes[32];        /* that each warp of a workgroup has */
	uint32_t *tail;                 /* words of this workgroup */
	bool *taken;                    /* its locks */
	lane *l;
	frame *frames;
	uint64_t *frame_values;         /* registers of functions: frame_size for each frame of each lane */
	bool *frame_defs;
	size_t frame_size;
} walk;

static uint64_t
cut(char cls, uint64_t x)
{
	return cls == 'd' ? x : cls == 'h' ? x & 0xffff : cls == 'p' ? x & 1 : x & 0xffffffff;
}

static uint64_t
get(lane *l, char cls, uint32_t n)
{
	unsigned c = fuzz_class_of(cls);

	l->bad |= !l->def[c][n];
	return l->v[c][n];
}

static void
set(lane *l, char cls, uint32_t n, uint64_t x)
{
	unsigned c = fuzz_class_of(cls);

	l->v[c][n] = cut(cls, x);
	l->def[c][n] = true;
}

static uint64_t
float_of(char k, uint64_t x)
{
	return k == 'f' ? fuzz_f32_of((int32_t)(uint32_t)x >> 10, 0, 'n') : fuzz_f64_of((int64_t)x >> 20, 0, 'n');
}

static uint64_t
operand(const walk *w, lane *l, char k, const fuzz_inst *i, unsigned n)
{
	uint64_t x;

	switch (k) {
	case 'i': case 'c': case 'k': case 'C': case 'M': case 'W': return i->imm[n];
	case 't': return l->tid[0];
	case 'T': return l->ctaid[0];
	case 'U': return l->ctaid[1];
	case 'V': return w->p->block[0];
	}
	x = get(l, k, i->src[n]);
	switch (k) {
	case 'n': case 'N': return x | 1;
	case 'm': return (x & 0x7ffffff) | 1;
	case 'f': case 'e': return float_of(k, x);
	default: return x;
	}
}

static void
do_op(const walk *w, lane *l, const fuzz_inst *i)
{
	const fuzz_op *o = &fuzz_ops[i->op];
	uint64_t v[4] = { 0 };

	for (unsigned k = 0; o->src[k]; k++)
		v[k] = operand(w, l, o->src[k], i, k);
	set(l, o->dst, i->dst, o->fn(v[0], v[1], v[2], v[3]));
}

static void
do_swap(lane *l, const fuzz_inst *i)
{
	unsigned n = i->src[2] == NONE ? 2 : 3;
	uint64_t v[3];

	for (unsigned k = 0; k < n; k++)
		v[k] = get(l, i->cls, i->src[k]);
	for (unsigned k = 0; k < n; k++)
		set(l, i->cls, i->src[k], v[(k + 1) % n]);
}

static uint64_t
narrow(const walk *w, unsigned k)
{
	const fuzz_narrow *n = &fuzz_narrows[k];
	unsigned at = (w->p->nparams - NARROW) * 4 + n->at, bits = 8u * n->bytes;
	uint64_t x = 0;

	for (unsigned b = 0; b < n->bytes; b++)
		x |= (uint64_t)(uint8_t)(w->params[(at + b) / 4] >> ((at + b) % 4 * 8)) << (8 * b);
	return n->sign ? (uint64_t)((int64_t)(x << (64 - bits)) >> (64 - bits)) : x;
}

static void
do_init(const walk *w, lane *l, const fuzz_inst *i)
{
	uint64_t x = 0;

	if (i->src[0] == 0)
		x = w->in[(size_t)l->index * w->p->slots + i->imm[0]];
	else if (i->src[0] == 1)
		x = w->params[i->imm[0]] | (i->cls == 'd' ? (uint64_t)w->params[i->imm[0] + 1] << 32 : 0);
	if (i->src[0] == 3)
		x = i->imm[0];
	if (i->src[0] == 4)
		x = narrow(w, (unsigned)i->imm[0]);
	if (i->cls == 'p')
		x = x >> 31 & 1;
	set(l, i->cls, i->dst, x);
}

static void
do_out(const walk *w, lane *l, const fuzz_inst *i)
{
	uint64_t x = get(l, i->cls, i->src[0]);
	uint32_t *o = w->out + (size_t)l->index * (fuzz_stride(w->p) / 4) + AREA / 4 + i->imm[0];

	o[0] = (uint32_t)x;
	if (i->cls == 'd')
		o[1] = (uint32_t)(x >> 32);
}

/* ---- memory ---- */

static uint32_t
mem_offset(lane *l, const fuzz_inst *i, uint32_t size)
{
	switch (i->form) {
	case FORM_INDEX: case FORM_FAR: case FORM_GENERIC_INDEX: case FORM_GENERIC_FAR:
		return (uint32_t)(get(l, 'r', i->dst) & (AREA / size / 2 - 1)) * size + (uint32_t)i->imm[0];
	case FORM_BELOW:
		return AREA - size - (uint32_t)(get(l, 'r', i->dst) & (AREA / size / 2 - 1)) * size;
	default:
		return (uint32_t)i->imm[0];
	}
}

static uint8_t
constant_byte(const walk *w, unsigned space, uint32_t k)
{
	if (space == SP_PARAM)
		return (uint8_t)(w->params[k / 4] >> (k % 4 * 8));
	return fuzz_table_byte(k);
}

static void
do_memory(const walk *w, lane *l, const fuzz_inst *i)
{
	const fuzz_type *t = &fuzz_types[i->type];
	uint32_t at = mem_offset(l, i, (uint32_t)t->bytes * t->n);
	unsigned space = i->space;

	if (i->form == FORM_SELECT && !get(l, 'p', i->target[0]))
		space = SP_GLOBAL;
	for (unsigned e = 0; e < t->n; e++, at += t->bytes) {
		uint32_t reg = fuzz_element(i, e);
		uint64_t x = 0;

		if (reg == NONE)
			continue;
		if (i->kind == I_STORE) {
			x = get(l, t->cls, reg);
			memcpy(l->area[space] + at, &x, t->bytes);
			continue;
		}
		for (unsigned b = 0; b < t->bytes; b++)
			x |= (uint64_t)(space > SP_SHARED ? constant_byte(w, space, at + b) : l->area[space][at + b]) << (8 * b);
		if (t->sign)
			x = (uint64_t)((int64_t)(x << (64 - 8 * t->bytes)) >> (64 - 8 * t->bytes));
		set(l, t->cls, reg, x);
	}
}

static void
do_atom(lane *l, const fuzz_inst *i)
{
	const fuzz_atom *a = &fuzz_atoms[i->op];
	uint8_t *at = l->area[i->form == FORM_SELECT && !get(l, 'p', i->target[0]) ? SP_GLOBAL : i->space] + mem_offset(l, i, a->bytes);
	uint64_t old = 0, b = get(l, a->cls, i->src[1]), c = a->operands > 1 || a->kind ? get(l, a->cls, i->src[2]) : 0, x;

	memcpy(&old, at, a->bytes);
	if (a->kind) {
		old = cut(a->cls, fuzz_number(a->kind, c));
		b = cut(a->cls, fuzz_number(a->kind, b));
	}
	x = a->fn(old, b, c);
	memcpy(at, &x, a->bytes);
	if (i->src[3] != NONE)
		set(l, a->cls, i->src[3], old);
}

/* imm[3]: 4, 5: only half of it, zeros behind */
static void
do_copy(lane *l, const fuzz_inst *i)
{
	uint8_t *to = l->area[SP_SHARED] + i->imm[1];

	memset(to, 0, i->imm[2]);
	memcpy(to, l->area[SP_GLOBAL] + i->imm[0], i->imm[3] < 4 ? i->imm[2] : i->imm[2] / 2);
}

/* ---- control ---- */

static bool
guarded(lane *l, const fuzz_inst *i)
{
	return i->guard < 0 || (get(l, 'p', (uint32_t)i->guard) != 0) != (i->neg != 0);
}

/* ---- waiting ---- */

/* Locks are taken by rising number, so nobody waits in a circle. */
static void
do_lock(const walk *w, lane *l, const fuzz_inst *i)
{
	bool take = i->kind == I_LOCK;

	l->bad |= l->held >> i->imm[0] != (take ? 0 : 1);
	l->held ^= 1u << i->imm[0];
	w->taken[i->imm[0]] = take;
	l->given += take ? 0 : 1;
	if (i->imm[0] == LOCK_TICKET)
		w->tail[2 * LOCK_TICKET + (take ? 0 : 1)]++;
}

static void
do_sum(const walk *w, lane *l, const fuzz_inst *i)
{
	uint32_t x = (uint32_t)get(l, 'r', i->src[0]);

	if (i->kind == I_SUM)
		l->bad |= !(l->held >> (i->imm[0] / 2) & 1) || !fuzz_sum_means(w->tail, i, x);
	else
		l->bad |= !fuzz_tally_means(w->tail, i, x);
}

/* Must the lane wait here for another? */
static bool
waits(const walk *w, const lane *l)
{
	const fuzz_inst *i = &w->p->i[l->pc];
	uint32_t n = fuzz_threads(w->p), before;

	if (i->kind == I_LOCK)
		return w->taken[i->imm[0]];
	before = i->kind == I_CHAIN ? fuzz_chain_before(i, (uint32_t)(l - w->l), n) : NONE;

	return before != NONE && !(w->l[before].told >> i->imm[0] & 1);
}

static void
do_chain(const walk *w, lane *l, const fuzz_inst *i)
{
	uint32_t before = fuzz_chain_before(i, (uint32_t)(l - w->l), fuzz_threads(w->p));

	l->bad |= l->told >> i->imm[0] & 1;
	l->told |= 1u << i->imm[0];
	l->link[i->imm[0]] = fuzz_chain_link(before == NONE ? 0 : w->l[before].link[i->imm[0]], (uint32_t)get(l, 'r', i->src[0]));
	set(l, 'r', i->dst, l->link[i->imm[0]]);
}

static bool
first_of(const walk *w, lane *l, const fuzz_inst *i)
{
	uint32_t mask = i->src[0] == NONE ? w->warp_lanes[l->warp] : (uint32_t)get(l, 'r', i->src[0]);

	return mask && (uint32_t)__builtin_ctz(mask) == (uint32_t)(l - w->l) % 32;
}

/* ---- calls ---- */

/* What arrives of a value that is passed. */
static uint64_t
passed(unsigned a, uint64_t x)
{
	const fuzz_arg *g = &fuzz_args[a];

	x &= ~0ull >> (64 - g->bits);
	return g->sign ? (uint64_t)((int64_t)(x << (64 - g->bits)) >> (64 - g->bits)) : x;
}

static frame *innermost(const lane *l) { return l->nframes ? &l->frame[l->nframes - 1] : NULL; }

/* New registers, none of them written. */
static void
use_registers(const walk *w, lane *l, const uint32_t *total)
{
	size_t k = (size_t)(innermost(l) - w->frames);
	uint64_t *v = w->frame_values + k * w->frame_size;
	bool *d = w->frame_defs + k * w->frame_size;

	memset(d, 0, w->frame_size * sizeof *d);
	for (unsigned c = 0; c < NCLASS; v += total[c], d += total[c], c++) {
		l->v[c] = v;
		l->def[c] = d;
	}
}

static void
do_call(const walk *w, lane *l, const fuzz_inst *i)
{
	const fuzz_program *p = w->p;
	const fuzz_signature *s = &p->signature[i->imm[1]];
	uint32_t f = i->target[0] == NONE ? i->op : p->table[i->imm[1]][get(l, 'r', i->target[0]) & 3];
	frame new = { .pc = l->pc, .fuel = l->fuel, .dst = i->dst, .left = l->nframes ? innermost(l)->left - 1 : (uint32_t)i->imm[0], .func = f };

	for (unsigned k = 0; k < s->nargs; k++)
		new.arg[k] = passed(s->arg[k], get(l, fuzz_args[s->arg[k]].cls, i->src[k]));
	if (s->mask)
		new.mask = i->target[1] == NONE ? w->warp_lanes[l->warp] : (uint32_t)get(l, 'r', i->target[1]);
	/* One that may not go deeper is skipped, after its arguments are read. */
	if (l->nframes && innermost(l)->left < 1)
		return;
	memcpy(new.v, l->v, sizeof new.v);
	memcpy(new.def, l->def, sizeof new.def);
	memcpy(new.local, l->area[SP_LOCAL], AREA);
	memset(l->area[SP_LOCAL], 0, AREA);
	l->frame[l->nframes++] = new;
	use_registers(w, l, p->func[f].total);
	l->fuel = FUEL;
	l->pc = p->func[f].start + 1;
}

/* From a function, or from the kernel. */
static void
do_return(const walk *w, lane *l)
{
	const frame *f = innermost(l);
	uint32_t result;
	uint64_t x = 0;

	if (!f) {
		l->ended = true;
		return;
	}
	result = w->p->signature[w->p->func[f->func].signature].result;
	if (result != NO_ARG)
		x = passed(result, get(l, fuzz_args[result].cls, 0));
	memcpy(l->v, f->v, sizeof l->v);
	memcpy(l->def, f->def, sizeof l->def);
	memcpy(l->area[SP_LOCAL], f->local, AREA);
	l->pc = f->pc;
	l->fuel = f->fuel;
	l->nframes--;
	if (result != NO_ARG)
		set(l, fuzz_args[result].cls, f->dst, x);
}

static void
do_inst(const walk *w, lane *l, const fuzz_inst *i)
{
	const fuzz_program *p = w->p;
	bool go = guarded(l, i);

	l->pc++;
	if (i->kind == I_BACK && --l->fuel == 0) {
		l->fuel = 1;
		go = false;
	}
	if (i->kind == I_LOOP) {
		uint64_t n = get(l, 'r', i->dst) - 1;

		set(l, 'r', i->dst, n);
		go &= (int32_t)(uint32_t)n > 0;
	}
	if (!go)
		return;
	switch (i->kind) {
	case I_OP:        do_op(w, l, i); break;
	case I_INIT:      do_init(w, l, i); break;
	case I_OUT:       do_out(w, l, i); break;
	case I_BRA: case I_BACK: case I_LOOP: l->pc = p->label[i->target[0]]; break;
	case I_SWITCH:    l->pc = p->label[i->target[get(l, 'r', i->src[0]) & i->imm[0]]]; break;
	case I_COUNT:     set(l, 'r', i->dst, (i->src[0] == NONE ? 0 : get(l, 'r', i->src[0]) & i->imm[0]) + i->imm[1]); break;
	case I_SWAP:      do_swap(l, i); break;
	case I_PREDICATE: set(l, 'p', i->dst, get(l, 'p', i->src[0])); break;
	case I_RET:       if (i->imm[0]) l->ended = true; else do_return(w, l); break;
	case I_FUNC:      do_return(w, l); break;
	case I_CALL:      do_call(w, l, i); break;
	case I_ARG:       set(l, i->cls, i->dst, i->imm[0] == NO_ARG ? innermost(l)->mask : innermost(l)->arg[i->imm[0]]); break;
	case I_LOAD: case I_STORE: do_memory(w, l, i); break;
	case I_ATOM:      do_atom(l, i); break;
	case I_COPY:      do_copy(l, i); break;
	case I_LOCK: case I_UNLOCK: do_lock(w, l, i); break;
	case I_SUM: case I_TALLY: do_sum(w, l, i); break;
	case I_CHAIN:     do_chain(w, l, i); break;
	case I_NOT_FIRST: l->pc = first_of(w, l, i) ? l->pc : p->label[i->target[0]]; break;
	case I_NOT_TURN:  l->pc = ((l->tid[0] + l->tid[1] * p->block[0]) ^ get(l, 'r', i->src[0])) & i->imm[0] ? p->label[i->target[0]] : l->pc; break;
	case I_MASK:      set(l, 'r', i->dst, i->src[0] == NONE ? w->warp_lanes[l->warp] : get(l, 'r', i->src[0])); break;
	case I_PART:      l->pc = (l->ctaid[0] == i->imm[0]) != (i->neg != 0) ? p->label[i->target[0]] : l->pc; break;
	default: break;
	}
}

static bool
is_barrier(const fuzz_inst *i)
{
	return i->kind == I_EXCHANGE || i->kind == I_BARRIER || i->kind == I_REDUCE;
}

/* Lanes of the warp meet here. */
static bool
is_meeting(const fuzz_inst *i)
{
	return i->kind == I_WARP || i->kind == I_AGAIN || (i->kind == I_PART && i->form != PART_BLOCK);
}

/* Up to the end, the next barrier or meeting, or where it waits. Has it done what others may wait for? */
static bool
run_lane(const walk *w, lane *l)
{
	uint32_t told = l->told, given = l->given;

	while (!l->ended && !l->bad && l->pc < w->p->n && !is_barrier(&w->p->i[l->pc]) && !is_meeting(&w->p->i[l->pc]) && !waits(w, l)) {
		do_inst(w, l, &w->p->i[l->pc]);
		l->bad |= ++l->steps > MAX_STEPS;
		if (l->pc >= w->p->n)
			do_return(w, l);
	}
	/* One that holds a lock waits for its warp, or for another lock only. */
	l->bad |= l->held && (l->ended || !(is_meeting(&w->p->i[l->pc]) || w->p->i[l->pc].kind == I_LOCK));
	return l->told != told || l->given != given;
}

/* ---- meetings: l is a warp's first lane, n its number of lanes ---- */

static uint32_t
mask_of(lane *l, const fuzz_inst *i)
{
	uint32_t r = i->kind == I_WARP ? i->target[0] : i->src[0];

	return r == NONE ? UINT32_MAX : (uint32_t)get(l, 'r', r);
}

/* The lanes that a mask names and that have not ended, if they all are at one instruction with that mask; else 0. */
static uint32_t
met(const walk *w, lane *l, uint32_t n, uint32_t mask, uint32_t pc)
{
	uint32_t here = 0;

	for (uint32_t k = 0; k < n; k++) {
		if (!(mask >> k & 1) || l[k].ended)
			continue;
		if (l[k].pc != pc || mask_of(&l[k], &w->p->i[pc]) != mask)
			return 0;
		here |= 1u << k;
	}
	return here;
}

static uint32_t
ballot(lane *l, const fuzz_inst *i, uint32_t here)
{
	uint32_t yes = 0;

	for (uint32_t k = 0; k < 32; k++)
		if (here >> k & 1)
			yes |= (uint32_t)guarded(&l[k], i) << k;
	return yes;
}

/* A source that need not be a register. */
static uint32_t
value_or(lane *l, uint32_t reg, uint64_t constant)
{
	return reg == NONE ? (uint32_t)constant : (uint32_t)get(l, 'r', reg);
}

static void
read_sources(lane *l, const fuzz_inst *i, fuzz_warp *m, uint32_t k)
{
	const fuzz_wop *o = &fuzz_wops[i->op];

	if (o->a)
		m->a[k] = get(l, o->a, i->src[0]);
	if (o->a == 'p')
		m->a[k] ^= i->imm[3];
	else if (o->kind > W_IDX && o->kind != W_EXCHANGE)
		m->a[k] &= i->imm[0];
	m->b[k] = o->kind <= W_IDX ? value_or(l, i->src[1], i->imm[1]) : (uint32_t)i->imm[1];
	m->c[k] = o->kind <= W_IDX ? value_or(l, i->src[2], i->imm[2]) : 0;
}

static void
do_warp(const walk *w, lane *l, const fuzz_inst *i, uint32_t here, uint32_t alive)
{
	const fuzz_wop *o = &fuzz_wops[i->op];
	fuzz_warp m = { .alive = alive, .checked = fuzz_warp_checked(w->p, i) };

	m.here = ballot(l, i, here);
	m.mask = i->guard >= 0 ? m.here : i->target[0] == NONE ? w->warp_lanes[l->warp] : mask_of(&l[__builtin_ctz(here)], i);
	for (uint32_t k = 0; k < 32; k++)
		if (m.here >> k & 1)
			read_sources(&l[k], i, &m, k);
	l->bad |= !fuzz_warp_means(o, &m);
	for (uint32_t k = 0; k < 32; k++) {
		if (here >> k & 1)
			l[k].pc++;
		if (!(m.here >> k & 1))
			continue;
		if (o->dst)
			set(&l[k], o->dst, i->dst, m.d[k]);
		if (i->target[1] != NONE)
			set(&l[k], 'p', i->target[1], m.q[k]);
	}
}

static void
do_part(const walk *w, lane *l, const fuzz_inst *i, uint32_t here)
{
	uint32_t yes = ballot(l, i, here), go = yes;

	if (i->form == PART_VOTE) {
		unsigned kind = fuzz_wops[i->op].kind;
		bool is = kind == W_ALL ? yes == here : kind == W_ANY ? yes != 0 : yes == here || !yes;

		go = is != (i->imm[0] != 0) ? here : 0;
	}
	for (uint32_t k = 0; k < 32; k++) {
		if (!(here >> k & 1))
			continue;
		if (i->form == PART_BALLOT) {
			set(&l[k], 'r', i->dst, here & ~yes);
			set(&l[k], 'r', i->src[1], yes);
		}
		l[k].pc = go >> k & 1 ? w->p->label[i->target[0]] : l[k].pc + 1;
	}
}

static void
do_again(const walk *w, lane *l, const fuzz_inst *i, uint32_t here)
{
	uint32_t go = 0;

	for (uint32_t k = 0; k < 32; k++)
		if (here >> k & 1) {
			set(&l[k], 'r', i->dst, get(&l[k], 'r', i->dst) - 1);
			go |= (uint32_t)((int32_t)(uint32_t)get(&l[k], 'r', i->dst) > 0) << k;
		}
	for (uint32_t k = 0; k < 32; k++)
		if (here >> k & 1) {
			set(&l[k], 'r', i->src[0], go);
			l[k].pc = go >> k & 1 ? w->p->label[i->target[0]] : l[k].pc + 1;
		}
}

static bool
pass_meeting(const walk *w, lane *l, uint32_t n)
{
	uint32_t alive = 0;
	bool any = false;

	for (uint32_t k = 0; k < n; k++)
		alive |= (uint32_t)!l[k].ended << k;
	for (uint32_t k = 0; k < n; k++) {
		const fuzz_inst *i = &w->p->i[l[k].pc];
		uint32_t mask, here;

		/* A lane that has just passed the last instruction has not been said to be at its end yet. */
		if (l[k].ended || l[k].pc >= w->p->n || !is_meeting(i))
			continue;
		mask = mask_of(&l[k], i);
		l->bad |= !(mask >> k & 1);
		here = l->bad ? 0 : met(w, l, n, mask, l[k].pc);
		if (!here)
			continue;
		any = true;
		if (i->kind == I_WARP)
			do_warp(w, l, i, here, alive);
		else if (i->kind == I_PART)
			do_part(w, l, i, here);
		else
			do_again(w, l, i, here);
	}
	return any;
}

/* Runs until all lanes are at barriers or have ended, or wait for others forever. False: a lane is bad. */
static bool
run_lanes(const walk *w, uint32_t n)
{
	bool any;

	do {
		any = false;
		for (uint32_t k = 0; k < n; k++) {
			any |= run_lane(w, &w->l[k]);
			if (w->l[k].bad)
				return false;
		}
		for (uint32_t k = 0; k < n; k += 32)
			any |= pass_meeting(w, &w->l[k], n - k < 32 ? n - k : 32);
	} while (any);
	return true;
}

/* 1: all have passed a barrier, 0: all have ended, -1: neither, or a lane is bad. */
static int
pass_barrier(const walk *w, uint32_t n)
{
	lane *l = w->l;
	const fuzz_inst *i = &w->p->i[l[0].pc];
	uint32_t count = 0;

	for (uint32_t k = 0; k < n; k++)
		if (l[k].bad || l[k].ended != l[0].ended || (!l[0].ended && l[k].pc != l[0].pc))
			return -1;
	if (l[0].ended)
		return 0;
	if (!is_barrier(i))
		return -1;
	for (uint32_t k = 0; k < n && i->kind == I_EXCHANGE; k++)
		w->room[k] = get(&l[k], 'r', i->src[0]);
	for (uint32_t k = 0; k < n && i->kind == I_REDUCE; k++)
		count += get(&l[k], 'p', i->src[0]) != i->imm[1];
	for (uint32_t k = 0; k < n; k++) {
		if (i->kind == I_EXCHANGE)
			set(&l[k], 'r', i->dst, w->room[(i->imm[1] == 2 ? get(&l[k], 'r', i->src[1]) : i->imm[1] ? i->imm[0] : k + i->imm[0]) % n]);
		else if (i->kind == I_REDUCE)
			set(&l[k], i->imm[0] ? 'p' : 'r', i->dst, i->imm[0] == 0 ? count : i->imm[0] == 1 ? count == n : count != 0);
		l[k].pc++;
	}
	return 1;
}

static void
start(const walk *w, uint32_t k, uint32_t group)
{
	const fuzz_program *p = w->p;
	lane *l = &w->l[k];
	uint64_t *v = w->values;
	bool *d = w->defs;
	size_t per_lane = 0;

	for (unsigned c = 0; c < NCLASS; c++)
		per_lane += p->total[c];
	v += k * per_lane;
	d += k * per_lane;
	memset(d, 0, per_lane);
	memset(l, 0, sizeof *l);
	for (unsigned c = 0; c < NCLASS; v += p->total[c], d += p->total[c], c++) {
		l->v[c] = v;
		l->def[c] = d;
	}
	l->tid[0] = k % p->block[0];
	l->tid[1] = k / p->block[0];
	l->warp = k / 32;
	l->ctaid[0] = group % p->grid[0];
	l->ctaid[1] = group / p->grid[0];
	l->index = group * fuzz_threads(p) + k;
	l->fuel = FUEL;
	l->frame = w->frames + (size_t)k * MAX_DEEP;
}

static bool
run_group(const walk *w, uint32_t group)
{
	uint32_t n = fuzz_threads(w->p);
	int more;

	for (uint32_t k = 0; k < n; k++)
		start(w, k, group);
	do {
		if (!run_lanes(w, n))
			return false;
		more = pass_barrier(w, n);
	} while (more > 0);
	for (uint32_t k = 0; k < n; k++) {
		uint32_t *row = w->out + (size_t)w->l[k].index * (fuzz_stride(w->p) / 4);

		memcpy(row, w->l[k].area[SP_GLOBAL], AREA);
		for (uint32_t c = 0; c < w->p->nchains; c++) {
			row[AREA / 4 + w->p->chain_word + 2 * c] = w->l[k].told >> c & 1;
			row[AREA / 4 + w->p->chain_word + 2 * c + 1] = w->l[k].link[c];
		}
	}
	return more == 0;
}

bool
fuzz_walk(const fuzz_program *p, const uint64_t *in, const uint32_t *params, uint32_t *out)
{
	size_t per_lane = 0, n = fuzz_threads(p);
	bool taken[NLOCK];
	walk w = { .p = p, .in = in, .params = params, .out = out, .taken = taken };
	bool ok = true;

	for (unsigned c = 0; c < NCLASS; c++)
		per_lane += p->total[c];
	w.values = calloc(per_lane * n + 1, sizeof *w.values);
	w.defs = calloc(per_lane * n + 1, sizeof *w.defs);
	w.room = calloc(n, sizeof *w.room);
	w.l = calloc(n, sizeof *w.l);
	for (uint32_t f = 0; f < p->nfuncs; f++) {
		size_t size = 0;

		for (unsigned c = 0; c < NCLASS; c++)
			size += p->func[f].total[c];
		if (size > w.frame_size)
			w.frame_size = size;
	}
	w.frames = calloc(p->nfuncs ? n * MAX_DEEP : 1, sizeof *w.frames);
	w.frame_values = calloc(n * MAX_DEEP * w.frame_size + 1, sizeof *w.frame_values);
	w.frame_defs = calloc(n * MAX_DEEP * w.frame_size + 1, sizeof *w.frame_defs);
	if (!w.frames || !w.frame_values || !w.frame_defs || !w.values || !w.defs || !w.room || !w.l)
		abort();
	for (uint32_t k = 0; k < n; k++)
		w.warp_lanes[k / 32] |= 1u << k % 32;
	memset(out, 0, fuzz_out_size(p));
	for (uint32_t g = 0; ok && g < p->grid[0] * p->grid[1]; g++) {
		memset(taken, 0, sizeof taken);
		w.tail = p->waits ? out + fuzz_tail(p) / 4 + (size_t)g * TAIL : NULL;
		ok = run_group(&w, g);
	}
	free(w.values);
	free(w.defs);
	free(w.room);
	free(w.l);
	free(w.frames);
	free(w.frame_values);
	free(w.frame_defs);
	return ok;
}
