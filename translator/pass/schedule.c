/* schedule.c -- loads go out before anything waits for the first of them.
 * Needs machine SSA; leaves the same instructions in each block in another order. Where an instruction would wait for a load
 * that is under way, the loads behind it in the block that do not depend on it come first, each with what its address is
 * computed by: so several loads are waited for together, and each has had more time.
 *
 * Only loads and their addresses move, only up, and only within a block, so that no lane loads what it would not have loaded.
 * They stay behind stores to memory that may be the same, and behind everything that orders memory, changes EXEC or may not
 * be moved. A block whose registers would not suffice (pressure.h) gets fewer loads at once, or stays as it was; a kernel
 * that needs most of its registers anyway is left alone: no order makes spills. */
#include "pass/pressure.h"

enum { WINDOW = 96 };           /* nodes behind a waiting one that are looked at */
enum { MOST_NODES = 512 };      /* of a region */
enum { MOST_HELPERS = 12 };     /* nodes that a load takes along */
enum { SCALARS = 64 };          /* SGPRs that the pass may fill */

/* An instruction and those glued to it. */
typedef struct node {
	ir_inst *first, *last;
	VEC(struct need { uint32_t node; bool reads; }) needs; /* nodes whose results it reads, or writes other parts of */
	uint32_t issued;         /* a load under way: its place among those of its counter; 0: no such */
	uint32_t stamp;          /* slice it is in */
	int counter;             /* of a load that may move; -1 */
	bool movable, done;
} node;

typedef struct sched {
	ir_func *f;
	pressure P;
	uint64_t *scratch;
	uint32_t limit[PR_NBANKS];
	node *node;              /* of the region */
	uint32_t n;
	uint32_t *writer;        /* by value: node that wrote it last + 1, if that is of this region */
	uint32_t *order, norder; /* nodes as they are to stand */
	uint32_t clock, stamp;
	uint32_t ahead, most;    /* dwords of loads that went ahead and are not waited for yet; at most */
} sched;

/* ---- what may move ---- */

static bool
joined(const ir_inst *i)
{
	return i->glue || i->m.op == P_cbr_scc;
}

static const isa_info *
row_of(const ir_inst *i)
{
	return ir_is_machine(i->m.op) ? &isa_table[i->m.op] : NULL;
}

static bool
is_memory(const ir_inst *i)
{
	const isa_info *row = row_of(i);

	return row && (row->cls == ISA_SMEM || row->cls == ISA_VMEM || row->cls == ISA_FLAT || row->cls == ISA_DS);
}

static bool
is_vcc(const ir_opnd *o)
{
	return o->kind == P2A_K_SREG && (o->reg == P2A_VCC || o->reg == P2A_VCC_HI);
}

/* Nothing moves over it. */
static bool
is_fence(const ir_inst *i)
{
	const isa_info *row = row_of(i);

	for (unsigned k = 0; k < i->ndefs; k++)
		if (!ir_is_val(i->m.arg[k]) && !is_vcc(&i->m.arg[k]) && i->m.arg[k].reg != P2A_NULL)
			return true;
	if (!row)
		return i->m.op != P_copy && i->m.op != P_undef;
	if (row->eff & ISA_W_EXEC)
		return true;
	if (is_memory(i))
		return i->mem.vol || i->mem.order > IR_WEAK || (row->eff & ISA_SIDE && !(row->eff & (ISA_LOAD | ISA_STORE)));
	return row->eff & ISA_SIDE || (row->cls != ISA_SALU && row->cls != ISA_VALU && row->cls != ISA_TRANS);
}

/* Reads memory, and nothing else. */
static bool
is_load(const ir_inst *i)
{
	return is_memory(i) && i->ndefs && i->mem.bytes &&
	       (isa_table[i->m.op].eff & (ISA_LOAD | ISA_STORE | ISA_ATOMIC | ISA_TIED)) == ISA_LOAD;
}

/* A part of an address: pure, not of floats, for which MODE would have to be set anew. */
static bool
is_helper(const ir_inst *i)
{
	const isa_info *row = row_of(i);

	if (!row)
		return true;
	if (is_memory(i) || row->eff & (ISA_FLOAT | ISA_R_M0))
		return false;
	for (unsigned k = i->ndefs; k < i->m.nargs; k++)
		if (i->m.arg[k].kind == P2A_K_SREG && !is_vcc(&i->m.arg[k]) && i->m.arg[k].reg > P2A_EXEC_HI)
			return false;
	return true;
}

/* ---- memory ---- */

static bool
has_two_offsets(unsigned op)
{
	static const uint16_t two[] = { OP_ds_read2_b32, OP_ds_read2st64_b32, OP_ds_read2_b64, OP_ds_read2st64_b64,
		OP_ds_write2_b32, OP_ds_write2st64_b32, OP_ds_write2_b64, OP_ds_write2st64_b64 };

	for (unsigned k = 0; k < COUNT(two); k++)
		if (two[k] == op)
			return true;
	return false;
}

