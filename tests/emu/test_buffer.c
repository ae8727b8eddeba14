/* test_buffer.c -- memory by buffer descriptors: every address mode, strides, ranges, swizzling, widths, atomics; scratch
 * memory by the descriptor that a kernel is handed, with a stack pointer.
 * Offsets are computed here as the manuals' chapter "Buffer Addressing" has them. Kernels compiled by clang use scratch so
 * in test_sweep. */
#include "t.h"

enum { BYTES = 16384, LANES = 64 };
typedef struct mode {
	const char *name;
	uint8_t sel;                 /* P2A_OFFEN, P2A_IDXEN */
	uint32_t stride, records;
	bool swizzle;
} mode;
static const mode modes[] = {
	{ "off", 0, 0, BYTES, false }, { "offset", P2A_OFFEN, 0, BYTES, false },
	{ "offset beyond the range", P2A_OFFEN, 0, 100, false }, { "index", P2A_IDXEN, 24, LANES * 2, false },
	{ "index beyond the range", P2A_IDXEN, 24, 40, false }, { "both", P2A_OFFEN | P2A_IDXEN, 512, 70, false },
	{ "offset beyond the stride", P2A_OFFEN | P2A_IDXEN, 100, 70, false },
	{ "swizzled", P2A_OFFEN | P2A_IDXEN, 256, 64, true },
};
enum { INST = 8, SOFF = 16 };

/* What the kernel's lanes have as index and offset. */
static uint32_t index_of(const mode *m, uint32_t i) { return m->sel & P2A_IDXEN ? i : 0; }
static uint32_t offset_of(const mode *m, uint32_t i) { return m->sel & P2A_OFFEN ? 4 * (i % 28) : 0; }

/* The place in the buffer, or -1: out of range. */
static long place(const mode *m, uint32_t i)
{
	uint32_t index = index_of(m, i), off = offset_of(m, i) + INST, at = off + index * m->stride;
	if (m->swizzle)
		at = (index / 8 * m->stride + off / 4 * 4) * 8 + index % 8 * 4 + off % 4;
	if (m->stride ? index >= m->records || (!m->swizzle && off + 4 > m->stride) : at + SOFF + 4 > m->records)
		return -1;
	return (long)(at + SOFF);
}

static void descriptor(t_code *c, const mode *m)
{
	bool gfx9 = c->t->family == ISA_GFX9;
	uint32_t swizzle = m->swizzle ? 1u << (gfx9 || c->t->family == ISA_GFX10 ? 31 : 30) : 0;
	uint32_t word3 = m->swizzle && gfx9 ? 1u << 19 : 0;      /* elements of 4 bytes; 8 indices side by side */
	OP(c, s_mov_b32, S(16), S(4));
	OP(c, s_and_b32, S(17), S(5), K(0xffff));
	OP(c, s_or_b32, S(17), S(17), K((int32_t)(m->stride << 16 | swizzle)));
	OP(c, s_mov_b32, S(18), K((int32_t)m->records));
	OP(c, s_mov_b32, S(19), K((int32_t)word3));
	OP(c, s_mov_b32, S(20), K(SOFF));
}

static void buffer(t_code *c, const mode *m, unsigned op, p2a_opnd data)
{
	p2a_opnd addr = m->sel == 3 ? (p2a_opnd)VN(2, 2) : (p2a_opnd)V(m->sel == P2A_IDXEN ? 2 : 3);
	p2a_inst i = { .op = (uint16_t)op, .nargs = 4, .offset = INST };
	addr.sel = m->sel;
	if (!m->sel)
		addr = (p2a_opnd)OFF;
	i.arg[0] = data;
	i.arg[1] = addr;
	i.arg[2] = (p2a_opnd)SN(16, 4);
	i.arg[3] = (p2a_opnd)S(20);
	t_emit(c, &i);
}

