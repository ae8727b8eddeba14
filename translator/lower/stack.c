/* stack.c -- a stack in private memory: frames of functions that call themselves, alloca, and the
 * values that a call may overwrite before it comes back.
 * Needs a kernel's bodies in generic mutable form; leaves stores and loads around such calls. The stack
 * lies behind the variables, grows upwards, and ends in a trap where it is full.
 * Manual: "Parallel Thread Execution ISA", 7.3 (alloca), 9.7.12.5 (call). */
#include <string.h>

#include "lower/lower.h"

typedef struct site { ir_block *jump, *back; ir_inst *after; bool comes_back; } site;
typedef struct body { uint32_t first, end; ir_block *tail; uint32_t site; } body;

typedef struct lower_stack {
	ir_opnd sp;
	uint32_t start;          /* of the stack, in private memory */
	VEC(site) sites;
	VEC(body) bodies;        /* of functions that call themselves */
	VEC(uint32_t) kept_out;  /* values that belong to the calls themselves */
	bool used;
} lower_stack;

/* At the start of a kernel. */
void
lower_stack_reset(lower *L)
{
	lower_stack *S = arena_new(L->A, lower_stack);

	S->start = L->F->local_size;
	S->sp = ir_valop(L->F, ir_new_val(L->F, 1));
	L->stack = S;
	lower_stack_exclude(L, S->sp.reg);
}

ir_opnd
lower_sp(lower *L)
{
	L->stack->used = true;
	return L->stack->sp;
}

void
lower_stack_exclude(lower *L, uint32_t val)
{
	*vec_push(L->A, &L->stack->kept_out) = val;
}

void
lower_stack_check(lower *L)
{
	ir_block *full = ir_new_block(L->F), *fits = ir_new_block(L->F);
	ir_opnd end = ir_i32(L->stack->start + L->opt->stack);

	lo_branch(L, ir_icmp(&L->b, 32, IR_HI, L->stack->sp, end), full, fits);
	lo_start(L, full);
	lo_trap(L, ISA_TRAP_STACK);
	lo_start(L, fits);
}

void
lower_stack_site(lower *L, ir_block *jump, ir_block *back, bool comes_back)
{
	*vec_push(L->A, &L->stack->sites) = (site){ jump, back, jump->last, comes_back };
}

/* Blocks L->order[first..end) are a body, left through tail by the number in value `number`. */
void
lower_stack_body(lower *L, uint32_t first, uint32_t end, ir_block *tail, uint32_t number)
{
	*vec_push(L->A, &L->stack->bodies) = (body){ first, end, tail, number };
}

/* ---- which values live across a call ---- */

/* Liveness inside one body, where a jump to another leads straight to the place behind it. Blocks are numbered by
 * ir_block.mark from 1, values by ir_val.var from 1. */
typedef struct live {
	lower *L;
	const body *b;
	ir_block **block, **over;        /* over: behind the call that ends the block; NULL: it ends otherwise */
	uint32_t nblocks, words;
	VEC(uint32_t) vals;              /* value ids by number - 1 */
	uint64_t *in, *use, *def;        /* a row of words each block */
} live;

static uint32_t
number_of(live *v, ir_opnd o)
{
	ir_val *x = &v->L->F->vals.a[o.reg];

	if (!x->var) {
		*vec_push(v->L->A, &v->vals) = o.reg;
		x->var = v->vals.n;
	}
	return x->var - 1;
}

static void
number_all(live *v)
{
	for (uint32_t b = 0; b < v->nblocks; b++)
		for (ir_inst *i = v->block[b]->first; i; i = i->next)
			for (unsigned k = 0; k < i->m.nargs; k++)
				if (ir_is_val(i->m.arg[k]))
					number_of(v, i->m.arg[k]);
	number_of(v, ir_valop(v->L->F, v->b->site));
	v->words = (v->vals.n + 63) / 64;
}

static void
set_bit(uint64_t *row, uint32_t k)
{
	row[k / 64] |= (uint64_t)1 << (k % 64);
}

static bool
has_bit(const uint64_t *row, uint32_t k)
{
	return row[k / 64] >> (k % 64) & 1;
}

static void
scan_block(live *v, uint32_t b)
{
	uint64_t *use = v->use + (size_t)b * v->words, *def = v->def + (size_t)b * v->words;

	for (ir_inst *i = v->block[b]->first; i; i = i->next)
		for (unsigned n = 0; n < i->m.nargs; n++) {
			unsigned k = n + i->ndefs < i->m.nargs ? n + i->ndefs : n + i->ndefs - i->m.nargs;
			uint32_t x;

			if (!ir_is_val(i->m.arg[k]))
				continue;
			x = number_of(v, i->m.arg[k]);
			if (k < i->ndefs)
				set_bit(def, x);
			else if (!has_bit(def, x))
				set_bit(use, x);
		}
	if (v->block[b] == v->b->tail && !has_bit(def, v->L->F->vals.a[v->b->site].var - 1))
		set_bit(use, v->L->F->vals.a[v->b->site].var - 1);
}

