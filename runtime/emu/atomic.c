/* atomic.c -- read-modify-write on host memory, which other threads may be changing.
 * Needs an address aligned to the size, 4 or 8 bytes; leaves the old value.
 * Vega ISA manual 12.13 to 12.16, pseudo code of the atomics. */
#include "emu/fp.h"
#include "emu/machine.h"

static uint32_t fadd32(uint32_t a, uint32_t b, unsigned flush)
{
	uint32_t x;
	if (flush & F_IN32)
		a = flush32(a), b = flush32(b);
	x = u32_of(f32_of(a) + f32_of(b));
	return flush & F_OUT32 ? flush32(x) : x;
}

/* Denormals of bf16 go with those of f16. */
static uint32_t small16(uint32_t x, bool bf16)
{
	uint32_t exponent = bf16 ? 0x7f80 : 0x7c00;
	return x & exponent ? x : x & 0x8000;
}

/* Sums of two such numbers, rounded once to a float, and then again, are what one rounding gives. */
static uint32_t add16(uint32_t a, uint32_t b, bool bf16, unsigned flush)
{
	uint32_t x;
	if (flush & F_IN16_64)
		a = small16(a, bf16), b = small16(b, bf16);
	if (bf16) {
		x = u32_of(f32_of(a << 16) + f32_of(b << 16));
		x = is_nan32(x) ? x >> 16 | 0x40 : (x + 0x7fff + (x >> 16 & 1)) >> 16;
	} else
		x = double_to_half((double)half_to_float(a) + (double)half_to_float(b), 0);
	return flush & F_OUT16_64 ? small16(x, bf16) : x;
}

static uint32_t add_pair(uint32_t a, uint32_t b, bool bf16, unsigned flush)
{
	return add16(a & 0xffff, b & 0xffff, bf16, flush) |
		add16(a >> 16, b >> 16, bf16, flush) << 16;
}

static bool equal(uint32_t size, uint64_t a, uint64_t b)
{
	return size == 8 ? f64_of(a) == f64_of(b) : f32_of((uint32_t)a) == f32_of((uint32_t)b);
}

static uint64_t step(emu_atomic op, uint32_t size, uint64_t old, uint64_t data, uint64_t other, unsigned flush)
{
	int64_t so = size == 4 ? (int32_t)old : (int64_t)old,
		sd = size == 4 ? (int32_t)data : (int64_t)data;
	switch (op) {
	case A_SWAP: return data;
	case A_ADD: return old + data;
	case A_SUB: return old - data;
	case A_RSUB: return data - old;
	case A_SMIN: return so < sd ? old : data;
	case A_UMIN: return old < data ? old : data;
	case A_SMAX: return so > sd ? old : data;
	case A_UMAX: return old > data ? old : data;
	case A_AND: return old & data;
	case A_OR: return old | data;
	case A_XOR: return old ^ data;
	case A_INC: return old >= data ? 0 : old + 1;
	case A_DEC: return old == 0 || old > data ? data : old - 1;
	case A_FADD:
		if (size == 8)
			return u64_of(f64_of(old) + f64_of(data));
		return fadd32((uint32_t)old, (uint32_t)data, flush);
	case A_HADD:
	case A_BADD: return add_pair((uint32_t)old, (uint32_t)data, op == A_BADD, flush);
	case A_CMPSWAP: return old == other ? data : old;
	case A_FCMPSWAP: return equal(size, old, other) ? data : old;
	case A_MSKOR: return (old & ~data) | other;
	case A_CSUB: return old >= data ? old - data : 0;
	case A_CONDSUB: return old >= data ? old - data : old;
	case A_WRAP: return old >= data ? old - data : old + other;
	case A_FMIN:
		if (size == 8)
			return u64_of(min64(f64_of(old), f64_of(data), 0));
		return u32_of(min32(f32_of((uint32_t)old), f32_of((uint32_t)data), 0));
	case A_FMAX:
		if (size == 8)
			return u64_of(max64(f64_of(old), f64_of(data), 0));
		return u32_of(max32(f32_of((uint32_t)old), f32_of((uint32_t)data), 0));
	default: return old;
	}
}

uint64_t emu_atomic_do(
	emu_atomic op, void *p, uint32_t size, uint64_t data, uint64_t compare, unsigned flush)
{
	if (size == 4) {
		uint32_t *q = p, old = __atomic_load_n(q, __ATOMIC_RELAXED), new;
		do {
			new = (uint32_t)step(op, 4, old, (uint32_t)data, (uint32_t)compare, flush);
		} while (!__atomic_compare_exchange_n(
			q, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
		return old;
	}
	uint64_t *q = p, old = __atomic_load_n(q, __ATOMIC_RELAXED), new;
	do {
		new = step(op, 8, old, data, compare, flush);
	} while (!__atomic_compare_exchange_n(
		q, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return old;
}
