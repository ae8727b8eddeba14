/* A small machine a lane: a control word says how often it steps, how it feeds back, when it stops.
 * Needs n control words and n seeds; leaves n words and the number of steps really made.
 * Shows: trip counts out of bfe, so every lane leaves at another time; nested loops with continue,
 * break and an early return. */
#include "../ptx_ops.cuh"

/* control: steps 0-6, shifts a step 7-9, taps 10-15, mode 30-31 (3: do nothing). */
extern "C" __global__ void bfe_loop(const u32 *__restrict__ control, const u32 *__restrict__ seed,
				    u32 *__restrict__ result, u32 *__restrict__ made, u32 n)
{
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 word = control[i];
	s32 mode = bfe32s_at<30, 2>((s32)word); /* 0, 1, -2, -1 */
	if (mode == -1)
		return;
	u32 state = seed[i];
	u32 sum = 0;
	u32 steps = bfe32_at<0, 7>(word);
	u32 step = 0;
	for (; step < steps; step++) {
		u32 shifts = bfe32_at<7, 3>(word);
		for (u32 k = 0; k < shifts; k++) {
			u32 fed = state >> 31;
			state <<= 1;
			if (!fed)
				continue;
			state ^= bfe32_at<10, 6>(word) | 1;
			if (mode == 1 && bfe32_at<0, 3>(state) == 5)
				break;
		}
		if (mode < 0 && bfe32_at<4, 5>(state) == 0)
			break;
		sum = bfi32(state, sum + step, step & 31, bfe32_at<28, 4>(state));
	}
	result[i] = sum ^ state;
	made[i] = step;
}
