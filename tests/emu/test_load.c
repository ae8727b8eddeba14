/* test_load.c -- loading code objects: what is refused and why, globals and relocations,
 * kernels' facts; and hostile files: every truncation, thousands of bit flips, loaded and run.
 * Nothing may crash (run under
 * AddressSanitizer) and nothing may run on for ever.
 * Objects come from t_object, and from clang-19 where it is installed (with debug information). */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>

#include "length.h"
#include "t.h"

static uint8_t *make(const char *chip, size_t *n)
{
	t_code *c = t_new(chip);
	t_prologue(c);
	OP(c, v_lshlrev_b32, V(1), K(2), V(0));
	MEM(c, global_store_dword, 0, V(1), V(0), SN(6, 2));
	t_op(c, OP_s_endpgm, NULL, 0);
	uint8_t *p = t_object(c, n);
	free(c);
	return p;
}

static emu_device *device(const char *id)
{
	emu_device *d = NULL;
	emu_error e = { "" };
	if (emu_create(&(emu_config){ .size = sizeof(emu_config), .target = id, .threads = 1, .timeout = 2 }, &d, &e) != EMU_OK)
		t_bad("device %s: %s", id, e.text);
	return d;
}

/* Loads the object after `at` was set to `byte`; the message must hold `why` ("" accepted). */
static void refused(const char *name, const char *id, size_t at, uint8_t byte, const char *why)
{
	size_t n;
	uint8_t *p = make("gfx90a", &n);
	emu_device *d = device(id);
	emu_object *o;
	emu_error e = { "" };
	p[at] = byte;
	emu_status s = emu_load(d, p, n, &o, &e);
	if ((s == EMU_OK) != !*why || !strstr(e.text, why))
		t_bad("%s: status %d, '%s'", name, s, e.text);
	else
		t_ok("%s", name);
	emu_destroy(d);
	free(p);
}

static void refusals(void)
{
	refused("a good object", "gfx90a", 0, 0x7f, "");
	refused("no ELF", "gfx90a", 0, 0, "not an ELF file");
	refused("32 bits", "gfx90a", 4, 1, "ELF-64");
	refused("big endian", "gfx90a", 5, 2, "ELF-64");
	refused("x86", "gfx90a", 18, 62, "AMDGPU");
	refused("other system", "gfx90a", 7, 0, "AMDGPU");
	refused("version 3", "gfx90a", 8, 1, "version");
	refused("version 5", "gfx90a", 8, 3, "");
	refused("relocatable", "gfx90a", 16, 1, "not linked");
	refused("made for another chip", "gfx90a", 48, 0x41,
		"made for gfx1100, the device is gfx90a");
	refused("xnack on, device off", "gfx90a:xnack-", 49, 0x07, "xnack");
	refused("xnack off, device off", "gfx90a:xnack-", 49, 0x06, "");
	refused("xnack on, device any", "gfx90a", 49, 0x07, "");
	refused("sramecc off, device on", "gfx90a:sramecc+", 49, 0x09, "sramecc");
	refused("program headers outside", "gfx90a", 34, 0xff, "outside the file");
	refused("section headers outside", "gfx90a", 42, 0xff, "outside the file");
	refused("note of another kind", "gfx90a", 0x208, 1, "no AMDGPU metadata");
	refused("malformed note", "gfx90a", 0x214, 0xc1, "malformed");
	refused("descriptor points nowhere", "gfx90a", 0x412, 0x10, "does not point to code");
	emu_error e = { "" };
	emu_device *d;
	emu_status s = emu_create(
		&(emu_config){ .size = sizeof(emu_config), .target = "gfx12345" }, &d, &e);
	t_result("unknown target", s == EMU_EARG && strstr(e.text, "gfx12345") ? NULL : e.text);
}

