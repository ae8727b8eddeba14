/* fold.h -- what the files of pass fold share: state, helpers, and the rules as rows of one table.
 * A rule looks at one instruction and either leaves it (false) or makes it simpler in place (true):
 * fold_become gives it another operation, fold_same says that its result is a value already there.
 * A rule must leave something that no rule turns back. */
#ifndef PASS_FOLD_H
#define PASS_FOLD_H
#include "pass/pass.h"

typedef struct fold {
	ir_func *f;
	VEC(ir_fact) facts;      /* by value */
	VEC(ir_opnd) same;       /* by value: what it was found to be; kind 0 if nothing */
	uint32_t *low_uses, *high_uses, nuses; /* by value below nuses: uses by lo32, by hi32 */
	ir_builder B;            /* in front of the instruction at work */
	bool changed, edges_changed;
	uint32_t budget;         /* rewrites left in this round */
} fold;

typedef bool fold_rule(fold *, ir_inst *);

/* The operations of one width, so that a rule is written once. */
typedef struct fold_width {
	uint16_t add, sub, mul, and, or, xor, not, shl, lshr, ashr, sel;
	uint8_t bits;
	uint64_t mask;
} fold_width;
const fold_width *fold_width_by(unsigned dwords);
static inline const fold_width *fold_width_of(const ir_inst *i) { return fold_width_by(i->m.arg[0].width); }

ir_opnd fold_src(fold *, ir_inst *, unsigned k);            /* source k, resolved */
/* the instruction that defines it, if it is an op */
ir_inst *fold_def(const fold *, ir_opnd, unsigned op);
/* the same, if its source 1 is a constant */
ir_inst *fold_def_const(fold *, ir_opnd, unsigned op, uint64_t *c);
bool fold_const(ir_opnd, uint64_t *x);                      /* cut to its width */
bool fold_is(ir_opnd, uint64_t x);                          /* the constant x, cut to its width */
ir_opnd fold_imm(unsigned dwords, uint64_t x);
ir_fact fold_fact(const fold *, ir_opnd);
/* 1 always, 0 never, -1 unknown */
int fold_decide(const fold *, unsigned cc, ir_opnd a, ir_opnd b);
bool fold_single(const fold *, ir_opnd);                    /* no other instruction reads it */

bool fold_same(fold *, ir_inst *, ir_opnd);
bool fold_become1(ir_inst *, unsigned op, ir_opnd a);
bool fold_become2(ir_inst *, unsigned op, ir_opnd a, ir_opnd b);
bool fold_become3(ir_inst *, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c);
bool fold_compare(ir_inst *, unsigned op, unsigned cc, ir_opnd a, ir_opnd b);
ir_opnd fold_gen1(fold *, unsigned op, ir_opnd a);          /* a new instruction in front */
ir_opnd fold_gen2(fold *, unsigned op, ir_opnd a, ir_opnd b);
ir_opnd fold_gen3(fold *, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c);
ir_opnd fold_gen4(fold *, unsigned op, const ir_opnd src[4]);
ir_opnd fold_gen_like(fold *, const ir_inst *compare);      /* the same comparison with its cc, fp and sources */
ir_opnd fold_half(fold *, ir_opnd, unsigned high);          /* low or high dword of a D */

static inline uint64_t
fold_low_bits(uint64_t n)
{
	return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
}
int fold_log2(uint64_t x);                                  /* -1: no power of two */

/* FOLD(op, rule): tried in the order of the rows until one changes something.
 * W(op, rule) is both widths of op. */
