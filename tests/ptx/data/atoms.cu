// Atomics of every width, fences, shared and dynamic shared memory.
extern __shared__ unsigned dyn[];
__device__ unsigned long long ticket;
__global__ void atoms(unsigned *u, int *i, unsigned long long *l, float *f, double *d)
{
	__shared__ unsigned box[64];
	unsigned t = threadIdx.x;

	box[t & 63] = 0;
	dyn[t] = t;
	__syncthreads();
	atomicAdd(&box[t & 63], u[t]);
	atomicMin(&i[0], (int)t);
	atomicMax(&u[1], t);
	atomicInc(&u[2], 17);
	atomicDec(&u[3], 17);
	atomicAnd(&u[4], ~t);
	atomicOr(&u[5], t);
	atomicXor(&u[6], t);
	atomicExch(&u[7], t);
	u[8] = atomicCAS(&u[9], 3, t);
	l[0] = atomicAdd(&ticket, 1ull);
	atomicCAS(&l[1], 5ull, 6ull);
	atomicAdd(&f[0], 1.5f);
	atomicAdd(&d[0], 2.5);
	__threadfence_block();
	__threadfence();
	__threadfence_system();
	if (__syncthreads_count(t & 1) > 3 || __syncthreads_and(t) || __syncthreads_or(t & 2))
		u[t] = box[(t + 1) & 63] + dyn[t ^ 1];
}
