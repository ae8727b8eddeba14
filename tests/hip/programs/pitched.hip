/* Pitched memory of each kind: parts of matrices and boxes between host and device, offsets, fills on streams, a kernel on rows
 * and one on a box. */
#include "check.h"

__global__ void transpose(const uint32_t *from, size_t from_pitch, uint32_t *to, size_t to_pitch, int w, int h)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	if (x < w && y < h)
		*(uint32_t *)((char *)to + x * to_pitch + y * 4) = *(const uint32_t *)((const char *)from + y * from_pitch + x * 4);
}

/* Each cell of the box becomes the sum of the column below it. */
__global__ void columns(hipPitchedPtr box, int w, int h, int d)
{
	int x = threadIdx.x, y = blockIdx.x;
	uint32_t sum = 0;
	if (x >= w)
		return;
	for (int z = 0; z < d; z++) {
		uint32_t *p = (uint32_t *)((char *)box.ptr + (z * h + y) * box.pitch) + x;
		sum += *p;
		*p = sum;
	}
}

/* HIP before 6 refuses pitched memory where the device has no images. */
static bool can_pitch()
{
	int images = 0;
	CALL(hipDeviceGetAttribute(&images, hipDeviceAttributeImageSupport, 0));
	return images || HIP_VERSION >= 60000000;
}

static void matrices()
{
	const int w = 75, h = 43;
	std::vector<uint32_t> in(w * h), out(w * h);
	uint32_t *a, *b;
	hipDeviceptr_t c;
	size_t pa, pb, pc;
	hipStream_t s;
	CALL(hipStreamCreate(&s));
	for (size_t i = 0; i < in.size(); i++)
		in[i] = (uint32_t)mix(i);
	CALL(hipMallocPitch((void **)&a, &pa, w * 4, h));
	CALL(hipMallocPitch((void **)&b, &pb, h * 4, w));
	CALL(hipMemAllocPitch(&c, &pc, w * 4, h, 4));
	FACT(pa >= w * 4 && pa % 4 == 0 && pb >= h * 4 && pc >= w * 4);
	CALL(hipMemcpy2DAsync(a, pa, in.data(), w * 4, w * 4, h, hipMemcpyHostToDevice, s));
	transpose<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16), 0, s>>>(a, pa, b, pb, w, h);
	CALL(hipMemcpy2DAsync(out.data(), h * 4, b, pb, h * 4, w, hipMemcpyDeviceToHost, s));
	CALL(hipStreamSynchronize(s));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			FACT(out[x * h + y] == in[y * w + x]);

	/* A window of the first goes to another place of the third. */
	hip_Memcpy2D p = {};
	CALL(hipMemset2DAsync((void *)c, pc, 0x77, w * 4, h, s));
	CALL(hipStreamSynchronize(s));
	p.srcMemoryType = p.dstMemoryType = hipMemoryTypeDevice;
	p.srcDevice = (hipDeviceptr_t)a, p.srcPitch = pa, p.srcXInBytes = 12, p.srcY = 5;
	p.dstDevice = c, p.dstPitch = pc, p.dstXInBytes = 40, p.dstY = 2;
	p.WidthInBytes = 100, p.Height = 20;
	CALL(hipMemcpyParam2D(&p));
	CALL(hipMemcpy2D(out.data(), w * 4, (void *)c, pc, w * 4, h, hipMemcpyDeviceToHost));
	for (int y = 0; y < h; y++)
		for (int x = 0; x < w; x++)
			FACT(out[y * w + x] == (x >= 10 && x < 35 && y >= 2 && y < 22 ? in[(y + 3) * w + x - 7] : 0x77777777));
	CALL(hipFree(a));
	CALL(hipFree(b));
	CALL(hipFree((void *)c));
	CALL(hipStreamDestroy(s));
}

static void boxes()
{
	const int w = 19, h = 6, d = 5;
	std::vector<uint32_t> in(w * h * d), out(w * h * d);
	hipPitchedPtr a, b;
	hipStream_t s;
	CALL(hipStreamCreate(&s));
	for (size_t i = 0; i < in.size(); i++)
		in[i] = (uint32_t)mix(i);
	CALL(hipMalloc3D(&a, make_hipExtent(w * 4, h, d)));
	CALL(hipMalloc3D(&b, make_hipExtent(w * 4, h, d)));
	FACT(a.pitch >= w * 4 && a.xsize == w * 4 && a.ysize == h);
	hipMemcpy3DParms p = {};
	p.srcPtr = make_hipPitchedPtr(in.data(), w * 4, w * 4, h);
	p.dstPtr = a;
	p.extent = make_hipExtent(w * 4, h, d);
	p.kind = hipMemcpyHostToDevice;
	CALL(hipMemcpy3DAsync(&p, s));
	columns<<<h, 32, 0, s>>>(a, w, h, d);
	CALL(hipMemset3DAsync(b, 0, make_hipExtent(w * 4, h, d), s));
	/* Without the first column, row and layer. */
	hipMemcpy3DParms q = {};
	q.srcPtr = a, q.srcPos = make_hipPos(4, 1, 1);
	q.dstPtr = b;
	q.extent = make_hipExtent((w - 1) * 4, h - 1, d - 1);
	q.kind = hipMemcpyDeviceToDevice;
	CALL(hipMemcpy3DAsync(&q, s));
	p.srcPtr = b;
	p.dstPtr = make_hipPitchedPtr(out.data(), w * 4, w * 4, h);
	p.kind = hipMemcpyDeviceToHost;
	CALL(hipMemcpy3DAsync(&p, s));
	CALL(hipStreamSynchronize(s));
	for (int z = 0; z < d; z++)
		for (int y = 0; y < h; y++)
			for (int x = 0; x < w; x++) {
				uint32_t sum = 0;
				for (int k = 0; k <= z + 1 && k < d; k++)
					sum += x + 1 < w && y + 1 < h ? in[(k * h + y + 1) * w + x + 1] : 0;
				FACT(out[(z * h + y) * w + x] == (z + 1 < d ? sum : 0));
			}
	CALL(hipFree(a.ptr));
	CALL(hipFree(b.ptr));
	CALL(hipStreamDestroy(s));
}

int main()
{
	if (can_pitch()) {
		matrices();
		boxes();
	}
	return done();
}
