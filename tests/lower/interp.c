/* interp.c -- the generic operations in plain C.
 * Needs the host's rounding modes (fesetround); leaves memory as the kernel wrote it.
 * Meanings: the comments of ir/gops.def, and PTX for what they leave to it. */
#include "interp.h"

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct value { uint64_t lo, hi; } value;

typedef struct machine {
	interp *I;
	value *val;
	const ir_inst *i;
} machine;

static bool
fault(machine *m, const char *why)
{
	if (!m->I->fault)
		m->I->fault = why;
	return false;
}

/* Floats */

static const int host_rounding[4] = { FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD };

static float f_of(uint64_t x) { uint32_t w = (uint32_t)x; float f; memcpy(&f, &w, 4); return f; }
static double d_of(uint64_t x) { double d; memcpy(&d, &x, 8); return d; }
static uint64_t of_f(float f) { uint32_t w; memcpy(&w, &f, 4); return w; }
static uint64_t of_d(double d) { uint64_t w; memcpy(&w, &d, 8); return w; }

static uint32_t
flushed(uint32_t x)
{
	return (x & 0x7f800000) ? x : x & 0x80000000;
}

static float
in32(const machine *m, uint64_t x)
{
	return f_of(m->i->fp.ftz ? flushed((uint32_t)x) : x);
}

static uint64_t
out32(const machine *m, float f)
{
	uint64_t x = of_f(f);

	if (m->i->fp.ftz)
		x = flushed((uint32_t)x);
	if (m->i->fp.sat)
		x = f > 0 ? (f > 1 ? of_f(1.0f) : x) : 0;
	return x;
}

static uint64_t
out64(const machine *m, double d)
{
	return m->i->fp.sat ? of_d(d > 0 ? (d > 1 ? 1.0 : d) : 0.0) : of_d(d);
}

static int
order(double a, double b)
{
	return a < b ? -1 : a > b;
}

static bool
float_condition(unsigned cc, double a, double b)
{
	bool un = isnan(a) || isnan(b);
	int c = order(a, b);

	switch (cc) {
	case IR_EQ: return !un && c == 0;
	case IR_NE: return !un && c != 0;
	case IR_LT: return !un && c < 0;
	case IR_LE: return !un && c <= 0;
	case IR_GT: return !un && c > 0;
	case IR_GE: return !un && c >= 0;
	case IR_EQU: return un || c == 0;
	case IR_NEU: return un || c != 0;
	case IR_LTU: return un || c < 0;
	case IR_LEU: return un || c <= 0;
	case IR_GTU: return un || c > 0;
	case IR_GEU: return un || c >= 0;
	case IR_NUM: return !un;
	default: return un;
	}
}

static double
extreme(bool max, double a, double b)
{
	if (isnan(a))
		return b;
	if (isnan(b))
		return a;
	if (a == b)     /* -0 < +0 */
		return !signbit(a) == max ? a : b;
	return (a > b) == max ? a : b;
}

static double
saturated(double x, double lo, double hi)
{
	return isnan(x) ? 0 : x < lo ? lo : x > hi ? hi : trunc(x);
}

/* f16 by the definition of the format. */
static double
half_value(unsigned h)
{
	unsigned e = h >> 10 & 31, f = h & 0x3ff;
	double v = e == 31 ? (f ? NAN : INFINITY) : e ? ldexp(1024 + f, (int)e - 25) : ldexp(f, -24);

	return h & 0x8000 ? -v : v;
}

static unsigned
half_of(double x)
{
	unsigned sign = signbit(x) ? 0x8000 : 0, best = 0;
	double a = fabs(x), err = INFINITY;

	if (isnan(x))
		return 0x7e00;
	if (a >= 65520)
		return sign | 0x7c00;
	for (unsigned h = 0; h < 0x7c00; h++) {
		double e = fabs(half_value(h) - a);

		if (e < err || (e == err && !(h & 1)))
			best = h, err = e;
	}
	return sign | best;
}

static uint64_t
arithmetic32(const machine *m, float a, float b, float c)
{
	volatile float x = a, y = b, z = c, r = 0;

	switch (m->i->m.op) {
	case G_fadd32: r = x + y; break;
	case G_fmul32: r = x * y; break;
	case G_ffma32: r = fmaf(x, y, z); break;
	case G_fmin32: r = (float)extreme(false, x, y); break;
	case G_fmax32: r = (float)extreme(true, x, y); break;
	case G_ftrunc32: r = truncf(x); break;
	case G_ffloor32: r = floorf(x); break;
	case G_fceil32: r = ceilf(x); break;
	case G_frndne32: r = rintf(x); break;
	case G_fcanon32: r = x; break;
	}
	return out32(m, r);
}

