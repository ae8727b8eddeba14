/* CPU reference of radix_digit and radix_digit_lanes, bit by bit.
 * Needs nothing; leaves keys.bin with keys3.ref digits3.ref (3 bits a digit), keys4.ref digits4.ref
 * (4 bits), and source.bin fields.bin pos.bin len.bin fields.ref.
 * One grid is 5 blocks of 64 lanes. */
#include "../reference.h"

enum { N = 300, GRID = 320 };

static const uint32_t bucket_of[16] = { 7, 0, 11, 4, 15, 2, 9, 13, 1, 14, 6, 3, 10, 5, 12, 8 };

static void sort_pass(unsigned bits, const char *keys_name, const char *digits_name)
{
	static uint32_t keys[GRID * 4], digits[GRID];

	for (unsigned i = 0; i < 4 * N; i++) {
		uint64_t key = random64(1, i) & 0xffffffff, packed = i % 4 ? digits[i / 4] : 0;
		for (unsigned begin = 0; begin < 32; begin += bits) {
			unsigned len = begin + bits > 32 ? 32 - begin : bits;
			uint64_t digit = key >> begin & ((1u << len) - 1);
			packed = with_field(packed, digit, i % 4 * bits + begin, len, 32);
			key = with_field(key, bucket_of[digit], begin, len, 32);
		}
		keys[i] = (uint32_t)key;
		digits[i / 4] = (uint32_t)packed;
	}
	write_file(keys_name, keys, 4 * N * sizeof(keys[0]));
	write_file(digits_name, digits, sizeof(digits));
}

/* Half of the positions and lengths fit in a word; the others may be anything up to 255. */
static void lanes(void)
{
	static uint32_t source[N], fields[N];
	static uint8_t pos[N], len[N];

	for (unsigned i = 0; i < N; i++) {
		source[i] = (uint32_t)random64(2, i);
		fields[i] = (uint32_t)random64(3, i);
		pos[i] = (uint8_t)random_below(4, i, i % 4 < 2 ? 33 : 256);
		len[i] = (uint8_t)random_below(5, i, i % 4 < 3 ? 34 : 256);
	}
	write_file("source.bin", source, sizeof(source));
	write_file("fields.bin", fields, sizeof(fields));
	write_file("pos.bin", pos, sizeof(pos));
	write_file("len.bin", len, sizeof(len));
	for (unsigned i = 0; i < N; i++)
		fields[i] = (uint32_t)with_field(fields[i], source[i], pos[i], len[i], 32);
	write_file("fields.ref", fields, sizeof(fields));
}

int main(void)
{
	static uint32_t keys[4 * N];

	for (unsigned i = 0; i < 4 * N; i++)
		keys[i] = (uint32_t)random64(1, i);
	write_file("keys.bin", keys, sizeof(keys));
	sort_pass(3, "keys3.ref", "digits3.ref");
	sort_pass(4, "keys4.ref", "digits4.ref");
	lanes();
	return 0;
}
