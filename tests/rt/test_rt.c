/* test_rt.c -- the runtime as a host program sees it, on the emulator: devices, memory, modules, launches.
 * Every wrong call must come back with a status and a text; right ones must compute.
 * Contract: runtime/include/p2a_rt.h. */
#include "check.h"
#include "p2a_rt.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The call must end with this status; an error must come with words that contain `words`. */
static void
expect(const char *name, p2a_rt_status got, p2a_rt_status want, const p2a_error *e, const char *words)
{
	char why[600];

	snprintf(why, sizeof why, "%s instead of %s: %s", p2a_rt_status_name(got), p2a_rt_status_name(want),
		 e->text);
	check(got == want && (got == P2A_RT_OK || (e->status == got && strstr(e->text, words))), name, why);
}

static const char module_text[] =
	".version 7.0\n.target sm_70\n.address_size 64\n"
	".visible .global .align 4 .u32 table[3] = {10, 20, 30};\n"
	".visible .global .align 4 .u32 behind[4] = {7, 7, 7, 7};\n"
	".visible .entry add(.param .u64 y, .param .u32 k, .param .u8 unused)\n{\n"
	"\t.reg .b32 %r<9>; .reg .b64 %rd<4>;\n"
	"\tld.param.u64 %rd1, [y];\n\tld.param.u32 %r1, [k];\n"
	"\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %ntid.x;\n\tmov.u32 %r4, %tid.x;\n"
	"\tmad.lo.u32 %r5, %r2, %r3, %r4;\n\tmul.wide.u32 %rd2, %r5, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n"
	"\tld.global.u32 %r6, [%rd3];\n\tadd.u32 %r7, %r6, %r1;\n\tst.global.u32 [%rd3], %r7;\n\tret;\n}\n"
	".visible .entry sum(.param .u64 y)\n{\n"
	"\t.reg .b32 %r<9>; .reg .b64 %rd<4>;\n\tld.param.u64 %rd1, [y];\n"
	"\tld.global.u32 %r1, [table];\n\tld.global.u32 %r2, [table+8];\n\tadd.u32 %r3, %r1, %r2;\n"
	"\tst.global.u32 [%rd1], %r3;\n\tret;\n}\n"
	".visible .entry bounded(.param .u64 y) .maxntid 32\n{\n"
	"\t.shared .align 4 .b8 s[1024];\n\t.reg .b32 %r<3>; .reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [y];\n"
	"\tmov.u32 %r1, 1;\n\tst.shared.u32 [s], %r1;\n\tld.shared.u32 %r2, [s];\n"
	"\tst.global.u32 [%rd1], %r2;\n\tret;\n}\n";

/* ---- Devices --------------------------------------------------------------------------------- */

static p2a_device *
open_emu(const char *target)
{
	p2a_device_config c = { .size = sizeof c, .backend = "emu", .target = target, .threads = 2 };
	p2a_device *dev = NULL;
	p2a_error e = { .text = "" };

	check(p2a_device_open(&c, &dev, &e) == P2A_RT_OK, "open the emulator", e.text);
	return dev;
}

