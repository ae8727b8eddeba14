/* atom.c -- atom and red: one operation of the machine, or a loop of compare-and-swap.
 * Needs the row's ir_rmw; leaves G_atomic and G_cas where the chip has the operation for that space and
 * scope (ir_rmw_op), else blocks that load, compute and try until no other lane came between.
 * Manual: "Parallel Thread Execution ISA", 9.7.13.5 (atom), 9.7.13.6 (red), 8 (memory consistency). */
#include "lower/mem.h"

enum { MOST_ELEMENTS = 8 };

/* What the instruction does to one element. */
typedef struct atom {
	access a;
	ptx_type type;
	ir_opnd b, c;            /* the data; cas: what is expected, what to put there */
	bool returns;            /* somebody wants the old value */
} atom;

/* ---- the new value ---- */

static ir_opnd
integer_op(lower *L, unsigned rmw, ir_opnd old, ir_opnd b)
{
	static const uint16_t gop[IR_NRMW][2] = {
		[IR_RMW_add] = { G_add32, G_add64 }, [IR_RMW_and] = { G_and32, G_and64 },
		[IR_RMW_or] = { G_or32, G_or64 }, [IR_RMW_xor] = { G_xor32, G_xor64 },
	};

	return ir_g2(&L->b, gop[rmw][old.width == 2], old, b);
}

static ir_opnd
minmax(lower *L, unsigned rmw, ir_opnd old, ir_opnd b)
{
	static const uint8_t less[IR_NRMW] = {
		[IR_RMW_smin] = IR_LT, [IR_RMW_smax] = IR_GT, [IR_RMW_umin] = IR_LO, [IR_RMW_umax] = IR_HI,
	};

	return lo_sel(L, ir_icmp(&L->b, old.width * 32, less[rmw], old, b), old, b);
}

/* inc: up to b, then 0. dec: down to 0, then b; also b where the memory holds more. */
static ir_opnd
wrapping(lower *L, bool down, ir_opnd old, ir_opnd b)
{
	ir_builder *B = &L->b;
	ir_opnd next = ir_g2(B, G_add32, old, ir_i32(down ? UINT32_MAX : 1)), wraps;

	wraps = ir_icmp(B, 32, down ? IR_HI : IR_HS, old, b);
	if (down)
		wraps = ir_g2(B, G_or1, wraps, ir_icmp(B, 32, IR_EQ, old, ir_i32(0)));
	return lo_sel(L, wraps, down ? b : ir_i32(0), next);
}

static ir_opnd
half_op(lower *L, unsigned rmw, bool pair, ir_opnd x, ir_opnd y)
{
	static const uint16_t add[] = { G_fadd16, G_fadd16x2 }, min[] = { G_fmin16, G_fmin16x2 }, max[] = { G_fmax16, G_fmax16x2 };
	const uint16_t *gop = rmw == IR_RMW_fmin ? min : rmw == IR_RMW_fmax ? max : add;

	return lo_f2(L, gop[pair], (ir_fp){ 0 }, x, y);
}

/* In f32, which has more than twice the bits: the second rounding finds nothing left to spoil. */
static ir_opnd
bf16_op(lower *L, unsigned rmw, ir_opnd x, ir_opnd y)
{
	unsigned gop = rmw == IR_RMW_fmin ? G_fmin32 : rmw == IR_RMW_fmax ? G_fmax32 : G_fadd32;

	return lo_to_half(L, true, IR_RN, lo_f2(L, gop, (ir_fp){ 0 }, lo_from_half(L, true, x), lo_from_half(L, true, y)));
}

static ir_opnd
bf16_pair_op(lower *L, unsigned rmw, ir_opnd x, ir_opnd y)
{
	ir_builder *B = &L->b;
	ir_opnd lo = bf16_op(L, rmw, x, y);

	return lo_pair(L, lo, bf16_op(L, rmw, ir_g2(B, G_lshr32, x, ir_i32(16)), ir_g2(B, G_lshr32, y, ir_i32(16))));
}

/* f32 in global memory loses its subnormals on NVIDIA's chips, in shared memory it does not (9.7.13.5). */
static ir_opnd
float_op(lower *L, const atom *t, ir_opnd old)
{
	ir_fp fp = { .ftz = t->type == PTX_F32 && t->a.mem.space == IR_GLOBAL };

	switch (t->type) {
	case PTX_F16:
	case PTX_F16X2: return half_op(L, t->a.mem.rmw, t->type == PTX_F16X2, old, t->b);
	case PTX_BF16: return bf16_op(L, t->a.mem.rmw, old, t->b);
	case PTX_BF16X2: return bf16_pair_op(L, t->a.mem.rmw, old, t->b);
	default: return lo_f2(L, old.width == 2 ? G_fadd64 : G_fadd32, fp, old, t->b);
	}
}

