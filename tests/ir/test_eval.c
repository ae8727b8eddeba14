/* test_eval.c -- ir_eval against plain C written from the manuals, apart from gops.def, on
 * random and edge values; bit fields also against values that NVIDIA's assembler computed. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One bit at a time. */
static uint64_t
bits(uint64_t x, int first, int n)
{
	uint64_t r = 0;

	for (int k = 0; k < n; k++)
		if (first + k < 64)
			r |= (x >> (first + k) & 1) << k;
	return r;
}

static uint64_t
extend(uint64_t x, int n, int width)
{
	for (int k = n; k < width; k++)
		x |= (n ? x >> (n - 1) & 1 : 0) << k;
	return x;
}

static uint64_t
field(uint64_t insert, uint64_t base, uint64_t pos, uint64_t len, unsigned width)
{
	for (uint64_t k = pos; k < pos + len && k < width; k++) {
		base &= ~((uint64_t)1 << k);
		base |= (insert >> (k - pos) & 1) << k;
	}
	return base;
}

/* PTX ISA 9.7.1, bfe */
static uint64_t
extract(uint64_t x, uint64_t pos, uint64_t len, unsigned width, bool is_signed)
{
	uint64_t msb = width - 1, sign, r = 0;

	if (!is_signed || !len)
		sign = 0;
	else
		sign = x >> (pos + len - 1 < msb ? pos + len - 1 : msb) & 1;
	for (unsigned k = 0; k <= msb; k++)
		if (k < len && pos + k <= msb ? x >> (pos + k) & 1 : sign)
			r |= (uint64_t)1 << k;
	return r;
}

static uint64_t
times(uint64_t a, uint64_t b)
{
	uint64_t r = 0;

	for (; b; b >>= 1, a <<= 1)
		r += b & 1 ? a : 0;
	return r;
}

/* AMD, v_perm_b32: bytes 0-3 of S1, 4-7 of S0; 8-11 the signs of bytes 1, 3, 5, 7; 12 zero; then
 * ones. */
static uint32_t
permute(uint32_t s0, uint32_t s1, uint32_t sel)
{
	uint8_t in[8], out[4];

	for (int k = 0; k < 4; k++) {
		in[k] = (uint8_t)(s1 >> 8 * k);
		in[4 + k] = (uint8_t)(s0 >> 8 * k);
	}
	for (int k = 0; k < 4; k++) {
		unsigned s = sel >> 8 * k & 0xff;

		out[k] = s == 12 ? 0 : 255;
		if (s < 8)
			out[k] = in[s];
		else if (s < 12 && in[2 * (s - 8) + 1] < 128)
			out[k] = 0;
	}
	return out[0] | (uint32_t)out[1] << 8 | (uint32_t)out[2] << 16 | (uint32_t)out[3] << 24;
}

static bool
holds(unsigned cc, uint64_t a, uint64_t b, int64_t sa, int64_t sb)
{
	switch (cc) {
	case IR_EQ: return a == b;
	case IR_NE: return a != b;
	case IR_LT: return sa < sb;
	case IR_LE: return sa <= sb;
	case IR_GT: return sa > sb;
	case IR_GE: return sa >= sb;
	case IR_LO: return a < b;
	case IR_LS: return a <= b;
	case IR_HI: return a > b;
	default: return a >= b;
	}
}

