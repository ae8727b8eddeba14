// arch: sm_75
// Breadth first: a block marks the vertices of one level after the other, each by the lane that sees it first.
extern "C" __global__ void levels(const int *in, int *level, int vertices)
{
	const int *start = in, *edge = in + vertices + 1;
	__shared__ int found;
	int depth = 1;

	if (threadIdx.x == 0)
		level[0] = 1;
	do {
		__syncthreads();
		if (threadIdx.x == 0)
			found = 0;
		__syncthreads();
		for (int i = threadIdx.x; i < vertices; i += blockDim.x) {
			if (((volatile int *)level)[i] != depth)
				continue;
			for (int k = start[i]; k < start[i + 1]; k++)
				if (atomicCAS(&level[edge[k]], 0, depth + 1) == 0)
					found = 1;
		}
		__syncthreads();
		depth++;
	} while (found);
}
