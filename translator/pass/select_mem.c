/* select_mem.c -- loads, stores, and what makes them visible. Needs i->mem and addresses as
 * lowering writes them; leaves scalar loads where the address is uniform and the memory does not
 * change, global_*, flat_*, scratch_* and ds_* else, with constants in their offsets. What
 * orders memory: order.def, after AMDGPUUsage, "Memory Model" of each family. */
#include "pass/select.h"

/* Offsets that all the instructions for one access can hold. */
typedef struct range { int32_t min, max; } range;

typedef struct address {
	ir_opnd base;            /* the address without what follows; kind NONE: none */
	ir_opnd index;           /* 32-bit vector offset beside a scalar base; kind NONE: none */
	int64_t offset;
} address;

enum { ACCESSES = 8 };

/* Rows of ops.def by kind of access, all in one order. */
static const struct access {
	uint8_t bytes;
	bool sext;
	uint16_t global_load, flat_load, scratch_load, ds_load;
	uint16_t global_store, flat_store, scratch_store, ds_store;
} accesses[ACCESSES] = {
#define ROW(bytes, sext, l, dl, s, ds) { bytes, sext, OP_global_load_##l, OP_flat_load_##l, \
	OP_scratch_load_##l, OP_ds_read_##dl, OP_global_store_##s, OP_flat_store_##s, \
	OP_scratch_store_##s, OP_ds_write_##ds }
	ROW(1, false, ubyte, u8, byte, b8), ROW(1, true, sbyte, i8, byte, b8),
	ROW(2, false, ushort, u16, short, b16), ROW(2, true, sshort, i16, short, b16),
	ROW(4, false, dword, b32, dword, b32), ROW(8, false, dwordx2, b64, dwordx2, b64),
	ROW(12, false, dwordx3, b96, dwordx3, b96), ROW(16, false, dwordx4, b128, dwordx4, b128),
};

static const struct access *
access_of(unsigned bytes, bool sext)
{
	for (unsigned k = 0; k < ACCESSES; k++)
		if (accesses[k].bytes == bytes && (bytes > 2 || accesses[k].sext == sext))
			return &accesses[k];
	return &accesses[4];
}

static unsigned
align_of(const ir_inst *i)
{
	return i->mem.align ? i->mem.align : MIN(i->mem.bytes, 4u);
}

/* ---- addresses ---- */

/* Follows additions of constants; the uses move from the sum to what it adds to. */
static void
peel(sel *S, ir_inst *i, address *a, unsigned gop, int64_t min, int64_t max)
{
	for (;;) {
		ir_inst *d = sel_def(S, a->base);
		ir_opnd c;

		if (!d || d->m.op != gop)
			return;
		c = sel_peek(S, i, d, 1);
		if (!ir_is_imm(c) || a->offset + c.imm < min || a->offset + c.imm > max)
			return;
		if (!sel_enter(S, i, d))
			return;
		a->offset += c.imm;
		a->base = sel_take(S, i, d, 0);
	}
}

/* The low dword of a 64-bit value below 2^32, computed in 32 bits where nobody else wants the
 * value. */
static ir_opnd
low_dword(sel *S, ir_inst *i, ir_inst *sum, unsigned k)
{
	bool last = !S->f->vals.a[sum->m.arg[0].reg].nuses; /* nobody else wants the sum */
	ir_inst *mul = last ? sel_match(S, i, sum, k, G_mulw_u32) : NULL;
	ir_inst *shl = last ? sel_match(S, i, sum, k, G_shl64) : NULL;
	ir_opnd x[2], n, d;

	if (mul && ir_is_imm(n = sel_peek(S, i, mul, 1)) && n.imm > 0 && !(n.imm & (n.imm - 1))) {
		sel_absorb(S, i, sum, mul);
		x[0] = sel_take(S, i, mul, 0);
		d = sel_new(S, IR_BANK_V, 1);
		sel_op2(S, OP_v_lshlrev_b32, d, ir_i32(sel_log2((uint32_t)n.imm)), x[0]);
		return d;
	}
	if (shl && ir_is_imm(n = sel_peek(S, i, shl, 1)) && (n.imm & 63) < 32) {
		sel_absorb(S, i, sum, shl);
		sel_dwords(S, i, sel_take(S, i, shl, 0), x);
		d = sel_new(S, IR_BANK_V, 1);
		sel_op2(S, OP_v_lshlrev_b32, d, ir_i32((uint32_t)n.imm & 31), x[0]);
		return d;
	}
	sel_dwords(S, i, sel_take(S, i, sum, k), x);
	return x[0];
}

