/* swizzle.c -- the offset of ds_swizzle_b32 by its name, and back.
 * Needs nothing; names every offset that a name gives back bit by bit, leaves the others as numbers.
 * Vega ISA manual 12.13.1; "ds_swizzle" in LLVM's syntax of AMDGPU instruction modifiers. */
#include "isa/layout.h"

#include <stdio.h>
#include <string.h>

/* In groups of 32 lanes: lane = (lane & and | or) ^ xor, five bits each. In quads: two bits for each lane of four. */
enum { LANES = 32, BITS = 5, QUADS = 0x8000 };

static bool
is_power(unsigned x)
{
	return x && !(x & (x - 1));
}

/* One letter a bit, the highest first: the lane's, its opposite, 0, 1. False where a bit is set in vain. */
static bool
letters(unsigned and_, unsigned or_, unsigned xor_, char *out)
{
	for (unsigned k = BITS; k-- > 0;) {
		unsigned a = and_ >> k & 1, o = or_ >> k & 1, x = xor_ >> k & 1;

		if ((a && o) || (!a && x))
			return false;
		*out++ = a ? x ? 'i' : 'p' : o ? '1' : '0';
	}
	*out = 0;
	return true;
}

bool
isa_swizzle_name(uint32_t offset, char *out, size_t cap)
{
	unsigned and_ = offset & 31, or_ = offset >> 5 & 31, xor_ = offset >> 10 & 31, group = LANES - and_;
	bool moved = and_ == LANES - 1 && !or_;
	char letter[BITS + 1];

	if ((offset & 0xff00) == QUADS)
		snprintf(out, cap, "QUAD_PERM,%u,%u,%u,%u", offset & 3, offset >> 2 & 3, offset >> 4 & 3, offset >> 6 & 3);
	else if (!offset || offset >= QUADS)
		return false;
	else if (moved && is_power(xor_))
		snprintf(out, cap, "SWAP,%u", xor_);
	else if (moved && is_power(xor_ + 1) && xor_)
		snprintf(out, cap, "REVERSE,%u", xor_ + 1);
	else if (group > 1 && is_power(group) && or_ < group && !xor_)
		snprintf(out, cap, "BROADCAST,%u,%u", group, or_);
	else if (letters(and_, or_, xor_, letter))
		snprintf(out, cap, "BITMASK_PERM,\"%s\"", letter);
	else
		return false;
	return true;
}

/* The number behind a comma; false where it is less than least or more than most. */
static bool
number(const char **s, unsigned least, unsigned most, unsigned *v)
{
	int n = 0;

	if (sscanf(*s, " , %u%n", v, &n) != 1 || *v < least || *v > most)
		return false;
	*s += n;
	return true;
}

static bool
bitmask(const char **s, uint32_t *offset)
{
	unsigned and_ = 0, or_ = 0, xor_ = 0, k = BITS;
	const char *p = *s + strspn(*s, " ,");

	if (*p++ != '"')
		return false;
	for (; k && *p && strchr("01pi", *p); p++) {
		unsigned bit = 1u << --k;

		and_ |= *p == 'p' || *p == 'i' ? bit : 0;
		or_ |= *p == '1' ? bit : 0;
		xor_ |= *p == 'i' ? bit : 0;
	}
	*offset = and_ | or_ << 5 | xor_ << 10;
	*s = p + (*p == '"');
	return !k && *p == '"';
}

static bool
quad(const char **s, uint32_t *offset)
{
	*offset = QUADS;
	for (unsigned k = 0, v; k < 4; k++) {
		if (!number(s, 0, 3, &v))
			return false;
		*offset |= v << 2 * k;
	}
	return true;
}

/* What stands in swizzle(...), up to the bracket. */
bool
isa_swizzle_offset(const char **s, uint32_t *offset)
{
	static const char *const mode[] = { "QUAD_PERM", "BITMASK_PERM", "SWAP", "REVERSE", "BROADCAST" };
	unsigned k = 0, n, lane;

	*s += strspn(*s, " ");
	while (k < 5 && strncmp(*s, mode[k], strlen(mode[k])))
		k++;
	if (k == 5)
		return false;
	*s += strlen(mode[k]);
	if (k < 2)
		return k ? bitmask(s, offset) : quad(s, offset);
	if (!number(s, k == 2 ? 1 : 2, k == 2 ? LANES / 2 : LANES, &n) || !is_power(n))
		return false;
	if (k == 4 && !number(s, 0, n - 1, &lane))
		return false;
	*offset = k == 2 ? 31u | n << 10 : k == 3 ? 31u | (n - 1) << 10 : (LANES - n) | lane << 5;
	return true;
}
