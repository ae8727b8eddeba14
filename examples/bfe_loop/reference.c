/* CPU reference of bfe_loop: the little machine as its control word is specified in bfe_loop.cu.
 * Needs nothing; leaves control.bin seed.bin, result.ref and made.ref.
 * One grid is 7 blocks of 64 lanes. */
#include "../reference.h"

enum { N = 400, GRID = 448 };

struct control {
	unsigned steps, shifts, taps, mode;
};

/* The shifts of one step: double; when a 1 falls out, add the taps over GF(2). Mode 1 may stop. */
static uint32_t feed(uint32_t state, struct control c)
{
	for (unsigned k = 0; k < c.shifts; k++) {
		uint64_t doubled = 2 * (uint64_t)state;
		state = (uint32_t)doubled;
		if (doubled < (uint64_t)1 << 32)
			continue;
		state ^= c.taps | 1;
		if (c.mode == 1 && state % 8 == 5)
			return state;
	}
	return state;
}

int main(void)
{
	static uint32_t control[N], seed[N], result[GRID], made[GRID];

	for (unsigned i = 0; i < N; i++) {
		uint32_t word = control[i] = (uint32_t)random64(1, i);
		struct control c = { word % 128, word / 128 % 8, word / 1024 % 64, word >> 30 };
		uint32_t state = seed[i] = (uint32_t)random64(2, i);
		uint32_t sum = 0;
		if (c.mode == 3)
			continue;
		for (; made[i] < c.steps; made[i]++) {
			state = feed(state, c);
			if (c.mode == 2 && state / 16 % 32 == 0)
				break;
			sum += made[i];
			sum = (uint32_t)with_field(sum, state, made[i] % 32, state >> 28, 32);
		}
		result[i] = sum ^ state;
	}
	write_file("control.bin", control, sizeof(control));
	write_file("seed.bin", seed, sizeof(seed));
	write_file("result.ref", result, sizeof(result));
	write_file("made.ref", made, sizeof(made));
	return 0;
}
