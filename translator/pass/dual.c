/* dual.c -- joins two independent vector instructions of a block into one (VOPD), on chips that have pairs.
 * Needs physical code with its waits; leaves pairs between where the two were, nothing else moved.
 * Manuals: "Dual Issue VALU", RDNA3 7.6 and RDNA4 7.8.
 *
 * For each instruction that can be a half, the next few behind it are looked at. The later one moves up as far as it
 * can, the earlier one down to it, over instructions that neither write what it touches nor touch what it writes.
 * Nothing moves up over a wait: so no result is awaited earlier than before. What p2a_check refuses (banks, too many scalars) may do
 * with sources exchanged or in another form of the same operation. Where both results have one parity, one that is
 * done with in its block goes to a register that the allocation has beyond those in use. */
#include "pass/hazard.h"

enum { WINDOW = 16 };           /* how far behind an instruction its partner is looked for */
enum { MAX_FORMS = 2 };

typedef struct set { uint64_t w[HZ_NREG / 64]; } set;

/* What instructions read or write, and what they write. */
typedef struct touch { set any, written; } touch;

/* ---- registers ---- */

static void
add(set *s, const p2a_opnd *o)
{
	unsigned first, n = hz_registers(o, &first);

	for (unsigned r = first; r < first + n && r < HZ_NREG; r++)
		s->w[r / 64] |= (uint64_t)1 << r % 64;
}

static void
add_pair(set *s, unsigned reg)
{
	add(s, &(p2a_opnd){ .kind = P2A_K_SREG, .reg = reg });
}

static bool
meet(const set *a, const set *b)
{
	for (unsigned k = 0; k < HZ_NREG / 64; k++)
		if (a->w[k] & b->w[k])
			return true;
	return false;
}

static void
join(set *to, const set *s)
{
	for (unsigned k = 0; k < HZ_NREG / 64; k++)
		to->w[k] |= s->w[k];
}

/* SCC is left out: no half touches it. M0 written is an operand, M0 read does not matter to a half. */
static touch
touched(const ir_inst *i)
{
	uint32_t eff = isa_effects(&i->m);
	touch t = { 0 };

	for (unsigned k = 0; k < i->m.nargs; k++)
		add(k < i->ndefs ? &t.written : &t.any, &i->m.arg[k]);
	if (eff & ISA_R_EXEC)
		add_pair(&t.any, P2A_EXEC);
	if (eff & ISA_R_VCC)
		add_pair(&t.any, P2A_VCC);
	if (eff & ISA_W_EXEC)
		add_pair(&t.written, P2A_EXEC);
	if (eff & ISA_W_VCC)
		add_pair(&t.written, P2A_VCC);
	join(&t.any, &t.written);
	return t;
}

static bool
may_pass(const touch *a, const touch *b)
{
	return !meet(&a->any, &b->written) && !meet(&a->written, &b->any);
}

/* ---- halves ---- */

/* Can a half have this source? Values of other special registers may change behind our back. */
static bool
plain_source(const p2a_opnd *o)
{
	if (o->mods || o->sel)
		return false;
	return o->kind == P2A_K_VGPR || o->kind == P2A_K_SGPR || o->kind == P2A_K_IMM ||
	       (o->kind == P2A_K_SREG && (o->reg <= P2A_EXEC_HI || o->reg == P2A_NULL));
}

/* Nothing but operation and operands. */
static bool
plain(const ir_inst *i)
{
	const p2a_inst *m = &i->m;

	if (m->op >= ISA_NOPS || i->ndefs != 1 || m->enc > P2A_ENC_E64 || m->clamp || m->omod)
		return false;
	for (unsigned k = 0; k < m->nargs; k++)
		if (!plain_source(&m->arg[k]))
			return false;
	return m->arg[0].kind == P2A_K_VGPR;
}

/* "It counts as one SGPR": a half has one, the mask of v_cndmask included. */
static bool
few_scalars(const p2a_inst *h)
{
	unsigned n = 0;

	for (unsigned k = 1; k < h->nargs; k++)
		n += isa_reads_bus(&isa_table[h->op].arg[k], &h->arg[k]);
	return n < 2;
}

/* v_fma_f32 in the place of its addend, or with a constant. */
static unsigned
fma_form(const p2a_inst *m, p2a_inst *to)
{
	const p2a_opnd *a = m->arg;

	*to = (p2a_inst){ .op = OP_v_fmac_f32, .nargs = 3, .arg = { a[0], a[1], a[2] } };
	if (a[3].kind == P2A_K_VGPR && a[3].reg == a[0].reg)
		return 1;
	to->nargs = 4;
	to->op = a[3].kind == P2A_K_IMM ? OP_v_fmaak_f32 : OP_v_fmamk_f32;
	to->arg[3] = a[3];
	return a[3].kind == P2A_K_IMM || a[2].kind == P2A_K_IMM;
}