static void
test_devices(void)
{
	p2a_device *dev = NULL;
	p2a_error e = { .text = "" };
	p2a_device_config c = { .size = sizeof c, .backend = "cuda" };

	check(p2a_device_count("emu") == 1, "one emulated device", "another count");
	check(p2a_device_count("cuda") == 0 && p2a_device_count(NULL) == 0, "no device of an unknown kind", "some");
	expect("unknown backend", p2a_device_open(&c, &dev, &e), P2A_RT_EARG, &e, "'cuda'");
	c = (p2a_device_config){ .size = sizeof c, .backend = "emu", .target = "gfx1" };
	expect("unknown target", p2a_device_open(&c, &dev, &e), P2A_RT_EARG, &e, "gfx1");
	c = (p2a_device_config){ .size = sizeof c, .backend = "emu", .index = 1 };
	expect("no second emulator", p2a_device_open(&c, &dev, &e), P2A_RT_ENODEVICE, &e, "one");
	c = (p2a_device_config){ .backend = "emu" };
	expect("config without size", p2a_device_open(&c, &dev, &e), P2A_RT_EARG, &e, "size");
	c = (p2a_device_config){ .size = sizeof c + 1, .backend = "emu" };
	expect("config of another header", p2a_device_open(&c, &dev, &e), P2A_RT_EARG, &e, "size is");
	c = (p2a_device_config){ .size = sizeof c, .check = (p2a_check_level)9 };
	expect("unknown checks", p2a_device_open(&c, &dev, &e), P2A_RT_EARG, &e, "check level 9");
	c = (p2a_device_config){ .size = sizeof c, .timeout = strtod("nan", NULL) };
	expect("a timeout that is no number", p2a_device_open(&c, &dev, &e), P2A_RT_EARG, &e, "not a number");
	c = (p2a_device_config){ .size = sizeof c, .timeout = -1 };
	expect("negative timeout", p2a_device_open(&c, &dev, &e), P2A_RT_EARG, &e, "timeout");
	expect("nowhere to put a device", p2a_device_open(NULL, NULL, &e), P2A_RT_EARG, &e, "NULL");
	check(p2a_device_open(&c, &dev, NULL) == P2A_RT_EARG, "errors may be dropped", "another status");
	p2a_device_close(NULL);
	check(!strcmp(p2a_rt_status_name((p2a_rt_status)99), "unknown status"), "names of statuses are safe", "?");

	dev = open_emu("gfx90a:xnack-");
	check(!strcmp(p2a_device_backend(dev), "emu"), "backend's name", p2a_device_backend(dev));
	check(!strcmp(p2a_device_driver(dev), "p2a " P2A_VERSION) && !*p2a_device_driver(NULL), "backend's version", p2a_device_driver(dev));
	check(!strcmp(p2a_device_target(dev), "gfx90a:xnack-"), "target keeps its features", p2a_device_target(dev));
	check(strstr(p2a_device_name(dev), "gfx90a") != NULL, "device's name", p2a_device_name(dev));
	p2a_device_close(dev);
}

/* ---- Memory ---------------------------------------------------------------------------------- */

static void
test_memory(p2a_device *dev)
{
	p2a_error e = { .text = "" };
	uint64_t a = 0, b = 0;
	uint8_t in[100], out[100];

	for (size_t i = 0; i < sizeof in; i++)
		in[i] = (uint8_t)(i * 7 + 1);
	expect("allocate", p2a_mem_alloc(dev, sizeof in, &a, &e), P2A_RT_OK, &e, "");
	expect("read fresh memory", p2a_mem_read(dev, out, a, sizeof out, &e), P2A_RT_OK, &e, "");
	bool zero = true;
	for (size_t i = 0; i < sizeof out; i++)
		zero = zero && !out[i];
	check(zero && a % 256 == 0, "fresh memory is zero and aligned", "it is not");
	expect("write", p2a_mem_write(dev, a, in, sizeof in, &e), P2A_RT_OK, &e, "");
	expect("fill", p2a_mem_fill(dev, a + 10, 0xee, 5, &e), P2A_RT_OK, &e, "");
	expect("read", p2a_mem_read(dev, out, a, sizeof out, &e), P2A_RT_OK, &e, "");
	check(!memcmp(in, out, 10) && out[10] == 0xee && out[14] == 0xee && !memcmp(in + 15, out + 15, 85),
	      "what was written comes back", "it does not");
	expect("write past the end", p2a_mem_write(dev, a + 1, in, sizeof in, &e), P2A_RT_EARG, &e, "buffer");
	expect("read at NULL", p2a_mem_read(dev, out, 0, 1, &e), P2A_RT_EARG, &e, "buffer");
	expect("fill a whole address space", p2a_mem_fill(dev, a, 0, SIZE_MAX, &e), P2A_RT_EARG, &e, "buffer");
	expect("copy of nothing", p2a_mem_write(dev, 0, NULL, 0, &e), P2A_RT_OK, &e, "");
	expect("copy from NULL", p2a_mem_write(dev, a, NULL, 4, &e), P2A_RT_EARG, &e, "NULL");
	expect("buffer of no bytes", p2a_mem_alloc(dev, 0, &b, &e), P2A_RT_OK, &e, "");
	expect("too large a buffer", p2a_mem_alloc(dev, SIZE_MAX / 2, &b, &e), P2A_RT_ENOMEM, &e, "memory");
	expect("free", p2a_mem_free(dev, a, &e), P2A_RT_OK, &e, "");
	expect("free twice", p2a_mem_free(dev, a, &e), P2A_RT_EARG, &e, "");
	expect("use after free", p2a_mem_read(dev, out, a, 1, &e), P2A_RT_EARG, &e, "buffer");
	expect("free nothing", p2a_mem_free(dev, 0, &e), P2A_RT_OK, &e, "");
}