/* Load l and store s by the same registers, at offsets that do not meet? */
static bool
apart(const ir_inst *l, const ir_inst *s)
{
	const ir_opnd *a = l->m.arg, *b = s->m.arg;
	const isa_info *row = row_of(s);

	if (row->cls != isa_table[l->m.op].cls || (row->cls != ISA_DS && row->cls != ISA_VMEM))
		return false;
	if (row->eff & ISA_ATOMIC || s->ndefs || has_two_offsets(l->m.op) || has_two_offsets(s->m.op))
		return false;
	if (!ir_same(a[1], b[0]) || (row->cls == ISA_VMEM && (l->m.nargs < 3 || s->m.nargs < 3 || !ir_same(a[2], b[2]))))
		return false;
	return l->m.offset + l->mem.bytes <= s->m.offset || s->m.offset + s->mem.bytes <= l->m.offset;
}

static bool
may_meet(const ir_inst *l, const ir_inst *s)
{
	if (!is_memory(s) || !(isa_table[s->m.op].eff & (ISA_STORE | ISA_ATOMIC)) || ir_reads_constant(l))
		return false;
	if (l->mem.space != IR_GENERIC && s->mem.space != IR_GENERIC && l->mem.space != s->mem.space)
		return false;
	return !apart(l, s);
}

/* ---- nodes of a region ---- */

static void
need(sched *S, node *x, uint32_t v, bool reads)
{
	if (S->writer[v] && S->writer[v] - 1 != (uint32_t)(x - S->node))
		*vec_push(S->f->A, &x->needs) = (struct need){ S->writer[v] - 1, reads };
}

static void
add_inst(sched *S, node *x, ir_inst *i)
{
	x->last = i;
	x->movable &= is_load(i) || is_helper(i);
	for (unsigned k = 0; k < i->m.nargs; k++)
		if (ir_is_val(i->m.arg[k]))
			need(S, x, i->m.arg[k].reg, k >= i->ndefs);
	for (unsigned k = 0; k < i->ndefs; k++) {
		if (!ir_is_val(i->m.arg[k]))
			continue;
		/* another part of a value: whoever reads in between must not be overtaken */
		x->movable &= !S->writer[i->m.arg[k].reg] || S->writer[i->m.arg[k].reg] - 1 == (uint32_t)(x - S->node) || is_load(i);
		S->writer[i->m.arg[k].reg] = (uint32_t)(x - S->node) + 1;
	}
}

/* The region from `first` on; the instruction behind it. */
static ir_inst *
collect(sched *S, ir_inst *first)
{
	ir_inst *i = first;

	S->n = 0;
	while (i && S->n < MOST_NODES && !is_fence(i) && !joined(i)) {
		node *x = &S->node[S->n];
		ir_inst *end = i->next;

		while (end && joined(end) && !is_fence(end))
			end = end->next;
		if (end && joined(end))
			break;
		*x = (node){ .first = i, .counter = -1, .movable = true };
		for (; i != end; i = i->next)
			add_inst(S, x, i);
		if (x->first == x->last && is_load(x->first) && x->movable)
			x->counter = isa_counter_of(S->f->target, x->first->m.op, NULL);
		S->n++;
	}
	return i;
}

static void
forget(sched *S)
{
	for (uint32_t k = 0; k < S->n; k++)
		for (const ir_inst *i = S->node[k].first; ; i = i->next) {
			for (unsigned d = 0; d < i->ndefs; d++)
				if (ir_is_val(i->m.arg[d]))
					S->writer[i->m.arg[d].reg] = 0;
			if (i == S->node[k].last)
				break;
		}
}

/* ---- ordering ---- */

static uint32_t
width(const node *x)
{
	return x->first->m.arg[0].width;
}

static bool
waits(const sched *S, const node *x)
{
	for (uint32_t k = 0; k < x->needs.n; k++)
		if (x->needs.a[k].reads && S->node[x->needs.a[k].node].issued)
			return true;
	return false;
}

/* What x waits for is there afterwards, and what was issued before that. */
static void
arrive(sched *S, const node *x)
{
	for (uint32_t k = 0; k < x->needs.n; k++) {
		const node *l = &S->node[x->needs.a[k].node];
		uint32_t issued = x->needs.a[k].reads ? l->issued : 0;

		for (uint32_t j = 0; issued && j < S->n; j++)
			if (S->node[j].counter == l->counter && S->node[j].issued <= issued) {
				S->ahead -= S->node[j].issued ? MIN(S->ahead, width(&S->node[j])) : 0;
				S->node[j].issued = 0;
			}
	}
}

static void
emit(sched *S, uint32_t k)
{
	node *x = &S->node[k];

	arrive(S, x);
	x->done = true;
	S->order[S->norder++] = k;
	if (x->counter >= 0) {
		x->issued = ++S->clock;
		S->ahead += width(x);
	}
}

/* Marks node k and what it still needs; false: something of it may not move, or would wait. */
static bool
slice(sched *S, uint32_t k, unsigned *left)
{
	node *x = &S->node[k];

	if (x->done || x->stamp == S->stamp)
		return true;
	if (!x->movable || waits(S, x) || !*left)
		return false;
	--*left;
	x->stamp = S->stamp;
	for (uint32_t n = 0; n < x->needs.n; n++)
		if (S->node[x->needs.a[n].node].counter >= 0 && !S->node[x->needs.a[n].node].done)
			return false;
		else if (!slice(S, x->needs.a[n].node, left))
			return false;
	return true;
}

