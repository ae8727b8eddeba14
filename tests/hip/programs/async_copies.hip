/* A pipeline: pieces are copied in, worked on and copied out on four streams at once. */
#include "check.h"

__global__ void work(uint32_t *x, uint32_t key)
{
	uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
	uint32_t v = x[i];
	for (int k = 0; k < 8; k++)
		v = (v << 5 | v >> 27) ^ (v + key);
	x[i] = v;
}

int main()
{
	const int piece = 4096, pieces = 12, streams = 4;
	uint32_t *in, *out, *device[streams];
	hipStream_t s[streams];
	CALL(hipHostMalloc((void **)&in, pieces * piece * 4, hipHostMallocDefault));
	CALL(hipHostMalloc((void **)&out, pieces * piece * 4, hipHostMallocDefault));
	for (int i = 0; i < pieces * piece; i++)
		in[i] = mix(i);
	memset(out, 0, pieces * piece * 4);
	for (int k = 0; k < streams; k++) {
		CALL(hipStreamCreateWithFlags(&s[k], hipStreamNonBlocking));
		CALL(hipMalloc((void **)&device[k], piece * 4));
	}
	for (int p = 0; p < pieces; p++) {
		int k = p % streams;
		CALL(hipMemcpyAsync(device[k], in + p * piece, piece * 4, hipMemcpyHostToDevice, s[k]));
		work<<<piece / 256, 256, 0, s[k]>>>(device[k], p);
		CALL(hipMemcpyAsync(out + p * piece, device[k], piece * 4, hipMemcpyDeviceToHost, s[k]));
	}
	for (auto &stream : s)
		CALL(hipStreamSynchronize(stream));
	for (int i = 0; i < pieces * piece; i++) {
		uint32_t v = mix(i);
		for (int k = 0; k < 8; k++)
			v = (v << 5 | v >> 27) ^ (v + i / piece);
		FACT(out[i] == v);
	}

	/* Between buffers of the device, and from memory that is not pinned. */
	std::vector<uint32_t> plain(piece), back(piece);
	for (int i = 0; i < piece; i++)
		plain[i] = i * 7;
	CALL(hipMemcpyAsync(device[0], plain.data(), piece * 4, hipMemcpyHostToDevice, s[0]));
	CALL(hipMemcpyAsync(device[1], device[0], piece * 4, hipMemcpyDeviceToDevice, s[0]));
	CALL(hipMemcpyAsync(back.data(), device[1], piece * 4, hipMemcpyDeviceToHost, s[0]));
	CALL(hipStreamSynchronize(s[0]));
	FACT(back == plain);
	for (int k = 0; k < streams; k++) {
		CALL(hipStreamDestroy(s[k]));
		CALL(hipFree(device[k]));
	}
	CALL(hipHostFree(in));
	CALL(hipHostFree(out));
	return done();
}
