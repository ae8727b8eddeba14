/* test_acc.c -- accumulation registers: moves under EXEC, loads and stores of them on gfx90a and gfx942, how many a kernel has
 * by its descriptor, what EMU_CHECK_ALL says of them.
 * Kernels that clang gives such registers are in sweep/acc.cl. */
#include "t.h"

#define A(n) P2A_A(n)
#define AN(n, w) P2A_AN(n, w)
enum { LANES = 64 };

typedef struct trial {
	const char *name;
	void (*code)(t_code *);
	const char *message;         /* the fault; NULL: none, and the results are right */
	bool memory;                 /* only on chips that load and store them */
} trial;

static void end(t_code *c) { t_op(c, OP_s_endpgm, NULL, 0); }
static void begin(t_code *c)
{
	t_prologue(c);
	OP(c, v_lshlrev_b32, V(1), K(3), V(0));
}

/* Odd lanes of a7 are -3, the others their number; a0 stays what it was. */
static void fill(t_code *c)
{
	begin(c);
	OP(c, v_accvgpr_write_b32, A(0), K(50));
	OP(c, v_accvgpr_write_b32, A(7), V(0));
	OP(c, s_mov_b32, SREG(P2A_EXEC_LO, 1), K(0xaaaaaaaa));
	OP(c, s_mov_b32, SREG(P2A_EXEC_HI, 1), K(0xaaaaaaaa));
	OP(c, v_accvgpr_write_b32, A(7), K(-3));
	OP(c, s_mov_b64, SREG(P2A_EXEC, 2), K(-1));
}
static void moves(t_code *c)
{
	fill(c);
	OP(c, v_accvgpr_read_b32, V(2), A(7));
	OP(c, v_accvgpr_read_b32, V(3), A(0));
	MEM(c, global_store_dwordx2, 0, V(1), VN(2, 2), SN(6, 2));
	end(c);
}
/* To memory, back into others, through LDS and out. */
static void memory(t_code *c)
{
	c->lds = LANES * 8;
	fill(c);
	OP(c, v_accvgpr_mov_b32, A(2), A(7));
	OP(c, v_accvgpr_mov_b32, A(3), A(0));
	MEM(c, global_store_dwordx2, 0, V(1), AN(2, 2), SN(4, 2));
	t_wait(c);
	MEM(c, global_load_dwordx2, 0, AN(4, 2), V(1), SN(4, 2));
	t_wait(c);
	MEM(c, ds_write_b64, 0, V(1), AN(4, 2));
	t_wait(c);
	MEM(c, ds_read_b64, 0, AN(6, 2), V(1));
	t_wait(c);
	MEM(c, global_store_dwordx2, 0, V(1), AN(6, 2), SN(6, 2));
	end(c);
}
static void too_many(t_code *c)
{
	OP(c, v_accvgpr_write_b32, A(8), K(1));
	end(c);
}
static void too_wide(t_code *c)
{
	begin(c);
	MEM(c, global_load_dwordx4, 0, AN(6, 4), V(1), SN(4, 2));
	end(c);
}
static void ordinary(t_code *c)
{
	OP(c, v_mov_b32, V(8), K(1));
	end(c);
}
static void too_soon(t_code *c)
{
	begin(c);
	MEM(c, global_load_dword, 0, A(2), V(1), SN(4, 2));
	OP(c, v_accvgpr_read_b32, V(2), A(2));
	end(c);
}
static void never_written(t_code *c)
{
	begin(c);
	MEM(c, global_store_dword, 0, V(1), A(5), SN(6, 2));
	end(c);
}

static const trial trials[] = {
	{ "moves", moves, NULL, false },
	{ "memory", memory, NULL, true },
	{ "one too many", too_many, "uses a8; the kernel has 8 accumulation registers", false },
	{ "the last of four", too_wide, "uses a9; the kernel has 8 accumulation registers", true },
	{ "an ordinary one too many", ordinary, "uses v8; the kernel has 8 vector registers", false },
	{ "read too soon", too_soon, "reads a2 while a load to it is in flight", true },
	{ "never written", never_written, "reads a5, which nothing has written", true },
};

static const char *outcome(t_run *r, const trial *x)
{
	uint64_t args[2] = { emu_alloc(r->dev, LANES * 8), emu_alloc(r->dev, LANES * 8) };
	emu_launch_config l = { .block = { LANES, 1, 1 }, .args = args, .args_size = sizeof args };
	const uint32_t (*out)[2] = (const uint32_t (*)[2])(uintptr_t)args[1];
	emu_status s = emu_launch(r->dev, r->k, &l, &r->r);
	if (x->message)
		return s == EMU_OK ? "not reported" : strstr(r->r.fault.message, x->message) ? NULL : r->r.fault.message;
	if (s != EMU_OK)
		return r->r.fault.message;
	for (uint32_t i = 0; i < LANES; i++)
		if (out[i][0] != (i & 1 ? -3u : i) || out[i][1] != 50)
			return "wrong result";
	return NULL;
}

static void run(const char *chip, const trial *x)
{
	char name[96];
	t_code *c = t_new(chip);
	t_run r;
	c->vgprs = c->agprs = 8;
	if (!c->t->accum_offset)
		c->agprs = 0;        /* as many as others */
	snprintf(name, sizeof name, "%s %s", chip, x->name);
	if (!x->memory || c->t->accum_offset) {
		x->code(c);
		if (t_load(&r, c, &(emu_config){ .target = chip, .threads = 1, .check = EMU_CHECK_ALL }))
			t_result(name, outcome(&r, x));
		t_unload(&r);
	}
	free(c);
}

int main(void)
{
	static const char *const chips[] = { "gfx908", "gfx90a", "gfx942" };
	for (size_t k = 0; k < sizeof chips / sizeof *chips; k++)
		for (size_t n = 0; n < sizeof trials / sizeof *trials; n++)
			run(chips[k], &trials[n]);
	return t_end();
}