/* uniform + (per-lane below 2^32): scalar base, vector offset. */
static bool
split_base(sel *S, ir_inst *i, address *a)
{
	ir_inst *sum = sel_def(S, a->base);
	ir_opnd src[2];

	if (!sum || sum->m.op != G_add64)
		return false;
	src[0] = sel_peek(S, i, sum, 0);
	src[1] = sel_peek(S, i, sum, 1);
	for (unsigned k = 0; k < 2; k++) {
		if (!sel_is_s(S, src[k ^ 1]) || !sel_is_v(S, src[k]))
			continue;
		if (sel_source_fact(S, sum, k).hi >> 32 && !sel_high_zero(S, i, src[k]))
			continue;
		if (!sel_enter(S, i, sum))
			return false;
		a->index = sel_to_v(S, low_dword(S, i, sum, k));
		a->base = sel_take(S, i, sum, k ^ 1);
		return true;
	}
	return false;
}

static ir_opnd
add_wide(sel *S, ir_opnd base, int64_t n)
{
	ir_opnd d = sel_new(S, sel_is_v(S, base) ? IR_BANK_V : IR_BANK_S, 2);

	sel_add64(S, d, base, ir_i64((uint64_t)n));
	return d;
}

/* Brings the offset into the instruction's range; what is left goes into the base. */
static void
fit_offset(sel *S, address *a, range r)
{
	int64_t keep, span = 1;

	if (a->offset >= r.min && a->offset <= r.max)
		return;
	while (span * 2 - 1 <= r.max)
		span *= 2;
	keep = a->offset & (span - 1);
	a->base = add_wide(S, a->base, a->offset - keep);
	a->offset = keep;
}

static address
address64(sel *S, ir_inst *i)
{
	address a = { .base = sel_src(S, i, 0), .offset = i->m.offset };

	peel(S, i, &a, G_add64, -(1ll << 40), 1ll << 40);
	return a;
}

/* ---- scalar loads ---- */

/* The address as base and constant, nothing touched. */
static ir_opnd
base_of(const sel *S, const ir_inst *i, int64_t *offset)
{
	ir_opnd o = sel_peek(S, i, i, 0);
	ir_inst *d;

	*offset = i->m.offset;
	while ((d = sel_def(S, o)) && d->m.op == G_add64) {
		ir_opnd c = sel_peek(S, i, d, 1);

		if (!ir_is_imm(c))
			break;
		*offset += c.imm;
		o = sel_peek(S, i, d, 0);
	}
	return o;
}

/* Are the two low bits of the address known? They are where the launch gives the base. */
static bool
aligned_base(const sel *S, const ir_inst *i)
{
	int64_t off;
	ir_opnd o = base_of(S, i, &off);

	return ir_is_val(o) && (o.reg == S->kernarg || o.reg == S->dispatch) && off >= 0;
}

static bool
never_changes(const ir_inst *i)
{
	if (i->mem.vol || i->mem.order > IR_WEAK)
		return false;
	return i->mem.space == IR_PARAM || i->mem.space == IR_CONST ||
	       (i->mem.space == IR_GLOBAL && i->mem.nc);
}

static unsigned
narrow_scalar(const sel *S, const ir_inst *i)
{
	unsigned op = i->mem.bytes == 1 ? (i->mem.sext ? OP_s_load_i8 : OP_s_load_u8) :
	              i->mem.sext ? OP_s_load_i16 : OP_s_load_u16;

	return isa_has(S->t, op) && align_of(i) >= i->mem.bytes ? op : NO_OP;
}

