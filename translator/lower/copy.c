/* copy.c -- cp.async, st.bulk: asynchronous copies as loads and stores.
 * Needs nothing; leaves loads, and their stores in front of the next instruction that is not plain arithmetic or a
 * copy, so that loads of several copies are under way together and groups and waits have nothing left to
 * do. Bytes that src-size leaves out are not read: they may lie outside of the buffer.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.25 (cp.async, cp.async.commit_group, .wait_group). */
#include "lower/mem.h"

typedef struct copy {
	access to, from;
	unsigned bytes;
} copy;

enum { MOST_DWORDS = 32 };       /* of copies whose stores are due */

struct lower_copy {
	access to;
	ir_opnd v;
};

static void
store(lower *L, const access *to, ir_opnd v)
{
	ir_g2(&L->b, G_store, to->base, v);
	lo_accessed(L, to, v.width * 4, 0);
}

void
lo_finish_copies(lower *L)
{
	for (uint32_t i = 0; i < L->copies.n; i++)
		store(L, &L->copies.a[i].to, L->copies.a[i].v);
	L->copies.n = 0;
}

/* The program must not look at the bytes, nor write them, before it has waited for them. */
static void
store_later(lower *L, const access *to, ir_opnd v)
{
	struct lower_copy *c = vec_push(L->A, &L->copies);

	*c = (struct lower_copy){ *to, v };
	c->to.base = ir_g1(&L->b, G_copy32, to->base);  /* the register may be written meanwhile */
	if (L->copies.n * v.width >= MOST_DWORDS)
		lo_finish_copies(L);
}

static void
store_zeros(lower *L, const copy *c)
{
	ir_opnd z = ir_i32(0);

	if (c->bytes == 8)
		z = ir_i64(0);
	if (c->bytes == 16)
		z = ir_g4(&L->b, G_pack128, z, z, z, z);
	store(L, &c->to, z);
}

static ir_opnd
load_all(lower *L, const copy *c)
{
	ir_opnd v = ir_valop(L->F, ir_new_val(L->F, c->bytes / 4));

	ir_gen_to(&L->b, v, G_load, 1, &c->from.base);
	lo_accessed(L, &c->from, c->bytes, 0);
	return v;
}

/* One byte at an offset that is not known. */
static void
copy_byte(lower *L, const copy *c, ir_opnd at)
{
	copy b = *c;
	ir_opnd v = ir_valop(L->F, ir_new_val(L->F, 1));

	b.to.elem = b.from.elem = 1;
	b.from.base = ir_g2(&L->b, G_add64, b.from.base, lo_widen(L, at, PTX_U32));
	ir_gen_to(&L->b, v, G_load, 1, &b.from.base);
	lo_accessed(L, &b.from, 1, 0);
	ir_g2(&L->b, G_store, ir_g2(&L->b, G_add32, b.to.base, at), v);
	lo_accessed(L, &b.to, 1, 0);
}

/* The first `size` bytes, which are fewer than all, byte by byte; zeros behind. */
static void
copy_some(lower *L, const copy *c, ir_opnd size)
{
	ir_block *turn = ir_new_block(L->F), *one = ir_new_block(L->F), *done = ir_new_block(L->F);
	ir_opnd at = ir_valop(L->F, ir_new_val(L->F, 1)), zero = ir_i32(0), next;

	store_zeros(L, c);
	ir_gen_to(&L->b, at, G_copy32, 1, &zero);
	lo_start(L, turn);
	lo_branch(L, ir_icmp(&L->b, 32, IR_LO, at, size), one, done);
	lo_start(L, one);
	copy_byte(L, c, at);
	next = ir_g2(&L->b, G_add32, at, ir_i32(1));
	ir_gen_to(&L->b, at, G_copy32, 1, &next);
	lo_jump(L, turn);
	lo_start(L, done);
}

/* A size of all bytes or none is what programs ask for; the rest must be right, not fast. */
static void
copy_sized(lower *L, const copy *c, ir_opnd size)
{
	ir_block *whole = ir_new_block(L->F), *part = ir_new_block(L->F), *join = ir_new_block(L->F);

	lo_branch(L, ir_icmp(&L->b, 32, IR_HS, size, ir_i32(c->bytes)), whole, part);
	lo_start(L, whole);
	store(L, &c->to, load_all(L, c));
	lo_jump(L, join);
	lo_start(L, part);
	copy_some(L, c, size);
	lo_start(L, join);
}

static void
copy_unless(lower *L, const copy *c, ir_opnd ignored)
{
	ir_block *zeros = ir_new_block(L->F), *whole = ir_new_block(L->F), *join = ir_new_block(L->F);

	lo_branch(L, ignored, zeros, whole);
	lo_start(L, zeros);
	store_zeros(L, c);
	lo_jump(L, join);
	lo_start(L, whole);
	store(L, &c->to, load_all(L, c));
	lo_start(L, join);
}

void
lower_cp_async(lower *L)
{
	const ptx_inst *in = L->in;
	unsigned nops = in->nops - lo_has(L, PTX_M_L2_cache_hint);
	copy c = { .bytes = 0 };
	bool whole;

	if (nops < 3 || in->ops[2].kind != PTX_O_INT) {
		lo_refuse(L, ": operands");
		return;
	}
	c.bytes = (unsigned)in->ops[2].ival;
	if (!lo_access_in(L, &c.to, 0, PTX_SHARED, c.bytes) || !lo_access_in(L, &c.from, 1, PTX_GLOBAL, c.bytes))
		return;
	whole = nops == 3 || (in->ops[3].kind == PTX_O_INT && (uint64_t)in->ops[3].ival >= c.bytes);
	if (!whole || L->has_guard)
		lo_finish_copies(L);
	if (whole)
		store_later(L, &c.to, load_all(L, &c));
	else if (lo_reg_bits(&in->ops[3]) == 1)
		copy_unless(L, &c, lo_src(L, 3, PTX_PRED));
	else
		copy_sized(L, &c, lo_src(L, 3, PTX_U32));
	if (L->has_guard)
		lo_finish_copies(L);
}

/* st.bulk: eight bytes of zeros a turn. Nobody waits for it, so it is done at once. */
void
lower_st_bulk(lower *L)
{
	ir_builder *B = &L->b;
	const ptx_operand *o = L->in->ops;
	ir_block *head = ir_new_block(L->F), *body = ir_new_block(L->F), *join = ir_new_block(L->F);
	ir_opnd at, end, size;
	access a;
	bool d;

	if (o[1].kind == PTX_O_INT && o[1].ival % 8) {
		lo_refuse(L, ": a size that is no multiple of 8");
		return;
	}
	if (!lo_access_in(L, &a, 0, lo_space(L), 8))
		return;
	d = a.base.width == 2;
	size = lo_src(L, 1, PTX_B64);
	at = ir_valop(L->F, ir_new_val(L->F, a.base.width));
	ir_gen_to(B, at, d ? G_copy64 : G_copy32, 1, &a.base);
	end = ir_g2(B, d ? G_add64 : G_add32, a.base, d ? size : lo_word(L, size, 0));
	lo_start(L, head);
	lo_branch(L, ir_icmp(B, d ? 64 : 32, IR_LO, at, end), body, join);
	lo_start(L, body);
	ir_g2(B, G_store, at, ir_i64(0));
	lo_accessed(L, &a, 8, 0);
	size = ir_g2(B, d ? G_add64 : G_add32, at, d ? ir_i64(8) : ir_i32(8));
	ir_gen_to(B, at, d ? G_copy64 : G_copy32, 1, &size);
	lo_jump(L, head);
	lo_start(L, join);
}
