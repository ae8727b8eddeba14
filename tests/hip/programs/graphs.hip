/* A graph from captured work and one from nodes; both launched again with other data. */
#include "check.h"

__global__ void scale(const uint32_t *in, uint32_t *out, uint32_t by)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i] * by;
}

enum { N = 512 };

static void captured(uint32_t *pinned, uint32_t *back)
{
	hipStream_t s;
	hipGraph_t graph;
	hipGraphExec_t exec;
	uint32_t *a = zeroed<uint32_t>(N), *b = zeroed<uint32_t>(N);
	CALL(hipStreamCreate(&s));
	CALL(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
	CALL(hipMemcpyAsync(a, pinned, N * 4, hipMemcpyHostToDevice, s));
	scale<<<N / 64, 64, 0, s>>>(a, b, 3);
	scale<<<N / 64, 64, 0, s>>>(b, b, 5);
	CALL(hipMemcpyAsync(back, b, N * 4, hipMemcpyDeviceToHost, s));
	CALL(hipStreamEndCapture(s, &graph));
	CALL(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (uint32_t round = 0; round < 5; round++) {
		for (uint32_t i = 0; i < N; i++)
			pinned[i] = i + round * 1000;
		memset(back, 0, N * 4);
		CALL(hipGraphLaunch(exec, s));
		CALL(hipStreamSynchronize(s));
		for (uint32_t i = 0; i < N; i++)
			FACT(back[i] == (i + round * 1000) * 15);
	}
	size_t nodes = 0;
	CALL(hipGraphGetNodes(graph, NULL, &nodes));
	FACT(nodes == 4);
	CALL(hipGraphExecDestroy(exec));
	CALL(hipGraphDestroy(graph));
	CALL(hipStreamDestroy(s));
	CALL(hipFree(a));
	CALL(hipFree(b));
}

static void built(uint32_t *pinned, uint32_t *back)
{
	hipStream_t s;
	hipGraph_t graph;
	hipGraphExec_t exec;
	hipGraphNode_t in, run, out;
	uint32_t *a = zeroed<uint32_t>(N), *b = zeroed<uint32_t>(N), by = 11;
	void *args[] = { &a, &b, &by };
	hipKernelNodeParams k = {};
	k.func = (void *)scale;
	k.gridDim = dim3(N / 128);
	k.blockDim = dim3(128);
	k.kernelParams = args;
	CALL(hipStreamCreate(&s));
	CALL(hipGraphCreate(&graph, 0));
	CALL(hipGraphAddMemcpyNode1D(&in, graph, NULL, 0, a, pinned, N * 4, hipMemcpyHostToDevice));
	CALL(hipGraphAddKernelNode(&run, graph, &in, 1, &k));
	CALL(hipGraphAddMemcpyNode1D(&out, graph, &run, 1, back, b, N * 4, hipMemcpyDeviceToHost));
	CALL(hipGraphInstantiate(&exec, graph, NULL, NULL, 0));
	for (uint32_t i = 0; i < N; i++)
		pinned[i] = mix(i);
	CALL(hipGraphLaunch(exec, s));
	CALL(hipStreamSynchronize(s));
	for (uint32_t i = 0; i < N; i++)
		FACT(back[i] == mix(i) * 11);
	CALL(hipGraphExecDestroy(exec));
	CALL(hipGraphDestroy(graph));
	CALL(hipStreamDestroy(s));
	CALL(hipFree(a));
	CALL(hipFree(b));
}

int main()
{
	uint32_t *pinned, *back;
	CALL(hipHostMalloc((void **)&pinned, N * 4, 0));
	CALL(hipHostMalloc((void **)&back, N * 4, 0));
	captured(pinned, back);
	built(pinned, back);
	CALL(hipHostFree(pinned));
	CALL(hipHostFree(back));
	return done();
}