bool
sel_scalar_load(const sel *S, const ir_inst *i)
{
	ir_opnd at = i->m.arg[1];

	if (!never_changes(i) || S->f->vals.a[i->m.arg[0].reg].divergent)
		return false;
	if (ir_is_val(at) && S->f->vals.a[at.reg].divergent)
		return false;
	if (i->mem.bytes >= 4)
		return align_of(i) >= 4;
	return narrow_scalar(S, i) != NO_OP || aligned_base(S, i);
}

static ir_inst *
scalar_piece(sel *S, const ir_inst *i, unsigned op, ir_opnd d, const address *a, unsigned at)
{
	p2a_inst m = { .op = (uint16_t)op, .nargs = 3, .offset = (int32_t)a->offset + (int32_t)at,
		.arg = { d, a->base, sel_off() } };
	ir_inst *l = sel_inst(S, &m);

	l->mem = i->mem;
	return l;
}

static void
scalar_narrow(sel *S, ir_inst *i, address *a)
{
	ir_opnd d = sel_dst(S, i), w;
	unsigned shift = (unsigned)(a->offset & 3) * 8, bits = i->mem.bytes * 8u;

	if (narrow_scalar(S, i) != NO_OP) {
		scalar_piece(S, i, narrow_scalar(S, i), d, a, 0);
		return;
	}
	a->offset &= ~3ll;
	w = sel_new(S, IR_BANK_S, 1);
	scalar_piece(S, i, OP_s_load_dword, w, a, 0);
	if (i->mem.sext && !shift)
		sel_op1(S, bits == 8 ? OP_s_sext_i32_i8 : OP_s_sext_i32_i16, d, w);
	else if (!i->mem.sext && shift + bits == 32)
		sel_op2(S, OP_s_lshr_b32, d, w, ir_i32(shift));
	else if (!i->mem.sext && !shift)
		sel_op2(S, OP_s_and_b32, d, w, ir_i32((1u << bits) - 1));
	else
		sel_op2(S, i->mem.sext ? OP_s_bfe_i32 : OP_s_bfe_u32, d, w,
			ir_i32(shift | bits << 16));
}

static void
scalar_load(sel *S, ir_inst *i)
{
	address a = address64(S, i);
	ir_opnd d = sel_dst(S, i);

	a.base = sel_to_s(S, a.base);
	fit_offset(S, &a, (range){ S->t->smem_off_min, S->t->smem_off_max - 16 });
	switch (i->mem.bytes) {
	case 4: scalar_piece(S, i, OP_s_load_dword, d, &a, 0); break;
	case 8: scalar_piece(S, i, OP_s_load_dwordx2, d, &a, 0); break;
	case 16: scalar_piece(S, i, OP_s_load_dwordx4, d, &a, 0); break;
	case 12:
		if (isa_has(S->t, OP_s_load_b96)) {
			scalar_piece(S, i, OP_s_load_b96, d, &a, 0);
			break;
		}
		scalar_piece(S, i, OP_s_load_dwordx2, ir_part(d, 0, 2), &a, 0);
		scalar_piece(S, i, OP_s_load_dword, ir_part(d, 2, 1), &a, 8);
		break;
	default: scalar_narrow(S, i, &a);
	}
}

/* ---- global and generic ---- */

ir_inst *
sel_access(sel *S, const ir_inst *i, unsigned op, unsigned nargs, const ir_opnd *args,
	   int64_t offset)
{
	p2a_inst m = { .op = (uint16_t)op,
		       .nargs = (uint8_t)nargs,
		       .offset = (int32_t)offset,
		       .cpol = sel_cpol(S, i) };
	ir_inst *l;

	for (unsigned k = 0; k < nargs; k++)
		m.arg[k] = args[k];
	l = sel_inst(S, &m);
	l->mem = i->mem;
	return l;
}

