/* Lists of edits, each setting or clearing one bit of a word at a position known at run time.
 * Needs `edits` half-words a word: position in the low byte, the bit's new value in bit 8.
 * Shows: bfi with a variable position and length 1; a position past the top changes nothing. */
#include "../ptx_ops.cuh"

extern "C" __global__ void bit_set_clear(u32 *__restrict__ words, const u16 *__restrict__ list,
					 u32 edits, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 word = words[i];
	for (u32 k = 0; k < edits; k++) {
		u32 edit = list[i * edits + k];
		word = bfi32_len<1>(edit >> 8, word, edit & 0xff);
	}
	words[i] = word;
}

/* The same on the 64 squares of a board; the list is turned on its side, so that loads coalesce. */
extern "C" __global__ void bit_set_clear64(u64 *__restrict__ boards, const u16 *__restrict__ list,
					   u32 edits, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u64 board = boards[i];
	for (u32 k = 0; k < edits; k++) {
		u32 edit = list[k * n + i];
		if (edit & 0x100)
			board = bfi64_len<1>(1, board, edit & 0xff);
		else
			board = bfi64_len<1>(0, board, edit & 0xff);
	}
	boards[i] = board;
}
