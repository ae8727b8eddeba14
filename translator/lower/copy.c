/* copy.c -- cp.async: asynchronous copies done at once.
 * Needs nothing; leaves a load and a store, so that every later access of the thread sees the bytes, and groups and waits for
 * them have nothing left to do. Bytes that src-size leaves out are not read: they may lie outside of the buffer.
 * Manual: "Parallel Thread Execution ISA", 9.7.9.25 (cp.async, cp.async.commit_group, .wait_group). */
#include "lower/mem.h"

typedef struct copy {
	access to, from;
	unsigned bytes;
} copy;

static void
store_zeros(lower *L, const copy *c)
{
	ir_opnd z = ir_i32(0);

	if (c->bytes == 8)
		z = ir_i64(0);
	if (c->bytes == 16)
		z = ir_g4(&L->b, G_pack128, z, z, z, z);
	ir_g2(&L->b, G_store, c->to.base, z);
	lo_accessed(L, &c->to, c->bytes, 0);
}

static void
copy_all(lower *L, const copy *c)
{
	ir_opnd v = ir_valop(L->F, ir_new_val(L->F, c->bytes / 4));

	ir_gen_to(&L->b, v, G_load, 1, &c->from.base);
	lo_accessed(L, &c->from, c->bytes, 0);
	ir_g2(&L->b, G_store, c->to.base, v);
	lo_accessed(L, &c->to, c->bytes, 0);
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
	copy_all(L, c);
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
	copy_all(L, c);
	lo_start(L, join);
}

void
lower_cp_async(lower *L)
{
	const ptx_inst *in = L->in;
	unsigned nops = in->nops - lo_has(L, PTX_M_L2_cache_hint);
	copy c = { .bytes = 0 };
	bool is_flag;

	if (nops < 3 || in->ops[2].kind != PTX_O_INT) {
		lo_refuse(L, ": operands");
		return;
	}
	c.bytes = (unsigned)in->ops[2].ival;
	if (!lo_access_in(L, &c.to, 0, PTX_SHARED, c.bytes) || !lo_access_in(L, &c.from, 1, PTX_GLOBAL, c.bytes))
		return;
	is_flag = nops > 3 && lo_reg_bits(&in->ops[3]) == 1;
	if (nops == 3)
		copy_all(L, &c);
	else if (is_flag)
		copy_unless(L, &c, lo_src(L, 3, PTX_PRED));
	else
		copy_sized(L, &c, lo_src(L, 3, PTX_U32));
}
