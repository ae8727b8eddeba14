/* fuzz_wait.c -- lanes of random programs that wait for each other: critical sections under locks of a block, and chains, in
 * which each lane of a block waits for what another one tells. What they leave does not depend on who comes first:
 * sums in the block's words, and what the chain's order makes. In text: %tail, the block's words in global memory, and slock. */
#include "fuzz.h"

typedef unsigned long long ull;

static bool is_shared(unsigned lock) { return lock == LOCK_SHARED; }
static const char *space_of(unsigned lock) { return is_shared(lock) ? "shared" : "global"; }

/* The lock's word, or the one behind it. */
static void
put_word(text *t, unsigned lock, unsigned behind)
{
	text_add(t, is_shared(lock) ? "[slock+%u]" : "[%%tail+%u]", is_shared(lock) ? 4 * behind : 8 * lock + 4 * behind);
}

static void
put_cas(text *t, unsigned lock)
{
	text_add(t, "atom.acquire.gpu.%s.cas.b32 %%t4, ", space_of(lock));
	put_word(t, lock, 0);
	text_add(t, ", 0, 1; ");
}

static void
put_take_word(text *t, unsigned lock, unsigned how, unsigned id)
{
	switch ((fuzz_take)how) {
	case TAKE_EXCH:
		text_add(t, "W%u: atom.%s.exch.b32 %%t4, ", id, space_of(lock));
		put_word(t, lock, 0);
		text_add(t, ", 1; setp.ne.u32 %%q, %%t4, 0; @%%q bra W%u; membar.gl;\n", id);
		break;
	case TAKE_NAP:
		text_add(t, "W%u: ", id);
		put_cas(t, lock);
		text_add(t, "setp.eq.u32 %%q, %%t4, 0; @%%q bra G%u; nanosleep.u32 20; bra W%u; G%u:\n", id, id, id);
		break;
	case TAKE_TEST:
		text_add(t, "W%u: ld.volatile.%s.u32 %%t4, ", id, space_of(lock));
		put_word(t, lock, 0);
		text_add(t, "; setp.ne.u32 %%q, %%t4, 0; @%%q bra W%u; ", id);
		put_cas(t, lock);
		text_add(t, "setp.ne.u32 %%q, %%t4, 0; @%%q bra W%u;\n", id);
		break;
	case TAKE_TRY:
		text_add(t, "mov.u32 %%done%u, 0; W%u: ", id, id);
		put_cas(t, lock);
		text_add(t, "setp.ne.u32 %%q, %%t4, 0; @%%q bra N%u;\n", id);
		break;
	case TAKE_KNOW:
		text_add(t, "W%u: ", id);
		put_cas(t, lock);
		text_add(t, "setp.ne.u32 %%q, %%t4, 0; @%%q bra N%u; mov.u32 %%t5, 1; bra J%u; N%u: mov.u32 %%t5, 0; J%u: setp.eq.u32 %%q, %%t5, 0; @%%q bra W%u;\n",
		         id, id, id, id, id);
		break;
	default:
		text_add(t, "W%u: ", id);
		put_cas(t, lock);
		text_add(t, "setp.ne.u32 %%q, %%t4, 0; @%%q bra W%u;\n", id);
		break;
	}
}

void
fuzz_lock_text(text *t, const fuzz_inst *i)
{
	unsigned lock = (unsigned)i->imm[0], id = (unsigned)i->imm[1];

	if (lock == LOCK_BIT)
		text_add(t, "W%u: atom.acquire.gpu.global.or.b32 %%t4, [%%tail+%u], 4; and.b32 %%t4, %%t4, 4; setp.ne.u32 %%q, %%t4, 0; @%%q bra W%u;\n", id, 8 * lock, id);
	else if (lock == LOCK_TICKET)
		text_add(t, "atom.relaxed.gpu.global.add.u32 %%t5, [%%tail+%u], 1; W%u: ld.acquire.gpu.global.u32 %%t6, [%%tail+%u]; setp.ne.u32 %%q, %%t6, %%t5; @%%q bra W%u;\n",
		         8 * lock, id, 8 * lock + 4, id);
	else
		put_take_word(t, lock, i->form, id);
}

