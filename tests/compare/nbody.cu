// Accelerations of bodies by all others, a tile of 64 in shared memory at a time.
#include "shim.h"

extern "C" __global__ void nbody(const float4 *__restrict__ body, float4 *__restrict__ acc, unsigned int n)
{
	__shared__ float4 tile[64];
	unsigned int i = blockIdx.x * 64 + threadIdx.x;
	float4 me = body[i];
	float ax = 0, ay = 0, az = 0;

	for (unsigned int at = 0; at < n; at += 64) {
		tile[threadIdx.x] = body[at + threadIdx.x];
		__syncthreads();
#pragma unroll 4
		for (unsigned int j = 0; j < 64; j++) {
			float4 o = tile[j];
			float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
			float d = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, __fmaf_rn(dz, dz, 0.01f)));
			float r = rsqrtf(d);
			float f = o.w * r * r * r;
			ax = __fmaf_rn(f, dx, ax);
			ay = __fmaf_rn(f, dy, ay);
			az = __fmaf_rn(f, dz, az);
		}
		__syncthreads();
	}
	float4 r;
	r.x = ax;
	r.y = ay;
	r.z = az;
	r.w = 0;
	acc[i] = r;
}
