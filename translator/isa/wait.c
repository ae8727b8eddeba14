/* wait.c -- which counter an instruction counts on, and the instructions that wait for one.
 * Needs counters.def; leaves encodable instructions of the target.
 * Manuals: "s_waitcnt" (Vega, CDNA, RDNA1-3), "s_wait_*" (RDNA4). */
#include "isa/layout.h"

typedef struct cell {
	int16_t op;             /* an instruction of its own, or -1: a field of s_waitcnt */
	uint8_t lo, width, lo2, width2;
} cell;
static const cell cells[ISA_NCNT][ISA_NFAMILY] = {
#define NO { -1, 0, 0, 0, 0 }
#define IN(lo, width) { -1, lo, width, 0, 0 }
#define IN2(lo, width, lo2, width2) { -1, lo, width, lo2, width2 }
#define OWN(op, width) { OP_##op, 0, width, 0, 0 }
#define CNT(id, name, ...) [ISA_CNT_##id] = { __VA_ARGS__ },
#include "isa/counters.def"
#undef NO
};

#define NO 0
#define IN(lo, width) (1 << (width)) - 1
#define IN2(lo, width, lo2, width2) (1 << ((width) + (width2))) - 1
#define OWN(op, width) (1 << (width)) - 1
const isa_counter_info isa_counter[ISA_NCNT] = {
#define CNT(id, name, ...) [ISA_CNT_##id] = { name, { __VA_ARGS__ } },
#include "isa/counters.def"
#undef NO
};

const uint8_t isa_counter_order[ISA_NCNT] = {
#define NO 0
#define IN(...) 0
#define IN2(...) 0
#define OWN(...) 0
#define CNT(id, ...) ISA_CNT_##id,
#include "isa/counters.def"
#undef NO
};

enum { ISA_CNT_NONE = -1, NCLASS = ISA_END + 1 };
typedef struct use {
	bool counts;
	int8_t load[ISA_NFAMILY], store[ISA_NFAMILY], second[ISA_NFAMILY];
} use;
static const use uses[NCLASS] = {
#define C(id) ISA_CNT_##id
#define USE(cls, l9, l10, l11, l12, s9, s10, s11, s12, b9, b10, b11, b12) [ISA_##cls] = { true, \
	{ C(l9), C(l10), C(l11), C(l12) }, { C(s9), C(s10), C(s11), C(s12) }, \
	{ C(b9), C(b10), C(b11), C(b12) } },
#include "isa/counters.def"
#undef C
};

int
isa_counter_of(const p2a_target *t, unsigned op, int *second)
{
	const isa_info *info = &isa_table[op];
	const use *u = &uses[info->cls];
	bool store = info->eff & ISA_STORE && !info->ndefs;

	if (second)
		*second = ISA_CNT_NONE;
	if (!u->counts || !(info->eff & (ISA_LOAD | ISA_STORE)))
		return ISA_CNT_NONE;
	if (second)
		*second = u->second[t->family];
	return store ? u->store[t->family] : u->load[t->family];
}

static uint32_t
field(const cell *c, uint32_t n)
{
	uint32_t low = n & ((1u << c->width) - 1), high = n >> c->width & ((1u << c->width2) - 1);

	return low << c->lo | high << c->lo2;
}

uint32_t
isa_wait_mask(const p2a_target *t)
{
	uint32_t mask = 0;

	for (int c = 0; c < ISA_NCNT; c++)
		if (cells[c][t->family].op < 0)
			mask |= field(&cells[c][t->family], isa_counter[c].max[t->family]);
	return mask;
}

int
isa_wait_get(const p2a_target *t, int c, uint32_t simm)
{
	const cell *x = &cells[c][t->family];

	if (x->op >= 0 || !x->width)
		return -1;
	return (int)((simm >> x->lo & ((1u << x->width) - 1)) |
	             (simm >> x->lo2 & ((1u << x->width2) - 1)) << x->width);
}

bool
isa_wait_set(const p2a_target *t, int c, uint32_t n, uint32_t *simm)
{
	const cell *x = &cells[c][t->family];

	if (x->op >= 0 || n > isa_counter[c].max[t->family])
		return false;
	*simm = (*simm & ~field(x, isa_counter[c].max[t->family])) | field(x, n);
	return true;
}

static p2a_inst
own_wait(unsigned op, unsigned n)
{
	p2a_opnd count = { .kind = P2A_K_IMM, .imm = n };
	p2a_inst i = { .op = (uint16_t)op, .nargs = isa_table[op].nargs };

	i.arg[i.nargs - 1] = count;
	if (i.nargs == 2)       /* s_waitcnt_vscnt takes a register to add, null */
		i.arg[0] = (p2a_opnd){ .kind = P2A_K_SREG, .width = 1, .reg = P2A_NULL };
	return i;
}

int
isa_wait(const p2a_target *t, const uint8_t wait[ISA_NCNT], p2a_inst out[ISA_NCNT])
{
	uint32_t all = isa_wait_mask(t), simm = all;
	int n = 0;

	for (int c = 0; c < ISA_NCNT; c++)
		if (wait[c] < isa_counter[c].max[t->family])
			isa_wait_set(t, c, wait[c], &simm);
	if (simm != all)
		out[n++] = own_wait(OP_s_waitcnt, simm);
	for (int c = 0; c < ISA_NCNT; c++)
		if (cells[c][t->family].op >= 0 && wait[c] < isa_counter[c].max[t->family])
			out[n++] = own_wait((unsigned)cells[c][t->family].op, wait[c]);
	return n;
}
