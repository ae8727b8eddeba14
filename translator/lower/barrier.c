/* barrier.c -- bar and barrier: the whole block's by the machine's barrier, others by words in LDS.
 * Needs L->in; leaves G_barrier, G_await, and LDS words that the kernel's first instructions clear (room_of).
 * Manual: "Parallel Thread Execution ISA", 9.7.13.1 (barrier), 9.7.13.2 (bar.warp.sync).
 *
 * A barrier for a number of threads is a word in LDS, phase << 16 | threads that have arrived in it. A warp
 * arrives by adding 32 and learns from the old value which phase it is in; who completes the number adds
 * 65536 - number, at once for all: the next phase, with those counted in it who came early. */
#include "lower/mem.h"

enum { WARP = 32, BARRIERS = 16, TURNS = 3 };
/* Words: of the block's reductions, in turn; of each counted barrier. */
enum { BAR_WORD = 4 * TURNS, BAR_SUM = 4, BAR_RESULT = 8 /* two, by phase: sum - (warps that have not read << 16) */, BAR_SIZE = 16, ROOM = BAR_WORD + BARRIERS * BAR_SIZE };

typedef struct bar {
	ir_opnd id, count;       /* count.kind 0: the whole block */
	ir_opnd pred;            /* red's */
} bar;

/* ---- LDS words ---- */

static ir_opnd
word(lower *L, unsigned gop, ir_opnd at, int32_t offset, const ir_opnd *data)
{
	ir_opnd src[2] = { at, data ? *data : at }, d = { 0 };
	ir_inst *i;

	if (gop == G_store) {
		ir_emit(&L->b, G_store, 0, 2, src);
	} else {
		d = ir_valop(L->F, ir_new_val(L->F, 1));
		ir_gen_to(&L->b, d, gop, data ? 2 : 1, src);
	}
	i = ir_last(&L->b);
	i->m.offset = offset;
	i->mem = (ir_mem){ .space = IR_SHARED, .bytes = 4, .align = 4, .vol = 1, .order = IR_RELAXED, .scope = IR_CTA,
		.rmw = gop == G_atomic ? IR_RMW_add : IR_RMW_NONE };
	return d;
}

static ir_opnd
load(lower *L, ir_opnd at, int32_t offset)
{
	return word(L, G_load, at, offset, NULL);
}

static void
store(lower *L, ir_opnd at, int32_t offset, ir_opnd v)
{
	word(L, G_store, at, offset, &v);
}

static ir_opnd
add(lower *L, ir_opnd at, int32_t offset, ir_opnd v)
{
	return word(L, G_atomic, at, offset, &v);
}

/* All zero before any thread comes to its first barrier. */
static ir_opnd
room_of(lower *L)
{
	ir_builder here = L->b;
	ir_opnd zero = ir_i32(0);

	if (L->bar_turn.kind)
		return L->bar_room;
	L->bar_turn = ir_valop(L->F, ir_new_val(L->F, 1));
	L->b = (ir_builder){ L->F, L->F->entry, L->F->entry->first, L->b.loc };
	ir_gen_to(&L->b, L->bar_turn, G_copy32, 1, &zero);
	for (int32_t at = 0; at < ROOM; at += 4)
		store(L, L->bar_room, at, zero);
	ir_g0(&L->b, G_barrier);
	L->b = here;
	return L->bar_room;
}

/* ---- one lane of each warp ---- */

/* Runs what follows, up to all_again, in one lane of the warp; returns where the others wait. */
static ir_block *
one_lane(lower *L)
{
	ir_block *body = ir_new_block(L->F), *join = ir_new_block(L->F);

	lo_branch(L, lo_is_first(L), body, join);
	lo_start(L, body);
	return join;
}

static void
all_again(lower *L, ir_block *join)
{
	lo_start(L, join);
}

/* How many lanes of the warp have a predicate that counts: false ones for .and. */
static ir_opnd
votes(lower *L, ir_opnd pred)
{
	ir_builder *B = &L->b;

	if (lo_has(L, PTX_M_and))
		pred = ir_g1(B, G_not1, pred);
	return ir_g1(B, G_popc32, ir_g1(B, G_ballot, pred));
}

static void
set_result(lower *L, ir_opnd sum)
{
	if (lo_has(L, PTX_M_popc))
		lo_dst(L, sum);
	else
		lo_dst(L, ir_icmp(&L->b, 32, lo_has(L, PTX_M_and) ? IR_EQ : IR_NE, sum, ir_i32(0)));
}

/* ---- the whole block ---- */

static int32_t
kind_of(const lower *L)
{
	return L->in->op == PTX_OP_barrier && !lo_has(L, PTX_M_aligned) ? IR_BAR_FREE : IR_BAR_ALIGNED;
}

static void
machine_barrier(lower *L)
{
	ir_g0(&L->b, G_barrier);
	ir_last(&L->b)->m.offset = kind_of(L);
}

/* Three words in turn: warps add to one, and empty the next, which was last read two reductions ago, that is
 * before all warps came to the last one. */
