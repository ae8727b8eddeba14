/* conform.c -- loads and freezes a code object with whatever libhsa-runtime64 there is and prints what it finds: conform OBJECT.
 * The status of loading and of freezing, then a line a symbol: name, kind, sizes, and what then lies in memory: descriptors and the
 * begin of the code of kernels, variables. Addresses into the object are printed as distances, which do not depend on where it lies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hsa/hsa_abi.h"

enum { DESCRIPTOR = 64, MOST = 4096 };
static hsa_agent_t gpu;

static hsa_status_t take(hsa_agent_t a, void *data)
{
	uint32_t type = 9;
	(void)data;
	hsa_agent_get_info(a, HSA_AGENT_INFO_DEVICE, &type);
	if (type == HSA_DEVICE_TYPE_GPU)
		gpu = a;
	return HSA_STATUS_SUCCESS;
}

static uint32_t number(hsa_executable_symbol_t s, uint32_t attribute)
{
	uint32_t x = 0;
	return hsa_executable_symbol_get_info(s, attribute, &x) ? UINT32_MAX : x;
}

static uint64_t address(hsa_executable_symbol_t s, uint32_t attribute)
{
	uint64_t x = 0;
	return hsa_executable_symbol_get_info(s, attribute, &x) ? 0 : x;
}

/* Memory in words of 8 bytes. */
static void dump(uint64_t at, uint32_t size)
{
	for (uint32_t i = 0; i < size; i += 8) {
		uint64_t x = 0;
		int64_t way;
		memcpy(&x, (const char *)(uintptr_t)at + i, size - i < 8 ? size - i : 8);
		way = (int64_t)(x - at);
		if (way > -(1 << 22) && way < 1 << 22)
			printf(" here%+lld", (long long)way);
		else
			printf(" %llx", (unsigned long long)x);
	}
}

static void show_memory(hsa_executable_symbol_t s, bool kernel)
{
	uint64_t at = address(s, kernel ? HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT : HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS);
	int64_t entry;
	uint32_t size = kernel ? DESCRIPTOR : number(s, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE);
	dump(at, size < MOST ? size : MOST);
	if (kernel) {
		memcpy(&entry, (const char *)(uintptr_t)at + 16, sizeof entry);
		dump(at + (uint64_t)entry, DESCRIPTOR);
	}
	puts("");
}

static hsa_status_t show(hsa_executable_t e, hsa_agent_t a, hsa_executable_symbol_t s, void *data)
{
	char name[256] = "";
	(void)e, (void)a, (void)data;
	if (number(s, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH) < sizeof name)
		hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name);
	bool kernel = number(s, HSA_EXECUTABLE_SYMBOL_INFO_TYPE) == HSA_SYMBOL_KIND_KERNEL;
	if (kernel)
		printf("kernel %s kernarg %u align %u group %u private %u", name,
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE),
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT),
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE),
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE));
	else
		printf("variable %s size %u", name, number(s, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE));
	show_memory(s, kernel);
	return HSA_STATUS_SUCCESS;
}

int main(int argc, char **argv)
{
	static char bytes[1 << 20];
	hsa_code_object_reader_t r;
	hsa_executable_t e;
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
	if (!n || hsa_init() || hsa_iterate_agents(take, NULL) || !gpu.handle) {
		puts("no object or no device");
		return 1;
	}
	if (hsa_code_object_reader_create_from_memory(bytes, n, &r) || hsa_executable_create_alt(HSA_PROFILE_BASE, 0, NULL, &e))
		return 1;
	hsa_status_t s = hsa_executable_load_agent_code_object(e, gpu, r, NULL, NULL);
	printf("status 0x%x\n", (unsigned)s);
	if (!s)
		printf("frozen 0x%x\n", (unsigned)hsa_executable_freeze(e, NULL));
	if (!s)
		hsa_executable_iterate_agent_symbols(e, gpu, show, NULL);
	fflush(stdout);
	_exit(0);
}
