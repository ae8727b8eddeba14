/* check.h -- what the HIP programs share: calls that must succeed, facts that must hold, arrays on the device.
 * A program returns done(): 0, or 1 after a message for each fact that does not hold. No device: status 77.
 * Each .hip file is a program by itself; all.hip is all of them in one, for quick building. */
#ifndef CHECK_H
#define CHECK_H
#include <hip/hip_runtime.h>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static std::atomic<int> failed_facts;

static inline void call(hipError_t e, const char *what, const char *file, int line)
{
	if (e == hipSuccess)
		return;
	fprintf(stderr, "%s:%d: %s: %s (%d)\n", file, line, what, hipGetErrorName(e), (int)e);
	exit(e == hipErrorNoDevice || e == hipErrorInvalidDevice ? 77 : 1);
}
#define CALL(...) call((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

static inline void fact(bool holds, const char *what, const char *file, int line)
{
	if (holds)
		return;
	if (failed_facts++ < 5)
		fprintf(stderr, "%s:%d: not so: %s\n", file, line, what);
}
#define FACT(...) fact((__VA_ARGS__), #__VA_ARGS__, __FILE__, __LINE__)

/* A call that must fail, in one of two ways at most. */
static inline void refusal(hipError_t e, hipError_t want, hipError_t or_want, const char *what, const char *file, int line)
{
	if (e == want || e == or_want)
		return;
	failed_facts++;
	fprintf(stderr, "%s:%d: %s: %s instead of %s\n", file, line, what, hipGetErrorName(e), hipGetErrorName(want));
}
#define REFUSED(want, ...) refusal((__VA_ARGS__), want, want, #__VA_ARGS__, __FILE__, __LINE__)
#define REFUSED_AS(want, or_want, ...) refusal((__VA_ARGS__), want, or_want, #__VA_ARGS__, __FILE__, __LINE__)

static inline int done() { return failed_facts != 0; }

/* The launch before this must have been taken, and all work must end well. */
#define FINISH() do { CALL(hipGetLastError()); CALL(hipDeviceSynchronize()); } while (0)

template <typename T> T *on_device(const T *from, size_t n)
{
	T *p;
	CALL(hipMalloc((void **)&p, n * sizeof(T)));
	CALL(hipMemcpy(p, from, n * sizeof(T), hipMemcpyHostToDevice));
	return p;
}

template <typename T> T *zeroed(size_t n)
{
	T *p;
	CALL(hipMalloc((void **)&p, n * sizeof(T)));
	CALL(hipMemset(p, 0, n * sizeof(T)));
	return p;
}

template <typename T> std::vector<T> on_host(const T *p, size_t n)
{
	std::vector<T> v(n);
	CALL(hipMemcpy(v.data(), p, n * sizeof(T), hipMemcpyDeviceToHost));
	return v;
}

static inline uint32_t mix(uint32_t x)
{
	x = (x ^ x >> 16) * 0x7feb352du;
	x = (x ^ x >> 15) * 0x846ca68bu;
	return x ^ x >> 16;
}
#endif