/* ---- Modules and launches -------------------------------------------------------------------- */

static void
test_refused(p2a_device *dev)
{
	static const char bad[] = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k() { mov.u32 %r1, 1; ret; }\n";
	static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__ and more";
	static const char elf[80] = "\177ELF\2\1\1";
	static const p2a_source named = { "k.ptx", bad, sizeof bad - 1 }, unnamed = { NULL, bad, sizeof bad - 1 };
	p2a_options level = { .size = sizeof level, .opt = 17 };
	p2a_module *m = NULL;
	p2a_error e = { .text = "" };
	char id[64];

	expect("an option out of range", p2a_module_load_ptx(dev, &named, 1, &level, &m, &e), P2A_RT_EARG, &e, "optimization 17");
	expect("a source without a name", p2a_module_load_ptx(dev, &unnamed, 1, NULL, &m, &e), P2A_RT_EARG, &e, "no name");
	expect("no source", p2a_module_load_ptx(dev, &named, 0, NULL, &m, &e), P2A_RT_EARG, &e, "no source");
	expect("PTX with a fault", p2a_module_load(dev, bad, strlen(bad), &m, &e), P2A_RT_EPTX, &e, "PTX:4:");
	expect("an offload bundle", p2a_module_load(dev, bundle, sizeof bundle, &m, &e), P2A_RT_EOBJECT, &e, "bundle");
	expect("a damaged object", p2a_module_load(dev, elf, sizeof elf, &m, &e), P2A_RT_EOBJECT, &e, "");
	expect("no bytes", p2a_module_load(dev, "", 0, &m, &e), P2A_RT_EPTX, &e, "");
	expect("NULL", p2a_module_load(dev, NULL, 0, &m, &e), P2A_RT_EARG, &e, "NULL");
	expect("chip of no object", p2a_object_target("x", 1, id, &e), P2A_RT_EOBJECT, &e, "ELF");
	check(!p2a_module_kernel(NULL, "k") && !p2a_kernel_attributes(NULL) && !p2a_module_kernels(NULL),
	      "NULL modules have nothing", "they have");
	p2a_module_unload(NULL);
}

static void
test_attributes(p2a_module *m)
{
	const p2a_kernel_attr *a = p2a_kernel_attributes(p2a_module_kernel(m, "add"));
	const p2a_kernel_attr *b = p2a_kernel_attributes(p2a_module_kernel(m, "bounded"));

	check(p2a_module_kernels(m) == 3 && !p2a_module_kernel_at(m, 3), "three kernels", "another number");
	check(!p2a_module_kernel(m, "nix") && a && b, "kernels by name", "not found, or too many");
	if (!a || !b)
		return;
	check(a->nparams == 3 && a->params[0].size == 8 && a->params[1].size == 4 && a->params[2].size == 1,
	      "parameters with their sizes", "others");
	check(a->params[1].offset == 8 && a->params[2].offset == 12 && a->param_size == 13,
	      "parameters with their offsets", "others");
	check(a->wave == 32 && a->vgprs > 0 && a->lds == 0, "what the kernel needs", "something else");
	check(b->lds == 1024 && b->max_block == 32, "shared memory and .maxntid", "other values");
}

