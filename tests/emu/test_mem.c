/* test_mem.c -- memory instructions: every width of load and store in global, flat, LDS and
 * scratch memory, the 16-bit halves, two-address LDS forms, every atomic; the scratch prologues
 * of gfx9 and gfx10; the dispatch packet.
 * On four chips, against a byte image that the test keeps. */
#include "t.h"

enum { LANES = 64, OLD = 0x5a5a1234 };
enum space { GLOBAL, FLAT_GLOBAL, FLAT_LDS, FLAT_SCRATCH, LDS, SCRATCH };
static const char *const space_name[] = { "global", "flat global", "flat LDS", "flat scratch",
	"LDS", "scratch" };

static uint32_t in[LANES][4], want[LANES][4];
static t_run r;
static uint64_t args[2];

/* Runs the code on one block of 64; the output is at args[1]. NULL, or what went wrong. */
static const char *run(t_code *c, emu_check level)
{
	if (!t_load(&r, c, &(emu_config){ .target = c->t->name, .threads = 1, .check = level }))
		return "not loaded";
	args[0] = emu_alloc(r.dev, sizeof in);
	args[1] = emu_alloc(r.dev, sizeof want);
	memcpy((void *)(uintptr_t)args[0], in, sizeof in);
	emu_launch_config l = { .block = { LANES, 1, 1 }, .args = args, .args_size = sizeof args };
	return emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK ? NULL : r.r.fault.message;
}
static const char *differ(void)
{
	static char why[128];
	const uint32_t (*out)[4] = (const uint32_t (*)[4])(uintptr_t)args[1];
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned k = 0; k < 4; k++)
			if (out[i][k] != want[i][k]) {
				snprintf(why, sizeof why, "lane %u dword %u: %08x, not %08x", i, k,
					out[i][k], want[i][k]);
				return why;
			}
	return NULL;
}
static void done(t_code *c, const char *name, const char *why)
{
	char full[128];
	snprintf(full, sizeof full, "%s %s", c->t->name, name);
	t_result(full, why ? why : differ());
	t_unload(&r);
	free(c);
}

/* Where private memory is reached through FLAT_SCRATCH, gfx9 and gfx10 kernels have to set it. */
static void scratch_prologue(t_code *c)
{
	if (c->t->arch_scratch)
		return;
	/* user SGPRs: kernarg s[0:1], flat_scratch_init s[2:3]; then workgroup id s4, wave
	 * offset s5 */
	if (c->t->family == ISA_GFX9) {
		OP(c, s_add_u32, SREG(P2A_FLAT_SCRATCH_LO, 1), S(2), S(5));
		OP(c, s_addc_u32, SREG(P2A_FLAT_SCRATCH_HI, 1), S(3), K(0));
		return;
	}
	OP(c, s_add_u32, S(2), S(2), S(5));
	OP(c, s_addc_u32, S(3), S(3), K(0));
	OP(c, s_setreg_b32, K(20 | 31 << 11), S(2));
	OP(c, s_setreg_b32, K(21 | 31 << 11), S(3));
}

/* v1 = lane * 16; v[2:5] = the lane's input; v[12:13] = flat address of the lane's 16 bytes;
 * s[4:7] the arguments; the input is put where `sp` is. */