static bool
take_over(live *v, uint32_t b, const ir_block *to)
{
	uint64_t *in = v->in + (size_t)b * v->words;
	const uint64_t *def = v->def + (size_t)b * v->words, *from;
	bool grown = false;

	if (!to->mark || to->mark > v->nblocks || v->block[to->mark - 1] != to)
		return false;
	from = v->in + (size_t)(to->mark - 1) * v->words;
	for (uint32_t w = 0; w < v->words; w++) {
		uint64_t more = from[w] & ~def[w] & ~in[w];

		in[w] |= more;
		grown |= more != 0;
	}
	return grown;
}

static bool
step(live *v, uint32_t b)
{
	const ir_block *x = v->block[b];
	bool grown = false;

	if (v->over[b])
		return take_over(v, b, v->over[b]);
	for (uint32_t k = 0; x != v->b->tail && k < x->succs.n; k++)
		grown |= take_over(v, b, x->succs.a[k]);
	return grown;
}

static void
solve(live *v)
{
	size_t bytes = (size_t)v->nblocks * v->words * sizeof *v->in;
	bool grown = true;

	v->use = arena_alloc(v->L->A, bytes);
	v->def = arena_alloc(v->L->A, bytes);
	for (uint32_t b = 0; b < v->nblocks; b++)
		scan_block(v, b);
	v->in = arena_dup(v->L->A, v->use, bytes);
	while (grown) {
		grown = false;
		for (uint32_t b = v->nblocks; b-- > 0; )
			grown |= step(v, b);
	}
}

/* ---- keeping them ---- */

static void
move_sp(ir_builder *B, ir_opnd sp, unsigned gop, uint32_t bytes)
{
	ir_opnd v = ir_g2(B, gop, sp, ir_i32(bytes));

	ir_gen_to(B, sp, G_copy32, 1, &v);
}

static void
at(ir_builder *B, unsigned bytes, uint32_t offset)
{
	ir_inst *i = ir_last(B);

	i->mem = (ir_mem){ .space = IR_LOCAL, .bytes = (uint8_t)bytes, .align = 4 };
	i->m.offset = (int32_t)offset;
}

static void
push(ir_builder *B, ir_opnd sp, ir_opnd x, uint32_t offset)
{
	ir_opnd v = x.width ? x : ir_g3(B, G_sel32, x, ir_i32(1), ir_i32(0));

	ir_g2(B, G_store, sp, v);
	at(B, 4 * v.width, offset);
}

static void
pop(ir_builder *B, ir_opnd sp, ir_opnd x, uint32_t offset)
{
	static const uint16_t copy[] = { G_copy1, G_copy32, G_copy64 };
	ir_opnd v = ir_valop(B->f, ir_new_val(B->f, MAX(x.width, 1u)));

	ir_gen_to(B, v, G_load, 1, &sp);
	at(B, 4 * v.width, offset);
	if (!x.width)
		v = ir_icmp(B, 32, IR_NE, v, ir_i32(0));
	ir_gen_to(B, x, copy[x.width], 1, &v);
}

static bool
is_kept_out(const lower_stack *S, uint32_t val)
{
	for (uint32_t i = 0; i < S->kept_out.n; i++)
		if (S->kept_out.a[i] == val)
			return true;
	return false;
}

static uint32_t
keep_across(live *v, const site *s)
{
	const lower_stack *S = v->L->stack;
	ir_func *F = v->L->F;
	const uint64_t *in = v->in + (size_t)(s->back->mark - 1) * v->words;
	ir_builder before = { F, s->jump, s->after ? s->after->next : s->jump->first, s->jump->last->loc };
	ir_builder behind = { F, s->back, s->back->first, s->jump->last->loc };
	VEC(ir_opnd) kept = { .n = 0 };
	uint32_t bytes = 0, offset = 0;

	for (uint32_t k = 0; k < v->vals.n; k++)
		if (has_bit(in, k) && !is_kept_out(S, v->vals.a[k])) {
			*vec_push(v->L->A, &kept) = ir_valop(F, v->vals.a[k]);
			bytes += 4 * MAX(F->vals.a[v->vals.a[k]].dwords, 1u);
		}
	if (!kept.n)
		return 0;
	move_sp(&behind, S->sp, G_sub32, bytes);
	for (uint32_t i = 0; i < kept.n; i++) {
		push(&before, S->sp, kept.a[i], offset);
		pop(&behind, S->sp, kept.a[i], offset);
		offset += 4 * MAX(kept.a[i].width, 1u);
	}
	move_sp(&before, S->sp, G_add32, bytes);
	return bytes;
}

