// arch: sm_100
// Vectors of 256 bits, sums of a warp, and the next launch awaited, as the newest chips have them.
struct __align__(32) eight { float v[8]; };

extern "C" __global__ void wide_loads(const struct eight *in, struct eight *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	struct eight x;

	asm volatile("griddepcontrol.wait;");
	if (i >= n)
		return;
	x = in[i];
	for (int k = 0; k < 8; k++)
		x.v[k] = x.v[k] * 2 + (float)k;
	out[i] = x;
	asm volatile("griddepcontrol.launch_dependents;");
}
