/* decimal.c -- a decimal number's double, correctly rounded, whatever the locale.
 * Needs digits [. digits] [e sign digits]; leaves the bits; too large gives infinity.
 * Method: exact quotient of two large integers, 54 bits and a sticky bit, rounded once. */
#include <string.h>

#include "ptx/front.h"

/* 770 digits decide any double; the rest only says whether the value lies above them. */
enum { MAX_DIGITS = 780, MAX_EXP10 = 400, LIMBS = 160 };

typedef struct big {
	uint32_t n, limb[LIMBS];
} big;

static void
big_mul_add(big *b, uint32_t m, uint32_t a)
{
	uint64_t carry = a;

	for (uint32_t i = 0; i < b->n; i++) {
		carry += (uint64_t)b->limb[i] * m;
		b->limb[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry && b->n < LIMBS)
		b->limb[b->n++] = (uint32_t)carry;
}

static int
big_bits(const big *b)
{
	uint32_t top = b->n ? b->limb[b->n - 1] : 0;
	int n = b->n ? (int)(b->n - 1) * 32 : 0;

	for (; top; top >>= 1)
		n++;
	return n;
}

static void
big_shl(big *b, int count)
{
	for (; count >= 31; count -= 31)
		big_mul_add(b, 1u << 31, 0);
	if (count > 0)
		big_mul_add(b, 1u << count, 0);
}

static int
big_cmp(const big *a, const big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (uint32_t i = a->n; i-- > 0;)
		if (a->limb[i] != b->limb[i])
			return a->limb[i] < b->limb[i] ? -1 : 1;
	return 0;
}

/* a -= b, a >= b */
static void
big_sub(big *a, const big *b)
{
	uint64_t borrow = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		uint64_t d = (uint64_t)a->limb[i] - (i < b->n ? b->limb[i] : 0) - borrow;

		a->limb[i] = (uint32_t)d;
		borrow = d >> 63;
	}
	while (a->n && !a->limb[a->n - 1])
		a->n--;
}

/* num / den * 2^e2 with num / den in [2^54, 2^56), to the nearest double. */
static uint64_t
round_quotient(big *num, big *den, int e2)
{
	uint64_t q = 0, half, low;
	int bits = 0, drop, biased;
	big d = *den;

	/* restoring division from the highest bit on */
	big_shl(&d, 56);
	for (int i = 56; i >= 0; i--) {
		q <<= 1;
		if (big_cmp(num, &d) >= 0) {
			big_sub(num, &d);
			q |= 1;
		}
		big_shl(num, 1);
	}
	q = q << 1 | (num->n != 0);
	e2 -= 1;
	for (uint64_t x = q; x; x >>= 1)
		bits++;
	biased = e2 + bits - 1 + 1023;
	drop = bits - 53;
	if (biased <= 0) {
		drop += 1 - biased;
		biased = 0;
	}
	if (drop > 62)
		return 0;
	half = (uint64_t)1 << (drop - 1);
	low = q & (half * 2 - 1);
	q >>= drop;
	q += low > half || (low == half && q & 1);
	/* a carry out of the fraction goes into the exponent by itself */
	if (biased > 0)
		q += (uint64_t)(biased - 1) << 52;
	return q >= UINT64_C(0x7ff) << 52 ? UINT64_C(0x7ff) << 52 : q;
}

typedef struct digits {
	uint8_t d[MAX_DIGITS + 1];
	int n;
	int64_t exp10;          /* value is d[0..n) * 10^exp10 */
} digits;

static size_t
read_mantissa(digits *D, const char *s, size_t n)
{
	bool point = false, sticky = false;
	size_t i;

	for (i = 0; i < n && (s[i] == '.' || (s[i] >= '0' && s[i] <= '9')); i++) {
		if (s[i] == '.') {
			point = true;
			continue;
		}
		if (D->n == 0 && s[i] == '0') {
			D->exp10 -= point;
		} else if (D->n < MAX_DIGITS) {
			D->d[D->n++] = (uint8_t)(s[i] - '0');
			D->exp10 -= point;
		} else {
			sticky |= s[i] != '0';
			D->exp10 += !point;
		}
	}
	if (sticky) {
		D->d[D->n++] = 1;
		D->exp10--;
	}
	return i;
}

static void
read_exponent(digits *D, const char *s, size_t n)
{
	int e = 0;
	size_t i = 0;
	bool neg = n && s[0] == '-';

	i += n && (s[0] == '-' || s[0] == '+');
	for (; i < n; i++)
		e = e < 100000000 ? e * 10 + (s[i] - '0') : e;
	D->exp10 += neg ? -e : e;
}

uint64_t
decimal_bits(const char *s, size_t n)
{
	digits D = { .n = 0 };
	big num = { .n = 0 }, den = { .n = 1, .limb = { 1 } };
	size_t used = read_mantissa(&D, s, n);
	int shift;

	if (used < n)
		read_exponent(&D, s + used + 1, n - used - 1);
	if (D.n == 0 || D.exp10 + D.n < -MAX_EXP10)
		return 0;
	if (D.exp10 + D.n > MAX_EXP10)
		return UINT64_C(0x7ff) << 52;
	for (int i = 0; i < D.n; i++)
		big_mul_add(&num, 10, D.d[i]);
	for (int64_t i = 0; i < D.exp10; i++)
		big_mul_add(&num, 10, 0);
	for (int64_t i = 0; i < -D.exp10; i++)
		big_mul_add(&den, 10, 0);
	shift = 55 - (big_bits(&num) - big_bits(&den));
	if (shift > 0)
		big_shl(&num, shift);
	else
		big_shl(&den, -shift);
	return round_quotient(&num, &den, -shift);
}