static void
number_blocks(live *v)
{
	const lower_stack *S = v->L->stack;

	v->block = v->L->order.a + v->b->first;
	v->nblocks = v->b->end - v->b->first;
	v->over = arena_array(v->L->A, ir_block *, v->nblocks);
	for (uint32_t i = 0; i < v->nblocks; i++)
		v->block[i]->mark = i + 1;
	for (uint32_t i = 0; i < S->sites.n; i++) {
		uint32_t m = S->sites.a[i].jump->mark;

		if (m && m <= v->nblocks && v->block[m - 1] == S->sites.a[i].jump)
			v->over[m - 1] = S->sites.a[i].back;
	}
}

/* The most that one call keeps. */
static uint32_t
keep_in_body(lower *L, const body *b)
{
	live v = { .L = L, .b = b };
	uint32_t most = 0;

	number_blocks(&v);
	number_all(&v);
	solve(&v);
	for (uint32_t i = 0; i < L->stack->sites.n; i++) {
		const site *s = &L->stack->sites.a[i];
		uint32_t m = s->jump->mark;

		uint32_t bytes;

		if (!s->comes_back || !m || m > v.nblocks || v.block[m - 1] != s->jump)
			continue;
		bytes = keep_across(&v, s);
		most = MAX(most, bytes);
	}
	for (uint32_t k = 0; k < v.vals.n; k++)
		L->F->vals.a[v.vals.a[k]].var = 0;
	for (uint32_t i = 0; i < v.nblocks; i++)
		v.block[i]->mark = 0;
	return most;
}

static void
start_stack(lower *L)
{
	ir_builder B = { L->F, L->F->entry, L->F->entry->first, 0 };
	ir_opnd start = ir_i32(L->stack->start);

	ir_gen_to(&B, L->stack->sp, G_copy32, 1, &start);
}

/* What a call keeps lies beyond the check of the frame before it: that much more is given. */
void
lower_stack_finish(lower *L)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < L->stack->bodies.n; i++) {
		uint32_t bytes = keep_in_body(L, &L->stack->bodies.a[i]);

		most = MAX(most, bytes);
	}
	if (!L->stack->used)
		return;
	start_stack(L);
	L->F->local_size = L->stack->start + L->opt->stack + (most + 15) / 16 * 16;
}

/* ---- alloca ---- */

static ir_opnd
local_address(lower *L, ir_opnd w)
{
	return lo_is64(L) ? lo_widen(L, w, PTX_U32) : w;
}

void
lower_stacksave(lower *L)
{
	lo_dst(L, local_address(L, ir_g1(&L->b, G_copy32, lower_sp(L))));
}

void
lower_stackrestore(lower *L)
{
	ir_opnd v = lo_src(L, 0, lo_type(L, 0)), sp = lower_sp(L);

	if (v.width == 2)
		v = lo_word(L, v, 0);
	if (L->guarded)
		v = lo_sel(L, L->guard, v, sp);
	ir_gen_to(&L->b, sp, G_copy32, 1, &v);
}

/* alloca: the stack's next `size` bytes. What a function takes is given back when it returns to a caller
 * with a frame of its own, or with stackrestore. */
void
lower_alloca(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd size = lo_src(L, 1, lo_type(L, 0)), sp = lower_sp(L), p, over;
	uint32_t align = L->in->nops > 2 ? (uint32_t)L->in->ops[2].ival : 8;

	if (L->in->nops > 2 && (L->in->ops[2].kind != PTX_O_INT || !align || align & (align - 1) || align > 4096))
		lo_refuse(L, ": the alignment");
	if (L->refused)
		return;
	over = size.width == 2 ? ir_icmp(B, 64, IR_HI, size, ir_i64(L->opt->stack)) :
		ir_icmp(B, 32, IR_HI, size, ir_i32(L->opt->stack));
	if (size.width == 2)
		size = lo_word(L, size, 0);
	size = ir_g3(B, G_sel32, over, ir_i32(2 * L->opt->stack), size);
	p = ir_g2(B, G_and32, ir_g2(B, G_add32, sp, ir_i32(align - 1)), ir_i32(0 - align));
	size = ir_g2(B, G_and32, ir_g2(B, G_add32, size, ir_i32(15)), ir_i32(0xfffffff0));
	size = ir_g2(B, G_add32, p, size);
	ir_gen_to(B, sp, G_copy32, 1, &size);
	lower_stack_check(L);
	lo_dst(L, local_address(L, p));
}
