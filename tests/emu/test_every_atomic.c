/* test_every_atomic.c -- each atomic of memory, of buffers, of the local data share and of the scalar unit, with and without its
 * old value, 32 operands: what it leaves and what it returns.
 * Every row of isa/ops.def that is one is run, by its name; the operations are written here from the manuals' words (Vega 12.6,
 * 12.13 to 12.16; RDNA3 16.11, 16.12). Not here: exchanges of two places, counters (test_old.c, test_rare.c). */
#include "t.h"
#include "isa/layout.h"

enum { LANES = 32, SCALARS = 8 };
static const char *const chips[] = { "gfx900", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200" };

/* A lane's part of the first buffer: the operands as the instruction wants them; of the second: what it returned, what it left. */
typedef struct operands { uint64_t old; uint32_t data[4]; uint64_t unused; } operands;
typedef struct outcome { uint64_t result, cell; } outcome;

/* ---- the operations ---- */
static float f32(uint64_t x) { uint32_t u = (uint32_t)x; float f; memcpy(&f, &u, 4); return f; }
static double f64(uint64_t x) { double d; memcpy(&d, &x, 8); return d; }
static uint64_t of_f32(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static uint64_t of_f64(double d) { uint64_t u; memcpy(&u, &d, 8); return u; }
static double fl(uint64_t x, unsigned bits) { return bits == 32 ? (double)f32(x) : f64(x); }
static uint64_t of_fl(double d, unsigned bits) { return bits == 32 ? of_f32((float)d) : of_f64(d); }
static int64_t sg(uint64_t x, unsigned bits) { return bits == 32 ? (int32_t)(uint32_t)x : (int64_t)x; }
static uint32_t add_half(uint32_t a, uint32_t b)
{
	_Float16 x, y;
	uint16_t u = (uint16_t)a, v = (uint16_t)b;
	memcpy(&x, &u, 2);
	memcpy(&y, &v, 2);
	x = (_Float16)((float)x + (float)y);
	memcpy(&u, &x, 2);
	return u;
}
/* Exact for the operands here. */
static uint32_t add_bf16(uint32_t a, uint32_t b) { return (uint32_t)of_f32(f32(a << 16) + f32(b << 16)) >> 16; }
#define BOTH(f) (f((uint32_t)o & 0xffff, (uint32_t)d & 0xffff) | f((uint32_t)o >> 16, (uint32_t)d >> 16) << 16)

/* What memory holds then: o what it held, d the data, e the second data (of a comparison what is compared with). */
#define OPERATIONS(X) \
	X("swap", d) X("wrxchg", d) X("write", d) X("add", o + d) X("sub", o - d) X("rsub", d - o) X("and", o & d) X("or", o | d) X("xor", o ^ d) \
	X("smin", sg(o, bits) < sg(d, bits) ? o : d) X("smax", sg(o, bits) > sg(d, bits) ? o : d) \
	X("umin", o < d ? o : d) X("umax", o > d ? o : d) X("inc", o >= d ? 0 : o + 1) X("dec", o == 0 || o > d ? d : o - 1) \
	X("cmpswap", o == e ? d : o) X("cmpst", o == e ? d : o) X("mskor", (o & ~d) | e) X("wrap", o >= d ? o - d : o + e) \
	X("csub", o < d ? 0 : o - d) X("sub_clamp", o < d ? 0 : o - d) X("cond_sub", o >= d ? o - d : o) \
	X("fadd", of_fl(fl(o, bits) + fl(d, bits), bits)) X("fmin", fl(d, bits) < fl(o, bits) ? d : o) \
	X("fmax", fl(d, bits) > fl(o, bits) ? d : o) X("fcmpswap", fl(o, bits) == fl(e, bits) ? d : o) \
	X("fcmpst", fl(o, bits) == fl(e, bits) ? d : o) X("hpk_add", BOTH(add_half)) X("bpk_add", BOTH(add_bf16))

static bool after(const char *name, unsigned bits, uint64_t o, uint64_t d, uint64_t e, uint64_t *left)
{
	bool known = false;
#define X(text, value) if (!strcmp(name, text)) *left = (value), known = true;
	OPERATIONS(X)
#undef X
	if (bits == 32)
		*left = (uint32_t)*left;
	return known;
}

/* "ds_min_rtn_i32" is "smin", "global_atomic_fmin_x2" "fmin"; *bits: of an operand. False: no atomic of one place. */
static bool name_of(const char *row, char name[64], unsigned *bits)
{
	static const struct { const char *text; unsigned bits; const char *before; } type[] = {
		{ "_x2", 64, "" }, { "_i32", 32, "s" }, { "_i64", 64, "s" }, { "_u32", 32, "u" }, { "_u64", 64, "u" }, { "_b32", 32, "" },
		{ "_b64", 64, "" }, { "_bf16", 32, "b" }, { "_f16", 32, "h" }, { "_f32", 32, "f" }, { "_f64", 64, "f" }
	};
	const char *s = strstr(row, "_atomic_"), *before = "";
	static const char *const left_out[] = { "_rtn", "_src2" };
	char rest[48], *at;
	uint64_t left;
	snprintf(rest, sizeof rest, "%s", s ? s + 8 : row + 3);
	for (unsigned k = 0; k < 2; k++)
		if ((at = strstr(rest, left_out[k])) != NULL)
			memmove(at, at + strlen(left_out[k]), strlen(at + strlen(left_out[k])) + 1);
	*bits = 32;
	for (size_t k = 0; k < sizeof type / sizeof *type; k++) {
		size_t n = strlen(rest), m = strlen(type[k].text);
		if (n <= m || strcmp(rest + n - m, type[k].text))
			continue;
		rest[n - m] = 0;
		*bits = type[k].bits;
		before = type[k].before;
		break;
	}
	if (*before == 'u' && strcmp(rest, "min") && strcmp(rest, "max"))
		before = "";
	snprintf(name, 64, "%s%s", before, rest);
	return after(name, *bits, 0, 0, 0, &left);
}

/* ---- operands ---- */
static uint64_t integer(unsigned bits)
{
	static const uint64_t edge[] = { 0, 1, 5, UINT64_MAX, UINT64_C(0x8000000080000000), UINT64_C(0x7fffffff7fffffff), 6 };
	uint64_t x = t_random() % 3 ? edge[t_random() % 7] : t_random();
	return bits == 32 ? (uint32_t)x : x;
}
/* Small multiples of a quarter: sums are exact. */
static uint64_t number(const char *name, unsigned bits)
{
	float x = (float)(int)(t_random() % 64) - 31.5f;
	_Float16 h = (_Float16)x;
	uint16_t u;
	memcpy(&u, &h, 2);
	if (*name == 'f')
		return of_fl(x, bits);
	if (*name == 'h')
		return u | (uint32_t)(u ^ 0x8000) << 16;
	return *name == 'b' ? of_f32(x) >> 16 | (of_f32(x + 1) & 0xffff0000) : integer(bits);
}

/* e stands behind d; in the local data share each has a place of its own, and a comparison's two are the other way round
 * before gfx11. */
static void place(const p2a_target *t, const isa_info *row, const char *name, unsigned bits, uint64_t d, uint64_t e, uint32_t data[4])
{
	bool ds = row->cls == ISA_DS, turned = ds && strstr(name, "cmpst") && t->family < ISA_GFX11;
	uint64_t first = turned ? e : d, second = turned ? d : e;
	memset(data, 0, 16);
	memcpy(data, &first, 8);
	memcpy(data + (ds || bits == 64 ? 2 : 1), &second, bits / 8);
}

/* ---- code ---- */
static p2a_opnd operand(const p2a_target *t, const isa_arg *a)
{
	switch (a->slot) {
	case ISA_SL_VDST: return (p2a_opnd)VN(8, a->width);
	case ISA_SL_VDATA: case ISA_SL_DATA0: return (p2a_opnd)VN(4, a->width);
	case ISA_SL_DATA1: return (p2a_opnd)VN(6, a->width);
	case ISA_SL_ADDR: return (p2a_opnd)V(1);
	case ISA_SL_SADDR: return (p2a_opnd)SN(6, 2);
	case ISA_SL_SRSRC: return (p2a_opnd)SN(8, 4);
	case ISA_SL_BOFF: return t->family == ISA_GFX12 ? (p2a_opnd)SREG(P2A_NULL, 1) : (p2a_opnd)K(0);
	case ISA_SL_SDATA: return (p2a_opnd)SN(20, a->width);
	case ISA_SL_SBASE: return a->width == 4 ? (p2a_opnd)SN(8, 4) : (p2a_opnd)SN(6, 2);
	default: return (p2a_opnd)OFF;
	}
}
static void the_atomic(t_code *c, unsigned op, int offset)
{
	const isa_info *row = &isa_table[op];
	p2a_opnd a[P2A_MAX_ARGS];
	bool flat = row->cls == ISA_FLAT, buffer = !strncmp(row->name, "buffer", 6);
	for (unsigned k = 0; k < row->nargs; k++) {
		a[k] = operand(c->t, &row->arg[k]);
		if (row->arg[k].slot == ISA_SL_VADDR)
			a[k] = flat ? (p2a_opnd)VN(10, 2) : (p2a_opnd)V(1);
		if (row->arg[k].slot == ISA_SL_VADDR && buffer)
			a[k].sel = P2A_OFFEN;
	}
	t_mem(c, op, offset, a, row->nargs);
	t_wait(c);
}

/* Lane by lane: v[4:7] the data, v1 and v[10:11] where. */
static void vector(t_code *c, unsigned op)
{
	bool ds = isa_table[op].cls == ISA_DS, src2 = strstr(isa_table[op].name, "_src2");
	int cell = src2 ? 0 : 8;
	unsigned result = isa_table[op].arg[0].slot == ISA_SL_VDST ? 8 : 4;
	c->lds = 16 * LANES;
	OP(c, v_lshlrev_b32, V(2), K(5), V(0));
	MEM(c, global_load_dwordx4, 8, VN(4, 4), V(2), SN(4, 2));
	MEM(c, global_load_dwordx2, 0, VN(12, 2), V(2), SN(4, 2));
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	OP(c, v_mov_b32, V(10), S(6));
	OP(c, v_mov_b32, V(11), S(7));
	OP(c, v_or_b32, V(10), V(1), V(10));
	OP(c, v_or_b32, V(10), K(8), V(10));             /* the buffer is aligned */
	t_wait(c);
	if (ds)
		MEM(c, ds_write_b64, cell, V(1), VN(12, 2));
	if (src2)
		MEM(c, ds_write_b64, 8, V(1), VN(4, 2));
	t_wait(c);
	the_atomic(c, op, src2 ? 2 : isa_table[op].cls == ISA_FLAT ? 0 : 8);     /* src2: dwords to the second place */
	MEM(c, global_store_dwordx2, 0, V(1), VN(result, 2), SN(6, 2));
	if (ds) {
		MEM(c, ds_read_b64, cell, VN(12, 2), V(1));
		t_wait(c);
		MEM(c, global_store_dwordx2, 8, V(1), VN(12, 2), SN(6, 2));
	}
}
/* One after another: s[20:23] the data. */
static void scalar(t_code *c, unsigned op)
{
	for (int k = 0; k < SCALARS; k++) {
		MEM(c, s_load_dwordx4, 32 * k + 8, SN(20, 4), SN(4, 2), OFF);
		t_wait(c);
		the_atomic(c, op, 16 * k + 8);
		OP(c, v_mov_b32, V(2), S(20));
		OP(c, v_mov_b32, V(3), S(21));
		OP(c, v_mov_b32, V(1), K(16 * k));
		MEM(c, global_store_dwordx2, 0, V(1), VN(2, 2), SN(6, 2));
		t_wait(c);
	}
}

/* A raw buffer of 4096 bytes from s[6:7]. */
static void make_descriptor(t_code *c)
{
	OP(c, s_mov_b64, SN(8, 2), SN(6, 2));
	OP(c, s_movk_i32, S(10), K(4096));
	OP(c, s_mov_b32, S(11), K(0));
}

static const char *compare(unsigned op, const char *name, unsigned bits, const outcome *out, const operands *in, const uint64_t de[LANES][2])
{
	static char why[160];
	bool returns = isa_table[op].ndefs;
	uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX, left = 0;
	for (unsigned i = 0; i < (isa_table[op].cls == ISA_SMEM ? SCALARS : LANES); i++) {
		after(name, bits, in[i].old & mask, de[i][0], de[i][1], &left);
		bool rest = bits == 64 || (out[i].cell ^ in[i].old) >> 32 == 0;
		if ((out[i].cell & mask) == left && rest && (!returns || (out[i].result & mask) == (in[i].old & mask)))
			continue;
		snprintf(why, sizeof why, "%llx with %llx, %llx: leaves %llx, not %llx; returns %llx", (unsigned long long)in[i].old,
			(unsigned long long)de[i][0], (unsigned long long)de[i][1], (unsigned long long)out[i].cell,
			(unsigned long long)left, (unsigned long long)out[i].result);
		return why;
	}
	return NULL;
}

static const char *launch(t_run *r, const p2a_target *t, unsigned op)
{
	char name[64];
	unsigned bits;
	name_of(isa_table[op].name, name, &bits);
	uint64_t args[2] = { emu_alloc(r->dev, LANES * sizeof(operands)), emu_alloc(r->dev, 4096) }, de[LANES][2];
	emu_launch_config l = { .block = { LANES, 1, 1 }, .args = args, .args_size = sizeof args };
	operands *in = (operands *)(uintptr_t)args[0];
	outcome *out = (outcome *)(uintptr_t)args[1];
	for (unsigned i = 0; i < LANES; i++) {
		uint64_t o = number(name, bits), d = number(name, bits), e = i & 1 && strstr(name, "cmp") ? o : number(name, bits);
		in[i].old = out[i].cell = bits == 32 ? o | UINT64_C(0x7777777700000000) : o;
		place(t, &isa_table[op], name, bits, d, e, in[i].data);
		de[i][0] = d, de[i][1] = e;
	}
	if (emu_launch(r->dev, r->k, &l, &r->r) != EMU_OK)
		return r->r.fault.message;
	return compare(op, name, bits, out, in, de);
}

/* True unless it went wrong. */
static bool run(const char *chip, unsigned op)
{
	char name[64];
	unsigned bits;
	if (!isa_has(p2a_target_find(chip), op) || !(isa_table[op].eff & ISA_ATOMIC) || !name_of(isa_table[op].name, name, &bits))
		return true;
	t_code *c = t_new(chip);
	t_prologue(c);
	make_descriptor(c);
	(isa_table[op].cls == ISA_SMEM ? scalar : vector)(c, op);
	t_op(c, OP_s_endpgm, NULL, 0);
	return t_judge(c, op, launch);
}

int main(void)
{
	t_each_row(chips, sizeof chips / sizeof *chips, run, "all atomics of one place");
	return t_end();
}
