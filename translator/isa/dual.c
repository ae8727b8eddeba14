/* dual.c -- two vector instructions in one (VOPD): which pairs there are, and their bytes.
 * Needs dual.def, and check.c, encode.c and decode.c for each half; leaves pairs as p2a_inst has them.
 * Manuals: "Dual Issue VALU", RDNA3 7.6 and RDNA4 7.8; "VOPD", 15.3.7 of both.
 *
 * Each VGPR bank (the number's low bits) can be read once by each of three ports at a time, hence the rules:
 * src0 of both halves lie in different banks of four, so do both vsrc1, and what goes by the third port
 * (accumulators, vsrc1 of v_fmamk) in different banks of two. One result is even, the other odd. Over the
 * constant bus go two scalar registers, or one and the literal, which both halves may use. */
#include "isa/dual.h"
#include "isa/layout.h"

#include <string.h>

enum { X = 1, Y = 2, XY = X | Y, NPORTS = 3 };

static const struct dual { uint16_t op; uint8_t opc, sides, port; } duals[] = {
#define DUAL(id, opc, sides, port) { OP_##id, opc, sides, port },
#include "isa/dual.def"
};
static const size_t nduals = sizeof duals / sizeof *duals;

/* By row of ops.def: its place in duals, from 1; 0: none. */
enum {
#define DUAL(id, opc, sides, port) AT_##id,
#include "isa/dual.def"
};
static const uint8_t dual_at[ISA_NOPS] = {
#define DUAL(id, opc, sides, port) [OP_##id] = AT_##id + 1,
#include "isa/dual.def"
};

static const struct dual *
dual_of(unsigned op, unsigned side)
{
	const struct dual *d = op < ISA_NOPS && dual_at[op] ? &duals[dual_at[op] - 1] : NULL;

	return d && d->sides >> side & 1 ? d : NULL;
}

const isa_format *
isa_half_format(const p2a_target *t, unsigned side)
{
	unsigned fmt = side ? FM_DUALY : FM_DUALX;

	for (const isa_format *p = isa_formats_of(fmt); p->fmt == fmt; p++)
		if (p->layouts >> t->layout & 1)
			return p;
	return NULL;
}

unsigned
isa_dual_sides(const p2a_target *t, unsigned op)
{
	return op < ISA_NOPS && dual_at[op] && isa_has(t, op) ? duals[dual_at[op] - 1].sides : 0;
}

bool
isa_can_dual(const p2a_target *t, unsigned op, unsigned side)
{
	return t->wave == 32 && isa_dual_layouts >> t->layout & 1 && dual_of(op, side) && isa_has(t, op);
}

int
isa_half_op(const p2a_target *t, unsigned opc, unsigned side)
{
	for (const struct dual *d = duals; d < duals + nduals; d++)
		if (d->opc == opc && isa_can_dual(t, d->op, side))
			return d->op;
	return -1;
}

bool
isa_is_pair(const p2a_target *t, const p2a_inst *i)
{
	return isa_can_dual(t, i->op, 0) && isa_can_dual(t, i->op_y, 1) &&
	       i->nargs == isa_table[i->op].nargs + isa_table[i->op_y].nargs;
}

uint32_t
isa_effects(const p2a_inst *i)
{
	return isa_table[i->op].eff | (i->enc == P2A_ENC_DUAL ? isa_table[i->op_y].eff : 0);
}

/* ---- halves ---- */

void
isa_pair(const p2a_inst *x, const p2a_inst *y, p2a_inst *pair)
{
	unsigned nx = x->nargs - 1u, ny = y->nargs - 1u;
	p2a_inst p = { .op = x->op, .op_y = y->op, .enc = P2A_ENC_DUAL, .nargs = (uint8_t)(nx + ny + 2) };

	p.arg[0] = x->arg[0];
	p.arg[1] = y->arg[0];
	memcpy(&p.arg[2], &x->arg[1], nx * sizeof *x->arg);
	memcpy(&p.arg[2 + nx], &y->arg[1], ny * sizeof *y->arg);
	*pair = p;
}

/* Members that no pair has stay with X, so that its format refuses them. */
void
isa_half(const p2a_inst *pair, unsigned side, p2a_inst *half)
{
	unsigned nx = isa_table[pair->op].nargs - 1u;
	p2a_inst h = side ? (p2a_inst){ .op = pair->op_y } : *pair;

	h.enc = P2A_ENC_AUTO;
	h.op_y = 0;
	h.nargs = isa_table[h.op].nargs;
	memset(h.arg, 0, sizeof h.arg);
	h.arg[0] = pair->arg[side];
	memcpy(&h.arg[1], &pair->arg[side ? 2 + nx : 2], (h.nargs - 1u) * sizeof *h.arg);
	*half = h;
}

/* ---- rules ---- */

/* The VGPR that a half reads by that port, or NULL. */
static const p2a_opnd *
read_by(const p2a_inst *half, unsigned side, unsigned port)
{
	const isa_info *info = &isa_table[half->op];

	for (int a = 1; a < info->nargs; a++) {
		int k = isa_src_index(info->arg[a].slot);

		if (k < 0 || half->arg[a].kind != P2A_K_VGPR)
			continue;
		if (port == (k == 1 ? dual_of(half->op, side)->port : 0u))
			return &half->arg[a];
	}
	return port == 2 && info->eff & ISA_TIED ? &half->arg[0] : NULL;
}