/* out[lane]: what is loaded; what comes back when the lane adds 1000; the low half afterwards; its offset. */
static t_code *kernel(const char *chip, const mode *m)
{
	t_code *c = t_new(chip);
	t_prologue(c);
	descriptor(c, m);
	OP(c, v_mov_b32, V(2), V(0));
	OP(c, v_mul_u32_u24, V(1), K(37), V(0));         /* i * 37 / 1024 is i / 28 below 64, but at its edges */
	OP(c, v_lshrrev_b32, V(1), K(10), V(1));
	OP(c, v_mul_u32_u24, V(1), K(28), V(1));
	OP(c, v_sub_u32, V(3), V(0), V(1));
	OP(c, v_and_b32, V(3), K(31), V(3));
	OP(c, v_lshlrev_b32, V(3), K(2), V(3));
	OP(c, v_mov_b32, V(5), K(1000));
	buffer(c, m, OP_buffer_load_dword, (p2a_opnd)V(4));
	t_wait(c);
	buffer(c, m, OP_buffer_atomic_add_rtn, (p2a_opnd)V(5));
	t_wait(c);
	buffer(c, m, OP_buffer_load_ushort, (p2a_opnd)V(6));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	OP(c, v_mov_b32, V(7), V(3));
	MEM(c, global_store_dwordx4, 0, V(1), VN(4, 4), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	return c;
}

static void run(const char *chip, const mode *m)
{
	t_code *c = kernel(chip, m);
	t_run r;
	char name[96];
	const char *why = NULL;
	snprintf(name, sizeof name, "%s %s", chip, m->name);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint64_t args[2] = { emu_alloc(r.dev, BYTES * 4), emu_alloc(r.dev, LANES * 16) };
		emu_launch_config l = { .block = { c->t->wave, 1, 1 }, .args = args, .args_size = sizeof args };
		uint32_t *in = (uint32_t *)(uintptr_t)args[0];
		const uint32_t (*out)[4] = (const uint32_t (*)[4])(uintptr_t)args[1];
		for (uint32_t i = 0; i < BYTES; i++)
			in[i] = i * 0x10001 + 7;
		why = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK ? NULL : r.r.fault.message;
		for (uint32_t i = 0; i < c->t->wave && !why; i++) {
			uint32_t off = out[i][3];
			long p = place(m, i);
			bool shared = !(m->sel & P2A_IDXEN);     /* lanes add to one place: what came back is one of their sums */
			if (m->sel & P2A_OFFEN && off != offset_of(m, i))
				why = "the kernel's offset is wrong";
			else if (p < 0 ? out[i][0] || out[i][1] || out[i][2] : out[i][0] != (uint32_t)(p / 4) * 0x10001 + 7)
				why = "load";
			else if (p >= 0 && !shared && (out[i][1] != out[i][0] || out[i][2] != ((out[i][0] + 1000) & 0xffff)))
				why = "atomic or short load";
			else if (p >= 0 && shared && (out[i][1] - out[i][0]) % 1000)
				why = "atomic";
		}
	}
	t_result(name, why);
	t_unload(&r);
	free(c);
}

/* Two waves, each lane with 64 bytes at a stack pointer of 16 bytes a lane: own values come back. */
static void scratch(const char *chip)
{
	t_code *c = t_new(chip);
	t_run r;
	const char *why = NULL;
	char name[96];
	if (c->t->arch_scratch) {
		free(c);
		return;
	}
	c->scratch = 64;
	c->private_segment = c->buffer = true;
	/* s[0:3] descriptor, s[4:5] arguments, s6 group, s7 the wave's place */
	OP(c, s_add_u32, S(0), S(0), S(7));
	OP(c, s_addc_u32, S(1), S(1), K(0));
	MEM(c, s_load_dwordx4, 0, SN(8, 4), SN(4, 2), OFF);
	OP(c, s_movk_i32, S(20), K(16 * c->t->wave));
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	OP(c, v_and_b32, V(2), K(28), V(1));
	for (unsigned k = 0; k < 2; k++) {
		p2a_inst i = { .op = k ? OP_buffer_load_dword : OP_buffer_store_dword, .nargs = 4, .offset = 8 };
		i.arg[0] = (p2a_opnd)V(k ? 4 : 1);
		i.arg[1] = (p2a_opnd)V(2);
		i.arg[1].sel = P2A_OFFEN;
		i.arg[2] = (p2a_opnd)SN(0, 4);
		i.arg[3] = (p2a_opnd)S(20);
		t_emit(c, &i);
		t_wait(c);
	}
	MEM(c, global_store_dword, 0, V(1), V(4), SN(10, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	snprintf(name, sizeof name, "%s scratch by its descriptor", chip);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint64_t args[2] = { 0, emu_alloc(r.dev, 4 * 2 * LANES) };
		emu_launch_config l = { .block = { 2 * LANES, 1, 1 }, .args = args, .args_size = sizeof args };
		const uint32_t *out = (const uint32_t *)(uintptr_t)args[1];
		why = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK ? NULL : r.r.fault.message;
		for (uint32_t i = 0; i < 2 * LANES && !why; i++)
			why = out[i] == 4 * i ? NULL : "not what was stored";
	}
	t_result(name, why);
	t_unload(&r);
	free(c);
}

/* Scalar loads: 16 dwords at bytes 8 + 4 + k, of records that end among them; those beyond are 0. */
static void scalar(const char *chip, uint32_t stride, uint32_t records)
{
	mode m = { "scalar", 0, stride, records, false };
	t_code *c = t_new(chip);
	t_run r;
	const char *why = NULL;
	char name[96];
	uint32_t size = records * (stride ? stride : 1);
	t_prologue(c);
	descriptor(c, &m);
	OP(c, s_movk_i32, S(21), K(4));
	if (c->t->family == ISA_GFX9)
		OP(c, s_movk_i32, S(21), K(12));
	MEM(c, s_buffer_load_dwordx16, c->t->family == ISA_GFX9 ? 0 : 8, SN(24, 16), SN(16, 4), S(21));
	MEM(c, s_buffer_load_dwordx2, 16, SN(40, 2), SN(16, 4), OFF);
	t_wait(c);
	OP(c, v_mov_b32, V(1), K(0));
	for (unsigned k = 0; k < 18; k++) {
		OP(c, v_mov_b32, V(4), S(24 + k));
		MEM(c, global_store_dword, 4 * (int)k, V(1), V(4), SN(6, 2));
	}
	t_op(c, OP_s_endpgm, NULL, 0);
	snprintf(name, sizeof name, "%s scalar stride %u records %u", chip, stride, records);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint64_t args[2] = { emu_alloc(r.dev, 256), emu_alloc(r.dev, 256) };
		emu_launch_config l = { .block = { c->t->wave, 1, 1 }, .args = args, .args_size = sizeof args };
		uint32_t *in = (uint32_t *)(uintptr_t)args[0];
		const uint32_t *out = (const uint32_t *)(uintptr_t)args[1];
		for (uint32_t i = 0; i < 64; i++)
			in[i] = i * 0x10001 + 7;
		why = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK ? NULL : r.r.fault.message;
		for (uint32_t k = 0; k < 18 && !why; k++) {
			uint32_t at = k < 16 ? 12 + 4 * k : 16 + 4 * (k - 16);
			if (out[k] != (at < size ? in[at / 4] : 0))
				why = "wrong";
		}
	}
	t_result(name, why);
	t_unload(&r);
	free(c);
}

