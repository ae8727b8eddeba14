/* test_every_load.c -- each load and store by a buffer descriptor, each scalar load: bytes, shorts and halves of registers with their
 * signs, wide ones; what an instruction does not write stays.
 * Every row of isa/ops.def of these kinds is run, by its name; what is expected is a copy of the buffer's bytes (Vega 8.1, 8.2; RDNA4
 * 16.4, 16.13). Addresses are test_buffer.c's. */
#include "t.h"

enum { LANES = 32, WORDS = 16, FIRST = 20, SCALARS = 3 };
static const char *const chips[] = { "gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1200" };
static const uint32_t old = 0x5a6b7c8d;

typedef struct shape {
	unsigned bytes;
	bool sign, d16, hi;
} shape;

/* "buffer_load_sbyte_d16_hi": 1 byte with a sign, to the upper half. */
static bool shape_of(const char *row, shape *s)
{
	static const struct { const char *text; unsigned bytes; bool sign; } kind[] = {
		{ "ubyte", 1, false }, { "sbyte", 1, true }, { "ushort", 2, false }, { "sshort", 2, true }, { "dwordx16", 64, false },
		{ "dwordx8", 32, false }, { "dwordx4", 16, false }, { "dwordx3", 12, false }, { "dwordx2", 8, false }, { "dword", 4, false },
		{ "b96", 12, false }, { "i8", 1, true }, { "u8", 1, false }, { "i16", 2, true }, { "u16", 2, false }, { "byte", 1, false },
		{ "short", 2, false }
	};
	static const char *const begin[] = { "buffer_load_", "buffer_store_", "s_load_", "s_buffer_load_" };
	const char *rest = NULL;
	for (unsigned k = 0; k < 4; k++)
		if (!strncmp(row, begin[k], strlen(begin[k])))
			rest = row + strlen(begin[k]);
	for (size_t k = 0; rest && k < sizeof kind / sizeof *kind; k++)
		if (!strncmp(rest, kind[k].text, strlen(kind[k].text))) {
			*s = (shape){ kind[k].bytes, kind[k].sign, strstr(rest, "_d16"), strstr(rest, "_hi") };
			return true;
		}
	return false;
}

static void descriptor(t_code *c, unsigned from)
{
	OP(c, s_mov_b64, SN(12, 2), SN(from, 2));
	OP(c, s_movk_i32, S(14), K(4096));
	OP(c, s_mov_b32, S(15), K(0));
}

/* Lane i: the bytes from 16 i + 4 on; v[4:7]. */
static void vector(t_code *c, unsigned op, bool store)
{
	unsigned width = 0;
	for (unsigned k = 0; k < isa_table[op].nargs; k++)
		width = isa_table[op].arg[k].slot == ISA_SL_VDATA ? isa_table[op].arg[k].width : width;
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	descriptor(c, store ? 6 : 4);
	if (store)
		MEM(c, global_load_dwordx4, 4, VN(4, 4), V(1), SN(4, 2));
	for (unsigned k = 0; !store && k < 4; k++)
		OP(c, v_mov_b32, V(4 + k), K((int32_t)old));
	t_wait(c);
	p2a_opnd a[4] = { VN(4, (uint8_t)width), V(1), SN(12, 4), K(0) };
	a[1].sel = P2A_OFFEN;
	if (c->t->family == ISA_GFX12)
		a[3] = (p2a_opnd)SREG(P2A_NULL, 1);
	t_mem(c, op, 4, a, 4);
	t_wait(c);
	if (!store)
		MEM(c, global_store_dwordx4, 0, V(1), VN(4, 4), SN(6, 2));
}
/* Three places, the second and the third not whole dwords where that is possible; s[20:35]. */
static uint32_t scalar_place(const shape *s, unsigned k) { return 64 * k + (s->bytes < 4 ? k * s->bytes : 0); }
static void scalar(t_code *c, unsigned op, const shape *s)
{
	bool buffer = !strncmp(isa_table[op].name, "s_buffer", 8);
	uint8_t width = isa_table[op].arg[0].width;
	descriptor(c, 4);
	for (unsigned k = 0; k < SCALARS; k++) {
		for (unsigned n = 0; n < WORDS; n++)
			OP(c, s_mov_b32, S(FIRST + n), K((int32_t)old));
		t_mem(c, op, (int)scalar_place(s, k),
			(p2a_opnd[]){ SN(FIRST, width), buffer ? (p2a_opnd)SN(12, 4) : (p2a_opnd)SN(4, 2), OFF }, 3);
		t_wait(c);
		OP(c, v_mov_b32, V(1), K(0));
		for (unsigned n = 0; n < WORDS; n++) {
			OP(c, v_mov_b32, V(2), S(FIRST + n));
			MEM(c, global_store_dword, (int)(64 * k + 4 * n), V(1), V(2), SN(6, 2));
		}
		t_wait(c);
	}
}