static bool
meet(uint32_t x, uint32_t y, unsigned mask)
{
	return !((x ^ y) & mask);
}

bool
isa_dual_places_by(const p2a_target *t, const p2a_inst half[2], isa_meet *meets)
{
	bool moves = half[0].op == OP_v_mov_b32 && half[1].op == OP_v_mov_b32;

	if (meets(half[0].arg[0].reg, half[1].arg[0].reg, 1))
		return false;
	for (unsigned port = t->dual_moves && moves; port < NPORTS; port++) {
		const p2a_opnd *x = read_by(&half[0], 0, port), *y = x ? read_by(&half[1], 1, port) : NULL;

		if (y && meets(x->reg, y->reg, port == 2 ? 1 : 3))
			return false;
	}
	return true;
}

bool
isa_dual_places(const p2a_target *t, const p2a_inst half[2])
{
	return isa_dual_places_by(t, half, meet);
}

/* The mask of v_cndmask counts once, and apart from VCC as a source. */
int
isa_dual_bus(const p2a_target *t, const p2a_inst half[2], bool literal)
{
	const p2a_opnd *seen[2 * P2A_MAX_ARGS];
	unsigned n = 0, masks = 0;

	for (const p2a_inst *h = half; h < half + 2; h++)
		for (int a = 1; a < h->nargs; a++) {
			const isa_arg *arg = &isa_table[h->op].arg[a];
			unsigned k = 0;

			if (!isa_reads_bus(arg, &h->arg[a]))
				continue;
			if (arg->type == ISA_T_MASK) {
				masks = 1;
				continue;
			}
			while (k < n && (seen[k]->kind != h->arg[a].kind || seen[k]->reg != h->arg[a].reg))
				k++;
			if (k == n)
				seen[n++] = &h->arg[a];
		}
	return n + masks + literal > t->const_bus ? P2A_ISA_CONST_BUS : 0;
}

/* Leaves the halves, and how each is encoded. */
static int
check_pair(const p2a_target *t, const p2a_inst *i, p2a_inst half[2], isa_choice c[2])
{
	int err = 0;

	if (i->op >= ISA_NOPS || i->op_y >= ISA_NOPS)
		return P2A_ISA_UNKNOWN_OP;
	if (!isa_can_dual(t, i->op, 0) || !isa_can_dual(t, i->op_y, 1))
		return P2A_ISA_NOT_HERE;
	if (i->nargs != isa_table[i->op].nargs + isa_table[i->op_y].nargs)
		return P2A_ISA_ARGS;
	for (unsigned side = 0; side < 2 && !err; side++) {
		isa_half(i, side, &half[side]);
		c[side].fmt = isa_half_format(t, side);
		c[side].form = NULL;
		c[side].opc = dual_of(half[side].op, side)->opc;
		c[side].lit = side ? c[0].lit : (isa_lit){ false, 0 };
		err = isa_check_half(t, &half[side], &c[side]);
	}
	if (!err && !isa_dual_places(t, half))
		err = P2A_ISA_REGISTER;
	return err ? err : isa_dual_bus(t, half, c[1].lit.has);
}

int
isa_dual_check(const p2a_target *t, const p2a_inst *i)
{
	p2a_inst half[2];
	isa_choice c[2];

	return check_pair(t, i, half, c);
}

/* ---- bytes ---- */

int
isa_dual_encode(const p2a_target *t, const p2a_inst *i, uint32_t w[P2A_MAX_DWORDS])
{
	p2a_inst half[2];
	isa_choice c[2];
	int err = check_pair(t, i, half, c), n = 2;

	if (err)
		return err;
	memset(w, 0, P2A_MAX_DWORDS * sizeof *w);
	for (unsigned side = 0; side < 2; side++)
		isa_put_fields(&half[side], &c[side], w);
	if (c[1].lit.has)
		w[n++] = c[1].lit.value;
	return n;
}

static int
decode_half(const p2a_target *t, unsigned side, const uint32_t *w, size_t n, p2a_inst *half)
{
	const isa_format *p = isa_half_format(t, side);
	const isa_field *f = isa_field_of(p, ISA_SL_OPC);
	int op = isa_half_op(t, isa_get(w, f->lo, f->width), side);

	*half = (p2a_inst){ .op = (uint16_t)op };
	return op < 0 ? P2A_ISA_UNKNOWN_OP : isa_get_args(t, half, p, w, n);
}

int
isa_dual_decode(const p2a_target *t, const uint32_t *w, size_t n, p2a_inst *i)
{
	p2a_inst x, y;
	int err = decode_half(t, 0, w, n, &x);

	if (!err)
		err = decode_half(t, 1, w, n, &y);
	if (err)
		return err;
	y.arg[0].reg |= !(x.arg[0].reg & 1);
	isa_pair(&x, &y, i);
	return isa_same_dwords(t, i, w, n);
}