static void
reduce_block(lower *L, ir_opnd pred)
{
	ir_builder *B = &L->b;
	ir_opnd room = room_of(L), turn = L->bar_turn, next, last, n = votes(L, pred);
	ir_block *join;

	last = ir_icmp(B, 32, IR_EQ, turn, ir_i32(4 * (TURNS - 1)));
	next = ir_g3(B, G_sel32, last, ir_i32(0), ir_g2(B, G_add32, turn, ir_i32(4)));
	join = one_lane(L);
	store(L, ir_g2(B, G_add32, room, next), 0, ir_i32(0));
	add(L, ir_g2(B, G_add32, room, turn), 0, n);
	all_again(L, join);
	machine_barrier(L);
	n = load(L, ir_g2(B, G_add32, room, turn), 0);
	ir_gen_to(B, turn, G_copy32, 1, &next);
	set_result(L, n);
}

/* ---- a number of threads ---- */

/* The word with the result of a phase. */
static ir_opnd
result_of(lower *L, ir_opnd at, ir_opnd phase)
{
	ir_builder *B = &L->b;
	ir_opnd odd = ir_g3(B, G_bfe_u32, phase, ir_i32(16), ir_i32(1));

	return ir_g2(B, G_add32, ir_g2(B, G_add32, at, ir_i32(BAR_RESULT)), ir_g2(B, G_shl32, odd, ir_i32(2)));
}

/* Waits until a word is past another by a phase. */
static void
await(lower *L, ir_opnd at, ir_opnd phase)
{
	const ir_opnd src[2] = { at, phase };

	ir_emit(&L->b, G_await, 0, 2, src)->m.offset = kind_of(L);
}

/* Warps that took part two phases ago, and in none since, may not have read that result, in whose place this one's will be:
 * it is below zero until then. They wait for nobody. */
static void
await_readers(lower *L, ir_opnd at)
{
	await(L, result_of(L, at, load(L, at, 0)), ir_i32(0xffff0000));
}

/* By the last to arrive. */
static void
tell(lower *L, const bar *b, ir_opnd at, ir_opnd phase)
{
	ir_builder *B = &L->b;
	ir_opnd sum = load(L, at, BAR_SUM), warps = ir_g2(B, G_shl32, ir_g2(B, G_lshr32, b->count, ir_i32(5)), ir_i32(16));

	store(L, at, BAR_SUM, ir_i32(0));
	store(L, result_of(L, at, phase), 0, ir_g2(B, G_sub32, sum, warps));
}

/* The result, read once by the warp. */
static ir_opnd
told(lower *L, ir_opnd at, ir_opnd phase)
{
	ir_builder *B = &L->b;
	ir_opnd here = ir_valop(L->F, ir_new_val(L->F, 1)), zero = ir_i32(0), old;
	ir_block *join;

	ir_gen_to(B, here, G_copy32, 1, &zero);
	at = result_of(L, at, phase);
	join = one_lane(L);
	old = ir_g2(B, G_and32, add(L, at, 0, ir_i32(0x10000)), ir_i32(0xffff));
	ir_gen_to(B, here, G_copy32, 1, &old);
	all_again(L, join);
	return lo_from_first(L, here);
}

/* The warp is counted. *phase: the one it is in, << 16. */
static void
arrive(lower *L, const bar *b, ir_opnd at, ir_opnd *phase)
{
	ir_builder *B = &L->b;
	ir_opnd here = ir_valop(L->F, ir_new_val(L->F, 1)), zero = ir_i32(0), old, early, n;
	ir_block *join, *last = ir_new_block(L->F), *done = ir_new_block(L->F);

	ir_gen_to(B, here, G_copy32, 1, &zero);         /* other lanes' is read below, if not used */
	join = one_lane(L);
	old = add(L, at, 0, ir_i32(WARP));
	n = ir_g2(B, G_and32, old, ir_i32(0xffff));
	early = ir_icmp(B, 32, IR_HS, n, b->count);
	n = ir_g3(B, G_sel32, early, ir_g2(B, G_sub32, n, b->count), n);
	old = ir_g2(B, G_and32, old, ir_i32(0xffff0000));
	old = ir_g3(B, G_sel32, early, ir_g2(B, G_add32, old, ir_i32(0x10000)), old);
	ir_gen_to(B, here, G_copy32, 1, &old);
	lo_branch(L, ir_icmp(B, 32, IR_EQ, ir_g2(B, G_add32, n, ir_i32(WARP)), b->count), last, done);
	lo_start(L, last);
	if (b->pred.kind)
		tell(L, b, at, here);
	add(L, at, 0, ir_g2(B, G_sub32, ir_i32(0x10000), b->count));
	lo_start(L, done);
	all_again(L, join);
	*phase = lo_from_first(L, here);
}

