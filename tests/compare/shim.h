/* The few HIP words that the kernels here use, for clang without a ROCm SDK (-nogpuinc -nogpulib).
 * nvcc brings its own, and sees none of this. What a word does is what HIP's own headers do for it, so that
 * the instructions that clang makes are those of a HIP program.
 * HIP C++ Language Extensions; Clang, "AMDGPU builtins". */
#ifndef COMPARE_SHIM_H
#define COMPARE_SHIM_H
#ifdef __HIP__

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __restrict__ __restrict
#define __launch_bounds__(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))

#define SHIM_MEMBER(name, what)                                                                    \
	__declspec(property(get = get_##name)) unsigned int name;                                  \
	static inline __attribute__((device, always_inline)) unsigned int get_##name(void)         \
	{                                                                                          \
		return what;                                                                       \
	}
#define SHIM_INDEX(type, var, builtin)                                                             \
	struct type {                                                                              \
		SHIM_MEMBER(x, builtin##_x())                                                      \
		SHIM_MEMBER(y, builtin##_y())                                                      \
		SHIM_MEMBER(z, builtin##_z())                                                      \
	};                                                                                         \
	extern const __attribute__((device, weak)) type var;

SHIM_INDEX(shim_thread_idx, threadIdx, __builtin_amdgcn_workitem_id)
SHIM_INDEX(shim_block_idx, blockIdx, __builtin_amdgcn_workgroup_id)
SHIM_INDEX(shim_block_dim, blockDim, __builtin_amdgcn_workgroup_size)

struct shim_grid_dim {
	SHIM_MEMBER(x, __builtin_amdgcn_grid_size_x() / __builtin_amdgcn_workgroup_size_x())
};
extern const __attribute__((device, weak)) shim_grid_dim gridDim;

struct __attribute__((aligned(8))) float2 {
	float x, y;
};

struct __attribute__((aligned(16))) float4 {
	float x, y, z, w;
};

static inline __device__ float2 make_float2(float x, float y)
{
	float2 r = {x, y};
	return r;
}

static inline __device__ void __syncthreads(void)
{
	__builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static inline __device__ unsigned int shim_lane(void)
{
	return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
}

/* A value of another lane of the same 32; outside of them, the own value. */
static inline __device__ unsigned int __shfl_down_sync(unsigned int, unsigned int v, unsigned int by)
{
	unsigned int self = shim_lane();
	unsigned int from = (self & 31) + by >= 32 ? self : self + by;
	return (unsigned int)__builtin_amdgcn_ds_bpermute((int)(from << 2), (int)v);
}

static inline __device__ unsigned int __shfl_up_sync(unsigned int, unsigned int v, unsigned int by)
{
	unsigned int self = shim_lane();
	unsigned int from = (self & 31) < by ? self : self - by;
	return (unsigned int)__builtin_amdgcn_ds_bpermute((int)(from << 2), (int)v);
}

static inline __device__ unsigned int atomicAdd(unsigned int *at, unsigned int v)
{
	return __hip_atomic_fetch_add(at, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

static inline __device__ float __fmaf_rn(float a, float b, float c)
{
	return __builtin_fmaf(a, b, c);
}

/* The machine's instruction takes subnormals for zero, so HIP's function scales small values, as ours must. */
static inline __device__ float rsqrtf(float x)
{
	bool small = x < 0x1p-126f;
	float r = __builtin_amdgcn_rsqf(small ? __builtin_ldexpf(x, 24) : x);
	return small ? __builtin_ldexpf(r, 12) : r;
}

static inline __device__ unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int by)
{
	return __builtin_amdgcn_alignbit(hi, lo, by);
}

#endif
#endif
