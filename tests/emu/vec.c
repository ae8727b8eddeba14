/* vec.c -- see vec.h.
 * Needs an encoder that knows the instruction; leaves results in the caller's array.
 * Masks: carry in s[12:13], written mask s[10:11], EXEC from s[14:15]. */
#include "vec.h"

static const uint32_t edge32[] = { 0, 1, 2, 3, 15, 16, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff,
	0x8000, 0xffff, 0x10000, 0x7fffff, 0x800000, 0xffffff, 0x7ffffffe, 0x7fffffff, 0x80000000,
	0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0x0c0d0e0f, 0x03020100,
	0x07060504, 0x0b0a0908, 0x12345678, 0xdeadbeef };
static const uint32_t edgef[] = { 0, 0x80000000, 1, 0x80000001, 0x007fffff, 0x00800000, 0x80800000,
	0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40000000, 0xc0000000, 0x3f000000,
	0xbf000000, 0x3effffff, 0x3fc00000, 0x40200000, 0x4b000000, 0x4b800001, 0x4effffff,
	0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x5f000000, 0x7f7fffff,
	0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x7f800001, 0xff812345,
	0x34000000, 0x33800000, 0x33000000, 0x38800000, 0x477fe000, 0x477ff000, 0x47800000,
	0x387fc000, 0x33ffffff };
static const uint64_t edged[] = { 0, 0x8000000000000000, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000,
	0x3ff0000000000000, 0xbff0000000000000, 0x3fefffffffffffff, 0x3ff0000000000001,
	0x3fe0000000000000,
	0xbfe0000000000000, 0x4330000000000000, 0x41dfffffffc00000, 0x41e0000000000000,
	0xc1e0000000000000,
	0xc1e0000000200000, 0x41efffffffe00000, 0x41f0000000000000, 0x7fefffffffffffff,
	0xffefffffffffffff,
	0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 0x7ff0000000000001,
	0xfff8000000000003,
	0x47efffffe0000000, 0x47effffff0000000, 0x380fffffc0000000, 0x36a0000000000000,
	0x3690000000000001,
	0x3ff8000000000000, 0x4004000000000000 };
static const uint16_t edgeh[] = { 0, 0x8000, 1, 0x3ff, 0x400, 0x3c00, 0xbc00, 0x3800, 0x3555, 0x7bff, 0xfbff, 0x7c00, 0xfc00,
	0x7e00, 0x7c01, 0x3bff, 0x3c01, 0x4200, 0x6400, 0x8001, 0x8400 };
#define PICK(a) (a)[t_random() % (sizeof (a) / sizeof *(a))]

uint64_t vec_edge(unsigned type)
{
	uint64_t r = t_random();
	bool random = r >> 60 == 0 || r >> 60 == 1 || r >> 60 == 2;
	switch (type) {
	case ISA_T_F32:
		if (random)
			return r & UINT32_MAX;
		/* near one another: sums that cancel, products that round */
		if (r >> 60 < 7)
			return (r & 0x807fffff) |
				(0x3f800000 + ((r >> 32 & 31) << 23) - (16u << 23));
		return PICK(edgef);
	case ISA_T_F64:
		return random	      ? r
			: r >> 60 < 7 ? (r & 0x801fffffffffffff) + 0x3fe0000000000000
				      : PICK(edged);
	case ISA_T_F16: return (random ? r & 0xffff : PICK(edgeh)) | (r & 0xffff0000);
	case ISA_T_B64: case ISA_T_I64:
		return random ? r : (uint64_t)PICK(edge32) << 32 | PICK(edge32);
	case ISA_T_B16: return random ? r & UINT32_MAX : (PICK(edge32) & 0xffff) | (r & 0xffff0000);
	default: return random ? r & UINT32_MAX : PICK(edge32);
	}
}

void vec_fill(vec_in *in, const isa_info *info)
{
	unsigned type[3] = { ISA_T_B32, ISA_T_B32, ISA_T_B32 };
	unsigned n = 0;
	for (unsigned k = 0; k < info->nargs; k++)
		if (!info->arg[k].def && info->arg[k].type != ISA_T_MASK && n < 3)
			type[n++] = info->arg[k].type;
	for (unsigned i = 0; i < VEC_LANES; i++) {
		for (unsigned k = 0; k < 3; k++)
			in[i].s[k] = vec_edge(type[k]);
		in[i].carry = (uint32_t)(t_random() >> 63);
		/* every second block is whole */
		in[i].enabled = i / 64 % 2 ? (uint32_t)(t_random() >> 63) : 1;
	}
}

