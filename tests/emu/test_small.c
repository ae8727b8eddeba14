/* test_small.c -- floats of 8 bits and bf16: every code converted, from every byte and word; numbers to codes at and beside
 * every code and every middle between two; dot products. gfx942 has other formats than gfx12.
 * The reference goes by the formats' definition (OCP 8-bit floating point specification; CDNA3 manual 7.2 for gfx942's): a
 * number's code is the nearest of all, searched for. */
#include <math.h>

#include "vec.h"

static vec_in in[VEC_LANES];
static vec_out out[VEC_LANES];

typedef struct format {
	unsigned mant, bias, codes;  /* codes: of finite numbers that are not negative */
	bool fnuz;
} format;
static const format formats[2][2] = { { { 3, 7, 0x7f, false }, { 2, 15, 0x7c, false } },
	{ { 3, 8, 0x80, true }, { 2, 16, 0x80, true } } };

static float f_(uint32_t u) { float f; memcpy(&f, &u, 4); return f; }
static uint32_t u_(float f) { uint32_t u; memcpy(&u, &f, 4); return u; }
static bool same(uint32_t got, float want) { return want != want ? f_(got) != f_(got) : got == u_(want); }

static float finite(unsigned code, const format *f)
{
	unsigned e = code >> f->mant, m = code % (1u << f->mant);
	float unit = 1;
	for (unsigned k = 1; k < f->bias + f->mant; k++)         /* 2^(1 - bias - mant) */
		unit /= 2;
	float x = e ? (float)(m + (1u << f->mant)) : (float)m;
	for (unsigned k = 1; k < e; k++)
		x *= 2;
	return x * unit;
}
static float decode(unsigned byte, const format *f)
{
	unsigned code = byte & 0x7f;
	if (f->fnuz && byte == 0x80)
		return NAN;
	if (code >= f->codes)
		return f->mant == 2 && code == f->codes ? (byte & 0x80 ? -INFINITY : INFINITY) : NAN;
	return byte & 0x80 ? -finite(code, f) : finite(code, f);
}
/* The nearest, of two the even one; what is nearest to a code beyond the last overflows. */
static unsigned encode(float x, const format *f)
{
	unsigned best = 0, sign = signbit(x) ? 0x80 : 0;
	double a = fabs((double)x);
	if (x != x)
		return f->fnuz ? 0x80 : sign | 0x7f;
	for (unsigned c = 1; c <= f->codes; c++) {
		double new = fabs(a - finite(c, f)), old = fabs(a - finite(best, f));
		if (new < old || (new == old && c % 2 == 0))
			best = c;
	}
	if (best == f->codes || a > 1e6)
		return f->fnuz ? 0x80 : f->mant == 3 ? sign | 0x7f : sign | 0x7c;
	return f->fnuz && !best ? 0 : sign | best;
}

static unsigned part;
static void pick(p2a_inst *i)    /* byte or word `part` of the source */
{
	bool words = isa_table[i->op].arg[1].type == ISA_T_B16, old = strstr(isa_table[i->op].name, "fnuz");
	if (!part)
		return;
	i->enc = old ? P2A_ENC_SDWA : P2A_ENC_E64;
	i->arg[1].sel = (uint8_t)(old ? (words ? P2A_SEL_WORD0 : P2A_SEL_BYTE0) + part : part);
}

static void to_float(const char *chip, unsigned op, unsigned wide, const format *f)
{
	for (part = 0; part < (wide ? 2 : 4); part++) {
		unsigned wrong = 0, shift = (wide ? 16 : 8) * part;
		memset(in, 0, sizeof in);
		for (unsigned k = 0; k < VEC_LANES; k++) {
			uint32_t noise = (uint32_t)t_random(), field = (wide ? 0xffffu : 0xffu) << shift;
			uint32_t code = wide ? k << 4 | (k & 15) : k & 255;
			in[k] = (vec_in){ .s = { (noise & ~field) | (code << shift & field) }, .enabled = 1 };
		}
		if (!vec_run(chip, op, &(vec_how){ .tweak = pick }, in, out))
			return;
		for (unsigned k = 0; k < VEC_LANES; k++) {
			uint32_t code = (uint32_t)in[k].s[0] >> shift;
			wrong += !same((uint32_t)out[k].d, decode(code & 255, f)) ||
				(wide && !same((uint32_t)(out[k].d >> 32), decode(code >> 8 & 255, f)));
		}
		if (wrong)
			t_bad("%s %s part %u: %u wrong", chip, isa_table[op].name, part, wrong);
		else
			t_ok("%s %s part %u", chip, isa_table[op].name, part);
	}
}