static bool
reference(const ir_inst *i, const uint64_t s[4], uint64_t *r)
{
	uint64_t a = s[0], b = s[1], c = s[2], d = s[3];
	uint32_t wa = (uint32_t)a, wb = (uint32_t)b, wc = (uint32_t)c, wd = (uint32_t)d;
	int32_t ia = (int32_t)wa, ib = (int32_t)wb;
	bool ba = a & 1, bb = b & 1, bc = c & 1;
	uint32_t mask = i->sem == P2A_SEM_NVIDIA ? UINT32_MAX : 255;
	int n;

	switch (i->m.op) {
	case G_copy1: *r = ba; break;
	case G_copy32: *r = wa; break;
	case G_copy64: *r = a; break;
	case G_not1: *r = !ba; break;
	case G_and1: *r = ba && bb; break;
	case G_or1: *r = ba || bb; break;
	case G_xor1: *r = ba != bb; break;
	case G_add32: *r = (uint32_t)(wa + wb); break;
	case G_sub32: *r = (uint32_t)(wa - wb); break;
	case G_mul32: *r = (uint32_t)times(wa, wb); break;
	case G_mulhi_u32: *r = times(wa, wb) >> 32; break;
	case G_mulhi_s32: *r = bits((uint64_t)((int64_t)ia * ib), 32, 32); break;
	case G_mul_u24: *r = (uint32_t)times(wa % 0x1000000, wb % 0x1000000); break;
	case G_and32: *r = wa & wb; break;
	case G_or32: *r = wa | wb; break;
	case G_xor32: *r = wa ^ wb; break;
	case G_not32: *r = (uint32_t)~wa; break;
	case G_shl32: *r = bits((uint64_t)wa << wb % 32, 0, 32); break;
	case G_lshr32: *r = bits(wa, (int)(wb % 32), 32); break;
	case G_ashr32: n = (int)(wb % 32), *r = extend(bits(wa, n, 32 - n), 32 - n, 32); break;
	case G_min_u32: *r = wa < wb ? wa : wb; break;
	case G_max_u32: *r = wa > wb ? wa : wb; break;
	case G_min_s32: *r = (uint32_t)(ia < ib ? ia : ib); break;
	case G_max_s32: *r = (uint32_t)(ia > ib ? ia : ib); break;
	case G_ffbh32:
		for (n = 0; n < 32 && !(wa >> (31 - n) & 1); n++)
			;
		*r = n == 32 ? UINT32_MAX : (uint32_t)n;
		break;
	case G_popc32:
		for (*r = 0, n = 0; n < 32; n++)
			*r += wa >> n & 1;
		break;
	case G_brev32:
		for (*r = 0, n = 0; n < 32; n++)
			*r = *r * 2 + (wa >> n & 1);
		break;
	case G_bfe_u32: *r = bits(wa, (int)(wb % 32), (int)(wc % 32)); break;
	case G_bfe_s32: /* the dword is shifted arithmetically, then its low bits are taken */
		*r = extend(bits(extend(wa, 32, 64), (int)(wb % 32), (int)(wc % 32)),
			(int)(wc % 32), 32);
		break;
	case G_bfm32: *r = (uint32_t)(bits(UINT64_MAX, 0, (int)(wa % 32)) << wb % 32); break;
	case G_ptx_bmsk:
		for (*r = 0, n = 0; n < 32; n++)
			*r |= (uint64_t)((uint32_t)n >= wa && (uint32_t)n - wa < wb) << n;
		break;
	case G_ptx_szext_u32: *r = wb ? extract(wa, 0, wb < 32 ? wb : 32, 32, false) : 0; break;
	case G_ptx_szext_s32: *r = wb ? extract(wa, 0, wb < 32 ? wb : 32, 32, true) : 0; break;
	case G_bitsel32:
		for (*r = 0, n = 0; n < 32; n++)
			*r |= (uint64_t)((wa >> n & 1 ? wb : wc) >> n & 1) << n;
		break;
	case G_alignbit32: *r = bits((uint64_t)wa << 32 | wb, (int)(wc % 32), 32); break;
	case G_dot4_u: case G_dot4_s: case G_dot4_su:
		for (*r = wc, n = 0; n < 32; n += 8)
			*r += times(i->m.op == G_dot4_u ? bits(wa, n, 8) : extend(bits(wa, n, 8), 8, 64),
				i->m.op == G_dot4_s ? extend(bits(wb, n, 8), 8, 64) : bits(wb, n, 8));
		*r = (uint32_t)*r;
		break;
	case G_perm32: *r = permute(wa, wb, wc); break;
	case G_add64: *r = a + b; break;
	case G_sub64: *r = a - b; break;
	case G_mul64: *r = times(a, b); break;
	case G_mulw_u32: *r = times(wa, wb); break;
	case G_mulw_s32: *r = times(extend(wa, 32, 64), extend(wb, 32, 64)); break;
	case G_and64: *r = a & b; break;
	case G_or64: *r = a | b; break;
	case G_xor64: *r = a ^ b; break;
	case G_not64: *r = ~a; break;
	case G_shl64: *r = wb % 64 ? times(a, (uint64_t)1 << wb % 64) : a; break;
	case G_lshr64: *r = bits(a, (int)(wb % 64), 64); break;
	case G_ashr64: *r = extend(bits(a, (int)(wb % 64), 64), 64 - (int)(wb % 64), 64); break;
	case G_sext64: *r = wb % 64 ? extend(bits(a, 0, (int)(wb % 64)), (int)(wb % 64), 64) : a; break;
	case G_pack64: *r = wa + times(wb, (uint64_t)1 << 32); break;
	case G_lo32: *r = wa; break;
	case G_hi32: *r = bits(a, 32, 32); break;
	case G_addc32: *r = (uint32_t)(wa + wb + bc); break;
	case G_addc_out32: *r = wa + wb < wa || (bc && wa + wb == UINT32_MAX); break;
	case G_subb32: *r = (uint32_t)(wa - wb - bc); break;
	case G_subb_out32: *r = wa < wb || (bc && wa == wb); break;
	case G_icmp32: *r = holds(i->cc, wa, wb, ia, ib); break;
	case G_icmp64: *r = holds(i->cc, a, b, (int64_t)a, (int64_t)b); break;
	case G_sel32: *r = ba ? wb : wc; break;
	case G_sel64: *r = ba ? b : c; break;
	case G_ptx_bfi32: *r = field(wa, wb, wc % 256, wd % 256, 32); break;
	case G_ptx_bfi64: *r = field(a, b, wc & mask, wd & mask, 64); break;
	case G_ptx_bfe_u32: *r = extract(wa, wb % 256, wc % 256, 32, false); break;
	case G_ptx_bfe_s32: *r = extract(wa, wb % 256, wc % 256, 32, true); break;
	case G_ptx_bfe_u64: *r = extract(a, wb & mask, wc & mask, 64, false); break;
	case G_ptx_bfe_s64: *r = extract(a, wb & mask, wc & mask, 64, true); break;
	default: return false;
	}
	return true;
}