static bool
may_pass(const sched *S, uint32_t from, uint32_t load)
{
	for (uint32_t k = from; k < load; k++) {
		const node *x = &S->node[k];

		for (const ir_inst *i = x->first; !x->done; i = i->next) {
			if (may_meet(S->node[load].first, i))
				return false;
			if (i == x->last)
				break;
		}
	}
	return true;
}

/* Node `at` is about to wait: loads behind it go first. */
static void
loads_first(sched *S, uint32_t at)
{
	for (uint32_t k = at + 1; k < S->n && k < at + WINDOW; k++) {
		node *x = &S->node[k];
		unsigned left = MOST_HELPERS;

		if (x->counter < 0 || x->done || S->ahead + width(x) > S->most)
			continue;
		S->stamp++;
		if (!slice(S, k, &left) || !may_pass(S, at, k))
			continue;
		for (uint32_t j = at; j <= k; j++)
			if (S->node[j].stamp == S->stamp && !S->node[j].done)
				emit(S, j);
	}
}

/* False: the order stays. */
static bool
find_order(sched *S, uint32_t most)
{
	bool moved = false;

	S->norder = S->ahead = 0;
	S->most = most;
	for (uint32_t k = 0; k < S->n; k++) {
		S->node[k].done = false;
		S->node[k].issued = S->node[k].stamp = 0;
	}
	for (uint32_t k = 0; k < S->n; k++) {
		if (S->node[k].done)
			continue;
		if (waits(S, &S->node[k])) {
			uint32_t before = S->norder;

			loads_first(S, k);
			moved |= S->norder != before;
		}
		emit(S, k);
	}
	return moved;
}

static void
move(node *x, ir_block *b, ir_inst *before)
{
	for (ir_inst *i = x->first, *next; ; i = next) {
		next = i->next;
		ir_remove(i);
		ir_insert(b, before, i);
		if (i == x->last)
			break;
	}
}

/* Puts the nodes in front of `end` in the found order, or in that of the text. */
static void
write_order(sched *S, ir_block *b, ir_inst *end, bool found)
{
	for (uint32_t k = 0; k < S->n; k++)
		move(&S->node[found ? S->order[k] : k], b, end);
}

static bool
suffice(sched *S, const ir_block *b)
{
	uint32_t peak[PR_NBANKS];

	pr_peak(&S->P, b, S->scratch, peak);
	return peak[PR_S] <= S->limit[PR_S] && peak[PR_V] <= S->limit[PR_V];
}

static void
order_region(sched *S, ir_block *b, ir_inst *end)
{
	for (uint32_t most = 64; most >= 4; most /= 2) {
		if (!find_order(S, most))
			return;
		write_order(S, b, end, true);
		if (suffice(S, b))
			return;
		write_order(S, b, end, false);
	}
}

static void
order_block(sched *S, ir_block *b)
{
	for (ir_inst *i = b->first, *end; i; i = end) {
		end = collect(S, i);
		if (S->n > 1)
			order_region(S, b, end);
		forget(S);
		if (!S->n)
			end = i->next;
	}
}

/* ---- how many registers ---- */

/* VGPRs that cost no wave, or few where a wave has few. */
static uint32_t
cheap_vgprs(const p2a_target *t)
{
	return t->vgpr_file >= 512 ? 64 : 32;
}

/* Three quarters of the registers that there are stay enough: phis, masks and pairs want theirs too. */
static bool
find_limits(sched *S)
{
	uint32_t there[PR_NBANKS] = { S->f->target->sgprs, S->f->max_vgprs ? S->f->max_vgprs : S->f->target->vgprs };
	uint32_t most[PR_NBANKS] = { 0 }, peak[PR_NBANKS];

	for (uint32_t k = 0; k < S->f->blocks.n; k++) {
		pr_peak(&S->P, S->f->blocks.a[k], S->scratch, peak);
		for (unsigned j = 0; j < PR_NBANKS; j++)
			most[j] = MAX(most[j], peak[j]);
	}
	S->limit[PR_S] = MIN(MAX(most[PR_S], (uint32_t)SCALARS), there[PR_S] * 3 / 4);
	S->limit[PR_V] = MIN(MAX(most[PR_V], cheap_vgprs(S->f->target)), there[PR_V] * 3 / 4);
	return most[PR_S] <= S->limit[PR_S] && most[PR_V] <= S->limit[PR_V];
}

void
p_schedule(ir_func *f)
{
	sched S = { .f = f };

	if (!pr_find(&S.P, f))
		return;
	S.scratch = arena_array(f->A, uint64_t, S.P.words);
	if (!find_limits(&S))
		return;
	S.node = arena_array(f->A, node, MOST_NODES);
	S.order = arena_array(f->A, uint32_t, MOST_NODES);
	S.writer = arena_array(f->A, uint32_t, f->vals.n);
	for (uint32_t b = 0; b < f->blocks.n; b++)
		order_block(&S, f->blocks.a[b]);
}