static void high(p2a_inst *i) { i->arg[0].sel = part ? P2A_OP_SEL : 0; }
static float near_code(unsigned k, const format *f)
{
	unsigned code = k % (f->codes + 1);
	float x = finite(code, f), next = finite(code + 1, f), middle = (x + next) / 2;
	const float at[] = { x, middle, nextafterf(middle, 0), nextafterf(middle, INFINITY), nextafterf(x, 0), x + (next - x) / 3 };
	float y = at[k / 128 % 6];
	if (k >= VEC_LANES - 256)
		y = f_((uint32_t)t_random());
	return k / 768 % 2 ? -y : y;
}
static void to_code(const char *chip, unsigned op, const format *f)
{
	for (part = 0; part < 2; part++) {
		unsigned wrong = 0;
		for (unsigned k = 0; k < VEC_LANES; k++)
			in[k] = (vec_in){ .s = { u_(near_code(k, f)), u_(near_code(VEC_LANES - 1 - k, f)) }, .enabled = 1 };
		if (!vec_run(chip, op, &(vec_how){ .tweak = high }, in, out))
			return;
		for (unsigned k = 0; k < VEC_LANES; k++) {
			uint32_t pair = encode(f_((uint32_t)in[k].s[0]), f) | encode(f_((uint32_t)in[k].s[1]), f) << 8;
			uint32_t old = (uint32_t)VEC_OLD, want = part ? (old & 0xffff) | pair << 16 : (old & 0xffff0000) | pair;
			if ((uint32_t)out[k].d != want && !wrong++)
				printf("# %a %a: %08x, not %08x\n", (double)f_((uint32_t)in[k].s[0]), (double)f_((uint32_t)in[k].s[1]),
					(uint32_t)out[k].d, want);
		}
		if (wrong)
			t_bad("%s %s half %u: %u wrong", chip, isa_table[op].name, part, wrong);
		else
			t_ok("%s %s half %u", chip, isa_table[op].name, part);
	}
}

/* Sums in the manual's order, each rounded; products are exact. */
typedef struct dot { const char *chip; unsigned op, a, b; bool last; } dot;
static float product(const dot *d, unsigned k, uint32_t a, uint32_t b)
{
	if (d->a > 1)
		return f_(a >> 16 * k << 16) * f_(b >> 16 * k << 16);
	return decode(a >> 8 * k & 255, &formats[0][d->a]) * decode(b >> 8 * k & 255, &formats[0][d->b]);
}
static void dots(const dot *d)
{
	unsigned wrong = 0, n = d->a > 1 ? 2 : 4;
	for (unsigned k = 0; k < VEC_LANES; k++)
		in[k] = (vec_in){ .s = { (uint32_t)t_random(), (uint32_t)t_random(), u_((float)(t_random() % 2000) / 7 - 100) }, .enabled = 1 };
	for (unsigned k = 0; d->a > 1 && k < VEC_LANES; k++)     /* numbers of a middling size */
		for (unsigned j = 0; j < 2; j++)
			in[k].s[j] = (in[k].s[j] & 0x87ff87ff) | 0x3c003c00;
	if (!vec_run(d->chip, d->op, &(vec_how){ 0 }, in, out))
		return;
	for (unsigned k = 0; k < VEC_LANES; k++) {
		uint32_t a = (uint32_t)in[k].s[0], b = (uint32_t)in[k].s[1];
		float c = f_((uint32_t)in[k].s[2]), sum = d->last ? product(d, 0, a, b) : c;
		for (unsigned j = d->last; j < n; j++)
			sum += product(d, j, a, b);
		wrong += !same((uint32_t)out[k].d, d->last ? sum + c : sum);
	}
	if (wrong)
		t_bad("%s %s: %u wrong", d->chip, isa_table[d->op].name, wrong);
	else
		t_ok("%s %s", d->chip, isa_table[d->op].name);
}

int main(void)
{
	static const struct { const char *chip; unsigned single[2], pair[2], code[2]; } chips[2] = {
		{ "gfx1200", { OP_v_cvt_f32_fp8, OP_v_cvt_f32_bf8 }, { OP_v_cvt_pk_f32_fp8, OP_v_cvt_pk_f32_bf8 },
			{ OP_v_cvt_pk_fp8_f32, OP_v_cvt_pk_bf8_f32 } },
		{ "gfx942", { OP_v_cvt_f32_fp8_fnuz, OP_v_cvt_f32_bf8_fnuz }, { OP_v_cvt_pk_f32_fp8_fnuz, OP_v_cvt_pk_f32_bf8_fnuz },
			{ OP_v_cvt_pk_fp8_f32_fnuz, OP_v_cvt_pk_bf8_f32_fnuz } },
	};
	static const dot all[] = {
		{ "gfx1200", OP_v_dot4_f32_fp8_bf8, 0, 1, false }, { "gfx1200", OP_v_dot4_f32_bf8_fp8, 1, 0, false },
		{ "gfx1200", OP_v_dot4_f32_fp8_fp8, 0, 0, false }, { "gfx1200", OP_v_dot4_f32_bf8_bf8, 1, 1, false },
		{ "gfx1100", OP_v_dot2_f32_bf16, 2, 2, true }, { "gfx1200", OP_v_dot2_f32_bf16_after, 2, 2, false },
	};
	for (unsigned c = 0; c < 2; c++)
		for (unsigned k = 0; k < 2; k++) {
			to_float(chips[c].chip, chips[c].single[k], 0, &formats[c][k]);
			to_float(chips[c].chip, chips[c].pair[k], 1, &formats[c][k]);
			to_code(chips[c].chip, chips[c].code[k], &formats[c][k]);
		}
	for (size_t k = 0; k < sizeof all / sizeof *all; k++)
		dots(&all[k]);
	return t_end();
}