static bool
has_references(unsigned op)
{
	ir_inst i = { .m.op = (uint16_t)op };
	uint64_t s[4] = { 0 }, got, want;

	return ir_eval(&i, s, &got) == reference(&i, s, &want);
}

static void
compare(unsigned op, rng *r)
{
	ir_inst i = { .m.op = (uint16_t)op };
	const char *name = ir_ginfo_of(op)->name;
	uint64_t s[4], got, want;

	for (unsigned k = 0; k < t_rounds(20000); k++) {
		for (unsigned n = 0; n < 4; n++)
			s[n] = rng_value(r);
		i.cc = (uint8_t)rng_below(r, IR_HS + 1);
		i.sem = (uint8_t)rng_below(r, 2);
		if (!ir_eval(&i, s, &got) || !reference(&i, s, &want))
			return;
		if (got != want) {
			t_ok(false, name, "(%llx %llx %llx %llx) cc %u sem %u: %llx, not %llx",
			     (unsigned long long)s[0], (unsigned long long)s[1],
				(unsigned long long)s[2],
			     (unsigned long long)s[3], i.cc, i.sem, (unsigned long long)got,
			     (unsigned long long)want);
			return;
		}
	}
	t_ok(true, name, " ");
}

/* tests/data/ptx_values.jsonl: lines {"op": NAME, ..., "src": [[TYPE, VALUE], ...], "result":
 * VALUE}. */
static unsigned
next_number(const char **p, uint64_t *x)
{
	const char *hex = strstr(*p, "\"0x");

	if (!hex)
		return 0;
	*x = strtoull(hex + 1, NULL, 16);
	*p = hex + 3;
	return 1;
}

static unsigned
op_named(const char *line)
{
	static const struct { const char *name; unsigned op; } rows[] = {
		{ "\"bfi.b32\"", G_ptx_bfi32 }, { "\"bfi.b64\"", G_ptx_bfi64 },
		{ "\"bfe.u32\"", G_ptx_bfe_u32 }, { "\"bfe.s32\"", G_ptx_bfe_s32 },
		{ "\"bfe.u64\"", G_ptx_bfe_u64 }, { "\"bfe.s64\"", G_ptx_bfe_s64 },
		{ "\"szext.clamp.u32\"", G_ptx_szext_u32 }, { "\"szext.clamp.s32\"", G_ptx_szext_s32 },
	};
	const char *op = strstr(line, "\"op\": ");

	for (unsigned k = 0; op && k < COUNT(rows); k++)
		if (!strncmp(op + 6, rows[k].name, strlen(rows[k].name)))
			return rows[k].op;
	return 0;
}

static void
nvidia_values(const char *path)
{
	char line[1024];
	FILE *in = fopen(path, "r");
	unsigned n = 0, wrong = 0;

	if (!in) {
		printf("skip fields as NVIDIA computes them: no %s here\n", path);
		return;
	}
	while (fgets(line, sizeof line, in)) {
		ir_inst i = { .m.op = (uint16_t)op_named(line), .sem = P2A_SEM_NVIDIA };
		uint64_t s[5] = { 0 }, got;
		const char *p = line;
		unsigned k = 0;

		if (!i.m.op)
			continue;
		while (k < 5 && next_number(&p, &s[k]))
			k++;
		n++;
		wrong += !ir_eval(&i, s, &got) || got != s[k - 1];
	}
	fclose(in);
	t_ok(n > 1000 && !wrong, "fields as NVIDIA computes them", "%u of %u wrong", wrong, n);
}

int
main(void)
{
	rng r = { 1 };

	unsigned lacking = 0;

	for (unsigned op = G_copy1; op < P_entry; op++) {
		lacking += !has_references(op);
		compare(op, &r);
	}
	t_ok(!lacking, "every operation that is evaluated has a reference", "%u lack one", lacking);
	nvidia_values("tests/data/ptx_values.jsonl");
	return t_end();
}