int64_t
sel_global_address(sel *S, ir_inst *i, ir_opnd *vaddr, ir_opnd *saddr)
{
	address a = address64(S, i);

	split_base(S, i, &a);
	if (ir_is_imm(a.base))
		a.base = sel_to_s(S, a.base);
	fit_offset(S, &a, (range){ S->t->global_off_min, S->t->global_off_max });
	*saddr = sel_off();
	if (sel_is_s(S, a.base)) {
		*saddr = a.base;
		*vaddr = a.index.kind ? a.index : sel_to_v(S, ir_i32(0));
	} else {
		*vaddr = a.base;
	}
	return a.offset;
}

static void
global_access(sel *S, ir_inst *i, ir_opnd data)
{
	const struct access *x = access_of(i->mem.bytes, i->mem.sext);
	ir_opnd saddr, vaddr;
	int64_t offset = sel_global_address(S, i, &vaddr, &saddr);

	if (i->m.op == G_load)
		sel_access(S, i, x->global_load, 3, (ir_opnd[]){ data, vaddr, saddr }, offset);
	else
		sel_access(S, i, x->global_store, 3, (ir_opnd[]){ vaddr, data, saddr }, offset);
}

static bool
in_aperture(sel *S, const ir_inst *i, ir_opnd base)
{
	ir_inst *d = sel_def(S, base), *hi = d && d->m.op == G_pack64 ? sel_def(S, sel_peek(S, i, d, 1)) : NULL;

	return hi && (hi->m.op == G_shared_hi || hi->m.op == G_private_hi);
}

/* The hardware picks the memory by the register alone, without the offset: a register one below a shared
 * variable at 0 would mean global memory. */
int64_t
sel_flat_address(sel *S, ir_inst *i, ir_opnd *vaddr)
{
	address a = address64(S, i);

	if (a.offset && (a.offset < S->t->flat_off_min || a.offset > S->t->flat_off_max || !in_aperture(S, i, a.base))) {
		a.base = add_wide(S, a.base, a.offset);
		a.offset = 0;
	}
	*vaddr = sel_to_v(S, a.base);
	return a.offset;
}

static void
flat_access(sel *S, ir_inst *i, ir_opnd data)
{
	const struct access *x = access_of(i->mem.bytes, i->mem.sext);
	ir_opnd vaddr;
	int64_t offset = sel_flat_address(S, i, &vaddr);

	if (i->m.op == G_load)
		sel_access(S, i, x->flat_load, 2, (ir_opnd[]){ data, vaddr }, offset);
	else
		sel_access(S, i, x->flat_store, 2, (ir_opnd[]){ vaddr, data }, offset);
}

/* ---- shared and local ---- */

/* May a constant stand beside the register? Scratch before gfx12 takes the register as unsigned
 * and does not wrap at 32 bits: -4 with offset 4 would lie outside. */
static bool
may_split(const sel *S, const ir_inst *i, const address *a)
{
	return i->mem.space != IR_LOCAL || S->t->family >= ISA_GFX12 ||
	       sel_fact(S, a->base).hi <= INT32_MAX;
}

/* A 32-bit address: base and an offset in 0..max. */
static address
address32(sel *S, ir_inst *i, int64_t max)
{
	address a = { .base = sel_src(S, i, 0), .offset = i->m.offset };
	ir_opnd d;

	peel(S, i, &a, G_add32, 0, max);
	if (ir_is_imm(a.base)) {
		uint32_t total = (uint32_t)a.base.imm + (uint32_t)a.offset;
		uint32_t keep = total <= max ? total : 0;

		a.base = ir_i32(total - keep);
		a.offset = keep;
	}
	if (!a.offset || (a.offset > 0 && a.offset <= max && may_split(S, i, &a)))
		return a;
	d = sel_new(S, sel_is_v(S, a.base) ? IR_BANK_V : IR_BANK_S, 1);
	sel_op2(S, sel_is_v(S, d) ? OP_v_add_u32 : OP_s_add_u32, d, a.base,
		ir_i32((uint32_t)a.offset));
	a.base = d;
	a.offset = 0;
	return a;
}

