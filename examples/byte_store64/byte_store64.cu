/* Bytes written one by one into 64-bit words, as a sponge hash absorbs its message.
 * Needs 32 bytes of state and up to 32 of message a thread; leaves the state with them stored.
 * Shows: bfi.b64 reg,8, an array in .local memory, a loop whose length differs by lane. */
#include "../ptx_ops.cuh"

/* span: first byte to write in the low byte, how many in the high byte; together at most 32. */
extern "C" __global__ void byte_store64(u64 *__restrict__ state, const u8 *__restrict__ message,
					const u16 *__restrict__ span, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u64 word[4];
	for (u32 k = 0; k < 4; k++)
		word[k] = state[4 * i + k];
	u32 at = span[i] & 0xff;
	u32 count = span[i] >> 8;
	for (u32 k = 0; k < count; k++, at++) {
		u64 old = word[at >> 3];
		word[at >> 3] = bfi64_len<8>(message[32 * i + k], old, (at & 7) * 8);
	}
	for (u32 k = 0; k < 4; k++)
		state[4 * i + k] = word[k];
}
