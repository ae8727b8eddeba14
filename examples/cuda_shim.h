/* The few CUDA words that the examples use, for clang without a CUDA SDK (-nocudainc -nocudalib).
 * Needs clang's NVPTX builtins; nvcc must not see this file, for it brings its own.
 * CUDA C++ Programming Guide, "C++ Language Extensions". */
#ifndef EXAMPLES_CUDA_SHIM_H
#define EXAMPLES_CUDA_SHIM_H

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))

/* Each member reads its special register: blockIdx.x is one mov from %ctaid.x. */
#define SHIM_MEMBER(name, reg)                                                                     \
	__declspec(property(get = get_##name)) unsigned int name;                                  \
	static inline __attribute__((device, always_inline)) unsigned int get_##name(void)         \
	{                                                                                          \
		return __nvvm_read_ptx_sreg_##reg##_##name();                                      \
	}
#define SHIM_INDEX(type, var, reg)                                                                 \
	struct type {                                                                              \
		SHIM_MEMBER(x, reg)                                                                \
		SHIM_MEMBER(y, reg)                                                                \
		SHIM_MEMBER(z, reg)                                                                \
	};                                                                                         \
	extern const __attribute__((device, weak)) type var;

SHIM_INDEX(shim_thread_idx, threadIdx, tid)
SHIM_INDEX(shim_block_idx, blockIdx, ctaid)
SHIM_INDEX(shim_block_dim, blockDim, ntid)
SHIM_INDEX(shim_grid_dim, gridDim, nctaid)

struct __attribute__((aligned(8))) uint2 {
	unsigned int x, y;
};

struct __attribute__((aligned(16))) uint4 {
	unsigned int x, y, z, w;
};

static inline __device__ float __fmaf_rn(float a, float b, float c)
{
	return __nvvm_fma_rn_f(a, b, c);
}

static inline __device__ double __fma_rn(double a, double b, double c)
{
	return __nvvm_fma_rn_d(a, b, c);
}

/* Lanes of a warp, and threads of a block, for each other. */
static inline __device__ unsigned int __shfl_down_sync(unsigned int mask, unsigned int v, unsigned int by)
{
	return (unsigned int)__nvvm_shfl_sync_down_i32(mask, (int)v, (int)by, 31);
}

static inline __device__ unsigned int __shfl_up_sync(unsigned int mask, unsigned int v, unsigned int by)
{
	return (unsigned int)__nvvm_shfl_sync_up_i32(mask, (int)v, (int)by, 0);
}

static inline __device__ unsigned int __shfl_xor_sync(unsigned int mask, unsigned int v, unsigned int by)
{
	return (unsigned int)__nvvm_shfl_sync_bfly_i32(mask, (int)v, (int)by, 31);
}

static inline __device__ unsigned int __ballot_sync(unsigned int mask, bool p)
{
	return (unsigned int)__nvvm_vote_ballot_sync(mask, p);
}

static inline __device__ unsigned int __match_any_sync(unsigned int mask, unsigned int v)
{
	return (unsigned int)__nvvm_match_any_sync_i32(mask, (int)v);
}

static inline __device__ unsigned int __popc(unsigned int x)
{
	return (unsigned int)__builtin_popcount(x);
}

static inline __device__ unsigned int atomicAdd(unsigned int *at, unsigned int v)
{
	return (unsigned int)__nvvm_atom_add_gen_i((int *)at, (int)v);
}

static inline __device__ int __syncthreads_count(int p)
{
	return __nvvm_bar0_popc(p);
}

static inline __device__ int __syncthreads_or(int p)
{
	return __nvvm_bar0_or(p);
}

#endif
