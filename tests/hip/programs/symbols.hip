/* Variables of the device by their names: constants, tables, one that a kernel changes. */
#include "check.h"

__constant__ uint32_t key[4] = { 1, 2, 3, 4 };
__device__ uint32_t state = 100;
__device__ float table[64];

__global__ void mixture(uint32_t *out)
{
	uint32_t i = threadIdx.x;
	out[i] = key[i & 3] * 1000 + (uint32_t)table[i];
	if (i == 0)
		state += key[0];
}

int main()
{
	uint32_t *out = zeroed<uint32_t>(64), k[4] = { 5, 6, 7, 8 }, s = 0;
	float t[64];
	void *address;
	size_t size;
	for (int i = 0; i < 64; i++)
		t[i] = i * 2.0f;
	CALL(hipMemcpyToSymbol(HIP_SYMBOL(table), t, sizeof t));
	mixture<<<1, 64>>>(out);
	FINISH();
	std::vector<uint32_t> got = on_host(out, 64);
	for (uint32_t i = 0; i < 64; i++)
		FACT(got[i] == ((i & 3) + 1) * 1000 + i * 2);
	CALL(hipMemcpyToSymbol(HIP_SYMBOL(key), k, sizeof k));
	mixture<<<1, 64>>>(out);
	FINISH();
	got = on_host(out, 64);
	for (uint32_t i = 0; i < 64; i++)
		FACT(got[i] == ((i & 3) + 5) * 1000 + i * 2);
	CALL(hipMemcpyFromSymbol(&s, HIP_SYMBOL(state), 4));
	FACT(s == 106);
	CALL(hipGetSymbolAddress(&address, HIP_SYMBOL(table)));
	CALL(hipGetSymbolSize(&size, HIP_SYMBOL(table)));
	FACT(size == sizeof t);
	CALL(hipMemset((char *)address + 4, 0, 4));
	CALL(hipMemcpyFromSymbol(t, HIP_SYMBOL(table), sizeof t));
	FACT(t[0] == 0 && t[1] == 0 && t[2] == 4 && t[63] == 126);
	CALL(hipMemcpyFromSymbol(&t[0], HIP_SYMBOL(table), 4, 63 * 4));
	FACT(t[0] == 126);
	s = 100;
	k[0] = 1, k[1] = 2, k[2] = 3, k[3] = 4;
	CALL(hipMemcpyToSymbol(HIP_SYMBOL(state), &s, 4));
	CALL(hipMemcpyToSymbol(HIP_SYMBOL(key), k, sizeof k));
	CALL(hipFree(out));
	return done();
}