static uint64_t
arithmetic64(const machine *m, double a, double b, double c)
{
	volatile double x = a, y = b, z = c, r = 0;

	switch (m->i->m.op) {
	case G_fadd64: r = x + y; break;
	case G_fmul64: r = x * y; break;
	case G_ffma64: r = fma(x, y, z); break;
	case G_fmin64: r = extreme(false, x, y); break;
	case G_fmax64: r = extreme(true, x, y); break;
	case G_ftrunc64: r = trunc(x); break;
	case G_ffloor64: r = floor(x); break;
	case G_fceil64: r = ceil(x); break;
	case G_frndne64: r = rint(x); break;
	case G_fcanon64: r = x; break;
	}
	return out64(m, r);
}

static double in16(uint64_t x) { return half_value((unsigned)x & 0xffff); }

static uint64_t
arithmetic16(const machine *m, double a, double b, double c)
{
	double r = m->i->m.op == G_fadd16 ? a + b : m->i->m.op == G_fmul16 ? a * b : m->i->m.op == G_ffma16 ? fma(a, b, c) :
		extreme(m->i->m.op == G_fmax16, a, b);

	return half_of(m->i->fp.sat ? (r > 0 ? (r > 1 ? 1.0 : r) : 0.0) : r);
}

/* v_rcp_f32 is good to 1 ulp: err this way and that, so that nothing leans on its being exact. */
static float
reciprocal(float a)
{
	static unsigned turn;
	float x = f_of(flushed((uint32_t)of_f(a))), r = f_of(flushed((uint32_t)of_f(1 / x)));

	if (isinf(r) || isnan(r) || r == 0 || fabsf(frexpf(x, &(int){ 0 })) == 0.5f)
		return r;
	turn++;
	return turn % 3 == 0 ? r : nextafterf(r, turn % 3 == 1 ? INFINITY : 0);
}

/* The other approximations, and what scales around them. Subnormals are zeros to them. */
static bool
transcendental(const machine *m, const uint64_t *a, uint64_t *r)
{
	double x = (double)f_of(flushed((uint32_t)a[0])), d = d_of(a[0]), f = (double)f_of(a[0]);
	int e = 0;

	switch (m->i->m.op) {
	case G_frsq32: x = 1 / sqrt(x); break;
	case G_fsqrt32: x = sqrt(x); break;
	case G_fexp32: x = exp2(x); break;
	case G_flog32: x = log2(x); break;
	case G_fsin32: x = sin(x * 6.283185307179586); break;
	case G_fcos32: x = cos(x * 6.283185307179586); break;
	case G_fmant32: *r = of_f((float)frexp(f, &e)); return true;
	case G_fmant64: *r = of_d(frexp(d, &e)); return true;
	case G_fexpo32: frexp(isfinite(f) ? f : 0, &e); *r = (uint32_t)e; return true;
	case G_fexpo64: frexp(isfinite(d) ? d : 0, &e); *r = (uint32_t)e; return true;
	case G_frcp64: *r = of_d(1 / d); return true;
	case G_frsq64: *r = of_d(1 / sqrt(d)); return true;
	case G_fdiv32: *r = of_f(f_of(a[0]) / f_of(a[1])); return true;
	case G_fdiv64: *r = of_d(d / d_of(a[1])); return true;
	default: return false;
	}
	*r = flushed((uint32_t)of_f((float)x));
	return true;
}

static uint64_t
to_int(const machine *m, double x)
{
	bool s = m->i->m.op == G_cvt_s32_f32 || m->i->m.op == G_cvt_s32_f64;

	return (uint32_t)(int64_t)(s ? saturated(x, -2147483648.0, 2147483647.0) : saturated(x, 0, 4294967295.0));
}

