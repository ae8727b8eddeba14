/* Rows with pitch: copies in every direction, parts of pictures, fills, a box of three dimensions. */
#include "check.h"

__global__ void invert(uint8_t *p, size_t pitch, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < w && y < h)
		p[y * pitch + x] = 255 - p[y * pitch + x];
}

static uint8_t pixel(int x, int y) { return (uint8_t)mix(y * 4096 + x); }

/* HIP 5 has no pitched memory on devices without images: rows of our own then. */
static void pitched(uint8_t **p, size_t *pitch, size_t w, size_t h)
{
	if (hipMallocPitch((void **)p, pitch, w, h) == hipSuccess)
		return;
	(void)hipGetLastError();
	*pitch = (w + 255) / 256 * 256;
	CALL(hipMalloc((void **)p, *pitch * h));
}

static void pictures()
{
	const int w = 101, h = 37, stride = 128;
	std::vector<uint8_t> in(stride * h, 9), out(stride * h, 3);
	uint8_t *a, *b;
	size_t pa, pb;
	hipStream_t s;
	CALL(hipStreamCreate(&s));
	pitched(&a, &pa, w, h);
	pitched(&b, &pb, w + 40, h + 5);
	FACT(pa >= (size_t)w && pb >= (size_t)w + 40);
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			in[y * stride + x] = pixel(x, y);
	CALL(hipMemcpy2D(a, pa, in.data(), stride, w, h, hipMemcpyHostToDevice));
	invert<<<dim3((w + 15) / 16, (h + 7) / 8), dim3(16, 8)>>>(a, pa, w, h);
	FINISH();
	CALL(hipMemset2D(b, pb, 0x5a, w + 40, h + 5));
	CALL(hipMemcpy2DAsync(b + 2 * pb + 17, pb, a, pa, w, h, hipMemcpyDeviceToDevice, s));
	CALL(hipMemcpy2DAsync(out.data(), stride, b + 2 * pb + 17, pb, w, h, hipMemcpyDeviceToHost, s));
	CALL(hipStreamSynchronize(s));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < stride; x++)
			FACT(out[y * stride + x] == (x < w ? 255 - pixel(x, y) : 3));
	std::vector<uint8_t> edge(pb * (h + 5));
	CALL(hipMemcpy(edge.data(), b, edge.size(), hipMemcpyDeviceToHost));
	FACT(edge[0] == 0x5a && edge[2 * pb + 16] == 0x5a && edge[2 * pb + 17 + w] == 0x5a && edge[(h + 4) * pb + w + 39] == 0x5a);
	CALL(hipFree(a));
	CALL(hipFree(b));
	CALL(hipStreamDestroy(s));
}

static void boxes()
{
	const size_t w = 20, h = 7, d = 5;
	std::vector<uint8_t> in(w * h * d), out(w * h * d);
	hipPitchedPtr box;
	for (size_t i = 0; i < in.size(); i++)
		in[i] = (uint8_t)mix(i);
	if (hipMalloc3D(&box, make_hipExtent(w, h, d)) != hipSuccess) {
		(void)hipGetLastError();
		box = make_hipPitchedPtr(NULL, 256, w, h);
		CALL(hipMalloc(&box.ptr, box.pitch * h * d));
	}
	hipMemcpy3DParms p = {};
	p.srcPtr = make_hipPitchedPtr(in.data(), w, w, h);
	p.dstPtr = box;
	p.extent = make_hipExtent(w, h, d);
	p.kind = hipMemcpyHostToDevice;
	CALL(hipMemcpy3D(&p));
	p.srcPtr = box;
	p.dstPtr = make_hipPitchedPtr(out.data(), w, w, h);
	p.kind = hipMemcpyDeviceToHost;
	CALL(hipMemcpy3D(&p));
	FACT(in == out);
	CALL(hipMemset3D(box, 0x11, make_hipExtent(w / 2, h, d)));
	CALL(hipMemcpy3D(&p));
	for (size_t i = 0; i < in.size(); i++)
		FACT(out[i] == (i % w < w / 2 ? 0x11 : in[i]));
	CALL(hipFree(box.ptr));
}

int main()
{
	pictures();
	boxes();
	return done();
}
