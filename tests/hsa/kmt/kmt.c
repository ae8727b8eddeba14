/* kmt.c -- a stand-in libhsakmt.so.1: AMD's HSA runtime finds one processor and one GPU, whose chip KMT_CHIP says ("9.0.10"), and can
 * allocate memory. No code is ever executed: it is there so that the runtime's own code object loader runs without a driver (queue.c).
 * Needs libhsakmt-dev's headers. All other functions answer "not implemented". */
#define _GNU_SOURCE
#include <hsakmt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define API __attribute__((visibility("default")))
#define OK HSAKMT_STATUS_SUCCESS
enum { CPU, GPU, NODES };
#define GIB ((uint64_t)1 << 30)

#define SIMPLE(name, ...) API HSAKMT_STATUS name(__VA_ARGS__) { return OK; }
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

SIMPLE(hsaKmtOpenKFD, void)
SIMPLE(hsaKmtCloseKFD, void)
SIMPLE(hsaKmtReleaseSystemProperties, void)
SIMPLE(hsaKmtRuntimeEnable, void *debug, bool ttmp)
SIMPLE(hsaKmtRuntimeDisable, void)
SIMPLE(hsaKmtSetMemoryPolicy, HSAuint32 n, HSAuint32 p, HSAuint32 a, void *at, HSAuint64 size)
SIMPLE(hsaKmtSetTrapHandler, HSAuint32 n, void *code, HSAuint64 size, void *buffer, HSAuint64 bytes)
SIMPLE(hsaKmtDeregisterMemory, void *p)
SIMPLE(hsaKmtUnmapMemoryToGPU, void *p)
SIMPLE(hsaKmtRegisterMemoryWithFlags, void *p, HSAuint64 size, HsaMemFlags f)
SIMPLE(hsaKmtSetMemoryUserData, const void *p, void *user)
SIMPLE(hsaKmtSetEvent, HsaEvent *e)
SIMPLE(hsaKmtGetTileConfig, HSAuint32 n, HsaGpuTileConfig *c)

API HSAKMT_STATUS hsaKmtGetVersion(HsaVersionInfo *v)
{
	*v = (HsaVersionInfo){ 1, 8 };
	return OK;
}

API HSAKMT_STATUS hsaKmtAcquireSystemProperties(HsaSystemProperties *s)
{
	*s = (HsaSystemProperties){ .NumNodes = NODES };
	return OK;
}

API HSAKMT_STATUS hsaKmtGetNodeProperties(HSAuint32 node, HsaNodeProperties *p)
{
	unsigned major = 9, minor = 0, step = 0;
	const char *chip = getenv("KMT_CHIP");
	memset(p, 0, sizeof *p);
	p->NumMemoryBanks = 1;
	p->NumIOLinks = 1;
	if (node == CPU) {
		p->NumCPUCores = 1;
		return OK;
	}
	if (!chip || sscanf(chip, "%u.%u.%u", &major, &minor, &step) != 3)
		return HSAKMT_STATUS_ERROR;
	p->NumMemoryBanks = 3;
	p->NumFComputeCores = 4;
	p->EngineId.ui32.Major = major;
	p->EngineId.ui32.Minor = minor;
	p->EngineId.ui32.Stepping = step;
	p->Capability.ui32.DoorbellType = 2;
	p->Capability.ui32.SRAM_EDCSupport = major == 9 && (step == 6 || step == 10);
	p->MaxWavesPerSIMD = 10;
	p->LDSSizeInKB = 64;
	p->WaveFrontSize = major == 9 ? 64 : 32;
	p->NumShaderBanks = p->NumArrays = p->NumCUPerArray = 1;
	p->NumSIMDPerCU = 4;
	p->MaxSlotsScratchCU = 32;
	p->VendorId = 0x1002;
	p->DeviceId = 0x7408;
	p->LocalMemSize = GIB;
	p->MaxEngineClockMhzFCompute = 1000;
	p->DrmRenderMinor = -1;
	p->NumCpQueues = 8;
	return OK;
}

API HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(HSAuint32 node, HSAuint32 n, HsaMemoryProperties *p)
{
	memset(p, 0, n * sizeof *p);
	p[0].HeapType = node == CPU ? HSA_HEAPTYPE_SYSTEM : HSA_HEAPTYPE_FRAME_BUFFER_PRIVATE;
	p[0].SizeInBytes = GIB;
	p[0].Width = 64;
	p[0].MemoryClockMax = 1000;
	if (n > 2) {
		p[1] = (HsaMemoryProperties){ .HeapType = HSA_HEAPTYPE_GPU_LDS, .SizeInBytes = 65536, .VirtualBaseAddress = (uint64_t)1 << 48 };
		p[2] = (HsaMemoryProperties){ .HeapType = HSA_HEAPTYPE_GPU_SCRATCH, .SizeInBytes = GIB, .VirtualBaseAddress = (uint64_t)2 << 48 };
	}
	return OK;
}

