/* Fills of bytes, halves and words, at odd places and of odd sizes, now and on a stream. None that begins at an
 * odd place ends before the next multiple of 8: HIP 5.2 then fills to the end of the buffer and past it. */
#include "check.h"

int main()
{
	const size_t n = 70000;
	std::vector<uint8_t> want(n);
	uint8_t *p = zeroed<uint8_t>(n);
	hipStream_t s;
	CALL(hipStreamCreate(&s));
	struct { size_t at, size; } parts[] = { { 0, 1 }, { 8, 3 }, { 3, 9 }, { 5, 12 }, { 16, 16 }, { 33, 31 }, { 255, 257 }, { 1024, 4096 },
		{ 6001, 9999 }, { 20001, 49999 }, { 69990, 10 } };
	int k = 0;
	for (auto &part : parts) {
		int value = 0x30 + k * 7;
		if (k % 2)
			CALL(hipMemset(p + part.at, value, part.size));
		else
			CALL(hipMemsetAsync(p + part.at, value, part.size, s));
		CALL(hipStreamSynchronize(s));
		CALL(hipDeviceSynchronize());
		memset(want.data() + part.at, value, part.size);
		k++;
		FACT(on_host(p, n) == want);
	}
	CALL(hipMemsetD8((hipDeviceptr_t)(p + 11), 0xee, 13));
	memset(want.data() + 11, 0xee, 13);
	CALL(hipMemsetD16((hipDeviceptr_t)(p + 128), 0xbeef, 77));
	for (int i = 0; i < 77; i++)
		memcpy(want.data() + 128 + 2 * i, "\xef\xbe", 2);
	CALL(hipMemsetD32((hipDeviceptr_t)(p + 400), (int)0xdeadbeef, 1001));
	for (int i = 0; i < 1001; i++)
		memcpy(want.data() + 400 + 4 * i, "\xef\xbe\xad\xde", 4);
	CALL(hipMemsetD32Async((hipDeviceptr_t)(p + 8000), 0x01020304, 50, s));
	CALL(hipStreamSynchronize(s));
	for (int i = 0; i < 50; i++)
		memcpy(want.data() + 8000 + 4 * i, "\4\3\2\1", 4);
	CALL(hipDeviceSynchronize());
	FACT(on_host(p, n) == want);
	CALL(hipFree(p));
	CALL(hipStreamDestroy(s));
	return done();
}
