/* test_fault.c -- faults stop the launch with the right place: lane, address, instruction,
 * message; and the process goes on. Also what must not fault. On four chips.
 * The line of the source is tested in test_clang.c, where there is one. */
#include "t.h"

typedef struct fault {
	const char *name;
	void (*code)(t_code *);
	emu_status want;
	int lane;                    /* -1: the wave */
	const char *inst, *message;  /* parts of the report */
	uint32_t block, wave;
} fault;

static void end(t_code *c) { t_op(c, OP_s_endpgm, NULL, 0); }

/* v1 = address of the work-item's dword in the second buffer, of 64 dwords, moved by `by`. */
static void store_at(t_code *c, unsigned op, int by)
{
	t_prologue(c);
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	t_mem(c, op, by, (p2a_opnd[]){ V(1), V(0), SN(6, 2) }, 3);
	end(c);
}
static void good_store(t_code *c) { store_at(c, OP_global_store_dword, 0); }
static void behind(t_code *c) { store_at(c, OP_global_store_dword, 16); }
static void before(t_code *c) { store_at(c, OP_global_store_dword, -4); }
static void partly(t_code *c) { store_at(c, OP_global_store_dword, 2); }
static void wild_load(t_code *c)
{
	t_prologue(c);
	OP(c, v_mov_b32, V(2), K(0x1000));
	OP(c, v_mov_b32, V(3), K(0));
	MEM(c, global_load_dword, 0, V(4), VN(2, 2), OFF);
	end(c);
}
static void masked_load(t_code *c)       /* only lane 5 is enabled */
{
	OP(c, v_mov_b32, V(2), K(0x1000));
	OP(c, v_mov_b32, V(3), K(0));
	if (c->t->wave == 64)
		OP(c, s_mov_b64, SREG(P2A_EXEC, 2), K(32));
	else
		OP(c, s_mov_b32, SREG(P2A_EXEC_LO, 1), K(32));
	MEM(c, global_load_dword, 0, V(4), VN(2, 2), OFF);
	end(c);
}
static void no_lane(t_code *c)           /* EXEC is 0: nothing is accessed */
{
	OP(c, v_mov_b32, V(2), K(0x1000));
	OP(c, v_mov_b32, V(3), K(0));
	if (c->t->wave == 64)
		OP(c, s_mov_b64, SREG(P2A_EXEC, 2), K(0));
	else
		OP(c, s_mov_b32, SREG(P2A_EXEC_LO, 1), K(0));
	MEM(c, global_load_dword, 0, V(4), VN(2, 2), OFF);
	end(c);
}
static void code_store(t_code *c)
{
	OP(c, s_getpc_b64, SN(10, 2));
	OP(c, v_mov_b32, V(1), K(0));
	MEM(c, global_store_dword, 0, V(1), V(0), SN(10, 2));
	end(c);
}
static void scalar_wild(t_code *c)
{
	OP(c, s_mov_b32, S(10), K(0x2000));
	OP(c, s_mov_b32, S(11), K(0));
	MEM(c, s_load_dword, 0, S(12), SN(10, 2), OFF);
	end(c);
}
static void scalar_odd(t_code *c)
{
	OP(c, s_add_u32, S(0), S(0), K(2));
	OP(c, s_addc_u32, S(1), S(1), K(0));
	MEM(c, s_load_dword, 0, S(12), SN(0, 2), OFF);
	end(c);
}
static void lds_far(t_code *c)
{
	c->lds = 256;
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
	MEM(c, ds_write_b64, 0, V(1), VN(2, 2));
	end(c);
}
static void lds_odd(t_code *c)
{
	c->lds = 1024;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	OP(c, v_or_b32, V(1), K(1), V(1));
	MEM(c, ds_read_b32, 0, V(2), V(1));
	end(c);
}
static void atomic_odd(t_code *c)
{
	t_prologue(c);
	OP(c, v_mov_b32, V(1), K(2));
	MEM(c, global_atomic_add, 0, V(1), V(0), SN(6, 2));
	end(c);
}
static void unknown(t_code *c)
{
	OP(c, s_nop, K(0));
	t_word(c, 0xffffffffu);
	end(c);
}
static void no_end(t_code *c) { OP(c, s_nop, K(0)); }
static void far_jump(t_code *c)
{
	OP(c, s_mov_b64, SN(10, 2), K(64));
	OP(c, s_setpc_b64, SN(10, 2));
	end(c);
}
static void far_branch(t_code *c)
{
	OP(c, s_branch, K(1000));
	end(c);
}
static void big_register(t_code *c)
{
	c->vgprs = 8;
	OP(c, v_mov_b32, V(20), K(0));
	end(c);
}
static void endless(t_code *c)
{
	size_t top = c->n;
	OP(c, s_nop, K(0));
	t_back(c, OP_s_branch, top);
}
static void trap(t_code *c)
{
	OP(c, s_trap, K(2));
	end(c);
}
static void barrier(t_code *c)
{
	if (c->t->family == ISA_GFX12) {
		OP(c, s_barrier_signal, K(-1));
		OP(c, s_barrier_wait, K(0xffff));
	} else
		t_op(c, OP_s_barrier, NULL, 0);
}
static void good_barrier(t_code *c)      /* the first wave ends, the others meet twice */
{
	OP(c, v_cmp_gt_u32,
		SREG(c->t->wave == 64 ? P2A_VCC : P2A_VCC_LO, (uint8_t)(c->t->wave / 32)), K(64),
		V(0));
	size_t over = t_forward(c, OP_s_cbranch_vccnz);
	barrier(c);
	barrier(c);
	t_here(c, over);
	end(c);
}
static void flat_hole(t_code *c)
{
	OP(c, v_mov_b32, V(2), K(8192));
	OP(c, v_mov_b32, V(3), K(0x10000));   /* the shared aperture */
	MEM(c, flat_load_dword, 0, V(4), VN(2, 2));
	end(c);
}
static void scratch_far(t_code *c)
{
	c->scratch = 64;
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, scratch_store_dword, 0, V(1), V(0), OFF);
	end(c);
}