static bool
convert(const machine *m, const uint64_t *a, uint64_t *r)
{
	volatile float f;
	volatile double d;
	volatile int32_t s = (int32_t)(uint32_t)a[0];
	volatile uint32_t u = (uint32_t)a[0];

	switch (m->i->m.op) {
	case G_cvt_f32_s32: f = (float)s; *r = out32(m, f); return true;
	case G_cvt_f32_u32: f = (float)u; *r = out32(m, f); return true;
	case G_cvt_f64_s32: *r = out64(m, (double)s); return true;
	case G_cvt_f64_u32: *r = out64(m, (double)u); return true;
	case G_cvt_f64_f32: *r = out64(m, (double)in32(m, a[0])); return true;
	case G_cvt_f32_f64: d = d_of(a[0]); f = (float)d; *r = out32(m, f); return true;
	case G_cvt_f32_f16: *r = out32(m, (float)half_value((unsigned)a[0] & 0xffff)); return true;
	case G_cvt_f16_f32: *r = half_of((double)f_of(a[0])); return true;
	case G_cvt_s32_f32: case G_cvt_u32_f32: *r = to_int(m, (double)in32(m, a[0])); return true;
	case G_cvt_s32_f64: case G_cvt_u32_f64: *r = to_int(m, d_of(a[0])); return true;
	case G_frcp32: *r = out32(m, reciprocal(in32(m, a[0]))); return true;
	case G_fldexp32: *r = out32(m, ldexpf(in32(m, a[0]), (int32_t)a[1])); return true;
	case G_fldexp64: *r = out64(m, ldexp(d_of(a[0]), (int32_t)a[1])); return true;
	case G_fcmp16: *r = float_condition(m->i->cc, in16(a[0]), in16(a[1])); return true;
	case G_fcmp32: *r = float_condition(m->i->cc, (double)in32(m, a[0]), (double)in32(m, a[1])); return true;
	case G_fcmp64: *r = float_condition(m->i->cc, d_of(a[0]), d_of(a[1])); return true;
	default: return false;
	}
}

static bool
floats(const machine *m, const uint64_t *a, uint64_t *r)
{
	unsigned op = m->i->m.op;
	bool ok = true;

	fesetround(host_rounding[m->i->fp.rnd]);
	if (op == G_frndne32 || op == G_frndne64)
		fesetround(FE_TONEAREST);
	if (!convert(m, a, r) && !transcendental(m, a, r)) {
		if (op >= G_fadd16 && op <= G_fmax16)
			*r = arithmetic16(m, in16(a[0]), in16(a[1]), in16(a[2]));
		else if ((op >= G_fadd32 && op <= G_fcanon32) || (op >= G_ftrunc32 && op <= G_fceil32))
			*r = arithmetic32(m, in32(m, a[0]), in32(m, a[1]), in32(m, a[2]));
		else if ((op >= G_fadd64 && op <= G_fcanon64) || (op >= G_ftrunc64 && op <= G_fceil64))
			*r = arithmetic64(m, d_of(a[0]), d_of(a[1]), d_of(a[2]));
		else
			ok = false;
	}
	fesetround(FE_TONEAREST);
	return ok;
}

/* Integers */

static int64_t sx(uint64_t x) { return (int64_t)(int32_t)(uint32_t)x; }

static bool
condition(unsigned cc, uint64_t a, uint64_t b, bool wide)
{
	int64_t sa = wide ? (int64_t)a : sx(a), sb = wide ? (int64_t)b : sx(b);
	uint64_t ua = wide ? a : (uint32_t)a, ub = wide ? b : (uint32_t)b;

	switch (cc) {
	case IR_EQ: return ua == ub;
	case IR_NE: return ua != ub;
	case IR_LT: return sa < sb;
	case IR_LE: return sa <= sb;
	case IR_GT: return sa > sb;
	case IR_GE: return sa >= sb;
	case IR_LO: return ua < ub;
	case IR_LS: return ua <= ub;
	case IR_HI: return ua > ub;
	default: return ua >= ub;
	}
}

static uint32_t
permuted(uint64_t hi, uint64_t lo, uint64_t sel)
{
	uint32_t r = 0;

	for (unsigned i = 0; i < 4; i++) {
		unsigned s = (unsigned)(sel >> (8 * i)) & 0xff;
		uint64_t both = hi << 32 | (uint32_t)lo;
		uint64_t byte = s < 8 ? both >> (8 * s) & 0xff : s > 12 ? 0xff : s == 12 ? 0 :
			both >> (16 * (s - 8) + 15) & 1 ? 0xff : 0;

		r |= (uint32_t)byte << (8 * i);
	}
	return r;
}

/* bfi and bfe as the manual writes them. */
static uint64_t
length(const machine *m, uint64_t x, unsigned bits)
{
	return bits == 64 && m->i->sem == P2A_SEM_NVIDIA ? (uint32_t)x : x & 0xff;
}

