// arch: sm_75
// Integers of all sizes: quotients, 64-bit products, rotations, bit counts, saturation, and switches.
extern "C" __global__ void integers(const long long *in, long long *out, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x, r = 0;
	long long a, b, *o = out + i * 8;
	signed char c;
	unsigned short h;

	if (i >= n)
		return;
	a = in[i * 2], b = in[i * 2 + 1] | 1;
	c = (signed char)a, h = (unsigned short)b;
	o[0] = a / b + a % b;
	o[1] = (long long)((unsigned long long)a / (unsigned)b) + (int)a / ((int)b | 1) + c / ((signed char)h | 1);
	o[2] = __mul64hi(a, b) ^ (long long)__umul64hi((unsigned long long)a, (unsigned long long)b);
	o[3] = __popcll((unsigned long long)a) + __clzll(b) * 100 + __ffsll(a) * 10000 + __brev((unsigned)a);
	o[4] = __funnelshift_l((unsigned)a, (unsigned)b, (unsigned)(b >> 40)) + (long long)__byte_perm((unsigned)a, (unsigned)b, (unsigned)(a >> 20));
	o[5] = __sad((int)a, (int)b, 7u) + (long long)__mul24((int)a, (int)b) + __rhadd((int)a, (int)b) + (short)h * c;
	switch ((int)(a & 15)) {
	case 0: r = 3; break;
	case 1: r = (int)b; break;
	case 2: r = h; /* fall through */
	case 3: r += c; break;
	case 4: case 5: r = i * i; break;
	case 9: r = -i; break;
	case 11: r = (int)(b >> 32); break;
	default: r = 77;
	}
	o[6] = r;
	o[7] = (a >> (b & 63)) + (long long)((unsigned long long)b << (a & 31)) + (b > a ? llabs(a) : min(a, b));
}