API HSAKMT_STATUS hsaKmtGetNodeCacheProperties(HSAuint32 node, HSAuint32 cpu, HSAuint32 n, HsaCacheProperties *p)
{
	memset(p, 0, n * sizeof *p);
	return OK;
}

API HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(HSAuint32 node, HSAuint32 n, HsaIoLinkProperties *p)
{
	memset(p, 0, n * sizeof *p);
	for (HSAuint32 i = 0; i < n; i++) {
		p[i].IoLinkType = HSA_IOLINKTYPE_PCIEXPRESS;
		p[i].NodeFrom = node;
		p[i].NodeTo = node == CPU ? GPU : CPU;
		p[i].Weight = 20;
	}
	return OK;
}

API HSAKMT_STATUS hsaKmtGetClockCounters(HSAuint32 node, HsaClockCounters *c)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t ns = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
	*c = (HsaClockCounters){ ns / 10, ns, ns, 1000000000u };
	return OK;
}

API HSAKMT_STATUS hsaKmtGetXNACKMode(HSAint32 *on)
{
	*on = 0;
	return OK;
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static struct block { char *p; uint64_t size; HsaMemFlags flags; HSAuint32 node; } blocks[4096];
static unsigned nblocks;

API HSAKMT_STATUS hsaKmtAllocMemory(HSAuint32 node, HSAuint64 size, HsaMemFlags flags, void **out)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED || nblocks == sizeof blocks / sizeof *blocks)
		return HSAKMT_STATUS_NO_MEMORY;
	blocks[nblocks++] = (struct block){ p, size, flags, node };
	*out = p;
	return OK;
}

API HSAKMT_STATUS hsaKmtFreeMemory(void *p, HSAuint64 size)
{
	for (unsigned i = 0; i < nblocks; i++)
		if (blocks[i].p == p) {
			munmap(p, blocks[i].size);
			blocks[i] = blocks[--nblocks];
			return OK;
		}
	return HSAKMT_STATUS_ERROR;
}

API HSAKMT_STATUS hsaKmtMapMemoryToGPU(void *p, HSAuint64 size, HSAuint64 *at)
{
	if (at)
		*at = (uint64_t)(uintptr_t)p;
	return OK;
}

API HSAKMT_STATUS
hsaKmtMapMemoryToGPUNodes(void *p, HSAuint64 size, HSAuint64 *at, HsaMemMapFlags f, HSAuint64 n, HSAuint32 *nodes)
{
	return hsaKmtMapMemoryToGPU(p, size, at);
}

API HSAKMT_STATUS hsaKmtQueryPointerInfo(const void *p, HsaPointerInfo *info)
{
	memset(info, 0, sizeof *info);
	for (unsigned i = 0; i < nblocks; i++)
		if ((const char *)p >= blocks[i].p && (const char *)p < blocks[i].p + blocks[i].size) {
			info->Type = HSA_POINTER_ALLOCATED;
			info->Node = blocks[i].node;
			info->MemFlags = blocks[i].flags;
			info->CPUAddress = blocks[i].p;
			info->GPUAddress = (uint64_t)(uintptr_t)blocks[i].p;
			info->SizeInBytes = blocks[i].size;
		}
	return OK;
}

/* ---- Events: they never happen ---------------------------------------------------------------- */

API HSAKMT_STATUS hsaKmtCreateEvent(HsaEventDescriptor *d, bool manual, bool set, HsaEvent **out)
{
	static HSAuint32 id;
	HsaEvent *e = calloc(1, sizeof *e);
	if (!e)
		return HSAKMT_STATUS_NO_MEMORY;
	e->EventId = ++id;
	e->EventData.EventType = d->EventType;
	*out = e;
	return OK;
}

API HSAKMT_STATUS hsaKmtDestroyEvent(HsaEvent *e)
{
	free(e);
	return OK;
}

static HSAKMT_STATUS sleep_a_while(void)
{
	nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
	return HSAKMT_STATUS_WAIT_TIMEOUT;
}

API HSAKMT_STATUS hsaKmtWaitOnEvent(HsaEvent *e, HSAuint32 ms) { return sleep_a_while(); }
API HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(HsaEvent **e, HSAuint32 n, bool all, HSAuint32 ms) { return sleep_a_while(); }