static void facts(void)
{
	size_t n;
	uint8_t *p = make("gfx1100", &n);
	emu_device *d = device("gfx1100");
	emu_object *o;
	emu_error e = { "" };
	if (emu_load(d, p, n, &o, &e) != EMU_OK) {
		t_bad("facts: %s", e.text);
		return;
	}
	const emu_kernel *k = emu_find_kernel(o, "k");
	t_result("kernel's facts", k && k == emu_kernel_at(o, 0) && emu_kernel_count(o) == 1 && k->wave == 32 &&
		k->kernarg_size == 16 && k->nargs == 1 && k->args[0].kind == EMU_ARG_BY_VALUE && k->args[0].size == 16 &&
		k->max_workgroup == 1024 ? NULL : "wrong");
	t_result("no such kernel", emu_find_kernel(o, "x") ? "found" : NULL);
	uint64_t addr, start;
	size_t size;
	t_result("descriptor as a variable",
		emu_find_global(o, "k.kd", &addr, &size) && addr == k->descriptor && size == 64
			? NULL
			: "wrong");
	t_result("a function is no variable",
		emu_find_global(o, "k", &addr, &size) ? "found" : NULL);
	t_result("segment in the table",
		emu_find_buffer(d, k->descriptor + 8, &start, &size) && size == 0x1000 ? NULL
										       : "wrong");
	emu_unload(o);
	t_result("gone after unloading",
		emu_find_buffer(d, start, &start, &size) ? "still there" : NULL);
	emu_destroy(d);
	free(p);
}

static void memory(void)
{
	emu_device *d = device("gfx1030");
	uint64_t a = emu_alloc(d, 100), b = emu_alloc(d, 0), start;
	size_t size;
	char mine[64];
	t_result("buffers",
		a && b && a != b && emu_find_buffer(d, a + 99, &start, &size) && start == a &&
				size == 100
			? NULL
			: "wrong");
	t_result("behind a buffer", emu_find_buffer(d, a + 100, &start, &size) ? "found" : NULL);
	t_result("free",
		emu_free(d, a) == EMU_OK && !emu_find_buffer(d, a, &start, &size) ? NULL : "wrong");
	t_result("free twice", emu_free(d, a) == EMU_EARG ? NULL : "accepted");
	t_result("free the middle", emu_free(d, b + 1) == EMU_EARG ? NULL : "accepted");
	t_result("map", emu_map(d, mine, sizeof mine, true) == EMU_OK ? NULL : "refused");
	t_result("map overlapping", emu_map(d, mine + 8, 8, true) == EMU_EARG ? NULL : "accepted");
	t_result("unmap",
		emu_unmap(d, mine) == EMU_OK && emu_unmap(d, mine) == EMU_EARG ? NULL : "wrong");
	emu_destroy(d);
}

/* Loads and, where that works, runs every kernel briefly. */
static unsigned try(emu_device *d, const uint8_t *p, size_t n)
{
	emu_object *o;
	emu_error e = { "" };
	uint8_t *copy = malloc(n ? n : 1);         /* exactly as long: reading over the end shows */
	memcpy(copy, p, n);
	unsigned ran = 0;
	if (emu_load(d, copy, n, &o, &e) == EMU_OK) {
		static emu_result r;
		uint64_t args[2] = { 0, emu_alloc(d, 4096) };
		emu_launch_config l = {
			.block = { 64, 1, 1 }, .args = args, .args_size = sizeof args
		};
		for (size_t i = 0; i < emu_kernel_count(o) && i < 4; i++)
			ran += emu_launch(d, emu_kernel_at(o, i), &l, &r) == EMU_OK;
		emu_free(d, args[1]);
		emu_unload(o);
	} else if (!*e.text)
		t_bad("refused without a reason");
	free(copy);
	return ran;
}

