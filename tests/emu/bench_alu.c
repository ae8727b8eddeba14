/* bench_alu.c -- how many lane-operations a second one host core does on loops of vector
 * instructions.
 * Prints a line a chip and kind of loop; fails below a floor only when given one: bench_alu
 * [FLOOR in millions].
 * A lane-operation is one enabled lane of one vector instruction. */
#include <time.h>

#include "t.h"

enum { UNROLL = 32, LOOPS = 20000 };
enum { INTEGER, FMA, LOADS, KINDS };

static void body(t_code *c, int kind)
{
	for (unsigned k = 0; k < UNROLL; k++) {
		unsigned d = 2 + k % 16, a = 2 + (k + 5) % 16, b = 2 + (k + 9) % 16;
		if (kind == FMA)
			OP(c, v_fma_f32, V(d), V(a), V(b), V(d));
		else if (kind == LOADS && k % 4 == 0)
			MEM(c, ds_read_b32, 0, V(d), V(1));
		else if (kind == LOADS)
			MEM(c, global_load_dword, 0, V(d), V(1), SN(6, 2));
		else if (k % 4 == 0)
			OP(c, v_add_u32, V(d), V(a), V(b));
		else if (k % 4 == 1)
			OP(c, v_bfi_b32, V(d), V(a), V(b), V(d));
		else if (k % 4 == 2)
			OP(c, v_lshlrev_b32, V(d), K(3), V(b));
		else
			OP(c, v_xor_b32, V(d), S(4), V(a));
	}
}

static double measure(const char *chip, int kind, unsigned simd)
{
	static const char *const name[] = { "integer", "fma", "loads" };
	t_code *c = t_new(chip);
	t_run r;
	double rate = 0;
	c->lds = 1024;
	t_prologue(c);
	OP(c, v_and_b32, V(1), K(63), V(0));
	OP(c, v_lshlrev_b32, V(1), K(2), V(1));
	for (unsigned k = 2; k < 18; k++)
		OP(c, v_mov_b32, V(k), K(0x3f800000));
	OP(c, s_movk_i32, S(4), K(77));
	OP(c, s_mov_b32, S(10), K(kind == LOADS ? LOOPS / 8 : LOOPS));
	size_t top = c->n;
	body(c, kind);
	OP(c, s_sub_u32, S(10), S(10), K(1));
	OP(c, s_cmp_lg_u32, S(10), K(0));
	t_back(c, OP_s_cbranch_scc1, top);
	t_op(c, OP_s_endpgm, NULL, 0);
	if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1, .simd = simd })) {
		uint64_t args[2] = { 0, emu_alloc(r.dev, 256) };
		emu_launch_config l = { .grid = { 4, 1, 1 },
			.block = { 256, 1, 1 },
			.args = args,
			.args_size = sizeof args };
		clock_t start = clock();
		emu_status s = emu_launch(r.dev, r.k, &l, &r.r);
		/* of this core, not of the clock */
		double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
		rate = (double)r.r.stats.lane_ops / seconds / 1e6;
		if (s != EMU_OK)
			t_bad("bench %s: %s: %s%s", chip, r.r.fault.instruction, r.r.fault.message,
				r.r.error.text);
		else
			printf("# %-8s %-8s %-9s %8.0f million lane-operations a second\n", chip, name[kind],
				emu_simd(r.dev), rate);
	}
	t_unload(&r);
	free(c);
	return rate;
}

int main(int argc, char **argv)
{
	double floor = argc > 1 ? atof(argv[1]) : 0;
	for (const char *const *chip = t_chips; *chip; chip++)
		for (unsigned simd = 1; simd <= 3; simd++)
			for (int kind = 0; kind < KINDS; kind++) {
				double rate = measure(*chip, kind, simd);
				if (kind != LOADS && rate < floor)
					t_bad("bench %s: %.0f million, wanted %.0f", *chip, rate,
						floor);
			}
	t_ok("bench");
	return t_end();
}
