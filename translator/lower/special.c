/* special.c -- special registers as values.
 * Needs nothing; leaves G_special and arithmetic on it.
 * Manual: "Parallel Thread Execution ISA", 10. */
#include "lower/lower.h"

ir_opnd
lo_special(lower *L, ir_special which)
{
	ir_opnd v = ir_g0(&L->b, G_special);

	ir_last(&L->b)->m.offset = (int32_t)which;
	return v;
}

/* Warps are numbered through the block in the order of the threads, x first. */
static ir_opnd
warp_number(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd n = ir_g2(B, G_mul32, lo_special(L, IR_TID_Z), lo_special(L, IR_NTID_Y));

	n = ir_g2(B, G_add32, n, lo_special(L, IR_TID_Y));
	n = ir_g2(B, G_mul32, n, lo_special(L, IR_NTID_X));
	n = ir_g2(B, G_add32, n, lo_special(L, IR_TID_X));
	return ir_g2(B, G_lshr32, n, ir_i32(5));
}

static ir_opnd
warp_count(lower *L)
{
	ir_builder *B = &L->b;
	ir_opnd n = ir_g2(B, G_mul32, lo_special(L, IR_NTID_X), lo_special(L, IR_NTID_Y));

	n = ir_g2(B, G_mul32, n, lo_special(L, IR_NTID_Z));
	return ir_g2(B, G_lshr32, ir_g2(B, G_add32, n, ir_i32(31)), ir_i32(5));
}

/* The lanes below this one, this one, or the rest of the 32. */
static ir_opnd
lane_mask(lower *L, unsigned sreg)
{
	ir_builder *B = &L->b;
	ir_opnd eq = ir_g2(B, G_shl32, ir_i32(1), lo_special(L, IR_LANEID));
	ir_opnd lt = ir_g2(B, G_sub32, eq, ir_i32(1));

	switch (sreg) {
	case PTX_SREG_lanemask_eq: return eq;
	case PTX_SREG_lanemask_lt: return lt;
	case PTX_SREG_lanemask_le: return ir_g2(B, G_or32, lt, eq);
	case PTX_SREG_lanemask_ge: return ir_g1(B, G_not32, lt);
	default: return ir_g1(B, G_not32, ir_g2(B, G_or32, lt, eq));
	}
}

static const struct { uint16_t sreg; uint8_t special; } direct[] = {
	{ PTX_SREG_tid_x, IR_TID_X }, { PTX_SREG_tid_y, IR_TID_Y }, { PTX_SREG_tid_z, IR_TID_Z },
	{ PTX_SREG_ntid_x, IR_NTID_X }, { PTX_SREG_ntid_y, IR_NTID_Y },
	{ PTX_SREG_ntid_z, IR_NTID_Z },
	{ PTX_SREG_ctaid_x, IR_CTAID_X }, { PTX_SREG_ctaid_y, IR_CTAID_Y },
	{ PTX_SREG_ctaid_z, IR_CTAID_Z }, { PTX_SREG_nctaid_x, IR_NCTAID_X },
	{ PTX_SREG_nctaid_y, IR_NCTAID_Y }, { PTX_SREG_nctaid_z, IR_NCTAID_Z },
	{ PTX_SREG_clusterid_x, IR_CTAID_X }, { PTX_SREG_clusterid_y, IR_CTAID_Y }, { PTX_SREG_clusterid_z, IR_CTAID_Z },
	{ PTX_SREG_nclusterid_x, IR_NCTAID_X }, { PTX_SREG_nclusterid_y, IR_NCTAID_Y }, { PTX_SREG_nclusterid_z, IR_NCTAID_Z },
	{ PTX_SREG_laneid, IR_LANEID }, { PTX_SREG_dynamic_smem_size, IR_DYN_SHARED },
};

/* Of the constant clock a tick is taken for 10 ns. */
static ir_opnd
timer(lower *L, bool wall)
{
	ir_opnd v = ir_g0(&L->b, G_clock);

	ir_last(&L->b)->m.offset = wall;
	return wall ? ir_g2(&L->b, G_mul64, v, ir_i64(10)) : v;
}

/* The driver's words that CUDA's cooperative groups go by. %envreg1 and 2 are the upper and the lower half of the address of
 * two dwords, of which the second, 0 at first, is the grid's barrier: its top bit turns whenever all blocks have come, and
 * the others are 0 again then. Here a variable of the module. */
static ir_opnd
grid_word(lower *L, unsigned half)
{
	ir_opnd sym = { .kind = IR_K_SYM, .width = 2 };

	if (!L->grid_word) {
		ir_var v = { .name = "__p2a_grid", .size = 8, .align = 8 };

		*vec_push(L->A, &L->M->vars) = v;
		L->grid_word = L->M->vars.n;
	}
	sym.reg = L->grid_word - 1;
	return lo_word(L, ir_g1(&L->b, G_symaddr, sym), half);
}

/* Shared memory that NVIDIA keeps from programs, but for its own headers: cooperative groups of several warps have 288 bytes
 * at offset_1. In kernels that ask for it there is some. */
static const struct { uint16_t sreg, from; } reserved[] = {
	{ PTX_SREG_reserved_smem_offset_begin, 0 }, { PTX_SREG_reserved_smem_offset_end, LOWER_RESERVED },
	{ PTX_SREG_reserved_smem_offset_0, 0 }, { PTX_SREG_reserved_smem_offset_1, 128 },
};

