// arch: sm_75
// Shared memory of the launch's size, in three parts; parameters in a structure of a structure.
struct part { short bytes; unsigned char flags[6]; double factor; };
struct job { int n; struct part part[3]; const int *extra; float4 colour; };

extern "C" __global__ void dynamic(const int *in, int *out, struct job job)
{
	extern __shared__ int room[];
	int *low = room, t = threadIdx.x, size = blockDim.x;
	double *mid = (double *)(room + size);
	unsigned char *high = (unsigned char *)(mid + size);
	int i = blockIdx.x * size + t, from = size - 1 - t;

	low[t] = i < job.n ? in[i] : 0;
	mid[t] = low[t] * job.part[t % 3].factor;
	high[t] = job.part[t % 3].flags[t % 6];
	__syncthreads();
	if (i < job.n)
		out[i] = low[from] + (int)mid[from] + high[from] * job.part[from % 3].bytes + (int)(job.colour.z * low[t]);
}
