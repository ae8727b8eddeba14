// arch: sm_75
// Two sorted lists into one: each lane finds where its part begins by halving along a diagonal.
extern "C" __global__ void merge(const long long *in, long long *out, int na, int nb, int each)
{
	const long long *a = in, *b = in + na;
	int at = (blockIdx.x * blockDim.x + threadIdx.x) * each, low, high, i, j;

	if (at >= na + nb)
		return;
	low = max(0, at - nb), high = min(at, na);
	while (low < high) {
		int mid = (low + high) / 2;
		if (a[mid] <= b[at - 1 - mid])
			low = mid + 1;
		else
			high = mid;
	}
	i = low, j = at - low;
	for (int k = 0; k < each && at + k < na + nb; k++)
		out[at + k] = j >= nb || (i < na && a[i] <= b[j]) ? a[i++] : b[j++];
}
