/* test_sweep.c -- ordinary kernels of every kind (tests/emu/sweep), compiled by clang 19: run in the emulator, their results
 * against those of the same text compiled for the host; disassembled, our text against llvm-objdump's.
 *	test_sweep [CHIP FLAG]      for that chip alone, with that option (-O0 to -O3)
 * Needs clang-19 and llvm-objdump-19; skipped without them. Most of its time is clang's. A work-item of the host is a context
 * that hands over at barriers; groups run one after another, so that local memory is theirs alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdarg.h>
#include <ucontext.h>

#include "t.h"

enum { GROUPS = 8, BLOCK = 64, IN = 4096, OUT = 8192, STACK = 64 << 10, MOST = 200 };
static const char *const files[] = { "integer", "long", "packed", "half", "float", "double", "convert", "local", "atomics",
	"flow", "private", "memory", "bits", "hash", "calls", "scalar", "wave", "more", "acc", "lanes", "sorts", "types" };
/* Without optimization there are other instructions: calls, scratch and spilled scalars everywhere. P2A_TEST_QUICK: every other.
 * Not gfx908 at -O1: clang 19 reads an accumulation register of acc_spilled before anything has written it. */
static const struct { const char *chip, *flag; } runs[] = {
	{ "gfx900", "-O3" }, { "gfx906", "-O0" }, { "gfx90a", "-O3" }, { "gfx908", "-O3" }, { "gfx1030", "-O3" }, { "gfx942", "-O1" },
	{ "gfx1100", "-O0" }, { "gfx1010", "-O1" }, { "gfx1200", "-O3" }, { "gfx1150", "-O3" },
};
static char dir[] = "/tmp/p2a-sweep-XXXXXX";
static uint32_t in[IN], want[OUT];

/* ---- the host ---- */
typedef void (*kernel_fn)(const uint32_t *in, uint32_t *out, uint32_t n);
static ucontext_t scheduler, item[BLOCK];
static bool done[BLOCK];
static unsigned lane, group;
static kernel_fn running;
static void *host;

static uint32_t sweep_lane(void) { return lane; }
static uint32_t sweep_group(void) { return group; }
static void sweep_barrier(void)
{
	unsigned me = lane;
	swapcontext(&item[me], &scheduler);
}
/* The kernels call these through pointers of their library. */
#define D1(f) "double " #f "(double); double __ocml_" #f "_f64(double x) { return " #f "(x); }\n"
#define D2(f) "double " #f "(double, double); double __ocml_" #f "_f64(double x, double y) { return " #f "(x, y); }\n"
static const char glue[] = D1(sin) D1(cos) D1(tan) D1(exp) D1(exp2) D1(log) D1(log10) D1(cbrt) D1(atan) D1(asin) D1(sinh) D1(tanh)
	D1(erf) D1(tgamma) D1(expm1) D2(pow) D2(atan2) D2(hypot) D2(fmod) D2(remainder)
	"unsigned (*lane_hook)(void), (*group_hook)(void); void (*barrier_hook)(void);\n"
	"unsigned sweep_lane(void) { return lane_hook(); }\nunsigned sweep_group(void) { return group_hook(); }\n"
	"void sweep_barrier(void) { barrier_hook(); }\n";

static void start(void)
{
	unsigned me = lane;
	running(in, want, GROUPS * BLOCK);
	done[me] = true;
}

/* Each item runs to its next barrier, in turn; a barrier is passed by all in the same round. */
static void run_group(char *stacks)
{
	memset(done, 0, sizeof done);
	for (lane = 0; lane < BLOCK; lane++) {
		getcontext(&item[lane]);
		item[lane].uc_stack.ss_sp = stacks + (size_t)lane * STACK;
		item[lane].uc_stack.ss_size = STACK;
		item[lane].uc_link = &scheduler;
		makecontext(&item[lane], start, 0);
	}
	while (memchr(done, 0, sizeof done))
		for (lane = 0; lane < BLOCK; lane++)
			if (!done[lane])
				swapcontext(&scheduler, &item[lane]);
}

/* What a kernel leaves in `out`, run once; NULL: the host has no such kernel. */
static const uint32_t *run_host(const char *name)
{
	static char stacks[BLOCK * STACK];
	static struct { char name[64]; uint32_t out[OUT]; } kept[MOST];
	static size_t n;
	for (size_t k = 0; k < n; k++)
		if (!strcmp(kept[k].name, name))
			return kept[k].out;
	*(void **)&running = dlsym(host, name);
	if (!running || n == MOST)
		return NULL;
	memset(want, 0, sizeof want);
	for (group = 0; group < GROUPS; group++)
		run_group(stacks);
	snprintf(kept[n].name, sizeof kept[n].name, "%s", name);
	return memcpy(kept[n++].out, want, sizeof want);
}

