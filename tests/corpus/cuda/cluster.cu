// arch: sm_90
// A cluster of one block meets, asks who it is, and the next launch may start.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void cluster(const int *in, int *out, int n)
{
	__shared__ int part[256];
	cg::cluster_group c = cg::this_cluster();
	int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

	cudaGridDependencySynchronize();
	part[t] = i < n ? in[i] : 0;
	c.sync();
	cudaTriggerProgrammaticLaunchCompletion();
	out[i] = c.map_shared_rank(part, 0)[(t + 1) % blockDim.x] + (int)c.num_blocks() * 1000 + (int)c.block_rank();
	c.sync();
}
