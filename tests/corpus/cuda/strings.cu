// arch: sm_75
// Every place of a pattern in a text, byte by byte; and how often each place matches one of four words.
extern "C" __global__ void find(const unsigned char *text, int *places, int n, int m)
{
	__shared__ unsigned char part[256 + 32];
	int at = blockIdx.x * 256, i = threadIdx.x;
	const unsigned char *pattern = text + n;
	bool same = true;

	part[i] = at + i < n ? text[at + i] : 0;
	if (i < 32)
		part[256 + i] = at + 256 + i < n ? text[at + 256 + i] : 0;
	__syncthreads();
	for (int k = 0; k < m && same; k++)
		same = part[i + k] == pattern[k];
	if (same && at + i + m <= n)
		places[1 + atomicAdd(places, 1)] = at + i;
}

__device__ __forceinline__ bool at_word(const char *s, const char *w)
{
	while (*w && *s == *w)
		s++, w++;
	return !*w;
}

extern "C" __global__ void words(const char *text, unsigned *count, int n)
{
	static const char *const word[4] = { "a", "of", "tree", "ing" };
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i >= n)
		return;
	for (int k = 0; k < 4; k++)
		if (at_word(text + i, word[k]))
			atomicAdd(&count[k], 1u);
}