static uint64_t
insert(const machine *m, const uint64_t *a, unsigned bits)
{
	uint64_t pos = length(m, a[2], bits), len = length(m, a[3], bits), f = a[1];

	for (uint64_t i = 0; i < len && pos + i < bits; i++)
		f = (f & ~(1ull << (pos + i))) | (a[0] >> i & 1) << (pos + i);
	return f;
}

static uint64_t
extract(const machine *m, const uint64_t *a, unsigned bits, bool s)
{
	uint64_t pos = length(m, a[1], bits), len = length(m, a[2], bits), r = 0, sign = 0;

	if (s && len)
		sign = a[0] >> (pos + len - 1 < bits - 1 ? pos + len - 1 : bits - 1) & 1;
	for (unsigned i = 0; i < bits; i++)
		r |= (i < len && pos + i < bits ? a[0] >> (pos + i) & 1 : sign) << i;
	return r;
}

static uint64_t
field32(uint64_t x, unsigned off, unsigned n, bool s)
{
	uint64_t v = n ? (uint32_t)x >> off & ((1ull << n) - 1) : 0;

	if (s && n) {
		unsigned top = off + n < 32 ? n : 32 - off;

		return v >> (top - 1) & 1 ? v | ~0ull << top : v;
	}
	return v;
}

static unsigned
zeros(uint32_t x)
{
	unsigned n = 0;

	for (uint32_t bit = 0x80000000; bit && !(x & bit); bit >>= 1)
		n++;
	return n;
}

static uint64_t
reversed(uint64_t x)
{
	uint64_t r = 0;

	for (unsigned i = 0; i < 32; i++)
		r = r << 1 | (x >> i & 1);
	return r;
}

static unsigned
ones(uint64_t x)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 32; i++)
		n += (unsigned)(x >> i) & 1;
	return n;
}

static uint64_t
dotted(uint32_t x, uint32_t y, bool x_signed, bool y_signed)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < 4; i++)
		sum += (uint64_t)(sx(field32(x, 8 * i, 8, x_signed)) * sx(field32(y, 8 * i, 8, y_signed)));
	return sum;
}

static bool
integers32(const machine *m, const uint64_t *a, uint64_t *r)
{
	uint32_t x = (uint32_t)a[0], y = (uint32_t)a[1];
	unsigned n = y & 31;

	switch (m->i->m.op) {
	case G_add32: *r = x + y; return true;
	case G_sub32: *r = x - y; return true;
	case G_mul32: *r = x * y; return true;
	case G_mulhi_u32: *r = (uint64_t)x * y >> 32; return true;
	case G_mulhi_s32: *r = (uint64_t)(sx(x) * sx(y)) >> 32; return true;
	case G_mul_u24: *r = (x & 0xffffff) * (y & 0xffffff); return true;
	case G_and32: *r = x & y; return true;
	case G_or32: *r = x | y; return true;
	case G_xor32: *r = x ^ y; return true;
	case G_not32: *r = ~x; return true;
	case G_shl32: *r = x << n; return true;
	case G_lshr32: *r = x >> n; return true;
	case G_ashr32: *r = (uint64_t)(sx(x) >> n); return true;
	case G_min_u32: *r = x < y ? x : y; return true;
	case G_max_u32: *r = x > y ? x : y; return true;
	case G_min_s32: *r = sx(x) < sx(y) ? x : y; return true;
	case G_max_s32: *r = sx(x) > sx(y) ? x : y; return true;
	case G_ffbh32: *r = x ? zeros(x) : UINT32_MAX; return true;
	case G_popc32: *r = ones(x); return true;
	case G_brev32: *r = reversed(x); return true;
	case G_bfe_u32: *r = field32(x, n, (unsigned)a[2] & 31, false); return true;
	case G_bfe_s32: *r = field32(x, n, (unsigned)a[2] & 31, true); return true;
	case G_bfm32: *r = ((1ull << (x & 31)) - 1) << n; return true;
	case G_bitsel32: *r = (x & y) | (~x & a[2]); return true;
	case G_alignbit32: *r = ((uint64_t)x << 32 | y) >> (a[2] & 31); return true;
	case G_dot4_u: *r = dotted(x, y, false, false) + a[2]; return true;
	case G_dot4_s: *r = dotted(x, y, true, true) + a[2]; return true;
	case G_dot4_su: *r = dotted(x, y, true, false) + a[2]; return true;
	case G_perm32: *r = permuted(x, y, a[2]); return true;
	case G_ptx_bfi32: *r = insert(m, a, 32); return true;
	case G_ptx_bfe_u32: *r = extract(m, a, 32, false); return true;
	case G_ptx_bfe_s32: *r = extract(m, a, 32, true); return true;
	case G_ptx_bmsk: *r = x > 31 ? 0 : (y > 31 ? ~0ull : (1ull << y) - 1) << x; return true;
	case G_ptx_szext_u32: *r = y > 31 ? x : field32(x, 0, y, false); return true;
	case G_ptx_szext_s32: *r = y > 31 ? x : field32(x, 0, y, true); return true;
	case G_addc32: *r = x + y + (a[2] & 1); return true;
	case G_addc_out32: *r = ((uint64_t)x + y + (a[2] & 1)) >> 32; return true;
	case G_subb32: *r = x - y - (a[2] & 1); return true;
	case G_subb_out32: *r = (uint64_t)x < (uint64_t)y + (a[2] & 1); return true;
	case G_icmp32: *r = condition(m->i->cc, x, y, false); return true;
	default: return false;
	}
}