static ir_opnd
new_value(lower *L, const atom *t, ir_opnd old)
{
	unsigned rmw = t->a.mem.rmw;

	switch (rmw) {
	case IR_RMW_swap: return t->b;
	case IR_RMW_cas: return t->c;
	case IR_RMW_smin:
	case IR_RMW_smax:
	case IR_RMW_umin:
	case IR_RMW_umax: return minmax(L, rmw, old, t->b);
	case IR_RMW_inc:
	case IR_RMW_dec: return wrapping(L, rmw == IR_RMW_dec, old, t->b);
	case IR_RMW_fadd:
	case IR_RMW_hadd:
	case IR_RMW_badd:
	case IR_RMW_fmin:
	case IR_RMW_fmax: return float_op(L, t, old);
	default: return integer_op(L, rmw, old, t->b);
	}
}

/* ---- loops ---- */

/* The dword that holds 16 bits of memory, and where in it they are. */
static ir_opnd
containing_dword(lower *L, access *a)
{
	ir_builder *B = &L->b;
	bool d = a->base.width == 2;
	ir_opnd at = a->base;

	if (a->offset)
		at = ir_g2(B, d ? G_add64 : G_add32, at, d ? ir_i64((uint64_t)a->offset) : ir_i32((uint32_t)a->offset));
	a->offset = 0;
	a->elem = 4;
	a->base = ir_g2(B, d ? G_and64 : G_and32, at, d ? ir_i64(~3ull) : ir_i32(~3u));
	at = d ? lo_word(L, at, 0) : at;
	return ir_g2(B, G_shl32, ir_g2(B, G_and32, at, ir_i32(2)), ir_i32(3));
}

/* The value in a register that the loop writes anew in each turn. */
static ir_opnd
variable(lower *L, ir_opnd v)
{
	ir_opnd r = ir_valop(L->F, ir_new_val(L->F, v.width));

	ir_gen_to(&L->b, r, v.width == 2 ? G_copy64 : G_copy32, 1, &v);
	return r;
}

static void
assign(lower *L, ir_opnd r, ir_opnd v)
{
	ir_gen_to(&L->b, r, r.width == 2 ? G_copy64 : G_copy32, 1, &v);
}

static ir_opnd
attempt(lower *L, const access *a, ir_opnd old, ir_opnd new)
{
	ir_opnd got = ir_valop(L->F, ir_new_val(L->F, old.width));
	access cas = *a;

	cas.mem.rmw = IR_RMW_cas;
	ir_gen_to(&L->b, got, G_cas, 3, (ir_opnd[]){ a->base, old, new });
	lo_accessed(L, &cas, old.width * 4, 0);
	return got;
}

static ir_opnd
first_look(lower *L, const access *a, unsigned bytes)
{
	ir_opnd v = ir_valop(L->F, ir_new_val(L->F, bytes / 4));
	access ld = *a;

	ld.mem.rmw = IR_RMW_NONE;
	ir_gen_to(&L->b, v, G_load, 1, &a->base);
	lo_accessed(L, &ld, bytes, 0);
	return variable(L, v);
}

/* The 16 bits at `shift` of word, or all of it. */
static ir_opnd
part_of(lower *L, ir_opnd word, const ir_opnd *shift)
{
	return shift ? lo_ext(L, ir_g2(&L->b, G_lshr32, word, *shift), PTX_B16) : word;
}

static ir_opnd
with_part(lower *L, ir_opnd word, const ir_opnd *shift, ir_opnd part)
{
	ir_builder *B = &L->b;
	ir_opnd mask;

	if (!shift)
		return part;
	mask = ir_g2(B, G_shl32, ir_i32(0xffff), *shift);
	return ir_g3(B, G_bitsel32, mask, ir_g2(B, G_shl32, part, *shift), word);
}

/* Load; then compute and compare-and-swap until the memory still holds what the computation began with.
 * A lane leaves when its own swap was done: one of those that collide always is. */
static ir_opnd
loop(lower *L, atom *t)
{
	bool small = t->a.elem == 2;
	unsigned order = t->a.mem.order, scope = t->a.mem.scope;
	ir_block *turn = ir_new_block(L->F), *again = ir_new_block(L->F), *done = ir_new_block(L->F);
	ir_opnd shift, word, old, got;
	const ir_opnd *at = small ? &shift : NULL;

	if (order == IR_RELEASE || order == IR_ACQ_REL)
		lo_fence(L, IR_RELEASE, scope);
	t->a.mem.order = IR_RELAXED;
	if (small)
		shift = containing_dword(L, &t->a);
	word = first_look(L, &t->a, t->a.elem);
	lo_start(L, turn);
	old = part_of(L, word, at);
	if (t->a.mem.rmw == IR_RMW_cas) {
		ir_block *same = ir_new_block(L->F);

		lo_branch(L, ir_icmp(&L->b, 32, IR_EQ, old, t->b), same, done);
		lo_start(L, same);
	}
	got = attempt(L, &t->a, word, with_part(L, word, at, new_value(L, t, old)));
	lo_branch(L, ir_icmp(&L->b, got.width * 32, IR_EQ, got, word), done, again);
	lo_start(L, again);
	assign(L, word, got);
	lo_jump(L, turn);
	lo_start(L, done);
	if (order == IR_ACQUIRE || order == IR_ACQ_REL)
		lo_fence(L, IR_ACQUIRE, scope);
	return part_of(L, word, at);
}

/* ---- instructions ---- */