/* LDS wants 64-bit accesses 8-aligned, 96 and 128 bits 16-aligned: the widest piece that fits. */
static unsigned
ds_piece(unsigned left, unsigned align)
{
	if ((left == 16 || left == 12) && align >= 16)
		return left;
	if (left >= 8 && align >= 8)
		return 8;
	return MIN(left, 4u);
}

int64_t
sel_ds_address(sel *S, ir_inst *i, ir_opnd *vaddr)
{
	address a = address32(S, i, 65535 - 16);

	*vaddr = sel_to_v(S, a.base);
	return a.offset;
}

/* What 16 or a smaller power of two certainly divides base + offset. */
static unsigned
known_align(const sel *S, ir_opnd base, int64_t offset)
{
	uint64_t low = sel_fact(S, base).zero & ~(uint64_t)offset;
	unsigned align = 1;

	while (align < 16 && low & align)
		align *= 2;
	return align;
}

static void
ds_access(sel *S, ir_inst *i, ir_opnd data)
{
	address a = address32(S, i, 65535 - 16);
	ir_opnd vaddr = sel_to_v(S, a.base);
	int64_t offset = a.offset;
	bool load = i->m.op == G_load;
	unsigned n;
	ir_inst *l;

	for (unsigned at = 0; at < i->mem.bytes; at += n) {
		n = ds_piece(i->mem.bytes - at, align_of(i));
		const struct access *x = access_of(n, i->mem.sext);
		ir_opnd part = i->mem.bytes <= 4 ? data : ir_part(data, at / 4, n / 4);

		if (load)
			l = sel_access(S, i, x->ds_load, 2, (ir_opnd[]){ part, vaddr }, offset + at);
		else
			l = sel_access(S, i, x->ds_store, 2, (ir_opnd[]){ vaddr, part }, offset + at);
		l->mem.align = (uint8_t)MAX(known_align(S, a.base, offset + at), MIN(n, align_of(i)));
	}
}

static bool
scratch_legal(const sel *S, unsigned op, const ir_opnd *args, bool load)
{
	p2a_inst m = { .op = (uint16_t)op, .nargs = 3, .arg = { args[0], args[1], args[2] } };

	m.arg[load ? 0 : 1] =
		(p2a_opnd){ .kind = P2A_K_VGPR, .width = isa_table[op].arg[load ? 0 : 1].width };
	return p2a_check(S->t, &m) == 0;
}

/* Per-lane addresses in vaddr, uniform ones in saddr, constants in the offset where the chip has
 * that. */
static void
scratch_access(sel *S, ir_inst *i, ir_opnd data)
{
	const struct access *x = access_of(i->mem.bytes, i->mem.sext);
	address a = address32(S, i, S->t->scratch_off_max);
	bool load = i->m.op == G_load;
	unsigned op = load ? x->scratch_load : x->scratch_store;
	ir_opnd args[3] = { data, sel_off(), sel_off() };
	unsigned v = load ? 1 : 0;

	args[v] = sel_off();
	args[v ^ 1] = data;
	if (sel_is_v(S, a.base))
		args[v] = a.base;
	else if (!sel_imm(a.base, 0) || !scratch_legal(S, op, args, load))
		args[2] = sel_to_s(S, a.base);
	sel_access(S, i, op, 3, args, a.offset);
}

/* ---- the operations ---- */

static void
access(sel *S, ir_inst *i, ir_opnd data)
{
	switch (i->mem.space) {
	case IR_SHARED: ds_access(S, i, data); break;
	case IR_LOCAL: scratch_access(S, i, data); break;
	case IR_GENERIC: flat_access(S, i, data); break;
	default: global_access(S, i, data);
	}
}

void
sel_do_load(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd d = sel_dst(S, i);

	(void)r;
	if (!sel_is_v(S, d)) {
		scalar_load(S, i);
		return;
	}
	access(S, i, d);
	sel_behind(S, i);
}

void
sel_do_store(sel *S, ir_inst *i, const sel_row *r)
{
	ir_opnd data = sel_to_v(S, sel_src(S, i, 1));

	(void)r;
	sel_before(S, i);
	access(S, i, data);
}