static bool
integers64(const machine *m, const uint64_t *a, uint64_t *r)
{
	unsigned n = a[1] & 63;

	switch (m->i->m.op) {
	case G_add64: *r = a[0] + a[1]; return true;
	case G_sub64: *r = a[0] - a[1]; return true;
	case G_mul64: *r = a[0] * a[1]; return true;
	case G_mulw_u32: *r = (uint64_t)(uint32_t)a[0] * (uint32_t)a[1]; return true;
	case G_mulw_s32: *r = (uint64_t)(sx(a[0]) * sx(a[1])); return true;
	case G_and64: *r = a[0] & a[1]; return true;
	case G_or64: *r = a[0] | a[1]; return true;
	case G_xor64: *r = a[0] ^ a[1]; return true;
	case G_not64: *r = ~a[0]; return true;
	case G_shl64: *r = a[0] << n; return true;
	case G_lshr64: *r = a[0] >> n; return true;
	case G_ashr64: *r = (uint64_t)((int64_t)a[0] >> n); return true;
	case G_sext64: *r = n % 64 ? (a[0] & ((1ull << n) - 1)) - ((a[0] >> (n - 1) & 1) << n) : a[0]; return true;
	case G_pack64: *r = (uint32_t)a[0] | a[1] << 32; return true;
	case G_hi32: *r = a[0] >> 32; return true;
	case G_ptx_bfi64: *r = insert(m, a, 64); return true;
	case G_ptx_bfe_u64: *r = extract(m, a, 64, false); return true;
	case G_ptx_bfe_s64: *r = extract(m, a, 64, true); return true;
	case G_icmp64: *r = condition(m->i->cc, a[0], a[1], true); return true;
	default: return false;
	}
}

static bool
moves(const machine *m, const uint64_t *a, uint64_t *r)
{
	switch (m->i->m.op) {
	case G_copy1: case G_copy32: case G_copy64: case G_lo32: *r = a[0]; return true;
	case G_not1: *r = !a[0]; return true;
	case G_and1: *r = a[0] & a[1]; return true;
	case G_or1: *r = a[0] | a[1]; return true;
	case G_xor1: *r = a[0] ^ a[1]; return true;
	case G_sel32: case G_sel64: *r = a[0] ? a[1] : a[2]; return true;
	default: return false;
	}
}

/* Memory */

static uint8_t *
host_address(machine *m, uint64_t address, unsigned space)
{
	interp *I = m->I;
	uint64_t at = address + (uint64_t)(int64_t)m->i->m.offset;
	uint32_t hi = (uint32_t)(at >> 32);
	uint64_t low = (uint32_t)at;

	if (space == IR_GENERIC)
		space = hi == INTERP_SHARED_HI ? IR_SHARED : hi == INTERP_PRIVATE_HI ? IR_LOCAL : IR_GLOBAL;
	if (at % m->i->mem.align)
		return fault(m, "misaligned"), NULL;
	if (space != IR_SHARED && space != IR_LOCAL)
		return (uint8_t *)(uintptr_t)at;
	if (low + m->i->mem.bytes > sizeof I->shared)
		return fault(m, "outside of shared or local memory"), NULL;
	return (space == IR_SHARED ? I->shared : I->local) + low;
}

static bool
load(machine *m, uint64_t address, value *r)
{
	const ir_mem *a = &m->i->mem;
	const uint8_t *p = host_address(m, address, a->space);
	uint64_t sign;

	if (!p)
		return false;
	*r = (value){ 0, 0 };
	memcpy(r, p, a->bytes);
	sign = 1ull << ((a->bytes * 8u - 1) & 63);
	if (a->sext && a->bytes < 4 && r->lo & sign)
		r->lo |= ~(sign * 2 - 1);
	return true;
}

