/* PTX instructions that CUDA C++ has no word for, as inline functions; shared by all examples.
 * Needs nvcc, or clang with cuda_shim.h beside it.
 * PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions", "Data Movement". */
#ifndef EXAMPLES_PTX_OPS_CUH
#define EXAMPLES_PTX_OPS_CUH

#ifndef __NVCC__
#include "cuda_shim.h"
#endif

typedef unsigned char u8;
typedef signed short s16;
typedef unsigned short u16;
typedef int s32;
typedef unsigned int u32;
typedef long long s64;
typedef unsigned long long u64;

/* Position and length in registers, known only at run time. */
static __device__ __forceinline__ u32 bfi32(u32 a, u32 b, u32 pos, u32 len)
{
	u32 f;
	asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(f) : "r"(a), "r"(b), "r"(pos), "r"(len));
	return f;
}

static __device__ __forceinline__ u64 bfi64(u64 a, u64 b, u32 pos, u32 len)
{
	u64 f;
	asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(f) : "l"(a), "l"(b), "r"(pos), "r"(len));
	return f;
}

/* Position in a register, length a literal. */
template <u32 len> static __device__ __forceinline__ u32 bfi32_len(u32 a, u32 b, u32 pos)
{
	u32 f;
	asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(f) : "r"(a), "r"(b), "r"(pos), "n"(len));
	return f;
}

template <u32 len> static __device__ __forceinline__ u64 bfi64_len(u64 a, u64 b, u32 pos)
{
	u64 f;
	asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(f) : "l"(a), "l"(b), "r"(pos), "n"(len));
	return f;
}

/* Both literals. */
template <u32 pos, u32 len> static __device__ __forceinline__ u32 bfi32_at(u32 a, u32 b)
{
	u32 f;
	asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(f) : "r"(a), "r"(b), "n"(pos), "n"(len));
	return f;
}

template <u32 pos, u32 len> static __device__ __forceinline__ u64 bfi64_at(u64 a, u64 b)
{
	u64 f;
	asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(f) : "l"(a), "l"(b), "n"(pos), "n"(len));
	return f;
}

static __device__ __forceinline__ u32 bfe32(u32 a, u32 pos, u32 len)
{
	u32 d;
	asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(pos), "r"(len));
	return d;
}

template <u32 pos, u32 len> static __device__ __forceinline__ u32 bfe32_at(u32 a)
{
	u32 d;
	asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "n"(pos), "n"(len));
	return d;
}

template <u32 pos, u32 len> static __device__ __forceinline__ s32 bfe32s_at(s32 a)
{
	s32 d;
	asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "n"(pos), "n"(len));
	return d;
}

template <u32 pos, u32 len> static __device__ __forceinline__ u64 bfe64_at(u64 a)
{
	u64 d;
	asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(a), "n"(pos), "n"(len));
	return d;
}

static __device__ __forceinline__ u32 clz64(u64 a)
{
	u32 d;
	asm("clz.b64 %0, %1;" : "=r"(d) : "l"(a));
	return d;
}

/* Rotate right: a funnel shift whose two halves are the same word. */
template <u32 count> static __device__ __forceinline__ u32 rotate_right(u32 a)
{
	u32 d;
	asm("shf.r.wrap.b32 %0, %1, %1, %2;" : "=r"(d) : "r"(a), "n"(count));
	return d;
}

/* lut: what the function gives for a = 0xf0, b = 0xcc, c = 0xaa. */
template <u32 lut> static __device__ __forceinline__ u32 lop3(u32 a, u32 b, u32 c)
{
	u32 d;
	asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(lut));
	return d;
}

template <u32 selector> static __device__ __forceinline__ u32 prmt(u32 a, u32 b)
{
	u32 d;
	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "n"(selector));
	return d;
}

static __device__ __forceinline__ s32 float_to_s32_nearest(float a)
{
	s32 d;
	asm("cvt.rni.s32.f32 %0, %1;" : "=r"(d) : "f"(a));
	return d;
}

static __device__ __forceinline__ s64 double_to_s64_floor(double a)
{
	s64 d;
	asm("cvt.rmi.s64.f64 %0, %1;" : "=l"(d) : "d"(a));
	return d;
}

#endif