static void instruction(t_code *c, unsigned op, const vec_how *how)
{
	const isa_info *info = &isa_table[op];
	p2a_inst i = { .op = (uint16_t)op, .nargs = info->nargs };
	unsigned next = 2, wave = how->wave64 || !(c->t->wave_bits & 32) ? 2 : 1;
	for (unsigned k = 0; k < info->nargs; k++) {
		const isa_arg *a = &info->arg[k];
		p2a_opnd *o = &i.arg[k];
		o->width = a->width;
		if (a->type == ISA_T_MASK) {
			*o = (p2a_opnd)SN(a->def ? 10 : 12, (uint8_t)wave);
			if (info->eff & ISA_W_EXEC && c->t->family != ISA_GFX9)
				*o = (p2a_opnd)SREG(
					wave == 2 ? P2A_EXEC : P2A_EXEC_LO, (uint8_t)wave);
		} else if (a->def)
			*o = (p2a_opnd)VN(8, a->width);
		else {
			*o = (p2a_opnd)VN(next, a->width);
			next += 2;
		}
	}
	if (how->tweak)
		how->tweak(&i);
	t_emit(c, &i);
}

static void kernel(t_code *c, unsigned op, const vec_how *how)
{
	unsigned wave = how->wave64 || !(c->t->wave_bits & 32) ? 2 : 1;
	p2a_opnd exec = SREG(wave == 2 ? P2A_EXEC : P2A_EXEC_LO, (uint8_t)wave);
	unsigned mov = wave == 2 ? OP_s_mov_b64 : OP_s_mov_b32;
	p2a_opnd in_mask = SN(14, (uint8_t)wave), out_mask = SN(10, (uint8_t)wave),
		 vcc = SREG(wave == 2 ? P2A_VCC : P2A_VCC_LO, (uint8_t)wave);
	t_prologue(c);
	OP(c, v_lshlrev_b32, V(1), K(5), V(0));
	MEM(c, global_load_dwordx2, 0, VN(2, 2), V(1), SN(4, 2));
	MEM(c, global_load_dwordx2, 8, VN(4, 2), V(1), SN(4, 2));
	MEM(c, global_load_dwordx2, 16, VN(6, 2), V(1), SN(4, 2));
	MEM(c, global_load_dwordx2, 24, VN(10, 2), V(1), SN(4, 2));
	OP(c, v_mov_b32, V(8), K((int32_t)(uint32_t)VEC_OLD));
	OP(c, v_mov_b32, V(9), K((int32_t)(VEC_OLD >> 32)));
	t_wait(c);
	t_op(c, OP_v_cmp_ne_u32, (p2a_opnd[]){ SN(12, (uint8_t)wave), K(0), V(10) }, 3);
	t_op(c, OP_v_cmp_ne_u32, (p2a_opnd[]){ in_mask, K(0), V(11) }, 3);
	t_op(c, mov, (p2a_opnd[]){ vcc, SN(12, (uint8_t)wave) }, 2);     /* v_div_fmas reads it */
	t_op(c, mov, (p2a_opnd[]){ out_mask, K(0) }, 2);
	for (unsigned k = 0; k < 5; k++)                                 /* and not too soon */
		OP(c, s_nop, K(4));
	t_op(c, mov, (p2a_opnd[]){ exec, in_mask }, 2);
	instruction(c, op, how);
	if (isa_table[op].eff & ISA_W_EXEC)
		t_op(c, mov, (p2a_opnd[]){ out_mask, exec }, 2);
	t_op(c, mov, (p2a_opnd[]){ exec, K(-1) }, 2);
	t_op(c, OP_v_cndmask_b32, (p2a_opnd[]){ V(10), K(0), K(1), out_mask }, 4);
	OP(c, v_lshlrev_b32, V(1), K(4), V(0));
	MEM(c, global_store_dwordx2, 0, V(1), VN(8, 2), SN(6, 2));
	MEM(c, global_store_dword, 8, V(1), V(10), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
}

bool vec_run(const char *chip, unsigned op, const vec_how *how, const vec_in *in, vec_out *out)
{
	t_code *c = t_new(chip);
	t_run r;
	c->mode = how->mode ? how->mode : 0xf0;
	c->ieee = how->ieee;
	if (how->wave64)
		t_wave64(c);
	kernel(c, op, how);
	emu_config cf = { .target = chip, .threads = 1, .simd = how->simd, .check = how->check };
	bool ok = t_load(&r, c, &cf);
	if (ok) {
		size_t ni = VEC_LANES * sizeof *in, no = VEC_LANES * sizeof *out;
		uint64_t args[2] = { emu_alloc(r.dev, ni), emu_alloc(r.dev, no) };
		memcpy((void *)(uintptr_t)args[0], in, ni);
		emu_launch_config l = { .grid = { VEC_LANES / 64, 1, 1 }, .block = { 64, 1, 1 },
			.args = args, .args_size = sizeof args };
		ok = emu_launch(r.dev, r.k, &l, &r.r) == EMU_OK;
		if (!ok)
			t_bad("%s %s: %s: %s%s", chip, isa_table[op].name, r.r.fault.instruction,
				r.r.fault.message, r.r.error.text);
		memcpy(out, (void *)(uintptr_t)args[1], no);
	}
	t_unload(&r);
	free(c);
	return ok;
}
