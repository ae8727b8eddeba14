/* Counts how often each value of a 4-bit field occurs, without atomics: one histogram a block.
 * Needs a block of a power of two threads and 64 bytes of dynamic shared memory a thread; at most
 * 255 words a thread. Leaves 16 counts a block.
 * Shows: static and dynamic shared memory, barriers in a loop, bfe/bfi on packed counters. */
#include "../ptx_ops.cuh"

#define MAX_THREADS 128

extern __shared__ u32 count[]; /* [16][threads] */

/* Four counters of 8 bits a word, four words a thread: nobody else writes this column. */
static __device__ __forceinline__ void count_fields(u32 (*column)[MAX_THREADS],
						    const u32 *__restrict__ words, u32 pos, u32 n)
{
	u32 t = threadIdx.x;
	u32 stride = gridDim.x * blockDim.x;
	for (u32 i = blockIdx.x * blockDim.x + t; i < n; i += stride) {
		u32 field = bfe32(words[i], pos, 4);
		u32 *packed = &column[field >> 2][t];
		u32 place = 8 * (field & 3);
		*packed = bfi32_len<8>(bfe32(*packed, place, 8) + 1, *packed, place);
	}
}

extern "C" __global__ void __launch_bounds__(MAX_THREADS)
	field_histogram(const u32 *__restrict__ words, u32 *__restrict__ histogram, u32 pos, u32 n)
{
	__shared__ u32 column[4][MAX_THREADS];
	u32 t = threadIdx.x;
	u32 threads = blockDim.x;
	for (u32 k = 0; k < 4; k++)
		column[k][t] = 0;
	count_fields(column, words, pos, n);
	for (u32 value = 0; value < 16; value++)
		count[value * threads + t] = bfe32(column[value >> 2][t], 8 * (value & 3), 8);
	__syncthreads();
	for (u32 half = threads / 2; half > 0; half /= 2) {
		if (t < half)
			for (u32 value = 0; value < 16; value++)
				count[value * threads + t] += count[value * threads + t + half];
		__syncthreads();
	}
	if (t < 16)
		histogram[blockIdx.x * 16 + t] = count[t * threads];
}
