/* test_loader.c -- code objects: what is loaded and found; objects for other chips, other versions, other features, cut off and with
 * any byte changed are refused with the status that AMD's loader gives, or load, and never end the process. */
#include "kit.h"

static kit K;
static uint8_t *object;
static size_t size;

static hsa_status_t load(const void *p, size_t n, unsigned gpu)
{
	hsa_code_object_reader_t r;
	hsa_executable_t e;
	hsa_status_t s = hsa_code_object_reader_create_from_memory(p, n, &r);
	if (s)
		return s;
	must(!hsa_executable_create_alt(HSA_PROFILE_BASE, 0, NULL, &e), "an executable");
	s = hsa_executable_load_agent_code_object(e, K.gpu[gpu], r, NULL, NULL);
	hsa_executable_destroy(e);
	hsa_code_object_reader_destroy(r);
	return s;
}

/* The object with one byte of its ELF header changed. */
static hsa_status_t changed(size_t at, uint8_t value)
{
	uint8_t *p = malloc(size);
	must(p, "memory");
	memcpy(p, object, size);
	p[at] = value;
	hsa_status_t s = load(p, size, 0);
	free(p);
	return s;
}

static void headers(void)
{
	enum { CLASS = 4, ABI = 7, VERSION = 8, TYPE = 16, MACHINE = 18, FLAGS = 48 };
	check_status(load(object, size, 0), HSA_STATUS_SUCCESS, "the object as it is");
	check_status(load(object, size, 1), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "on another device");
	check_status(changed(0, 0), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "no ELF file");
	check_status(changed(CLASS, 1), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "ELF of 32 bits");
	check_status(changed(ABI, 0), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "for another operating system");
	check_status(changed(VERSION, 1), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "version 3");
	check_status(changed(VERSION, 9), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "version 11");
	check_status(changed(TYPE, 1), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "not linked");
	check_status(changed(MACHINE, 62), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "for another kind of machine");
	check_status(changed(FLAGS, 0x2c), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "for gfx900");
	check_status(changed(FLAGS, 0xee), HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "for a chip that nobody knows");
	check_status(changed(FLAGS + 1, 3 | 1 << 2), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "for xnack on");
	check_status(changed(FLAGS + 1, 2 | 3 << 2), HSA_STATUS_SUCCESS, "for xnack off, sramecc on");
	check_status(changed(FLAGS + 1, 2 << 2), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "for sramecc off");
}

/* Only that the process lives, and that what is cut off is refused: a changed byte of code or of a comment is no fault of the file. */
static void corrupt(void)
{
	unsigned loaded = 0, refused = 0, cut = 0;
	uint64_t seed = 88172645463325252u;
	uint8_t *p = malloc(size);
	must(p, "memory");
	for (size_t n = 1; n < size; n += size / 40 + 1)
		cut += load(object, n, 0) == HSA_STATUS_SUCCESS;
	check(!cut, "objects that are cut off are refused", "%u were loaded", cut);
	for (int i = 0; i < 300; i++) {
		memcpy(p, object, size);
		for (int k = 0; k < 4; k++) {
			seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
			/* The headers and tables more often than the rest. */
			size_t at = (size_t)(seed >> 8) % (i % 2 ? size : 1024 < size ? 1024 : size);
			p[at] ^= (uint8_t)(1 << (seed & 7));
		}
		hsa_status_t s = load(p, size, 0);
		loaded += s == HSA_STATUS_SUCCESS;
		refused += s == HSA_STATUS_ERROR_INVALID_CODE_OBJECT || s == HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
	}
	check(loaded + refused == 300 && refused, "300 objects with changed bits load or are refused", "%u, %u", loaded, refused);
	free(p);
}

static hsa_status_t count(hsa_executable_t e, hsa_agent_t a, hsa_executable_symbol_t s, void *data)
{
	(void)e, (void)a, (void)s;
	++*(int *)data;
	return HSA_STATUS_SUCCESS;
}

