/* conform.c -- loads a code object with whatever libhsa-runtime64 there is and prints what it finds: conform OBJECT.
 * The status of loading, then a line a symbol: name, kind, sizes. Without freezing: that would copy with the GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hsa/hsa_abi.h"

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

static hsa_status_t show(hsa_executable_t e, hsa_agent_t a, hsa_executable_symbol_t s, void *data)
{
	char name[256] = "";
	(void)e, (void)a, (void)data;
	if (number(s, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH) < sizeof name)
		hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name);
	if (number(s, HSA_EXECUTABLE_SYMBOL_INFO_TYPE) == HSA_SYMBOL_KIND_KERNEL)
		printf("kernel %s kernarg %u align %u group %u private %u\n", name,
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE),
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT),
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE),
			number(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE));
	else
		printf("variable %s size %u\n", name, number(s, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE));
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
		hsa_executable_iterate_agent_symbols(e, gpu, show, NULL);
	fflush(stdout);
	_exit(0);
}