static const fault faults[] = {
	{ "a good store", good_store, EMU_OK, 0, "", "", 64, 0 },
	{ "store behind a buffer", behind, EMU_EFAULT, 60, "store", "0 bytes behind a buffer of 256 bytes", 64, 0 },
	{ "store before a buffer", before, EMU_EFAULT, 0, "store", "store to", 64, 0 },
	{ "store over the end", partly, EMU_EFAULT, 63, "store", "runs over the end of a buffer of 256 bytes", 64, 0 },
	{ "load from nowhere", wild_load, EMU_EFAULT, 0, "load", "load from 0x1000, outside every buffer", 64, 0 },
	{ "load by one lane", masked_load, EMU_EFAULT, 5, "load", "outside every buffer", 64, 0 },
	{ "load by no lane", no_lane, EMU_OK, 0, "", "", 64, 0 },
	{ "store to code", code_store, EMU_EFAULT, 0, "store", "read-only (code)", 64, 0 },
	{ "scalar load from nowhere", scalar_wild, EMU_EFAULT, -1, "s_load", "load from 0x2000", 64, 0 },
	{ "misaligned scalar load", scalar_odd, EMU_EFAULT, -1, "s_load", "misaligned", 64, 0 },
	{ "LDS out of bounds", lds_far, EMU_EFAULT, 0, "ds_", "LDS address 0x100; the workgroup has 256 bytes", 33, 0 },
	{ "misaligned LDS", lds_odd, EMU_EFAULT, 0, "ds_", "misaligned 4-byte access to LDS address 0x1", 64, 0 },
	{ "misaligned atomic", atomic_odd, EMU_EFAULT, 0, "atomic", "misaligned 4-byte atomic", 64, 0 },
	{ "unknown instruction", unknown, EMU_EFAULT, -1, "unknown 0xffffffff", "unknown instruction", 64, 0 },
	{ "end of the code", no_end, EMU_EFAULT, -1, "", "ran off the end", 64, 0 },
	{ "jump to data", far_jump, EMU_EFAULT, -1, "s_setpc", "not code", 64, 0 },
	{ "branch out of the code", far_branch, EMU_EFAULT, -1, "", "ran off the end", 64, 0 },
	{ "register beyond the allocation", big_register, EMU_EFAULT, -1, "v20", "uses v20; the kernel has 8", 64, 0 },
	{ "trap", trap, EMU_EFAULT, 0, "s_trap", "trap 2", 64, 0 },
	{ "endless loop", endless, EMU_ETIMEOUT, -1, "", "did not end within 0.2 seconds", 64, 0 },
	{ "barrier after a wave ended", good_barrier, EMU_OK, 0, "", "", 256, 0 },
	{ "flat access beyond LDS", flat_hole, EMU_EFAULT, 0, "flat_load", "LDS address 0x2000", 64, 0 },
	{ "scratch out of bounds", scratch_far, EMU_EFAULT, 16, "scratch", "a lane has 64 bytes", 64, 0 },
};

