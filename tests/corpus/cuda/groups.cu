// arch: sm_80
// Cooperative groups: tiles of a warp, the lanes that came here, and the whole block.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void groups(const int *in, int *out, int n)
{
	cg::thread_block block = cg::this_thread_block();
	cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
	__shared__ int all;
	int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), v = i < n ? in[i] : 0, *o = out + i * 5;

	if (block.thread_rank() == 0)
		all = 0;
	block.sync();
	o[0] = cg::reduce(tile, v, cg::plus<int>());
	o[1] = tile.shfl_xor(v, 5) + (int)tile.ballot(v & 1) + (int)tile.meta_group_rank();
	o[2] = cg::inclusive_scan(tile, v, cg::greater<int>());
	o[3] = 0;
	if (v % 3 == 0) {
		cg::coalesced_group some = cg::coalesced_threads();
		o[3] = (int)(some.thread_rank() * 100 + some.size());
		if (some.thread_rank() == 0)
			atomicAdd(&all, (int)some.size());
	}
	block.sync();
	o[4] = all;
}
