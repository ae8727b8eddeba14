/* CPU reference of byte_store64: the state is 32 bytes of memory, so a store is a memcpy.
 * Needs nothing; leaves state.bin message.bin span.bin and state.ref.
 * One grid is 4 blocks of 64 lanes. */
#include "../reference.h"

#include <string.h>

enum { N = 201, BYTES = 32 };

int main(void)
{
	static uint8_t state[N][BYTES], message[N][BYTES];
	static uint16_t span[N];

	for (unsigned i = 0; i < N * BYTES; i++) {
		state[i / BYTES][i % BYTES] = (uint8_t)random64(1, i);
		message[i / BYTES][i % BYTES] = (uint8_t)random64(2, i);
	}
	write_file("state.bin", state, sizeof(state));
	write_file("message.bin", message, sizeof(message));
	for (unsigned i = 0; i < N; i++) {
		uint32_t at = random_below(3, i, BYTES);
		uint32_t count = random_below(4, i, BYTES - at + 1);
		span[i] = (uint16_t)(at + 256 * count);
		memcpy(state[i] + at, message[i], count);
	}
	write_file("span.bin", span, sizeof(span));
	write_file("state.ref", state, sizeof(state));
	return 0;
}