/* ---- compiling ---- */
static bool sh(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static bool sh(const char *fmt, ...)
{
	char cmd[2048];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(cmd, sizeof cmd, fmt, ap);
	va_end(ap);
	return system(cmd) == 0;
}

static FILE *create(const char *name)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	return fopen(path, "w");
}

static bool write_source(void)
{
	FILE *f = create("glue.c");
	if (!f || fputs(glue, f) < 0 || fclose(f))
		return false;
	f = create("all.cl");
	if (!f)
		return false;
	fprintf(f, "#include \"sweep.h\"\n");
	for (size_t k = 0; k < sizeof files / sizeof *files; k++)
		fprintf(f, "#include \"%s.cl\"\n", files[k]);
	fprintf(f, "#ifdef MATH\n#include \"math.cl\"\n#endif\n");
	return fclose(f) == 0;
}

/* Where AMD's device library is, if it knows the chip. At -O3 alone: it takes a second. */
static const char *device_library(const char *chip, const char *flag)
{
	static const char *const folder[] = { "/opt/rocm/amdgcn/bitcode", "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode" };
	static char flags[160];
	for (unsigned k = 0; k < 2 && !strcmp(flag, "-O3"); k++)
		if (sh("test -f %s/oclc_isa_version_%s.bc", folder[k], chip + 3)) {
			snprintf(flags, sizeof flags, "-DMATH --rocm-device-lib-path=%s", folder[k]);
			return flags;
		}
	return "-nogpulib";
}

#define COMMON "clang-19 -x cl -cl-std=CL2.0 -w -ffp-contract=off -cl-fp32-correctly-rounded-divide-sqrt -Itests/emu/sweep"
static bool compile_host(void)
{
	char path[256];
	if (!sh(COMMON " -DHOST -DMATH -target x86_64-linux-gnu -O1 -fPIC -Xclang -ffloat16-excess-precision=none -c %s/all.cl -o %s/host.o && "
			"clang-19 -shared -fPIC %s/host.o %s/glue.c -lm -o %s/host.so", dir, dir, dir, dir, dir))
		return false;
	snprintf(path, sizeof path, "%s/host.so", dir);
	host = dlopen(path, RTLD_NOW);
	if (!host) {
		printf("# %s\n", dlerror());
		return false;
	}
	*(uint32_t (**)(void))dlsym(host, "lane_hook") = sweep_lane;
	*(uint32_t (**)(void))dlsym(host, "group_hook") = sweep_group;
	*(void (**)(void))dlsym(host, "barrier_hook") = sweep_barrier;
	return true;
}

static uint8_t *read_file(const char *name, size_t *size)
{
	static uint8_t buf[1 << 22];
	char path[256];
	snprintf(path, sizeof path, "%s/%s", dir, name);
	FILE *f = fopen(path, "rb");
	*size = f ? fread(buf, 1, sizeof buf, f) : 0;
	if (f)
		fclose(f);
	return *size ? buf : NULL;
}

/* ---- the text of instructions ---- */

/* Ours as objdump writes it: literals that inline constants could be, scalar loads without an offset on two families. */
static void our_text(const p2a_target *t, const uint32_t *w, size_t n, char *out, size_t cap)
{
	p2a_inst i;
	char *lit;
	if (isa_decode_any(t, w, n, &i) != (int)n) {
		snprintf(out, cap, "unknown");
		return;
	}
	p2a_print(t, &i, out, cap);
	if ((lit = strstr(out, "lit(")) != NULL) {
		long v = strtol(lit + 4, NULL, 0);
		sprintf(lit, "%d", (int)v);
	}
	bool loads = !strncmp(out, "s_load", 6) && (t->family == ISA_GFX10 || t->family == ISA_GFX11);
	if (loads && (lit = strstr(out, ", 0x0")) != NULL && !lit[5])
		strcpy(lit, ", null");
}

static const char *check_line(const p2a_target *t, char *line)
{
	static char why[1400], out[512];
	uint32_t w[P2A_MAX_DWORDS];
	char *comment = strstr(line, "// "), *colon = comment ? strchr(comment, ':') : NULL, *text = line, *end;
	size_t n = 0;
	if (!colon)
		return NULL;
	for (char *p = colon + 1; n < P2A_MAX_DWORDS; p = end) {
		uint32_t x = (uint32_t)strtoul(p, &end, 16);
		if (end == p)
			break;
		w[n++] = x;
	}
	text += strspn(text, " \t");
	for (end = comment; end > text && (end[-1] == ' ' || end[-1] == '\t'); end--)
		;
	*end = 0;
	our_text(t, w, n, out, sizeof out);
	if (!strcmp(out, text))
		return NULL;
	snprintf(why, sizeof why, "'%s', not '%.500s'", out, text);
	return why;
}