/* Each lane's i, as a float or double, against 8 by its atomic: the smaller or the greater stays, i comes back. */
static void floats(const char *chip, bool max)
{
	mode m = { "floats", P2A_OFFEN, 0, BYTES, false };
	t_code *c = t_new(chip);
	t_run r;
	const char *why = NULL;
	char name[96];
	bool wide = c->t->family == ISA_GFX9;
	unsigned op = wide ? (max ? OP_buffer_atomic_max_f64_rtn : OP_buffer_atomic_min_f64_rtn) :
		max ? OP_buffer_atomic_fmax_rtn : OP_buffer_atomic_fmin_rtn;
	t_prologue(c);
	descriptor(c, &m);
	OP(c, v_lshlrev_b32, V(3), K(3), V(0));
	OP(c, v_mov_b32, V(6), K(wide ? 0 : 0x41000000));        /* 8.0 */
	OP(c, v_mov_b32, V(7), K(0x40200000));
	if (wide)
		t_op(c, OP_v_cvt_f64_u32, (p2a_opnd[]){ VN(4, 2), V(0) }, 2);
	else
		OP(c, v_cvt_f32_u32, V(4), V(0));
	buffer(c, &m, wide ? OP_buffer_store_dwordx2 : OP_buffer_store_dword, (p2a_opnd)VN(4, wide ? 2 : 1));
	t_wait(c);
	buffer(c, &m, op, (p2a_opnd)VN(6, wide ? 2 : 1));
	t_wait(c);
	buffer(c, &m, wide ? OP_buffer_load_dwordx2 : OP_buffer_load_dword, (p2a_opnd)VN(4, wide ? 2 : 1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	MEM(c, global_store_dwordx4, 0, V(1), VN(4, 4), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	snprintf(name, sizeof name, "%s %s of floats", chip, max ? "max" : "min");
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1 })) {
		uint64_t args[2] = { emu_alloc(r.dev, BYTES), emu_alloc(r.dev, LANES * 16) };
		emu_launch_config l = { .block = { c->t->wave, 1, 1 }, .args = args, .args_size = sizeof args };
		const uint32_t (*out)[4] = (const uint32_t (*)[4])(uintptr_t)args[1];
		why = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK ? NULL : r.r.fault.message;
		for (uint32_t i = 0; i < c->t->wave && !why; i++) {
			double d[2], want = (i < 8) == max ? 8 : i;
			float f[2];
			memcpy(d, out[i], 16);
			memcpy(&f[0], &out[i][0], 4), memcpy(&f[1], &out[i][2], 4);
			why = (wide ? d[0] : (double)f[0]) == want && (wide ? d[1] : (double)f[1]) == i ? NULL : "wrong";
		}
	}
	t_result(name, why);
	t_unload(&r);
	free(c);
}

int main(void)
{
	static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200" };
	for (size_t k = 0; k < sizeof chips / sizeof *chips; k++) {
		for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
			run(chips[k], &modes[m]);
		scratch(chips[k]);
		if (k) {        /* gfx900 has none */
			floats(chips[k], false);
			floats(chips[k], true);
		}
		scalar(chips[k], 0, 40);
		scalar(chips[k], 0, 256);
		scalar(chips[k], 4, 8);
		scalar(chips[k], 16, 2);
		scalar(chips[k], 0, 0);
	}
	return t_end();
}