static void symbols(void)
{
	kit_code c;
	hsa_executable_symbol_t s;
	uint32_t kind = 9, bytes = 0, length = 0, kernarg = 0;
	uint64_t at = 0;
	int n = 0;
	char name[32] = "";
	kit_load(&c, &K, 0, kit_ptx);
	check_status(hsa_executable_get_symbol_by_name(c.exe, "nix", &c.agent, &s), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "a name that is not there");
	check_status(hsa_executable_get_symbol_by_name(c.exe, "counter", NULL, &s), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "a name of no agent");
	check_status(hsa_executable_get_symbol_by_name(c.exe, "counter", &K.gpu[1], &s), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "a name of another agent");
	must(!hsa_executable_get_symbol_by_name(c.exe, "counter", &c.agent, &s), "the variable");
	hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind);
	hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &bytes);
	hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &at);
	hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
	must(length == 7, "the name's length");
	hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name);
	uint32_t value = 0;
	hsa_memory_copy(&value, (void *)(uintptr_t)at, 4);
	check(kind == HSA_SYMBOL_KIND_VARIABLE && bytes == 4 && value == 41 && !strcmp(name, "counter"), "a variable and its value", "%s: kind %u, %u bytes, %u",
		name, kind, bytes, value);
	check_status(hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &at), HSA_STATUS_ERROR_INVALID_ARGUMENT, "a variable is no kernel");
	must(!hsa_executable_get_symbol_by_name(c.exe, "plus.kd", &c.agent, &s), "the kernel");
	hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind);
	hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernarg);
	check(kind == HSA_SYMBOL_KIND_KERNEL && kernarg >= sizeof(kit_args), "a kernel and its arguments", "kind %u, %u bytes", kind, kernarg);
	hsa_executable_iterate_agent_symbols(c.exe, c.agent, count, &n);
	check(n == 6, "five kernels and a variable", "%d symbols", n);
	check_status(hsa_executable_load_agent_code_object(c.exe, c.agent, c.reader, NULL, NULL), HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "nothing more when frozen");
	check_status(hsa_executable_freeze(c.exe, NULL), HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "frozen once");
	kit_unload(&c);
	check_status(hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &kind), HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, "a symbol goes with its executable");
	check_status(hsa_executable_destroy(c.exe), HSA_STATUS_ERROR_INVALID_EXECUTABLE, "an executable goes once");
}

static void twice(void)
{
	hsa_code_object_reader_t r;
	hsa_executable_t e;
	must(!hsa_code_object_reader_create_from_memory(object, size, &r) && !hsa_executable_create_alt(HSA_PROFILE_BASE, 0, NULL, &e), "an executable");
	check_status(hsa_executable_load_agent_code_object(e, K.host, r, NULL, NULL), HSA_STATUS_ERROR_INVALID_AGENT, "the host runs no kernels");
	check_status(hsa_executable_load_agent_code_object(e, K.gpu[0], r, NULL, NULL), HSA_STATUS_SUCCESS, "loaded");
	check_status(hsa_executable_load_agent_code_object(e, K.gpu[0], r, NULL, NULL), HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "the same names again");
	check_status(hsa_executable_load_agent_code_object(e, K.gpu[0], (hsa_code_object_reader_t){ 0 }, NULL, NULL), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER,
		"no reader");
	hsa_executable_destroy(e);
	hsa_code_object_reader_destroy(r);
}

static void table(void)
{
	hsa_ven_amd_loader_1_03_pfn_t t = { 0 };
	hsa_ven_amd_loader_segment_descriptor_t d[4];
	kit_code c;
	hsa_executable_t e = { 0 };
	size_t n = 0;
	kit_load(&c, &K, 0, kit_ptx);
	uint64_t kernel = kit_kernel(&c, "plus");
	must(!hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof t, &t) && t.iterate_executables, "the loader's table");
	check(!t.query_executable((void *)(uintptr_t)kernel, &e) && e.handle == c.exe.handle, "which executable an address is of", "another");
	check(!t.query_segment_descriptors(NULL, &n) && n == 1 && !t.query_segment_descriptors(d, &n) && d[0].code_object_storage_base == c.object &&
		kernel - (uint64_t)(uintptr_t)d[0].segment_base < d[0].segment_size, "where it is loaded", "%zu segments", n);
	kit_unload(&c);
}

int main(void)
{
	kit_open(&K, "gfx90a,gfx1030");
	object = kit_object(kit_ptx, "gfx90a", &size);
	headers();
	corrupt();
	symbols();
	twice();
	table();
	free(object);
	kit_close();
	return failures != 0;
}