static bool
store(machine *m, uint64_t address, const value *v)
{
	uint8_t *p = host_address(m, address, m->i->mem.space);

	if (p)
		memcpy(p, v, m->i->mem.bytes);
	return p != NULL;
}

/* Instructions */

static value
read_operand(const machine *m, const ir_opnd *o)
{
	value v = { 0, 0 };
	bool wide = o->width == 2;
	bool halves = m->i->m.op >= G_cvt_f32_f16 && m->i->m.op <= G_fcmp16;
	uint64_t sign = halves ? 0x8000 : wide ? 1ull << 63 : 1ull << 31;

	if (ir_is_imm(*o))
		v.lo = (uint64_t)o->imm;
	else if (ir_is_val(*o))
		v = m->val[o->reg];
	if (o->mods & P2A_ABS)
		v.lo &= ~sign;
	if (o->mods & P2A_NEG)
		v.lo ^= sign;
	if (o->width == 1)
		v.lo &= UINT32_MAX;
	return v;
}

static bool
special_cases(machine *m, const value *v, value *r)
{
	interp *I = m->I;

	switch (m->i->m.op) {
	case G_load: return load(m, v[0].lo, r);
	case G_store: return store(m, v[0].lo, &v[1]);
	case G_fence: I->fences++; return true;
	case G_barrier: I->barriers++; return true;
	case G_meet: case G_sleep: return true;
	case G_special: r->lo = I->special[m->i->m.offset]; return true;
	case G_kernarg: r->lo = (uint64_t)(uintptr_t)I->kernarg; return true;
	case G_symaddr:
		r->lo = (uint64_t)(uintptr_t)I->var[m->i->m.arg[1].reg] + (uint64_t)m->i->m.arg[1].imm;
		return true;
	case G_shared_hi: r->lo = INTERP_SHARED_HI; return true;
	case G_private_hi: r->lo = INTERP_PRIVATE_HI; return true;
	case G_trap: I->trapped = true; return true;
	case G_pack128: *r = (value){ v[0].lo | v[1].lo << 32, v[2].lo | v[3].lo << 32 }; return true;
	case G_word:
		r->lo = (v[1].lo < 2 ? v[0].lo : v[0].hi) >> (32 * (v[1].lo & 1));
		return true;
	default: return false;
	}
}

static bool
execute(machine *m)
{
	const ir_inst *i = m->i;
	value v[4] = { { 0, 0 } }, r = { 0, 0 };
	uint64_t a[4];

	for (unsigned k = 0; k < 4 && i->ndefs + k < i->m.nargs; k++)
		v[k] = read_operand(m, &i->m.arg[i->ndefs + k]);
	for (unsigned k = 0; k < 4; k++)
		a[k] = v[k].lo;
	if (!moves(m, a, &r.lo) && !integers32(m, a, &r.lo) && !integers64(m, a, &r.lo) && !floats(m, a, &r.lo) &&
	    !special_cases(m, v, &r))
		return fault(m, arena_printf(m->I->f->A, "cannot execute %s", ir_op_name(m->I->f, i->m.op)));
	if (!i->ndefs)
		return true;
	if (i->m.arg[0].width == 1)
		r.lo &= UINT32_MAX;
	if (i->m.arg[0].width == 0)
		r.lo &= 1;
	m->val[i->m.arg[0].reg] = r;
	return true;
}

static const ir_block *
next_block(machine *m, const ir_block *b)
{
	switch (b->last->m.op) {
	case G_br: return b->succs.a[0];
	case G_cbr: return b->succs.a[read_operand(m, &b->last->m.arg[0]).lo ? 0 : 1];
	default: return NULL;
	}
}

/* Registers begin with rubbish: what a kernel does not write it must not read. */
bool
interp_run(interp *I)
{
	machine m = { .I = I, .val = malloc(I->f->vals.n * sizeof *m.val) };
	unsigned steps = 0;

	I->fault = NULL;
	memset(m.val, 0xa5, I->f->vals.n * sizeof *m.val);
	for (const ir_block *b = I->f->entry; b && !I->fault; b = next_block(&m, b)) {
		for (m.i = b->first; m.i != b->last && !I->fault; m.i = m.i->next)
			execute(&m);
		if (++steps > 1000000)
			fault(&m, "does not end");
	}
	free(m.val);
	return !I->fault;
}