static ir_opnd
one_operation(lower *L, atom *t)
{
	ir_opnd d = ir_valop(L->F, ir_new_val(L->F, t->a.elem / 4));
	ir_opnd src[3] = { t->a.base, t->b, t->c };

	if (t->a.mem.rmw == IR_RMW_cas)
		ir_gen_to(&L->b, d, G_cas, 3, src);
	else
		ir_gen_to(&L->b, d, G_atomic, 2, src);
	lo_accessed(L, &t->a, t->a.elem, 0);
	return d;
}

static bool
is_native(const lower *L, const atom *t)
{
	ir_mem m = t->a.mem;

	m.bytes = (uint8_t)t->a.elem;
	return ir_rmw_op(L->F->target, &m, t->returns) != ISA_NOPS;
}

static unsigned
rmw_of(const lower *L)
{
	static const struct { uint16_t mod; uint8_t plain, is_signed, is_float; } row[] = {
		{ PTX_M_exch, IR_RMW_swap, IR_RMW_swap, IR_RMW_swap }, { PTX_M_cas, IR_RMW_cas, IR_RMW_cas, IR_RMW_cas },
		{ PTX_M_and, IR_RMW_and, 0, 0 }, { PTX_M_or, IR_RMW_or, 0, 0 }, { PTX_M_xor, IR_RMW_xor, 0, 0 },
		{ PTX_M_inc, IR_RMW_inc, 0, 0 }, { PTX_M_dec, IR_RMW_dec, 0, 0 },
		{ PTX_M_add, IR_RMW_add, IR_RMW_add, IR_RMW_fadd },
		{ PTX_M_min, IR_RMW_umin, IR_RMW_smin, IR_RMW_fmin },
		{ PTX_M_max, IR_RMW_umax, IR_RMW_smax, IR_RMW_fmax },
	};
	ptx_type t = lo_type(L, 0);

	if (lo_has(L, PTX_M_add) && (t == PTX_F16X2 || t == PTX_BF16X2))
		return t == PTX_F16X2 ? IR_RMW_hadd : IR_RMW_badd;
	for (unsigned k = 0; k < COUNT(row); k++)
		if (lo_has(L, (ptx_mod)row[k].mod))
			return ptx_is_float(t) ? row[k].is_float : ptx_is_signed(t) ? row[k].is_signed : row[k].plain;
	return IR_RMW_NONE;
}

/* Without .sem the manual has .relaxed, without .scope .gpu. */
static bool
prepare(lower *L, atom *t, unsigned mem_op)
{
	const ptx_inst *in = L->in;

	if (in->nops < mem_op + 2 || !lo_access(L, &t->a, mem_op))
		return false;
	if (t->a.mem.space == IR_LOCAL) {
		lo_refuse(L, ": private memory has no atomic operations; load, compute and store");
		return false;
	}
	t->type = t->a.type;
	t->a.mem.rmw = (uint8_t)rmw_of(L);
	if (!t->a.mem.order)
		t->a.mem.order = IR_RELAXED;
	if (t->a.mem.space != IR_SHARED)
		t->a.mem.scope = lo_has(L, PTX_M_sys) ? IR_SYS : lo_has(L, PTX_M_cta) ? IR_CTA : IR_GPU;
	t->returns = mem_op && !lo_is_unread(L, &in->ops[0]);
	if (!t->a.mem.rmw || lo_nelems(&in->ops[mem_op + 1]) != t->a.n || t->a.n > MOST_ELEMENTS ||
	    (t->returns && lo_nelems(&in->ops[0]) != t->a.n))
		lo_refuse(L, ": operands");
	return !L->refused;
}

/* Element i of the instruction; gives the old value. */
static ir_opnd
one_element(lower *L, const atom *all, unsigned mem_op, unsigned i)
{
	ptx_operand b = lo_elem(&L->in->ops[mem_op + 1], i);
	atom t = *all;

	t.a.n = 1;
	t.a.offset += (int64_t)i * t.a.elem;
	t.b = lo_use(L, &b, t.type);
	if (t.a.mem.rmw == IR_RMW_cas)
		t.c = lo_src(L, mem_op + 2, t.type);
	if (t.a.elem == 2)
		t.b = lo_ext(L, t.b, PTX_B16);
	if (L->refused)
		return ir_i32(0);
	return is_native(L, &t) ? one_operation(L, &t) : loop(L, &t);
}

/* Each element of a vector is an operation of its own. Registers are read before any is written. */
static void
lower_rmw(lower *L, unsigned mem_op)
{
	atom t = { .returns = false };
	ir_opnd old[MOST_ELEMENTS];

	if (!prepare(L, &t, mem_op))
		return;
	for (unsigned i = 0; i < t.a.n && !L->refused; i++)
		old[i] = one_element(L, &t, mem_op, i);
	for (unsigned i = 0; i < t.a.n && t.returns && !L->refused; i++) {
		ptx_operand d = lo_elem(&L->in->ops[0], i);

		lo_set(L, &d, old[i]);
	}
}

void
lower_atom(lower *L)
{
	lower_rmw(L, 1);
}

void
lower_red(lower *L)
{
	lower_rmw(L, 0);
}