bool
lo_is_reserved(unsigned sreg)
{
	for (unsigned i = 0; i < COUNT(reserved); i++)
		if (reserved[i].sreg == sreg)
			return true;
	return false;
}

/* One multiprocessor, one grid, blocks that are clusters of their own, hardly a word from a driver. */
static const struct { uint16_t first, last; uint8_t value; } fixed[] = {
	{ PTX_SREG_tid_w, PTX_SREG_cluster_nctaid_w, 0 }, { PTX_SREG_smid, PTX_SREG_smid, 0 }, { PTX_SREG_nsmid, PTX_SREG_nsmid, 1 },
	{ PTX_SREG_gridid, PTX_SREG_gridid, 0 }, { PTX_SREG_current_graph_exec, PTX_SREG_current_graph_exec, 0 }, { PTX_SREG_envreg0, PTX_SREG_envreg0, 0 },
	{ PTX_SREG_envreg3, PTX_SREG_envreg31, 0 },
	{ PTX_SREG_cluster_ctaid_x, PTX_SREG_cluster_ctaid_z, 0 }, { PTX_SREG_cluster_nctaid_x, PTX_SREG_cluster_nctaid_z, 1 },
	{ PTX_SREG_cluster_ctarank, PTX_SREG_cluster_ctarank, 0 }, { PTX_SREG_cluster_nctarank, PTX_SREG_cluster_nctarank, 1 },
};

/* What has no meaning here; the first row that holds the register is taken. */
static const struct { uint16_t first, last; const char *what; } refused[] = {
	{ PTX_SREG_pm0, PTX_SREG_pm7_64, "it counts events of NVIDIA's hardware; %clock64 counts cycles" },
	{ PTX_SREG_is_explicit_cluster, PTX_SREG_is_explicit_cluster, "a block is its own cluster; compile for sm_80" },
	{ PTX_SREG_tid, PTX_SREG_cluster_nctaid, "a whole vector; read its components .x, .y and .z" },
};

static const char *
refused_sreg(lower *L, unsigned sreg)
{
	static const char *const names[] = {
#define PTX_SREG(id, text, type) text,
#include "ptx/sregs.def"
#undef PTX_SREG
	};

	for (unsigned i = 0; i < COUNT(refused); i++)
		if (sreg >= refused[i].first && sreg <= refused[i].last)
			return arena_printf(L->A, "the special register '%s' (%s)", names[sreg], refused[i].what);
	return arena_printf(L->A, "the special register '%s'", names[sreg]);
}

ir_opnd
lo_sreg(lower *L, unsigned sreg)
{
	for (unsigned i = 0; i < COUNT(fixed); i++)
		if (sreg >= fixed[i].first && sreg <= fixed[i].last)
			return ir_i32(fixed[i].value);
	for (unsigned i = 0; i < COUNT(reserved); i++)
		if (reserved[i].sreg == sreg)
			return ir_i32(L->reserved_shared + reserved[i].from);
	for (unsigned i = 0; i < COUNT(direct); i++)
		if (direct[i].sreg == sreg)
			return lo_special(L, (ir_special)direct[i].special);
	switch (sreg) {
	case PTX_SREG_clock64: return timer(L, false);
	case PTX_SREG_clock: return lo_word(L, timer(L, false), 0);
	case PTX_SREG_clock_hi: return lo_word(L, timer(L, false), 1);
	case PTX_SREG_globaltimer: return timer(L, true);
	case PTX_SREG_globaltimer_lo: return lo_word(L, timer(L, true), 0);
	case PTX_SREG_globaltimer_hi: return lo_word(L, timer(L, true), 1);
	case PTX_SREG_reserved_smem_offset_cap: return ir_i32(LOWER_RESERVED);
	case PTX_SREG_envreg1: case PTX_SREG_envreg2: return grid_word(L, sreg == PTX_SREG_envreg1);
	case PTX_SREG_total_smem_size: case PTX_SREG_aggr_smem_size:
		return ir_g2(&L->b, G_add32, lo_special(L, IR_DYN_SHARED), ir_i32(L->F->lds_static));
	case PTX_SREG_warpid:
		return warp_number(L);
	case PTX_SREG_nwarpid:
		return warp_count(L);
	case PTX_SREG_lanemask_eq: case PTX_SREG_lanemask_lt: case PTX_SREG_lanemask_le:
	case PTX_SREG_lanemask_ge: case PTX_SREG_lanemask_gt:
		return lane_mask(L, sreg);
	default:
		lo_reject(L, DIAG_unsupported_use, refused_sreg(L, sreg));
		return ir_i32(0);
	}
}

unsigned
lo_sreg_part(unsigned sreg, unsigned i)
{
	static const uint16_t x[] = { PTX_SREG_tid_x, PTX_SREG_ntid_x, PTX_SREG_ctaid_x, PTX_SREG_nctaid_x, PTX_SREG_clusterid_x,
		PTX_SREG_nclusterid_x, PTX_SREG_cluster_ctaid_x, PTX_SREG_cluster_nctaid_x };

	return i < 3 ? x[sreg - PTX_SREG_tid] + i : PTX_SREG_tid_w + (sreg - PTX_SREG_tid);
}
