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

#endif