static void
test_launch(p2a_device *dev, p2a_module *m)
{
	const p2a_kernel *add = p2a_module_kernel(m, "add");
	uint32_t host[64], k = 100;
	uint8_t unused = 0;
	uint64_t buf = 0;
	p2a_error e = { .text = "" };
	p2a_stats stats;
	const void *args[] = { &buf, &k, &unused };
	p2a_launch_config l = { .size = sizeof l, .grid = { 2 }, .block = { 32 }, .args = args, .nargs = 3 };

	for (uint32_t i = 0; i < 64; i++)
		host[i] = i;
	p2a_mem_alloc(dev, sizeof host, &buf, &e);
	p2a_mem_write(dev, buf, host, sizeof host, &e);
	expect("launch by pointers", p2a_launch(add, &l, &stats, &e), P2A_RT_OK, &e, "");
	check(stats.waves == 2 && stats.workgroups == 2 && stats.counted && stats.vmem == 4 &&
	      stats.total > stats.vmem && stats.lane_ops >= 64, "statistics", "other counts");
	struct { uint64_t y; uint32_t k; uint32_t unused; } packed = { buf, 1000, 0 };
	l = (p2a_launch_config){ .size = sizeof l, .grid = { 2 }, .block = { 32 }, .packed = &packed, .packed_size = 13 };
	expect("launch by packed bytes", p2a_launch(add, &l, NULL, &e), P2A_RT_OK, &e, "");
	expect("synchronise", p2a_synchronise(dev, &e), P2A_RT_OK, &e, "");
	p2a_mem_read(dev, host, buf, sizeof host, &e);
	check(host[0] == 1100 && host[63] == 1163, "both computed", "other numbers");

	l.packed_size = 12;
	expect("too few packed bytes", p2a_launch(add, &l, NULL, &e), P2A_RT_EARG, &e, "13 bytes");
	l = (p2a_launch_config){ .size = sizeof l, .args = args, .nargs = 2 };
	expect("too few parameters", p2a_launch(add, &l, NULL, &e), P2A_RT_EARG, &e, "3 parameters, 2 given");
	args[1] = NULL;
	l.nargs = 3;
	expect("a NULL parameter", p2a_launch(add, &l, NULL, &e), P2A_RT_EARG, &e, "NULL");
	args[1] = &k;
	l.block[0] = 1025;
	expect("too large a workgroup", p2a_launch(add, &l, NULL, &e), P2A_RT_EARG, &e, "1024");
	l = (p2a_launch_config){ .size = sizeof l, .args = args, .nargs = 3, .shared = 1 << 20 };
	expect("too much shared memory", p2a_launch(add, &l, NULL, &e), P2A_RT_EARG, &e, "shared memory");
	l = (p2a_launch_config){ .size = sizeof l, .args = args, .nargs = 3, .grid = { 1 << 30 }, .block = { 16 } };
	expect("too large a grid", p2a_launch(add, &l, NULL, &e), P2A_RT_EARG, &e, "dimension x");
	l = (p2a_launch_config){ .args = args, .nargs = 3 };
	expect("config without size", p2a_launch(add, &l, NULL, &e), P2A_RT_EARG, &e, "size");
	expect("no kernel", p2a_launch(NULL, &l, NULL, &e), P2A_RT_EARG, &e, "NULL");
	l = (p2a_launch_config){ .size = sizeof l, .block = { 33 }, .args = args, .nargs = 1 };
	expect(".maxntid", p2a_launch(p2a_module_kernel(m, "bounded"), &l, NULL, &e), P2A_RT_EARG, &e, "32");
	p2a_mem_free(dev, buf, NULL);
}

