/* sweep.h -- what the kernels of this folder share. They are compiled twice from the same text: for a chip, and for the
 * host (HOST), whose results are the reference. A kernel has work-groups of 64; `in` has 4096 dwords, `out` 8192.
 * test_sweep.c runs them; every result is a dword that any correct compiler gives. */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#ifdef HOST
uint sweep_lane(void);
uint sweep_group(void);
void sweep_barrier(void);
#define LID sweep_lane()
#define GROUP sweep_group()
#define BARRIER() sweep_barrier()
#else
#define LID ((uint)__builtin_amdgcn_workitem_id_x())
#define GROUP ((uint)__builtin_amdgcn_workgroup_id_x())
#define BARRIER() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \
	__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
#endif
#define GID (GROUP * 64 + LID)
#define KERNEL(name) kernel void name(global const uint *in, global uint *out, uint n)
#define NOINLINE __attribute__((noinline)) static
#define as_(type, x) __builtin_astype(x, type)
#define convert(type, x) __builtin_convertvector(x, type)
typedef ushort ushort2 __attribute__((ext_vector_type(2)));
typedef ushort ushort4 __attribute__((ext_vector_type(4)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef short short4 __attribute__((ext_vector_type(4)));
typedef uchar uchar4 __attribute__((ext_vector_type(4)));
typedef char char4 __attribute__((ext_vector_type(4)));
typedef half half2 __attribute__((ext_vector_type(2)));
typedef uint uint2 __attribute__((ext_vector_type(2)));
typedef uint uint3 __attribute__((ext_vector_type(3)));
typedef uint uint4 __attribute__((ext_vector_type(4)));
typedef int int4 __attribute__((ext_vector_type(4)));
typedef float float2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef ulong ulong2 __attribute__((ext_vector_type(2)));
/* Finite operands of a moderate size. */
static inline float small_float(uint x) { return ((int)(x >> 8) - (1 << 23)) * (1.0f / (1 << 16)); }
static inline half small_half(uint x) { return (half)(((int)(x & 0x7ff) - 1024) * 0.03125f); }
static inline double small_double(uint x, uint y) { return ((long)(((ulong)x << 32 | y) >> 12) - (1L << 51)) * (1.0 / (1L << 40)); }
/* A NaN has many bit patterns. */
static inline uint float_bits(float x) { return x != x ? 0x7fc00000u : as_(uint, x); }
static inline uint half_bits(half x) { return x != x ? 0x7e00u : as_(ushort, x); }
static inline uint double_bits(double x) { ulong u = x != x ? 0x7ff8000000000000ul : as_(ulong, x); return (uint)u ^ (uint)(u >> 32); }
