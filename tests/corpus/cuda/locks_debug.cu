// arch: sm_80
// options: -Xcicc -O0
// Locks and flags as a debugger wants them: what they expect, put and see lies in objects in memory, behind pointers and calls.
#include <cuda/atomic>

__device__ void critical(unsigned *out, unsigned w)
{
	volatile unsigned *o = out;

	o[64] = o[64] + w;
	o[96] = o[96] + 1;
}

struct request {
	unsigned *lock;
	unsigned expected, wanted, seen;
};

__device__ void ask(request *r)
{
	r->seen = atomicCAS(r->lock, r->expected, r->wanted);
}

__device__ void exchange(unsigned *lock, unsigned *busy)
{
	*busy = atomicExch(lock, *busy);
}

__device__ void look(const volatile unsigned *flag, unsigned *seen)
{
	*seen = *flag;
}

__device__ void add(unsigned *lock, int by, unsigned *seen)
{
	*seen = atomicAdd(lock, by);
}

extern "C" __global__ void lock_cas(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	request r = { out, 0, 1, 0 };

	do
		ask(&r);
	while (r.seen);
	__threadfence();
	critical(out, in[i]);
	__threadfence();
	atomicExch(out, 0);
}

extern "C" __global__ void lock_exch(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned busy = 1;

	for (;;) {
		exchange(out, &busy);
		if (!busy)
			break;
		busy = 1;
	}
	__threadfence();
	critical(out, in[i]);
	__threadfence();
	atomicExch(out, 0);
}

extern "C" __global__ void lock_taken_back(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned seen, none;

	for (add(out, 1, &seen); seen; add(out, 1, &seen))
		add(out, -1, &none);
	__threadfence();
	critical(out, in[i]);
	__threadfence();
	add(out, -1, &none);
}

extern "C" __global__ void lock_atomic(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	cuda::atomic<unsigned, cuda::thread_scope_device> *lock = reinterpret_cast<cuda::atomic<unsigned, cuda::thread_scope_device> *>(out);
	unsigned none = 0;

	while (!lock->compare_exchange_weak(none, 1, cuda::memory_order_acquire))
		none = 0;
	critical(out, in[i]);
	lock->store(0, cuda::memory_order_release);
}

extern "C" __global__ void flag_chain(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	volatile unsigned *mine = out + 128 + i, *flag = out + 128 + gridDim.x * blockDim.x + i;
	unsigned sum = in[i], seen;

	if (threadIdx.x) {
		do
			look(flag - 1, &seen);
		while (!seen);
		__threadfence();
		sum += mine[-1];
	}
	*mine = sum;
	__threadfence();
	*flag = 1;
}

// No lane waits: each turn that fails is one in which another lane's has succeeded, or counts.
extern "C" __global__ void sum_atomic(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	cuda::atomic<unsigned, cuda::thread_scope_device> *sum = reinterpret_cast<cuda::atomic<unsigned, cuda::thread_scope_device> *>(out + 64);
	unsigned old = sum->load();

	while (!sum->compare_exchange_weak(old, old + in[i]))
		;
	atomicAdd(out + 96, 1);
}

__device__ void next(unsigned *k, unsigned *seen, unsigned *out)
{
	*seen += atomicAdd(out + 64, 0) & 0;
	__threadfence();
	++*k;
}

extern "C" __global__ void counted(const unsigned *in, unsigned *out, unsigned n)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned k = 0, seen = 0;

	while (k < 5)
		next(&k, &seen, out);
	atomicAdd(out + 64, in[i] + seen);
	atomicAdd(out + 96, k / 5);
}