static void
test_globals(p2a_device *dev, p2a_module *m)
{
	uint64_t table = 0, buf = 0;
	size_t size = 0;
	uint32_t values[3] = { 0 }, sum = 0, other = 5;
	p2a_error e = { .text = "" };
	const void *args[] = { &buf };
	p2a_launch_config l = { .size = sizeof l, .args = args, .nargs = 1 };

	expect("a variable", p2a_module_global(m, "table", &table, &size, &e), P2A_RT_OK, &e, "");
	expect("no such variable", p2a_module_global(m, "nix", &table, &size, &e), P2A_RT_EARG, &e, "'nix'");
	p2a_mem_read(dev, values, table, sizeof values, &e);
	check(size == 12 && values[0] == 10 && values[2] == 30, "its initializer", "other values");
	p2a_mem_alloc(dev, 4, &buf, &e);
	expect("write to it", p2a_mem_write(dev, table + 8, &other, 4, &e), P2A_RT_OK, &e, "");
	expect("a kernel that reads it", p2a_launch(p2a_module_kernel(m, "sum"), &l, NULL, &e), P2A_RT_OK, &e, "");
	p2a_mem_read(dev, &sum, buf, 4, &e);
	check(sum == 15, "sees what was written", "another value");
	expect("write beyond it", p2a_mem_write(dev, table + 8, values, 8, &e), P2A_RT_EARG, &e, "variable");
	expect("fill beyond it", p2a_mem_fill(dev, table, 0, 13, &e), P2A_RT_EARG, &e, "variable");
	expect("read beyond it", p2a_mem_read(dev, values, table + 12 - 1, 2, &e), P2A_RT_EARG, &e, "variable");
	expect("read at its end", p2a_mem_read(dev, values, table + 11, 1, &e), P2A_RT_OK, &e, "");
	p2a_module_global(m, "behind", &table, &size, &e);
	p2a_mem_read(dev, values, table, 4, &e);
	check(values[0] == 7, "its neighbour is as it was", "overwritten");
	p2a_mem_free(dev, buf, NULL);
}

static void
test_fault(p2a_device *dev, p2a_module *m)
{
	uint64_t nowhere = 64;
	p2a_error e = { .text = "" };
	p2a_fault f;
	const void *args[] = { &nowhere };
	p2a_launch_config l = { .size = sizeof l, .args = args, .nargs = 1 };

	check(!p2a_last_fault(dev, &f), "no fault yet", "there is one");
	expect("a wild store", p2a_launch(p2a_module_kernel(m, "sum"), &l, NULL, &e), P2A_RT_EFAULT, &e, "");
	check(p2a_last_fault(dev, &f), "is remembered", "it is not");
	check(f.located && !strcmp(f.kernel, "sum") && f.lane == 0 && f.address == 64 && *f.message,
	      "with kernel, lane and address", f.message);
	check(strstr(f.instruction, "store") && f.line == 29 && !strcmp(f.file, "PTX"), "with instruction and line",
	      f.instruction);
	l.block[0] = 1;
	expect("and the device lives on", p2a_synchronise(dev, &e), P2A_RT_OK, &e, "");
}