void
fuzz_unlock_text(text *t, const fuzz_inst *i)
{
	unsigned lock = (unsigned)i->imm[0], id = (unsigned)i->imm[1], how = (unsigned)i->imm[2];

	if (lock == LOCK_BIT) {
		text_add(t, how ? "fence.acq_rel.gpu; atom.global.and.b32 %%t4, [%%tail+%u], -5;\n" : "red.release.gpu.global.and.b32 [%%tail+%u], -5;\n", 8 * lock);
	} else if (lock == LOCK_TICKET) {
		text_add(t, how ? "red.release.gpu.global.add.u32 [%%tail+%u], 1;\n" :
		         "ld.volatile.global.u32 %%t4, [%%tail+%u]; add.u32 %%t4, %%t4, 1; membar.gl; st.volatile.global.u32 [%%tail+%u], %%t4;\n", 8 * lock + 4, 8 * lock + 4);
	} else {
		static const char *const give[][2] = { { "fence.acq_rel.gpu; atom.%s.exch.b32 %%t4, ", ", 0;" }, { "membar.gl; st.volatile.%s.u32 ", ", 0;" },
			{ "st.release.gpu.%s.u32 ", ", 0;" } };

		text_add(t, give[how][0], space_of(lock));
		put_word(t, lock, 0);
		text_add(t, "%s", give[how][1]);
		if (i->form == TAKE_TRY)
			text_add(t, " mov.u32 %%done%u, 1; N%u: setp.eq.u32 %%q, %%done%u, 0; @%%q bra W%u;", id, id, id, id);
		text_add(t, "\n");
	}
}

/* ---- words of the block ---- */

/* %t4: the value that is brought. */
static void
put_brought(text *t, const fuzz_inst *i, bool floating)
{
	if (floating)
		text_add(t, "and.b32 %%t4, %%r%u, 255; cvt.rn.f32.u32 %%t4, %%t4; ", i->src[0]);
	else
		text_add(t, "mov.b32 %%t4, %%r%u; ", i->src[0]);
}

void
fuzz_sum_text(text *t, const fuzz_inst *i)
{
	static const char *const op[] = { "add.u32", "xor.b32", "max.u32", "add.f32" };
	unsigned at = 4 * (FIRST_SUM + (unsigned)i->imm[0]), k = (unsigned)i->imm[0] % NSUM_OPS;

	put_brought(t, i, k == 3);
	text_add(t, i->imm[1] ? "ld.volatile.global.u32 %%t5, [%%tail+%u]; %s %%t5, %%t5, %%t4; st.volatile.global.u32 [%%tail+%u], %%t5;\n" :
	         "ld.global.u32 %%t5, [%%tail+%u]; %s %%t5, %%t5, %%t4; st.global.u32 [%%tail+%u], %%t5;\n", at, op[k], at);
}

void
fuzz_tally_text(text *t, const fuzz_inst *i)
{
	static const char *const op[] = { "add.u32", "xor.b32", "max.u32", "or.b32", "add.f32", "inc.u32", "add.f64" };
	unsigned k = (unsigned)i->imm[0], at = 4 * (FIRST_TALLY + k);
	bool old = i->imm[1];

	put_brought(t, i, k == 4);
	if (k == 5)
		text_add(t, "mov.u32 %%t4, %u; ", TALLY_TURN);
	if (k == 6)
		text_add(t, "and.b32 %%t4, %%t4, 255; cvt.rn.f64.u32 %%td4, %%t4; ");
	if (i->guard >= 0)
		text_add(t, "@%s%%p%d ", i->neg ? "!" : "", i->guard);
	text_add(t, old ? "atom.global.%s %s, [%%tail+%u], %s;\n" : "red.global.%s %s[%%tail+%u], %s;\n", op[k], old ? k == 6 ? "%td5" : "%t5" : "", at, k == 6 ? "%td4" : "%t4");
}

static uint64_t
low_byte(uint32_t x, bool wide)
{
	return wide ? fuzz_f64_of(x & 255, 1, 'n') : fuzz_f32_of(x & 255, 1, 'n');
}

/* Exact up to this: else the order would show. */
static bool exact(uint64_t x) { return fuzz_cmp32(x, fuzz_f32_of(1 << 24, 1, 'n'), 0) < 0; }

