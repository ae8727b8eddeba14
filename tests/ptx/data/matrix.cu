// Tensor cores, asynchronous copies, cluster barriers (sm_90a code).
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <mma.h>
using namespace nvcuda;
__global__ void __cluster_dims__(2, 1, 1) matrix(half *a, half *b, float *c, int4 *in)
{
	__shared__ __align__(16) int4 tile[128];
	wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
	wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
	wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;

	__pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], 16);
	__pipeline_commit();
	wmma::fill_fragment(fc, 0.0f);
	wmma::load_matrix_sync(fa, a, 16);
	wmma::load_matrix_sync(fb, b, 16);
	wmma::mma_sync(fc, fa, fb, fc);
	wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
	__pipeline_wait_prior(0);
	cooperative_groups::this_cluster().sync();
	unsigned r[4];
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
		: "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((unsigned)__cvta_generic_to_shared(tile)));
	c[threadIdx.x] += (float)(r[0] ^ r[3]) + __reduce_add_sync(~0u, r[1]);
}
