/* Three buffers, one kernel, a size that is no multiple of the block. */
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		c[i] = a[i] + b[i];
}

int main()
{
	const int n = 4001;
	std::vector<float> a(n), b(n);
	for (int i = 0; i < n; i++) {
		a[i] = 0.25f * i;
		b[i] = 1000.0f - i;
	}
	float *da = on_device(a.data(), n), *db = on_device(b.data(), n), *dc = zeroed<float>(n + 64);
	add<<<(n + 63) / 64, 64>>>(da, db, dc, n);
	FINISH();
	std::vector<float> c = on_host(dc, n + 64);
	for (int i = 0; i < n + 64; i++)
		FACT(c[i] == (i < n ? a[i] + b[i] : 0));
	CALL(hipFree(da));
	CALL(hipFree(db));
	CALL(hipFree(dc));
	return done();
}