/* Freed addresses are not handed out to what comes next: a launch's own arguments, buffers, modules. */
static void
test_use_after_free(p2a_device *dev, p2a_module *m)
{
	static const size_t sizes[] = { 4, 64, 400, 4096, 100000, 1 << 22 };
	uint64_t old = 0, next[20];
	p2a_error e = { .text = "" };
	p2a_fault f;
	p2a_module *own = NULL;
	const void *args[] = { &old };
	p2a_launch_config l = { .size = sizeof l, .args = args, .nargs = 1 };

	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		bool again = false;

		p2a_mem_alloc(dev, sizes[i], &old, &e);
		p2a_mem_free(dev, old, &e);
		expect("a store to a freed buffer", p2a_launch(p2a_module_kernel(m, "sum"), &l, NULL, &e), P2A_RT_EFAULT, &e,
		       "outside every buffer");
		check(p2a_last_fault(dev, &f) && f.address == old, "is told with its address", f.message);
		for (size_t j = 0; j < 20; j++) {
			p2a_mem_alloc(dev, sizes[i], &next[j], &e);
			again = again || next[j] == old;
		}
		check(!again, "no buffer comes to a freed one's place", "one did");
		expect("nor does the store hit one", p2a_launch(p2a_module_kernel(m, "sum"), &l, NULL, &e), P2A_RT_EFAULT, &e, "");
		for (size_t j = 0; j < 20; j++)
			p2a_mem_free(dev, next[j], &e);
	}
	p2a_module_load(dev, module_text, sizeof module_text - 1, &own, &e);
	p2a_module_global(own, "behind", &old, NULL, &e);
	p2a_module_unload(own);
	expect("a store to an unloaded variable", p2a_launch(p2a_module_kernel(m, "sum"), &l, NULL, &e), P2A_RT_EFAULT, &e,
	       "outside every buffer");
}

/* ---- Threads --------------------------------------------------------------------------------- */

typedef struct worker {
	p2a_device *dev;
	p2a_module *mod;
	bool good;
} worker;

static void *
work(void *arg)
{
	worker *w = arg;
	uint32_t host[32] = { 0 }, k = 1;
	uint8_t unused = 0;
	uint64_t buf = 0;
	const void *args[] = { &buf, &k, &unused };
	p2a_launch_config l = { .size = sizeof l, .block = { 32 }, .args = args, .nargs = 3 };
	p2a_module *own = NULL;

	w->good = p2a_mem_alloc(w->dev, sizeof host, &buf, NULL) == P2A_RT_OK &&
		  p2a_module_load(w->dev, module_text, sizeof module_text - 1, &own, NULL) == P2A_RT_OK;
	for (int i = 0; i < 20 && w->good; i++)
		w->good = p2a_launch(p2a_module_kernel(i % 2 ? own : w->mod, "add"), &l, NULL, NULL) == P2A_RT_OK;
	w->good = w->good && p2a_mem_read(w->dev, host, buf, sizeof host, NULL) == P2A_RT_OK && host[31] == 20;
	p2a_module_unload(own);
	p2a_mem_free(w->dev, buf, NULL);
	return NULL;
}

static void
test_threads(p2a_device *dev, p2a_module *m)
{
	enum { N = 4 };
	pthread_t thread[N];
	worker w[N];
	bool good = true;

	for (int i = 0; i < N; i++) {
		w[i] = (worker){ .dev = dev, .mod = m };
		pthread_create(&thread[i], NULL, work, &w[i]);
	}
	for (int i = 0; i < N; i++) {
		pthread_join(thread[i], NULL);
		good = good && w[i].good;
	}
	check(good, "four threads on one device", "one of them failed");
}

int
main(void)
{
	p2a_device *dev;
	p2a_module *m = NULL;
	p2a_error e = { .text = "" };

	test_devices();
	dev = open_emu("gfx1100");
	if (!dev)
		return 1;
	test_memory(dev);
	test_refused(dev);
	expect("load PTX", p2a_module_load(dev, module_text, sizeof module_text - 1, &m, &e), P2A_RT_OK, &e, "");
	if (m) {
		test_attributes(m);
		test_launch(dev, m);
		test_globals(dev, m);
		test_fault(dev, m);
		test_use_after_free(dev, m);
		test_threads(dev, m);
	}
	p2a_device_close(dev);
	return failures != 0;
}