/* The same with src0 and src1 exchanged. */
static bool
exchanged(const p2a_inst *m, p2a_inst *to)
{
	bool sub = m->op == OP_v_sub_f32, subrev = m->op == OP_v_subrev_f32;

	*to = *m;
	if (!sub && !subrev && m->op != OP_v_fmaak_f32 && !(isa_table[m->op].eff & ISA_COMM))
		return false;
	if (sub || subrev)
		to->op = sub ? OP_v_subrev_f32 : OP_v_sub_f32;
	to->arg[1] = m->arg[2];
	to->arg[2] = m->arg[1];
	return true;
}

/* The forms in which i can be a half; 0: in none. */
static unsigned
forms_of(const ir_func *f, const ir_inst *i, p2a_inst form[MAX_FORMS])
{
	unsigned n = 1;

	if (!plain(i))
		return 0;
	form[0] = i->m;
	form[0].enc = P2A_ENC_AUTO;
	if (i->m.op == OP_v_fma_f32)
		n = fma_form(&i->m, &form[0]);
	if (!n || (!isa_can_dual(f->target, form[0].op, 0) && !isa_can_dual(f->target, form[0].op, 1)) ||
	    !few_scalars(&form[0]))
		return 0;
	return n + exchanged(&form[0], &form[1]);
}

/* ---- pairs ---- */

/* RDNA4 7.8: X must not write a source of Y. */
static bool
reads(const p2a_inst *h, const p2a_opnd *reg)
{
	for (unsigned k = isa_table[h->op].eff & ISA_TIED ? 0 : 1; k < h->nargs; k++)
		if (h->arg[k].kind == P2A_K_VGPR && h->arg[k].reg == reg->reg)
			return true;
	return false;
}

static bool
pairs(const ir_func *f, const p2a_inst *x, const p2a_inst *y, p2a_inst *pair)
{
	if (!isa_can_dual(f->target, x->op, 0) || !isa_can_dual(f->target, y->op, 1) || reads(y, &x->arg[0]))
		return false;
	isa_pair(x, y, pair);
	return p2a_check(f->target, pair) == 0;
}

/* a comes before b and b does not read its result. */
static bool
pair_of(ir_func *f, ir_inst *a, ir_inst *b, p2a_inst *pair)
{
	p2a_inst fa[MAX_FORMS], fb[MAX_FORMS];
	unsigned na = forms_of(f, a, fa), nb = forms_of(f, b, fb);

	for (unsigned ka = 0; ka < na; ka++)
		for (unsigned kb = 0; kb < nb; kb++) {
			if (reads(&fb[kb], &fa[ka].arg[0]))
				return false;
			if (pairs(f, &fa[ka], &fb[kb], pair) || pairs(f, &fb[kb], &fa[ka], pair))
				return true;
		}
	return false;
}

/* The pair stands before `at`. */
static void
replace(ir_func *f, ir_inst *at, ir_inst *a, ir_inst *b, const p2a_inst *pair)
{
	ir_builder B = { f, a->block, at, a->loc ? a->loc : b->loc };

	ir_emit(&B, pair->op, 2, pair->nargs, pair->arg)->m = *pair;
	ir_remove(a);
	ir_remove(b);
}

/* ---- a result in another register ---- */

/* A VGPR of that parity which is allocated but not used; 0: none. */
static unsigned
spare_vgpr(const ir_func *f, unsigned parity)
{
	unsigned n = f->k.vgprs, granule = f->target->vgpr_granule, r = n + ((n ^ parity) & 1);
	unsigned end = MIN((n + granule - 1) / granule * granule, 128u); /* 16-bit operands reach so far */

	return n && r < end && (!f->max_vgprs || r < f->max_vgprs) ? r : 0;
}

static bool
is_reg(const p2a_opnd *o, unsigned reg)
{
	return o->kind == P2A_K_VGPR && reg >= o->reg && reg < o->reg + o->width;
}

static bool
writes_reg(const ir_inst *i, unsigned reg)
{
	for (unsigned k = 0; k < i->ndefs; k++)
		if (is_reg(&i->m.arg[k], reg))
			return true;
	return false;
}

/* May it read lanes that are not active, or ignore which are? */
static bool
other_lanes(const ir_inst *i)
{
	switch (i->m.op) {
	case OP_v_permlane16_b32: case OP_v_permlanex16_b32: case OP_ds_swizzle_b32: case OP_ds_permute_b32: case OP_ds_bpermute_b32:
		return true;
	default:
		return isa_is_dpp(i->m.enc) || isa_effects(&i->m) & ISA_IGNORES_EXEC;
	}
}

/* Names `to` where i reads `from`; false: it cannot. */
static bool
read_instead(const ir_func *f, const ir_inst *i, unsigned from, unsigned to, p2a_inst *m)
{
	bool any = false;

	*m = i->m;
	for (unsigned k = i->ndefs; k < m->nargs; k++) {
		if (!is_reg(&m->arg[k], from))
			continue;
		if (m->arg[k].width != 1)
			return false;
		m->arg[k].reg = to;
		any = true;
	}
	return !any || (!other_lanes(i) && p2a_check(f->target, m) == 0);
}

