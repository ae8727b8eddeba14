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

static uint64_t step(emu_atomic op, uint32_t size, uint64_t old, uint64_t data, unsigned flush)
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
	case A_FMIN: return u32_of(min32(f32_of((uint32_t)old), f32_of((uint32_t)data), 0));
	case A_FMAX: return u32_of(max32(f32_of((uint32_t)old), f32_of((uint32_t)data), 0));
	default: return old;
	}
}

uint64_t emu_atomic_do(
	emu_atomic op, void *p, uint32_t size, uint64_t data, uint64_t compare, unsigned flush)
{
	if (size == 4) {
		uint32_t *q = p, old = __atomic_load_n(q, __ATOMIC_RELAXED), new;
		do {
			if (op == A_CMPSWAP && old != (uint32_t)compare)
				return old;
			new = op == A_CMPSWAP ? (uint32_t)data
					      : (uint32_t)step(op, 4, old, (uint32_t)data, flush);
		} while (!__atomic_compare_exchange_n(
			q, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
		return old;
	}
	uint64_t *q = p, old = __atomic_load_n(q, __ATOMIC_RELAXED), new;
	do {
		if (op == A_CMPSWAP && old != compare)
			return old;
		new = op == A_CMPSWAP ? data : step(op, 8, old, data, flush);
	} while (!__atomic_compare_exchange_n(
		q, &old, new, true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
	return old;
}