static void judge(const char *chip, const fault *f, emu_status s, const emu_fault *got)
{
	char name[96];
	uint32_t wave = p2a_target_find(chip)->wave;
	snprintf(name, sizeof name, "%s %s", chip, f->name);
	int lane = f->lane < 0 ? -1 : (int)((uint32_t)f->lane % wave);
	uint32_t in_wave = f->lane < 0 ? 0 : (uint32_t)f->lane / wave;
	if (!strcmp(f->name, "LDS out of bounds")) {     /* lane 32 of the block */
		lane = (int)(32 % wave);
		in_wave = 32 / wave;
	}
	if (s != f->want)
		t_bad("%s: status %d, message '%s'", name, s, got->message);
	else if (s != EMU_OK && (!strstr(got->message, f->message) || !strstr(got->instruction, f->inst)))
		t_bad("%s: '%s' at '%s'", name, got->message, got->instruction);
	else if (s != EMU_OK && s != EMU_ETIMEOUT && (got->lane != lane || got->wave != in_wave))
		t_bad("%s: lane %d of wave %u", name, got->lane, got->wave);
	else
		t_ok("%s", name);
}

static void run(const char *chip, const fault *f)
{
	t_code *c = t_new(chip);
	t_run r;
	f->code(c);
	if (f->code == scratch_far && !c->t->arch_scratch) {
		t_skip("%s %s: FLAT_SCRATCH needs a prologue here, see test_mem", chip, f->name);
		free(c);
		return;
	}
	emu_config cf = { .target = chip, .timeout = f->want == EMU_ETIMEOUT ? 0.2 : 60 };
	if (t_load(&r, c, &cf)) {
		uint64_t args[2] = { emu_alloc(r.dev, 256), emu_alloc(r.dev, 256) };
		emu_launch_config l = {
			.block = { f->block, 1, 1 }, .args = args, .args_size = sizeof args
		};
		judge(chip, f, emu_launch(r.dev, r.k, &l, &r.r), &r.r.fault);
	}
	t_unload(&r);
	free(c);
}

/* gfx12: a wave waits for a barrier that it did not signal. */
static void endless_barrier(void)
{
	t_code *c = t_new("gfx1200");
	t_run r;
	OP(c, s_barrier_wait, K(0xffff));
	end(c);
	if (t_load(&r, c, &(emu_config){ .target = "gfx1200" })) {
		emu_launch_config l = { .block = { 64, 1, 1 } };
		emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
		bool good = s == EMU_EFAULT &&
			strstr(r.r.fault.message, "endless barrier: 2 of 2 waves wait");
		t_result("gfx1200 endless barrier", good ? NULL : r.r.fault.message);
	}
	t_unload(&r);
	free(c);
}