/* Does i leave some of what was in its result? */
static bool
keeps_old(const ir_inst *i)
{
	return isa_effects(&i->m) & (ISA_TIED | ISA_IGNORES_EXEC) || i->m.enc == P2A_ENC_SDWA || isa_is_dpp(i->m.enc);
}

/* Whoever reads i's result stands in its block, and nobody sees the register's lanes that it does not write; all can
 * read `to` instead. */
static bool
can_go(const ir_func *f, const ir_inst *i, unsigned to)
{
	unsigned from = i->m.arg[0].reg;
	p2a_inst m;

	if (keeps_old(i))
		return false;
	for (const ir_inst *j = i->next; j; j = j->next) {
		if (j->m.op >= ISA_NOPS || !read_instead(f, j, from, to, &m))
			return false;
		if (writes_reg(j, from))
			return !keeps_old(j);
		if (hz_writes(j, HZ_EXEC) || hz_is_class(j, 1 << ISA_BRANCH))
			return false;
	}
	return !i->block->lsuccs.n;
}

/* The other way round it undoes itself: nobody else uses a spare register. */
static void
go(const ir_func *f, ir_inst *i, unsigned to)
{
	unsigned from = i->m.arg[0].reg;
	p2a_inst m;

	i->m.arg[0].reg = to;
	for (ir_inst *j = i->next; j; j = j->next) {
		read_instead(f, j, from, to, &m);
		j->m = m;
		if (writes_reg(j, from))
			return;
	}
}

/* a and b have results of one parity: does it work with one of them elsewhere? */
static bool
pair_apart(ir_func *f, ir_inst *a, ir_inst *b, p2a_inst *pair)
{
	unsigned spare = spare_vgpr(f, ~a->m.arg[0].reg & 1);

	if (!spare)
		return false;
	for (unsigned k = 0; k < 2; k++) {
		ir_inst *i = k ? a : b;
		unsigned old = i->m.arg[0].reg;

		if (!can_go(f, i, spare))
			continue;
		go(f, i, spare);
		if (pair_of(f, a, b, pair)) {
			f->k.vgprs = spare + 1;
			return true;
		}
		go(f, i, old);
	}
	return false;
}

/* ---- blocks ---- */

static bool
is_wait(const ir_inst *i)
{
	return hz_is_class(i, 1 << ISA_WAIT);
}

/* Nothing moves over it, up or down. */
static bool
holds(const ir_inst *i)
{
	static const unsigned moving = HZ_VALU | HZ_MEMORY | 1 << ISA_SALU | 1 << ISA_SMEM | 1 << ISA_DS;

	return !is_wait(i) && (!hz_is_class(i, moving) || isa_effects(&i->m) & ISA_SIDE);
}

/* Where a and b can come together: before this instruction; NULL: nowhere. */
static ir_inst *
meeting(ir_inst *a, ir_inst *b)
{
	touch ta = touched(a), tb = touched(b), t;
	ir_inst *m = b;

	while (m->prev != a) {
		t = touched(m->prev);
		if (is_wait(m->prev) || !may_pass(&tb, &t))
			break;
		m = m->prev;
	}
	if (m->prev == a)
		return a;
	for (ir_inst *i = a->next; i != m; i = i->next) {
		t = touched(i);
		if (!may_pass(&ta, &t))
			return NULL;
	}
	return m;
}

/* Is b a half, and are the results of different parity (or not, if one of them is to go elsewhere)? Cheap to ask. */
static bool
worth_it(const ir_func *f, const ir_inst *a, const ir_inst *b, bool apart)
{
	p2a_inst form[MAX_FORMS];

	return hz_is_class(b, HZ_VALU) && b->m.arg[0].kind == P2A_K_VGPR &&
	       ((a->m.arg[0].reg ^ b->m.arg[0].reg) & 1) != apart && forms_of(f, b, form);
}

/* Looks for a partner of a; the instruction to go on with. */
static ir_inst *
find_partner(ir_func *f, ir_inst *a, bool apart)
{
	ir_inst *b = a->next, *next = b;

	for (unsigned n = 0; b && n < WINDOW && !holds(b); b = b->next, n++) {
		ir_inst *at = worth_it(f, a, b, apart) ? meeting(a, b) : NULL;
		p2a_inst pair;

		if (!at || !(apart ? pair_apart : pair_of)(f, a, b, &pair))
			continue;
		next = next == b ? b->next : next;
		replace(f, at, a, b, &pair);
		break;
	}
	return next;
}

static void
join_block(ir_func *f, ir_block *b, bool apart)
{
	p2a_inst form[MAX_FORMS];

	for (ir_inst *i = b->first; i;)
		i = hz_is_class(i, HZ_VALU) && forms_of(f, i, form) ? find_partner(f, i, apart) : i->next;
}

void
p_dual(ir_func *f)
{
	if (!isa_can_dual(f->target, OP_v_mov_b32, 0))
		return;
	for (unsigned apart = 0; apart < 2; apart++)
		for (uint32_t b = 0; b < f->blocks.n; b++)
			join_block(f, f->blocks.a[b], apart);
}