static void
meet_some(lower *L, const bar *b)
{
	ir_builder *B = &L->b;
	ir_opnd at = ir_g2(B, G_shl32, ir_g2(B, G_and32, b->id, ir_i32(BARRIERS - 1)), ir_i32(4)), phase, n;
	ir_block *join;

	at = ir_g2(B, G_add32, at, ir_i32((uint32_t)room_of(L).imm + BAR_WORD));
	lo_meet(L, ir_i32(UINT32_MAX), IR_MEET_COUNTED);
	lo_fence(L, IR_RELEASE, IR_CTA);
	if (b->pred.kind) {
		await_readers(L, at);
		n = votes(L, b->pred);
		join = one_lane(L);
		add(L, at, BAR_SUM, n);
		all_again(L, join);
	}
	arrive(L, b, at, &phase);
	if (lo_has(L, PTX_M_arrive))
		return;
	await(L, at, phase);
	lo_fence(L, IR_ACQUIRE, IR_CTA);
	if (b->pred.kind)
		set_result(L, told(L, at, phase));
}

/* ---- which it is ---- */

static bool
is_whole_block(const lower *L, const ptx_operand *o)
{
	const uint32_t *n = L->F->reqntid;

	return o->kind == PTX_O_INT && n[0] && (uint64_t)o->ival == (uint64_t)n[0] * n[1] * n[2];
}

/* Of the block: bar.warp.sync is none, its operand is a mask. */
static bool
is_barrier(const ptx_inst *in)
{
	for (unsigned k = 0; k < in->nmods; k++)
		if (in->mod[k] == PTX_M_warp)
			return false;
	return in->op == PTX_OP_bar || in->op == PTX_OP_barrier;
}

/* The operands' places. .red: d, a, {b,} c; else a {, b} */
static void
places(const ptx_inst *in, unsigned *id, unsigned *count)
{
	bool red = false;

	for (unsigned k = 0; k < in->nmods; k++)
		red |= in->mod[k] == PTX_M_red;
	*id = red;
	*count = in->nops > (red ? 3u : 1u) ? *id + 1 : 0;
}

/* The barriers that statements use with a count (or without); bit 16: one known at run time only. */
static uint32_t
used(const lower *L, const ptx_stmt *s, bool counted)
{
	uint32_t set = 0;
	unsigned id, count;

	for (; s; s = s->next) {
		const ptx_operand *o;

		if (s->kind == PTX_S_BLOCK)
			set |= used(L, s->body, counted);
		if (s->kind != PTX_S_INST || !is_barrier(&s->inst) || !s->inst.nops)
			continue;
		places(&s->inst, &id, &count);
		o = &s->inst.ops[id];
		if (id < s->inst.nops && counted == (count && !is_whole_block(L, &s->inst.ops[count])))
			set |= o->kind == PTX_O_INT ? 1u << (o->ival & (BARRIERS - 1)) : 1u << BARRIERS;
	}
	return set;
}

static bool
reduces(const ptx_stmt *s)
{
	bool red = false;

	for (; s; s = s->next) {
		if (s->kind == PTX_S_BLOCK)
			red |= reduces(s->body);
		for (unsigned k = 0; s->kind == PTX_S_INST && is_barrier(&s->inst) && k < s->inst.nmods; k++)
			red |= s->inst.mod[k] == PTX_M_red;
	}
	return red;
}

void
lower_bar_meet(lower *L, const ptx_func *f)
{
	L->bar_counted |= used(L, f->body, true);
	L->bar_plain |= used(L, f->body, false);
	L->bar_reduces |= reduces(f->body);
}

uint64_t
lower_bar_room(lower *L, uint64_t end)
{
	L->bar_turn = (ir_opnd){ 0 };
	if (!L->bar_reduces && !L->bar_counted)
		return end;
	end = (end + 3) & ~(uint64_t)3;
	L->bar_room = ir_i32((uint32_t)end);
	return end + ROOM;
}

/* The machine's barrier and the words in LDS do not know of each other. */
static bool
mixed(const lower *L)
{
	uint32_t with = L->bar_counted, without = L->bar_plain;

	return with & without || (with && without && (with | without) >> BARRIERS);
}

/* Without a count, or with that of the whole block, every thread takes part in each barrier whatever its
 * number, so that no two can be open at once: one is enough. */
void
lower_bar(lower *L)
{
	unsigned id, count;
	bar b = { 0 };

	places(L->in, &id, &count);
	if (count && is_whole_block(L, &L->in->ops[count]))
		count = 0;
	if (lo_has(L, PTX_M_red))
		b.pred = lo_src(L, L->in->nops - 1u, PTX_PRED);
	b.id = lo_src(L, id, PTX_U32);
	if (count)
		b.count = lo_src(L, count, PTX_U32);
	if (count && mixed(L))
		lo_refuse(L, ": the kernel uses this barrier without a thread count too");
	if (L->refused)
		return;
	if (count)
		meet_some(L, &b);
	else if (b.pred.kind)
		reduce_block(L, b.pred);
	else
		machine_barrier(L);
}

/* A block is its own cluster. Who has come to the wait has arrived before. */
void
lower_cluster_wait(lower *L)
{
	machine_barrier(L);
}