/* As HSA sets the chip up, LDS takes loads and stores at any address; atomics stay aligned. */
static void unaligned_lds(const char *chip)
{
	t_code *c = t_new(chip);
	t_run r;
	t_prologue(c);
	c->lds = 1024;
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
	OP(c, s_mov_b32, SREG(P2A_M0, 1), K(-1));
	OP(c, v_mov_b32, V(2), K(0x12345678));
	OP(c, v_mov_b32, V(3), V(0));
	MEM(c, ds_write_b64, 1, V(1), VN(2, 2));
	t_wait(c);
	MEM(c, ds_read_b32, 5, V(4), V(1));
	t_wait(c);
	OP(c, v_lshlrev_b32, V(5), K(2), V(0));
	MEM(c, global_store_dword, 0, V(5), V(4), SN(6, 2));
	MEM(c, ds_add_u32, 1, V(1), V(0));
	end(c);
	if (t_load(&r, c, &(emu_config){ .target = chip, .unaligned_lds = true })) {
		uint64_t args[2] = { 0, emu_alloc(r.dev, 256) };
		emu_launch_config l = { .block = { 32, 1, 1 }, .args = args, .args_size = sizeof args };
		emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
		bool good = s == EMU_EFAULT && strstr(r.r.fault.message, "misaligned 4-byte") && strstr(r.r.fault.instruction, "ds_add");
		for (uint32_t i = 0; i < 32; i++)
			good = good && ((const uint32_t *)(uintptr_t)args[1])[i] == i;
		if (good)
			t_ok("%s LDS at any address", chip);
		else
			t_bad("%s LDS at any address: %s", chip, r.r.fault.message);
	}
	t_unload(&r);
	free(c);
}

/* Which workgroup is blamed does not depend on the number of threads. */
static void first_group(void)
{
	for (unsigned threads = 1; threads <= 4; threads++) {
		t_code *c = t_new("gfx1100");
		t_run r;
		t_prologue(c);
		OP(c, v_lshlrev_b32, V(1), K(2), V(0));
		MEM(c, global_store_dword, 0, V(1), V(0), SN(6, 2));
		end(c);
		if (t_load(&r, c, &(emu_config){ .target = "gfx1100", .threads = threads })) {
			uint64_t args[2] = { 0, emu_alloc(r.dev, 1000 * 4) };
			emu_launch_config l = { .grid = { 64, 1, 1 },
				.block = { 64, 1, 1 },
				.args = args,
				.args_size = sizeof args };
			emu_launch(r.dev, r.k, &l, &r.r);
			if (r.r.fault.workgroup[0] != 15 || r.r.fault.wave != 1 || r.r.fault.lane != 8 || r.r.fault.work_item[0] != 40)
				t_bad("first faulting workgroup, %u threads: %u wave %u lane %d", threads, r.r.fault.workgroup[0],
					r.r.fault.wave, r.r.fault.lane);
			else
				t_ok("first faulting workgroup, %u threads", threads);
		}
		t_unload(&r);
		free(c);
	}
}