bool
fuzz_sum_means(uint32_t *tail, const fuzz_inst *i, uint32_t x)
{
	uint32_t *s = &tail[FIRST_SUM + i->imm[0]];

	switch (i->imm[0] % NSUM_OPS) {
	case 0:  *s += x; return true;
	case 1:  *s ^= x; return true;
	case 2:  *s = *s > x ? *s : x; return true;
	default: *s = (uint32_t)fuzz_add32(*s, low_byte(x, false), 'n', 0); return exact(*s);
	}
}

bool
fuzz_tally_means(uint32_t *tail, const fuzz_inst *i, uint32_t x)
{
	uint32_t *s = &tail[FIRST_TALLY + i->imm[0]];
	uint64_t d;

	switch (i->imm[0]) {
	case 0:  *s += x; return true;
	case 1:  *s ^= x; return true;
	case 2:  *s = *s > x ? *s : x; return true;
	case 3:  *s |= x; return true;
	case 4:  *s = (uint32_t)fuzz_add32(*s, low_byte(x, false), 'n', 0); return exact(*s);
	case 5:  *s = *s >= TALLY_TURN ? 0 : *s + 1; return true;
	default:
		d = fuzz_add64(s[0] | (uint64_t)s[1] << 32, low_byte(x, true), 'n');
		s[0] = (uint32_t)d;
		s[1] = (uint32_t)(d >> 32);
		return true;
	}
}

/* ---- chains ---- */

/* The lane that lane k of n waits for, or NONE. */
uint32_t
fuzz_chain_before(const fuzz_inst *i, uint32_t k, uint32_t n)
{
	uint32_t d = (uint32_t)i->imm[1];

	if (i->imm[2])
		return k + d < n ? k + d : NONE;
	return k >= d ? k - d : NONE;
}

uint32_t fuzz_chain_link(uint32_t before, uint32_t x) { return before * 5 + x; }

/* %t4: what the lane before has told, 0 for the first. */
void
fuzz_chain_text(text *t, const fuzz_program *p, const fuzz_inst *i)
{
	static const char *const poll[] = { "ld.acquire.gpu.global.u32 %%t4, [%%td4+%u];", "ld.volatile.global.u32 %%t4, [%%td4+%u]; membar.gl;",
		"ld.relaxed.gpu.global.u32 %%t4, [%%td4+%u]; fence.acq_rel.gpu;", "atom.acquire.gpu.global.or.b32 %%t4, [%%td4+%u], 0;",
		"atom.acquire.gpu.global.cas.b32 %%t4, [%%td4+%u], 1, 1;" };
	static const char *const tell[] = { "st.release.gpu.global.u32 [%%out+%u], 1;\n", "membar.gl; st.volatile.global.u32 [%%out+%u], 1;\n",
		"fence.acq_rel.gpu; atom.global.exch.b32 %%t5, [%%out+%u], 1;\n", "red.release.gpu.global.add.u32 [%%out+%u], 1;\n" };
	unsigned at = AREA + 4 * (p->chain_word + 2 * (unsigned)i->imm[0]), d = (unsigned)i->imm[1], id = (unsigned)i->imm[3], n = fuzz_threads(p);

	text_add(t, "mov.u32 %%t4, 0; mov.u32 %%t5, 0; ");
	if (i->imm[2])
		text_add(t, "setp.ge.u32 %%q, %%me, %u; ", n > d ? n - d : 0);
	else
		text_add(t, "setp.lt.u32 %%q, %%me, %u; ", d);
	text_add(t, "@%%q bra C%u; %s.s64 %%td4, %%out, %u; W%u: ", id, i->imm[2] ? "add" : "sub", d * fuzz_stride(p), id);
	text_add(t, poll[i->form & 7], at);
	if (i->form & 8)
		text_add(t, " setp.ne.u32 %%q, %%t4, 0; @%%q bra G%u; nanosleep.u32 30; bra W%u; G%u: ", id, id, id);
	else
		text_add(t, " setp.eq.u32 %%q, %%t4, 0; @%%q bra W%u; ", id);
	text_add(t, "ld.global.u32 %%t4, [%%td4+%u]; C%u: mad.lo.u32 %%t4, %%t4, 5, %%r%u; mov.u32 %%r%u, %%t4; st.global.u32 [%%out+%u], %%t4; ",
	         at + 4, id, i->src[0], i->dst, at + 4);
	text_add(t, tell[i->form >> 4], at);
}