static void disassembly(const char *chip, const char *flag)
{
	const p2a_target *t = p2a_target_find(chip);
	char line[1024], path[256], name[64];
	const char *why = NULL;
	unsigned lines = 0;
	snprintf(path, sizeof path, "%s/text", dir);
	FILE *f = sh("llvm-objdump-19 -d %s/%s%s.o > %s", dir, chip, flag, path) ? fopen(path, "r") : NULL;
	while (f && !why && fgets(line, sizeof line, f)) {
		why = check_line(t, line);
		lines += line[0] == '\t';
	}
	if (f)
		fclose(f);
	snprintf(name, sizeof name, "%s %s text of %u instructions", chip, flag, lines);
	t_result(name, why ? why : lines < 1000 ? "too few" : NULL);
}

/* ---- the emulator ---- */
static const char *compare(emu_device *dev, const emu_kernel *k, const uint32_t *should)
{
	static char why[1024];
	static emu_result r;
	uint64_t args[3] = { emu_alloc(dev, sizeof in), emu_alloc(dev, sizeof want), GROUPS * BLOCK };
	emu_launch_config l = { .grid = { GROUPS, 1, 1 }, .block = { BLOCK, 1, 1 }, .args = args, .args_size = sizeof args };
	const uint32_t *out = (const uint32_t *)(uintptr_t)args[1];
	memcpy((void *)(uintptr_t)args[0], in, sizeof in);
	emu_status s = emu_launch(dev, k, &l, &r);
	*why = 0;
	if (s != EMU_OK)
		snprintf(why, sizeof why, "%s%s at '%s'", r.error.text, r.fault.message, r.fault.instruction);
	uint32_t off = !strncmp(k->name, "close_", 6);
	for (size_t i = 0; s == EMU_OK && i < OUT && !*why; i++)
		if (out[i] - should[i] + off > 2 * off)
			snprintf(why, sizeof why, "[%zu] is %08x, not %08x", i, out[i], should[i]);
	emu_free(dev, args[0]);
	emu_free(dev, args[1]);
	return *why ? why : NULL;
}

static void run(const char *id, const char *flags)
{
	emu_device *dev = NULL;
	emu_object *obj = NULL;
	emu_error e = { "" };
	char name[128];
	size_t size;
	uint8_t *p = NULL;
	if (sh(COMMON " -target amdgcn-amd-amdhsa -mcpu=%s %s -munsafe-fp-atomics %s %s/all.cl -o %s/%s%s.o", id, device_library(id, flags), flags,
			dir, dir, id, flags)) {
		snprintf(name, sizeof name, "%s%s.o", id, flags);
		p = read_file(name, &size);
	}
	emu_config cf = { .size = sizeof cf, .target = id, .threads = 2, .check = EMU_CHECK_MEMORY, .timeout = 60, .unaligned_lds = true };
	if (!p || emu_create(&cf, &dev, &e) != EMU_OK || emu_load(dev, p, size, &obj, &e) != EMU_OK) {
		t_bad("%s sweep %s: %s", id, flags, p ? e.text : "does not compile");
		emu_destroy(dev);
		return;
	}
	for (size_t k = 0; k < emu_kernel_count(obj); k++) {
		const emu_kernel *kernel = emu_kernel_at(obj, k);
		const uint32_t *should = run_host(kernel->name);
		snprintf(name, sizeof name, "%s %s %s", id, flags, kernel->name);
		t_result(name, should ? compare(dev, kernel, should) : "the host has no such kernel");
	}
	emu_destroy(dev);
}

int main(int argc, char **argv)
{
	if (!sh("clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1200 --version >/dev/null 2>&1 && "
			"llvm-objdump-19 --version >/dev/null 2>&1")) {
		t_skip("sweep: no clang-19 and llvm-objdump-19 that know amdgcn");
		return 77;
	}
	if (!mkdtemp(dir) || !write_source() || !compile_host()) {
		t_bad("sweep: the host's part cannot be built");
		return t_end();
	}
	for (size_t k = 0; k < IN; k++)
		in[k] = (uint32_t)(k % 13 == 5 ? t_random() & 0xffff : k % 29 == 3 ? 0x7f800000 + (t_random() & 3) : t_random());
	if (argc == 3) {
		run(argv[1], argv[2]);
		disassembly(argv[1], argv[2]);
	}
	for (size_t k = 0; argc != 3 && k < sizeof runs / sizeof *runs; k += getenv("P2A_TEST_QUICK") ? 2 : 1) {
		run(runs[k].chip, runs[k].flag);
		disassembly(runs[k].chip, runs[k].flag);
	}
	if (!sh("rm -r %s", dir))
		t_bad("sweep: cannot remove %s", dir);
	return t_end();
}