static t_code *begin(const char *chip, enum space sp)
{
	t_code *c = t_new(chip);
	bool scratch = sp == SCRATCH || sp == FLAT_SCRATCH;
	c->lds = 2048;
	if (scratch) {
		c->scratch = 64;
		c->private_segment = true;
		c->flat_init = !c->t->arch_scratch;
		scratch_prologue(c);
	}
	MEM(c, s_load_dwordx4, 0, SN(4, 4), SN(0, 2), OFF);
	t_wait(c);
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	MEM(c, global_load_dwordx4, 0, VN(2, 4), V(1), SN(4, 2));
	OP(c, v_mov_b32, V(12), V(1));
	OP(c, v_mov_b32, V(13), K(0x10000));
	t_wait(c);
	if (sp == FLAT_GLOBAL) {
		OP(c, v_mov_b32, V(14), S(5));
		OP(c, v_add_co_u32, V(12),
			SREG(c->t->wave == 64 ? P2A_VCC : P2A_VCC_LO, (uint8_t)(c->t->wave / 32)),
			S(4), V(1));
		OP(c, v_addc_co_u32, V(13), SREG(c->t->wave == 64 ? P2A_VCC : P2A_VCC_LO, (uint8_t)(c->t->wave / 32)), V(14), K(0),
			SREG(c->t->wave == 64 ? P2A_VCC : P2A_VCC_LO, (uint8_t)(c->t->wave / 32)));
	}
	if (sp == LDS || sp == FLAT_LDS)
		MEM(c, ds_write_b128, 0, V(1), VN(2, 4));
	if (scratch) {
		OP(c, v_mov_b32, V(12), K(16));
		OP(c, v_mov_b32, V(13), K(0x20000));
		t_mem(c, OP_scratch_store_dwordx4, 0, (p2a_opnd[]){ V(12), VN(2, 4), OFF }, 3);
	}
	t_wait(c);
	for (unsigned k = 0; k < 4; k++)
		OP(c, v_mov_b32, V(8 + k), K(OLD));
	return c;
}
static void finish(t_code *c, unsigned from)
{
	t_wait(c);
	MEM(c, global_store_dwordx4, 0, V(1), VN(from, 4), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
}

typedef struct width {
	uint8_t bytes, sign, half;   /* half: 0 the whole register, 1 d16, 2 d16_hi */
	uint16_t op[4];              /* global, flat, LDS, scratch */
} width;
#define W(b, s, h, g, ds) { b, s, h, { OP_global_##g, OP_flat_##g, OP_ds_##ds, OP_scratch_##g } }
static const width loads[] = {
	W(1, 0, 0, load_ubyte, read_u8), W(1, 1, 0, load_sbyte, read_i8),
	W(2, 0, 0, load_ushort, read_u16),
	W(2, 1, 0, load_sshort, read_i16), W(4, 0, 0, load_dword, read_b32),
	W(8, 0, 0, load_dwordx2, read_b64),
	W(12, 0, 0, load_dwordx3, read_b96), W(16, 0, 0, load_dwordx4, read_b128),
	W(1, 0, 1, load_ubyte_d16, read_u8_d16), W(1, 0, 2, load_ubyte_d16_hi, read_u8_d16_hi),
	W(1, 1, 1, load_sbyte_d16, read_i8_d16), W(1, 1, 2, load_sbyte_d16_hi, read_i8_d16_hi),
	W(2, 0, 1, load_short_d16, read_u16_d16), W(2, 0, 2, load_short_d16_hi, read_u16_d16_hi),
};
static const width stores[] = {
	W(1, 0, 0, store_byte, write_b8), W(1, 0, 2, store_byte_d16_hi, write_b8_d16_hi),
	W(2, 0, 0, store_short, write_b16),
	W(2, 0, 2, store_short_d16_hi, write_b16_d16_hi), W(4, 0, 0, store_dword, write_b32),
	W(8, 0, 0, store_dwordx2, write_b64),
	W(12, 0, 0, store_dwordx3, write_b96), W(16, 0, 0, store_dwordx4, write_b128),
};

static int offset_of(const width *w) { return w->bytes > 4 ? 0 : w->bytes == 4 ? 4 : w->bytes == 2 ? 6 : 7; }

static void access(t_code *c, enum space sp, const width *w, uint8_t reg, bool store)
{
	static const uint8_t col[] = { 0, 1, 1, 1, 2, 3 };
	unsigned op = w->op[col[sp]];
	int off = offset_of(w);
	p2a_opnd data = VN(reg, (uint8_t)((w->bytes + 3) / 4)), a = V(1), f = VN(12, 2), p = V(12),
		 s = SN(4, 2), none = OFF;
	p2a_opnd ops[3] = { data };
	unsigned n = 1;
	bool flat = sp == FLAT_GLOBAL || sp == FLAT_LDS || sp == FLAT_SCRATCH;
	if (flat && !c->t->flat_off_max && off) {         /* gfx10: flat has no offset */
		OP(c, v_add_u32, V(12), K(off), V(12));
		off = 0;
	}
	ops[n++] = flat ? f : sp == SCRATCH ? p : a;
	if (store) {
		ops[0] = ops[1];
		ops[1] = data;
	}
	if (sp == GLOBAL)
		ops[n++] = s;
	if (sp == SCRATCH)
		ops[n++] = none;
	t_mem(c, op, off, ops, n);
}

static void expect_load(const width *w)
{
	for (unsigned i = 0; i < LANES; i++) {
		const uint8_t *p = (const uint8_t *)in[i] + offset_of(w);
		uint32_t x = w->bytes == 1 ? (w->sign ? (uint32_t)(int8_t)p[0] : p[0])
					   : (uint32_t)(p[0] | p[1] << 8);
		if (w->bytes == 2 && w->sign)
			x = (uint32_t)(int16_t)x;
		for (unsigned k = 0; k < 4; k++)
			want[i][k] = OLD;
		if (w->bytes >= 4)
			memcpy(want[i], p, w->bytes);
		else
			want[i][0] = w->half == 1 ? (x & 0xffff) | (OLD & 0xffff0000)
				: w->half == 2	  ? x << 16 | (OLD & 0xffff)
						  : x;
	}
}

static void load(const char *chip, enum space sp, const width *w)
{
	char name[96];
	t_code *c = begin(chip, sp);
	access(c, sp, w, 8, false);
	finish(c, 8);
	expect_load(w);
	snprintf(name, sizeof name, "%s load %u bytes%s%s", space_name[sp], w->bytes,
		w->sign ? " signed" : "", w->half ? w->half == 1 ? " d16" : " d16_hi" : "");
	done(c, name, run(c, EMU_CHECK_DEFAULT));
}

static void store(const char *chip, enum space sp, const width *w)
{
	static const width whole_ = W(16, 0, 0, load_dwordx4, read_b128);
	char name[96];
	t_code *c = begin(chip, sp);
	for (unsigned k = 0; k < 4; k++)         /* what is stored: the input, inverted */
		OP(c, v_not_b32, V(16 + k), V(2 + k));
	access(c, sp, w, 16, true);
	t_wait(c);
	bool flat = sp == FLAT_GLOBAL || sp == FLAT_LDS || sp == FLAT_SCRATCH;
	if (flat && !c->t->flat_off_max && offset_of(w))
		OP(c, v_subrev_u32, V(12), K(offset_of(w)), V(12));
	access(c, sp, &whole_, 8, false);
	finish(c, 8);
	memcpy(want, in, sizeof want);
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t data[4];
		for (unsigned k = 0; k < 4; k++)
			data[k] = ~in[i][k];
		memcpy((uint8_t *)want[i] + offset_of(w), (uint8_t *)data + (w->half == 2 ? 2 : 0),
			w->bytes);
	}
	snprintf(name, sizeof name, "%s store %u bytes%s", space_name[sp], w->bytes,
		w->half ? " d16_hi" : "");
	done(c, name, run(c, EMU_CHECK_DEFAULT));
}