/* What a register holds after such a load from p; which: of its dwords. */
static uint32_t loaded(const shape *s, const uint8_t *p, unsigned which)
{
	uint32_t x = 0;
	if (4 * which >= s->bytes)
		return old;
	memcpy(&x, p + 4 * which, s->bytes < 4 ? s->bytes : 4);
	if (s->bytes < 4 && s->sign)
		x = s->bytes == 1 ? (uint32_t)(int8_t)x : (uint32_t)(int16_t)x;
	if (!s->d16)
		return x;
	return s->hi ? x << 16 | (old & 0xffff) : (x & 0xffff) | (old & 0xffff0000);
}
static const char *differs(unsigned place, unsigned which, uint32_t got, uint32_t want)
{
	static char why[96];
	snprintf(why, sizeof why, "place %u, dword %u: %08x, not %08x", place, which, got, want);
	return got == want ? NULL : why;
}

static const char *compare(const isa_info *row, const shape *s, const uint8_t *in, const uint8_t *out)
{
	bool is_scalar = row->cls == ISA_SMEM, store = row->eff & ISA_STORE;
	const char *why = NULL;
	for (unsigned i = 0; !why && !store && i < (is_scalar ? SCALARS : LANES); i++)
		for (unsigned n = 0; !why && n < (is_scalar ? WORDS : 4); n++) {
			const uint8_t *from = in + (is_scalar ? scalar_place(s, i) : 16 * i + 4);
			uint32_t got;
			memcpy(&got, out + (is_scalar ? 64 : 16) * i + 4 * n, 4);
			why = differs(i, n, got, loaded(s, from, n));
		}
	for (unsigned i = 0; !why && store && i < LANES; i++)
		for (unsigned n = 0; !why && n < 16; n++) {      /* the last bytes of a lane are the next one's first */
			uint8_t want = n < s->bytes ? in[16 * i + 4 + n + (s->hi ? 2 : 0)] : 0x33;
			why = differs(i, n, out[16 * i + 4 + n], want);
		}
	return why;
}

static const char *launch(t_run *r, const p2a_target *t, unsigned op)
{
	const isa_info *row = &isa_table[op];
	shape s;
	(void)t;
	shape_of(row->name, &s);
	uint64_t args[2] = { emu_alloc(r->dev, 4096), emu_alloc(r->dev, 4096) };
	emu_launch_config l = { .block = { row->cls == ISA_SMEM ? 1 : LANES, 1, 1 }, .args = args, .args_size = sizeof args };
	uint8_t *in = (uint8_t *)(uintptr_t)args[0], *out = (uint8_t *)(uintptr_t)args[1];
	for (unsigned k = 0; k < 4096; k++)
		in[k] = (uint8_t)(t_random() >> 40);
	memset(out, 0x33, 4096);
	return emu_launch(r->dev, r->k, &l, &r->r) == EMU_OK ? compare(row, &s, in, out) : r->r.fault.message;
}

static bool run(const char *chip, unsigned op)
{
	shape s;
	if (!isa_has(p2a_target_find(chip), op) || !shape_of(isa_table[op].name, &s))
		return true;
	t_code *c = t_new(chip);
	t_prologue(c);
	if (isa_table[op].cls == ISA_SMEM)
		scalar(c, op, &s);
	else
		vector(c, op, isa_table[op].eff & ISA_STORE);
	t_op(c, OP_s_endpgm, NULL, 0);
	return t_judge(c, op, launch);
}

int main(void)
{
	t_each_row(chips, sizeof chips / sizeof *chips, run, "all loads and stores of buffers, all scalar loads");
	return t_end();
}
