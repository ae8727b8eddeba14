// arch: sm_80
// Every thread takes a lock by spinning: an atomic_flag, a ticket, a lock that a compare-and-swap takes, one for each bucket.
#include <cuda/atomic>

__device__ cuda::std::atomic_flag flag;
__device__ cuda::atomic<unsigned, cuda::thread_scope_device> next_ticket, now;
__device__ int lock, lock_of[8];

// out: a sum and a count by each kind of lock; then eight sums, one a bucket.
extern "C" __global__ void locks(const unsigned *in, unsigned *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned v = i < n ? in[i] : 0, ticket, bucket = v & 7;

	while (flag.test_and_set(cuda::std::memory_order_acquire))
		;
	out[0] += v;
	out[1]++;
	flag.clear(cuda::std::memory_order_release);

	ticket = next_ticket.fetch_add(1, cuda::std::memory_order_relaxed);
	while (now.load(cuda::std::memory_order_acquire) != ticket)
		__nanosleep(20);
	out[2] += v;
	out[3]++;
	now.store(ticket + 1, cuda::std::memory_order_release);

	while (atomicCAS(&lock, 0, 1))
		;
	__threadfence();
	out[4] += v;
	out[5]++;
	__threadfence();
	atomicExch(&lock, 0);

	for (bool done = false; !done; ) {
		if (atomicCAS(&lock_of[bucket], 0, 1))
			continue;
		__threadfence();
		out[6 + bucket] += v;
		__threadfence();
		atomicExch(&lock_of[bucket], 0);
		done = true;
	}
}