/* Two addresses in one instruction, in elements or in 64 of them. */
static void two(const char *chip, unsigned rd, unsigned wr, unsigned bytes, bool st64)
{
	char name[96];
	t_code *c = begin(chip, LDS);
	unsigned n = bytes / 4;
	int o0 = st64 ? 0 : 1, o1 = st64 ? 1024 / (64 * (int)bytes) : 0;
	p2a_inst w = { .op = (uint16_t)wr, .nargs = 3, .offset = o0, .offset1 = o1,
		.arg = { V(1), VN(2, (uint8_t)n), VN(2 + n, (uint8_t)n) } };
	p2a_inst l = { .op = (uint16_t)rd,
		.nargs = 2,
		.offset = o0,
		.offset1 = o1,
		.arg = { VN(8, (uint8_t)(2 * n)), V(1) } };
	t_emit(c, &w);
	t_wait(c);
	t_emit(c, &l);
	finish(c, 8);
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned k = 0; k < 4; k++)
			want[i][k] = k < 2 * n ? in[i][k] : OLD;
	snprintf(name, sizeof name, "LDS two elements of %u bytes%s", bytes, st64 ? " st64" : "");
	done(c, name, run(c, EMU_CHECK_DEFAULT));
}

/* Atomics: memory holds the low half of a lane's input, data is the high half. */
typedef uint64_t (*step)(uint64_t old, uint64_t data, unsigned bits);
#define STEP(name, e) static uint64_t name(uint64_t o, uint64_t d, unsigned bits) \
	{ int64_t so = bits == 32 ? (int32_t)o : (int64_t)o, sd = bits == 32 ? (int32_t)d : (int64_t)d; \
	(void)o; (void)so; (void)sd; (void)bits; return (e); }