/* What is not emulated is named: by its bytes where the tables lack it, else by its name and the reason. Bytes: llvm-mc 19. */
static const struct { const char *chip; uint32_t mode, word[2]; const char *inst, *message; } refused[] = {
	{ "gfx1100", 0, { 0x7e02d97d }, "unknown 0x7e02d97d", "unknown instruction" },                    /* opcode 0x6c of VOP1 */
	{ "gfx1100", 0, { 0xd6660001, 0x0411e502 }, "v_dot2_f16_f16", "do not say" },                     /* v1, v2, 1.0, v4 */
	{ "gfx1200", 0, { 0xd6670001, 0x24120702 }, "v_dot2_bf16_bf16", "do not say" },                   /* v1, -v2, v3, v4 */
	{ "gfx1200", 0, { 0xd76b0001, 0x00020702 }, "v_cvt_sr_fp8_f32", "manuals" },
	{ "gfx1200", 0, { 0xd76c0001, 0x00020702 }, "v_cvt_sr_bf8_f32", "manuals" },
	{ "gfx942", 0, { 0xd2a50001, 0x00020702 }, "v_cvt_sr_bf8_f32", "manuals" },
	{ "gfx1200", 0, { 0xbe804e83 }, "s_barrier_signal", "named barriers are not emulated" },
	{ "gfx1200", 0, { 0xbe805181 }, "s_barrier_init", "named barriers are not emulated" },
	{ "gfx1200", 0, { 0xbe805282 }, "s_barrier_join", "named barriers are not emulated" },
	{ "gfx1200", 0, { 0xbf950000 }, "s_barrier_leave", "named barriers are not emulated" },
	{ "gfx1200", 0, { 0xbe805781 }, "s_wakeup_barrier", "named barriers are not emulated" },
	{ "gfx1200", 0, { 0xbe835082 }, "s_get_barrier_state", "named barriers are not emulated" },
	{ "gfx1200", 0, { 0xbf940003 }, "s_barrier_wait", "named barriers are not emulated" },
	{ "gfx1200", 0, { 0xbe804f82 }, "s_barrier_signal_isfirst", "named barriers are not emulated" },
	{ "gfx942", 0, { 0xd2a40001, 0x00020702 }, "v_cvt_sr_fp8_f32", "manuals" },
	{ "gfx900", 1 << 14, { 0xd2030001, 0x04120702 }, "v_mad_f16", "MODE.FP16_OVFL is set" },           /* rsrc1[26] */
	{ "gfx900", 1 << 14, { 0x46020702 }, "v_mac_f16", "MODE.FP16_OVFL is set" },
};
static void refuse(void)
{
	for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
		t_code *c = t_new(refused[k].chip);
		t_run r;
		char name[96];
		c->mode |= refused[k].mode;
		OP(c, s_nop, K(0));
		t_word(c, refused[k].word[0]);
		if (refused[k].word[1])
			t_word(c, refused[k].word[1]);
		end(c);
		snprintf(name, sizeof name, "%s 0x%08x is refused", refused[k].chip, refused[k].word[0]);
		if (t_load(&r, c, &(emu_config){ .target = refused[k].chip })) {
			emu_launch_config l = { .block = { 64, 1, 1 } };
			emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
			bool good = s == EMU_EFAULT && strstr(r.r.fault.instruction, refused[k].inst) &&
				strstr(r.r.fault.message, refused[k].message) && r.r.fault.pc == 4;
			if (good)
				t_ok("%s", name);
			else
				t_bad("%s: '%s' at '%s'", name, r.r.fault.message, r.r.fault.instruction);
		}
		t_unload(&r);
		free(c);
	}
}

/* Launches that the caller got wrong. */
static void bad_launches(void)
{
	t_code *c = t_new("gfx1030");
	t_run r;
	end(c);
	if (!t_load(&r, c, &(emu_config){ .target = "gfx1030" }))
		return;
	uint8_t packet[64] = { 0 };
	emu_launch_config big = { .block = { 1024, 2, 1 } }, lds = { .dynamic_lds = 70000 };
	t_result("2048 work-items",
		emu_launch(r.dev, r.k, &big, &r.r) == EMU_EARG ? NULL : "accepted");
	t_result("70000 bytes of LDS",
		emu_launch(r.dev, r.k, &lds, &r.r) == EMU_EARG ? NULL : "accepted");
	t_result("empty packet", emu_dispatch(r.dev, packet, &r.r) == EMU_EARG ? NULL : "accepted");
	packet[4] = packet[6] = packet[8] = packet[12] = packet[16] = packet[20] = 1;
	t_result("packet without kernel",
		emu_dispatch(r.dev, packet, &r.r) == EMU_EARG ? NULL : "accepted");
	memcpy(packet + 32, &r.k->descriptor, 8);
	t_result("packet", emu_dispatch(r.dev, packet, &r.r) == EMU_OK ? NULL : r.r.fault.message);
	t_unload(&r);
	free(c);
}

int main(void)
{
	for (const char *const *chip = t_chips; *chip; chip++)
		for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
			run(*chip, &faults[k]);
	for (const char *const *chip = t_chips; *chip; chip++)
		unaligned_lds(*chip);
	endless_barrier();
	refuse();
	first_group();
	bad_launches();
	return t_end();
}
