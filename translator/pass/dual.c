/* dual.c -- joins two independent vector instructions of a block into one (VOPD), on chips that have pairs.
 * Needs physical code with its waits; leaves pairs in the place of one of the two, nothing else moved.
 * Manuals: "Dual Issue VALU", RDNA3 7.6 and RDNA4 7.8.
 *
 * For each instruction that can be a half, the next few behind it are looked at. The later one moves up, or the
 * earlier one down, over instructions that neither write what it touches nor touch what it writes. Nothing moves
 * over waits: so no result is awaited earlier than before. What p2a_check refuses (banks, results of one parity,
 * too many scalars) may do with sources exchanged or in another form of the same operation. */
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
pair_of(const ir_func *f, const ir_inst *a, const ir_inst *b, p2a_inst *pair)
{
	p2a_inst fa[MAX_FORMS], fb[MAX_FORMS];
	unsigned na, nb;

	if (b->m.arg[0].kind != P2A_K_VGPR || !((a->m.arg[0].reg ^ b->m.arg[0].reg) & 1))
		return false;
	na = forms_of(f, a, fa);
	nb = forms_of(f, b, fb);
	for (unsigned ka = 0; ka < na; ka++)
		for (unsigned kb = 0; kb < nb; kb++) {
			if (reads(&fb[kb], &fa[ka].arg[0]))
				return false;
			if (pairs(f, &fa[ka], &fb[kb], pair) || pairs(f, &fb[kb], &fa[ka], pair))
				return true;
		}
	return false;
}

static void
replace(ir_func *f, ir_inst *at, ir_inst *other, const p2a_inst *pair)
{
	ir_builder B = { f, at->block, at, at->loc ? at->loc : other->loc };
	ir_inst *i = ir_emit(&B, pair->op, 2, pair->nargs, pair->arg);

	i->m = *pair;
	ir_remove(at);
	ir_remove(other);
}

/* Nothing moves over it. */
static bool
holds(const ir_inst *i)
{
	static const unsigned moving = HZ_VALU | HZ_MEMORY | 1 << ISA_SALU | 1 << ISA_SMEM | 1 << ISA_DS;

	return !hz_is_class(i, moving) || isa_effects(&i->m) & ISA_SIDE;
}

/* Looks for a partner of a; the instruction to go on with. */
static ir_inst *
find_partner(ir_func *f, ir_inst *a)
{
	touch ta = touched(a), between = { 0 };
	ir_inst *b = a->next, *next = b;
	bool down = true;       /* a can still move down to b */

	for (unsigned n = 0; b && n < WINDOW && !holds(b); b = b->next, n++) {
		touch tb = touched(b);
		bool up = may_pass(&tb, &between);
		p2a_inst pair;

		if ((up || down) && pair_of(f, a, b, &pair)) {
			next = next == b ? b->next : next;
			replace(f, up ? a : b, up ? b : a, &pair);
			return next;
		}
		down &= may_pass(&ta, &tb);
		join(&between.any, &tb.any);
		join(&between.written, &tb.written);
	}
	return next;
}

void
p_dual(ir_func *f)
{
	p2a_inst form[MAX_FORMS];

	if (!isa_can_dual(f->target, OP_v_mov_b32, 0))
		return;
	for (uint32_t b = 0; b < f->blocks.n; b++)
		for (ir_inst *i = f->blocks.a[b]->first; i;)
			i = hz_is_class(i, HZ_VALU) && forms_of(f, i, form) ? find_partner(f, i) : i->next;
}
