// arch: sm_80
// Cooperative groups: a barrier of the grid in one step and in two, tiles of any size, groups by where lanes came together, by
// label and by predicate, reductions and scans over them, copies that a group makes together, work that one of a group does.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

static __device__ unsigned me() { return blockIdx.x * blockDim.x + threadIdx.x; }

extern "C" __global__ void grid_sync(const unsigned *in, unsigned *out)
{
	cg::grid_group grid = cg::this_grid();

	for (unsigned round = 0; round < 6; round++) {
		if (threadIdx.x == 0)
			out[round * gridDim.x + blockIdx.x] = round ? out[(round - 1) * gridDim.x + (blockIdx.x + 1) % gridDim.x] + 1 : in[blockIdx.x];
		grid.sync();
	}
}

extern "C" __global__ void large_tile(const unsigned *in, unsigned *out)
{
	__shared__ cg::block_tile_memory<1024> memory;
	auto tile = cg::tiled_partition<128>(cg::this_thread_block(memory));
	unsigned sum = cg::reduce(tile, in[me()], cg::plus<unsigned>());

	tile.sync();
	out[me()] = sum + tile.thread_rank();
}

extern "C" __global__ void scan(const unsigned *in, unsigned *out)
{
	cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
	unsigned v = in[me()];

	out[me()] = cg::inclusive_scan(tile, v) * 3 + cg::exclusive_scan(tile, v, cg::plus<unsigned>());
}

extern "C" __global__ void label(const unsigned *in, unsigned *out)
{
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
	cg::coalesced_group same = cg::labeled_partition(warp, in[me()] % 5), half = cg::binary_partition(warp, in[me()] % 3 == 0);

	out[me()] = same.size() * 100 + same.thread_rank() + half.size() * 10000 + half.thread_rank() * 1000000;
}

#ifndef FEW
extern "C" __global__ void grid_arrive(const unsigned *in, unsigned *out)
{
	cg::grid_group grid = cg::this_grid();

	if (threadIdx.x == 0)
		out[blockIdx.x] = in[blockIdx.x];
	cg::grid_group::arrival_token token = grid.barrier_arrive();
	unsigned more = in[blockIdx.x] * 3;
	grid.barrier_wait(std::move(token));
	if (threadIdx.x == 0)
		out[gridDim.x + blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x] + more + (unsigned)grid.thread_rank();
}

extern "C" __global__ void tile(const unsigned *in, unsigned *out)
{
	cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
	unsigned v = in[me()];

	v += tile.shfl_down(v, 2);
	v += tile.shfl_xor(v, 1);
	out[me()] = v + tile.meta_group_rank() * 1000 + tile.any(v & 1) * 7 + tile.ballot(v & 2) * 11;
}

extern "C" __global__ void coalesced(const unsigned *in, unsigned *out)
{
	unsigned v = in[me()];

	out[me()] = 0;
	if (v % 4 != 1) {
		cg::coalesced_group some = cg::coalesced_threads();
		out[me()] = some.thread_rank() * 1000 + some.size() + cg::reduce(some, v, cg::greater<unsigned>()) + some.shfl(v, 0);
	}
}

extern "C" __global__ void reduce(const unsigned *in, unsigned *out)
{
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
	unsigned v = in[me()];

	out[me()] = cg::reduce(warp, v, cg::plus<unsigned>()) + cg::reduce(warp, v, cg::bit_xor<unsigned>()) +
		(unsigned)cg::reduce(warp, (float)(v & 0xffff), cg::less<float>());
}

extern "C" __global__ void copy(const unsigned *in, unsigned *out)
{
	__shared__ unsigned room[256];
	cg::thread_block block = cg::this_thread_block();

	cg::memcpy_async(block, room, in + blockIdx.x * 256, sizeof room);
	cg::wait(block);
	out[me()] = room[255 - threadIdx.x];
}

extern "C" __global__ void one(const unsigned *in, unsigned *out)
{
	cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());

	cg::invoke_one(warp, [&] { atomicAdd(out, in[0]); });
	out[1 + me()] = cg::invoke_one_broadcast(warp, [&] { return threadIdx.x / 32 + 5; });
}
#endif
