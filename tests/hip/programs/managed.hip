/* Memory that host and device both use by one pointer, in turns. */
#include "check.h"

struct node { node *next; uint32_t value; };

__global__ void rewrite(node *list)
{
	for (node *p = list; p; p = p->next)
		p->value = p->value * 2 + 1;
}

__global__ void square(uint64_t *x, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		x[i] *= x[i];
}

int main()
{
	const int n = 3000, nodes = 50;
	uint64_t *x;
	node *list;
	CALL(hipMallocManaged((void **)&x, n * sizeof *x, hipMemAttachGlobal));
	CALL(hipMallocManaged((void **)&list, nodes * sizeof *list, hipMemAttachGlobal));
	for (int i = 0; i < n; i++)
		x[i] = i;
	for (int i = 0; i < nodes; i++)
		list[i] = node{ i + 1 < nodes ? &list[i + 1] : NULL, (uint32_t)i };
	for (int round = 0; round < 2; round++) {
		square<<<(n + 255) / 256, 256>>>(x, n);
		rewrite<<<1, 1>>>(list);
		FINISH();
	}
	for (uint64_t i = 0; i < n; i++)
		FACT(x[i] == i * i * i * i);
	for (int i = 0; i < nodes; i++)
		FACT(list[i].value == (uint32_t)i * 4 + 3);

	/* A host that writes while the device has nothing to do, then a copy by the runtime. */
	for (int i = 0; i < n; i++)
		x[i] = ~0ull - i;
	std::vector<uint64_t> copy(n);
	CALL(hipMemcpy(copy.data(), x, n * sizeof *x, hipMemcpyDefault));
	FACT(!memcmp(copy.data(), x, n * sizeof *x));
	CALL(hipFree(x));
	CALL(hipFree(list));
	return done();
}