STEP(swap, d) STEP(add, o + d) STEP(sub, o - d) STEP(rsub, d - o)
STEP(smin, so < sd ? o : d) STEP(umin, o < d ? o : d) STEP(smax, so > sd ? o : d) STEP(umax, o > d ? o : d)
STEP(and, o & d) STEP(or, o | d) STEP(xor, o ^ d) STEP(inc, o >= d ? 0 : o + 1) STEP(dec, !o || o > d ? d : o - 1)

static const struct atomic {
	step f;
	/* global, flat, LDS; each with and without a result (0: there is none) */
	uint16_t op[6];
	uint8_t bits;
} atomics[] = {
#define A(f, n, ds) \
	{ f, { OP_global_atomic_##n##_rtn, OP_global_atomic_##n, OP_flat_atomic_##n##_rtn, OP_flat_atomic_##n, OP_ds_##ds }, 32 }, \
	{ f, { OP_global_atomic_##n##_x2_rtn, OP_global_atomic_##n##_x2, OP_flat_atomic_##n##_x2_rtn, OP_flat_atomic_##n##_x2, 0 }, 64 }
	A(swap, swap, wrxchg_rtn_b32), A(add, add, add_rtn_u32), A(sub, sub, sub_rtn_u32),
	A(smin, smin, min_rtn_i32),
	A(umin, umin, min_rtn_u32), A(smax, smax, max_rtn_i32), A(umax, umax, max_rtn_u32),
	A(and, and, and_rtn_b32),
	A(or, or, or_rtn_b32), A(xor, xor, xor_rtn_b32), A(inc, inc, inc_rtn_u32),
	A(dec, dec, dec_rtn_u32),
	{ rsub, { 0, 0, 0, 0, OP_ds_rsub_rtn_u32 }, 32 },
	{ rsub, { 0, 0, 0, 0, OP_ds_rsub_rtn_u64 }, 64 },
	{ add, { 0, 0, 0, 0, OP_ds_add_rtn_u64, OP_ds_add_u64 }, 64 },
	{ sub, { 0, 0, 0, 0, OP_ds_sub_rtn_u64, OP_ds_sub_u64 }, 64 },
	{ smin, { 0, 0, 0, 0, OP_ds_min_rtn_i64, OP_ds_min_i64 }, 64 },
	{ umin, { 0, 0, 0, 0, OP_ds_min_rtn_u64, OP_ds_min_u64 }, 64 },
	{ smax, { 0, 0, 0, 0, OP_ds_max_rtn_i64, OP_ds_max_i64 }, 64 },
	{ umax, { 0, 0, 0, 0, OP_ds_max_rtn_u64, OP_ds_max_u64 }, 64 },
	{ and, { 0, 0, 0, 0, OP_ds_and_rtn_b64, OP_ds_and_b64 }, 64 },
	{ or, { 0, 0, 0, 0, OP_ds_or_rtn_b64, OP_ds_or_b64 }, 64 },
	{ xor, { 0, 0, 0, 0, OP_ds_xor_rtn_b64, OP_ds_xor_b64 }, 64 },
	{ swap, { 0, 0, 0, 0, OP_ds_wrxchg_rtn_b64 }, 64 },
	{ inc, { 0, 0, 0, 0, OP_ds_inc_rtn_u64, OP_ds_inc_u64 }, 64 },
	{ dec, { 0, 0, 0, 0, OP_ds_dec_rtn_u64, OP_ds_dec_u64 }, 64 },
};

static void atomic(const char *chip, const struct atomic *a, unsigned col)
{
	static const enum space sp[] = { GLOBAL, GLOBAL, FLAT_GLOBAL, FLAT_GLOBAL, LDS, LDS };
	char name[96];
	unsigned op = a->op[col], n = a->bits / 32u;
	bool rtn = !(col & 1);
	if (!op || !isa_has(p2a_target_find(chip), op))
		return;
	t_code *c = begin(chip, sp[col]);
	p2a_opnd d = VN(8, (uint8_t)n), data = VN(2 + n, (uint8_t)n), ops[4];
	unsigned k = 0;
	if (rtn)
		ops[k++] = d;
	ops[k++] = sp[col] == FLAT_GLOBAL ? (p2a_opnd)VN(12, 2) : (p2a_opnd)V(1);
	ops[k++] = data;
	if (sp[col] == GLOBAL)
		ops[k++] = (p2a_opnd)SN(4, 2);
	p2a_inst i = { .op = (uint16_t)op, .nargs = (uint8_t)k };
	memcpy(i.arg, ops, k * sizeof *ops);
	t_emit(c, &i);
	t_wait(c);
	/* the new value behind the old one */
	static const width r4 = W(4, 0, 0, load_dword, read_b32),
			   r8 = W(8, 0, 0, load_dwordx2, read_b64);
	width now = n == 1 ? r4 : r8;
	if (n == 1)
		t_mem(c, sp[col] == LDS ? OP_ds_read_b32 : OP_global_load_dword, 0,
			(p2a_opnd[]){ V(10), V(1), SN(4, 2) }, sp[col] == LDS ? 2 : 3);
	else
		t_mem(c, now.op[sp[col] == LDS ? 2 : 0], 0,
			(p2a_opnd[]){ VN(10, 2), V(1), SN(4, 2) }, sp[col] == LDS ? 2 : 3);
	finish(c, 8);
	for (unsigned l = 0; l < LANES; l++) {
		uint64_t o = in[l][0], x = in[l][n], nw;
		if (n == 2)
			o |= (uint64_t)in[l][1] << 32, x |= (uint64_t)in[l][3] << 32;
		nw = a->f(o, x, a->bits);
		for (k = 0; k < 4; k++)
			want[l][k] = OLD;
		want[l][0] = rtn ? (uint32_t)o : OLD;
		want[l][2] = (uint32_t)nw;
		if (n == 2) {
			want[l][1] = rtn ? (uint32_t)(o >> 32) : OLD;
			want[l][3] = (uint32_t)(nw >> 32);
		}
	}
	snprintf(name, sizeof name, "%s", isa_table[op].name);
	done(c, name, run(c, EMU_CHECK_DEFAULT));
}

/* Compare and swap: even lanes hold what is compared with, odd ones do not. */
static void compare_swap(const char *chip, bool lds)
{
	t_code *c = begin(chip, lds ? LDS : GLOBAL);
	OP(c, v_and_b32, V(14), K(1), V(0));
	OP(c, v_xor_b32, V(21), V(2), V(14));            /* comparand */
	OP(c, v_mov_b32, V(20), K(77));                  /* new value */
	bool swapped = c->t->family >= ISA_GFX11;
	if (lds)
		OP(c, ds_cmpst_rtn_b32, V(8), V(1), V(swapped ? 20 : 21), V(swapped ? 21 : 20));
	else {
		p2a_inst i = { .op = OP_global_atomic_cmpswap_rtn,
			.nargs = 4,
			.arg = { V(8), V(1), VN(20, 2), SN(4, 2) } };
		t_emit(c, &i);
	}
	t_wait(c);
	t_mem(c, lds ? OP_ds_read_b32 : OP_global_load_dword, 0,
		(p2a_opnd[]){ V(10), V(1), SN(4, 2) }, lds ? 2 : 3);
	finish(c, 8);
	for (unsigned l = 0; l < LANES; l++) {
		want[l][0] = in[l][0];
		want[l][1] = want[l][3] = OLD;
		want[l][2] = l & 1 ? in[l][0] : 77;
	}
	done(c, lds ? "ds_cmpst" : "global_atomic_cmpswap", run(c, EMU_CHECK_DEFAULT));
}

/* FLAT_SCRATCH that was not set is reported. */
static void no_prologue(const char *chip)
{
	t_code *c = t_new(chip);
	if (c->t->arch_scratch) {
		free(c);
		return;
	}
	c->scratch = 64;
	c->private_segment = c->flat_init = true;
	OP(c, v_mov_b32, V(12), K(0));
	t_mem(c, OP_scratch_store_dword, 0, (p2a_opnd[]){ V(12), V(0), OFF }, 3);
	t_op(c, OP_s_endpgm, NULL, 0);
	const char *why = run(c, EMU_CHECK_DEFAULT);
	t_result("FLAT_SCRATCH not set up",
		why && strstr(why, "not set up") ? NULL : "not reported");
	t_unload(&r);
	free(c);
}

/* The AQL packet through its pointer: block size, grid size. */
static void packet(const char *chip)
{
	t_code *c = t_new(chip);
	c->dispatch_ptr = true;          /* s[0:1] packet, s[2:3] kernarg */
	MEM(c, s_load_dwordx4, 0, SN(4, 4), SN(2, 2), OFF);
	MEM(c, s_load_dword, 4, S(12), SN(0, 2), OFF);
	MEM(c, s_load_dword, 12, S(13), SN(0, 2), OFF);
	MEM(c, s_load_dword, 28, S(14), SN(0, 2), OFF);
	t_wait(c);
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	for (unsigned k = 0; k < 3; k++)
		OP(c, v_mov_b32, V(8 + k), S(12 + k));
	OP(c, v_mov_b32, V(11), K(0));
	c->lds = 96;
	finish(c, 8);
	for (unsigned l = 0; l < LANES; l++)
		memcpy(want[l], (const uint32_t[]){ LANES | 1 << 16, LANES, 96, 0 }, 16);
	done(c, "dispatch packet", run(c, EMU_CHECK_DEFAULT));
}

/* Buffers share what memory the device has; what is freed can be had again. */
static void limited(void)
{
	emu_device *d;
	uint64_t total = 0, used = 0, a, b, full;
	if (emu_create(&(emu_config){ .size = sizeof(emu_config), .target = "gfx1100", .memory = 1 << 20 }, &d, NULL) != EMU_OK) {
		t_bad("device of 1 MiB: not made");
		return;
	}
	a = emu_alloc(d, 600000);
	b = emu_alloc(d, (1 << 20) - 600000 + 1);
	full = emu_alloc(d, (1 << 20) - 600000);
	emu_memory(d, &total, &used);
	bool good = a && !b && full && total == 1 << 20 && used == 1 << 20 && !emu_alloc(d, 1);
	good = good && emu_free(d, a) == EMU_OK && emu_alloc(d, 600000) && !emu_alloc(d, SIZE_MAX / 2);
	t_result("device of 1 MiB", good ? NULL : "buffers");
	emu_destroy(d);
}

int main(void)
{
	for (unsigned i = 0; i < LANES; i++)
		for (unsigned k = 0; k < 4; k++)
			in[i][k] = (uint32_t)t_random();
	for (unsigned k = 0; k < 4; k++)
		in[3][k] = in[5][0];             /* equal values, and zero */
	in[7][0] = in[7][1] = 0;
	for (const char *const *chip = t_chips; *chip; chip++) {
		for (int sp = GLOBAL; sp <= SCRATCH; sp++) {
			for (unsigned k = 0; k < sizeof loads / sizeof *loads; k++)
				load(*chip, (enum space)sp, &loads[k]);
			for (unsigned k = 0; k < sizeof stores / sizeof *stores; k++)
				store(*chip, (enum space)sp, &stores[k]);
		}
		two(*chip, OP_ds_read2_b32, OP_ds_write2_b32, 4, false);
		two(*chip, OP_ds_read2st64_b32, OP_ds_write2st64_b32, 4, true);
		two(*chip, OP_ds_read2_b64, OP_ds_write2_b64, 8, false);
		two(*chip, OP_ds_read2st64_b64, OP_ds_write2st64_b64, 8, true);
		for (unsigned k = 0; k < sizeof atomics / sizeof *atomics; k++)
			for (unsigned col = 0; col < 6; col++)
				atomic(*chip, &atomics[k], col);
		compare_swap(*chip, false);
		compare_swap(*chip, true);
		no_prologue(*chip);
		packet(*chip);
	}
	limited();
	return t_end();
}