#define FOLD_RULES(FOLD, W) \
	W(add, fold_sum_to_sum) W(add, fold_add_cancel) W(add, fold_add_twice) \
	FOLD(add64, fold_add64_halves) FOLD(add64, fold_add64_zext_sum) \
	W(sub, fold_sub_const) W(sub, fold_sum_to_sum) W(sub, fold_sub_cancel) FOLD(sub64, fold_sub64_halves) \
	W(mul, fold_mul_const) FOLD(mul64, fold_mul64_narrow) \
	FOLD(mulw_u32, fold_mulw) FOLD(mulw_s32, fold_mulw) \
	FOLD(mul_u24, fold_demanded) FOLD(mul_u24, fold_mul_u24) \
	FOLD(min_u32, fold_extreme) FOLD(max_u32, fold_extreme) \
	FOLD(min_s32, fold_extreme) FOLD(max_s32, fold_extreme) \
	FOLD(and1, fold_absorb) FOLD(or1, fold_absorb) FOLD(and1, fold_complement) FOLD(or1, fold_complement) \
	FOLD(xor1, fold_xor1) FOLD(not1, fold_not1) \
	FOLD(icmp32, fold_cmp_order) FOLD(icmp32, fold_cmp_unsigned) FOLD(icmp32, fold_cmp_zero) \
	FOLD(icmp32, fold_cmp_equal) FOLD(icmp32, fold_cmp_select) \
	FOLD(icmp64, fold_cmp_order) FOLD(icmp64, fold_cmp_unsigned) FOLD(icmp64, fold_cmp_zero) \
	FOLD(icmp64, fold_cmp_equal) FOLD(icmp64, fold_cmp_select) FOLD(icmp64, fold_cmp_narrow) \
	FOLD(fcmp16, fold_fcmp_same) FOLD(fcmp32, fold_fcmp_same) FOLD(fcmp64, fold_fcmp_same) \
	W(fadd, fold_signs) W(fmul, fold_signs) W(ffma, fold_signs) W(fmin, fold_signs) W(fmax, fold_signs) W(fcmp, fold_signs) \
	W(sel, fold_sel) W(sel, fold_sel_extreme) W(sel, fold_sel_const) FOLD(sel64, fold_sel64_halves) \
	W(and, fold_bits_const) W(or, fold_bits_const) W(xor, fold_bits_const) \
	W(and, fold_and_mask) W(or, fold_or_mask) \
	W(and, fold_absorb) W(or, fold_absorb) W(and, fold_complement) W(or, fold_complement) \
	W(or, fold_or_split) W(xor, fold_xor) W(not, fold_not) \
	FOLD(and32, fold_and_to_bfe) FOLD(and32, fold_demanded) \
	FOLD(and64, fold_bits64_halves) FOLD(or64, fold_bits64_halves) FOLD(xor64, fold_bits64_halves) \
	FOLD(not64, fold_not64_halves) \
	W(shl, fold_shift_count) W(lshr, fold_shift_count) W(ashr, fold_shift_count) \
	FOLD(ashr32, fold_ashr_of_sign) W(ashr, fold_ashr_positive) W(shl, fold_shift_chain) W(lshr, fold_shift_chain) W(ashr, fold_shift_chain) \
	W(shl, fold_shl_of_sum) FOLD(shl32, fold_demanded) FOLD(lshr32, fold_lshr_of_mask) FOLD(lshr32, fold_demanded) \
	FOLD(shl64, fold_shift64_halves) FOLD(lshr64, fold_shift64_halves) FOLD(ashr64, fold_shift64_halves) \
	FOLD(bfe_u32, fold_bfe_const) FOLD(bfe_u32, fold_bfe_chain) FOLD(bfe_u32, fold_demanded) \
	FOLD(bfe_s32, fold_bfe_const) FOLD(bfe_s32, fold_bfe_chain) FOLD(bfe_s32, fold_demanded) \
	FOLD(bfm32, fold_demanded) FOLD(bitsel32, fold_bitsel) FOLD(bitsel32, fold_demanded) \
	FOLD(alignbit32, fold_alignbit) FOLD(perm32, fold_perm) \
	FOLD(ptx_bfi32, fold_bfi) FOLD(ptx_bfi64, fold_bfi) \
	FOLD(ptx_bfe_u32, fold_bfe32) FOLD(ptx_bfe_s32, fold_bfe32) \
	FOLD(ptx_bfe_u64, fold_bfe64) FOLD(ptx_bfe_s64, fold_bfe64) \
	FOLD(ptx_bmsk, fold_bmsk) FOLD(ptx_szext_u32, fold_szext) FOLD(ptx_szext_s32, fold_szext) \
	FOLD(pack64, fold_pack64) FOLD(lo32, fold_half_of) FOLD(hi32, fold_half_of) FOLD(word, fold_word) \
	FOLD(load, fold_address) FOLD(store, fold_address) FOLD(store, fold_demanded) \
	FOLD(phi, fold_phi) FOLD(cbr, fold_cbr)

#define FOLD_DECLARE(op, rule) bool rule(fold *, ir_inst *);
#define FOLD_DECLARE2(op, rule) bool rule(fold *, ir_inst *);
FOLD_RULES(FOLD_DECLARE, FOLD_DECLARE2)
#undef FOLD_DECLARE
#undef FOLD_DECLARE2
#endif