static void fuzz(const char *name, const char *chip, const uint8_t *good, size_t n, unsigned flips)
{
	emu_device *d = NULL;
	unsigned ran = 0;
	emu_create(
		&(emu_config){
			.size = sizeof(emu_config), .target = chip, .threads = 1, .timeout = 0.02 },
		&d, NULL);
	uint8_t *p = malloc(n);
	for (size_t k = 0; k < n; k += n > 8192 ? 1 + k % 97 : 1)
		ran += try(d, good, k);
	for (unsigned k = 0; k < flips; k++) {
		memcpy(p, good, n);
		for (unsigned m = 0; m <= k % 3; m++) {
			uint64_t r = t_random();
			/* headers, mostly */
			size_t at = r % 3 ? (r >> 8) % n : (r >> 8) % (n < 0x600 ? n : 0x600);
			p[at] = (uint8_t)(r >> 60 ? p[at] ^ 1u << (r >> 56 & 7) : r >> 48);
		}
		ran += try(d, p, n);
	}
	t_ok("%s: %zu truncations, %u bit flips, %u still ran", name, n, flips, ran);
	free(p);
	emu_destroy(d);
}

/* An object of another compiler's, with variables that need relocating and debug information. */
static const char source[] = "__constant int table[4] = { 10, 20, 30, 40 };\n"
			     "struct s { __constant int *p; int n; };\n"
			     "__constant struct s where = { &table[2], 7 };\n"
			     "kernel void k(global const uint *in, global uint *out) { out[0] = "
			     "where.p[0] + where.n + table[1]; }\n";

static uint8_t *other_object(const char *chip, size_t *n)
{
	static uint8_t buf[1 << 20];
	char dir[] = "/tmp/p2a-emu-XXXXXX", cmd[512], path[64];
	*n = 0;
	if (system("clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1100 --version >/dev/null 2>&1") || !mkdtemp(dir))
		return NULL;
	snprintf(path, sizeof path, "%s/k.cl", dir);
	FILE *f = fopen(path, "w");
	fputs(source, f);
	fclose(f);
	snprintf(cmd, sizeof cmd, "clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O1 -g -w "
		"%s/k.cl -o %s/k.o", chip, dir, dir);
	if (!system(cmd)) {
		snprintf(path, sizeof path, "%s/k.o", dir);
		f = fopen(path, "rb");
		*n = fread(buf, 1, sizeof buf, f);
		fclose(f);
	}
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	return !system(cmd) && *n ? buf : NULL;
}

static void relocated(const char *chip, const uint8_t *p, size_t n)
{
	emu_device *d = device(chip);
	emu_object *o;
	emu_error e = { "" };
	emu_result r;
	if (emu_load(d, p, n, &o, &e) != EMU_OK) {
		t_bad("%s relocated pointers: %s", chip, e.text);
		return;
	}
	uint64_t args[2] = { 0, emu_alloc(d, 64) };
	emu_launch_config l = { .args = args, .args_size = sizeof args };
	emu_status s = emu_launch(d, emu_find_kernel(o, "k"), &l, &r);
	uint32_t got = *(uint32_t *)(uintptr_t)args[1];
	if (s != EMU_OK || got != 57)
		t_bad("%s relocated pointers: %u, %s", chip, got, r.fault.message);
	else
		t_ok("%s relocated pointers", chip);
	emu_destroy(d);
}

int main(int argc, char **argv)
{
	unsigned flips = argc > 1 ? (unsigned)atoi(argv[1]) : test_length(500, 3000, 3000);
	refusals();
	facts();
	memory();
	for (const char *const *chip = t_chips; *chip; chip++) {
		size_t n;
		uint8_t *p = make(*chip, &n), *q;
		fuzz(*chip, *chip, p, n, flips);
		free(p);
		q = other_object(*chip, &n);
		if (q) {
			char name[64];
			relocated(*chip, q, n);
			snprintf(name, sizeof name, "%s clang", *chip);
			fuzz(name, *chip, q, n, flips);
		} else
			t_skip("%s clang: no clang-19 that knows amdgcn", *chip);
	}
	return t_end();
}
