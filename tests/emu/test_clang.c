/* test_clang.c -- code that another compiler made: clang-19 compiles OpenCL C for four chips,
 * the emulator runs it, the host's own build of the same functions judges. Also grids, LDS,
 * barriers, atomics, permutes, calls, scratch.
 * Skipped where there is no clang-19 with the AMDGPU target. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <unistd.h>

#include "t.h"

typedef uint32_t uint;
typedef uint64_t ulong;
typedef uint8_t uchar;
typedef uint16_t ushort;
static float as_float(uint x) { float f; memcpy(&f, &x, 4); return f; }
static uint as_uint(float x) { uint u; memcpy(&u, &x, 4); return u; }
static double as_double(ulong x) { double d; memcpy(&d, &x, 8); return d; }
static ulong as_ulong(double x) { ulong u; memcpy(&u, &x, 8); return u; }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define char signed char
#define long int64_t
#define FN(name) static uint host_##name(uint a, uint b)
#include "witness.h"
#undef FN
#undef char
#undef long
#pragma GCC diagnostic pop

static const struct fn {
	const char *name;
	uint (*host)(uint, uint);
	bool scratch;                /* needs private memory, by buffer instructions before gfx11 */
} fns[] = {
	{ "mix", host_mix, 0 }, { "wide", host_wide, 0 }, { "divide", host_divide, 0 }, { "divide64", host_divide64, 0 },
	{ "mulhi", host_mulhi, 0 }, { "collatz", host_collatz, 0 }, { "nested", host_nested, 0 }, { "fields", host_fields, 0 },
	{ "floats", host_floats, 0 }, { "quotient", host_quotient, 0 }, { "near", host_near, 0 }, { "root", host_root, 0 },
	{ "doubles", host_doubles, 0 }, { "quotient64", host_quotient64, 0 }, { "root64", host_root64, 0 },
	{ "table", host_table, 1 }, { "bytes", host_bytes, 0 },
};

static const char prelude[] =
"#pragma OPENCL FP_CONTRACT OFF\n"
"#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
"#define as_float(x) __builtin_astype((uint)(x), float)\n"
"#define as_uint(x) __builtin_astype((float)(x), uint)\n"
"#define as_double(x) __builtin_astype((ulong)(x), double)\n"
"#define as_ulong(x) __builtin_astype((double)(x), ulong)\n"
"#define ID (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())\n"
"#define FN(name) static uint f_##name(uint a, uint b); \\\n"
" kernel void name(global const uint *in, global uint *out, uint n) { uint i = ID; if (i < n) out[i] = f_##name(in[2 * i], in[2 * i + 1]); } \\\n"
" static uint f_##name(uint a, uint b)\n"
"#include \"tests/emu/witness.h\"\n";

/* Whole kernels, with their references below. */
static const char kernels[] =
"kernel void reduce(global const uint *in, global uint *out, uint n) {\n"
"  local uint s[64]; uint t = __builtin_amdgcn_workitem_id_x(); s[t] = in[ID];\n"
"  for (uint k = 32; k; k >>= 1) { __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"); __builtin_amdgcn_s_barrier();\n"
"    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\"); if (t < k) s[t] += s[t + k]; }\n"
"  if (t == 0) out[__builtin_amdgcn_workgroup_id_x()] = s[0]; }\n"
"kernel void histogram(global const uint *in, global uint *out, uint n) {\n"
"  local uint h[16]; uint t = __builtin_amdgcn_workitem_id_x(); if (t < 16) h[t] = 0;\n"
"  __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n"
"  __opencl_atomic_fetch_add((local atomic_uint *)&h[in[ID] & 15], 1u, __ATOMIC_RELAXED, 1);\n"
"  __builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n"
"  if (t < 16) __opencl_atomic_fetch_add((global atomic_uint *)&out[t], h[t], __ATOMIC_RELAXED, 2); }\n"
"kernel void extremes(global const uint *in, global uint *out, uint n) {\n"
"  uint x = in[ID]; __opencl_atomic_fetch_min((global atomic_uint *)&out[1], x, __ATOMIC_RELAXED, 2);\n"
"  __opencl_atomic_fetch_max((global atomic_uint *)&out[0], x, __ATOMIC_RELAXED, 2);\n"
"  __opencl_atomic_fetch_max((global atomic_int *)&out[2], (int)x, __ATOMIC_RELAXED, 2);\n"
"  __opencl_atomic_fetch_xor((global atomic_uint *)&out[3], x, __ATOMIC_RELAXED, 2);\n"
"  __opencl_atomic_fetch_or((global atomic_uint *)&out[4], x, __ATOMIC_RELAXED, 2);\n"
"  uint old = out[5]; while (!__opencl_atomic_compare_exchange_strong((global atomic_uint *)&out[5], &old, old * 1u + (x & 7u), __ATOMIC_RELAXED, __ATOMIC_RELAXED, 2)); }\n"
"kernel void grid3(global const uint *in, global uint *out, uint n) {\n"
"  uint x = __builtin_amdgcn_workgroup_id_x() * 4 + __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workgroup_id_y() * 2 + __builtin_amdgcn_workitem_id_y(),\n"
"    z = __builtin_amdgcn_workgroup_id_z() * 8 + __builtin_amdgcn_workitem_id_z();\n"
"  out[(z * 6 + y) * 12 + x] = x + 100 * y + 10000 * z + in[0]; }\n"
"kernel void lanes(global const uint *in, global uint *out, uint n) {\n"
"  uint i = ID, t = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)), x = in[i];\n"
"  uint y = (uint)__builtin_amdgcn_ds_bpermute((int)((t ^ 5) * 4), (int)x);\n"
"  y += (uint)__builtin_amdgcn_ds_swizzle((int)x, 0x041f) * 3;\n"
"  y ^= (uint)__builtin_amdgcn_update_dpp(7, (int)x, 0x111, 0xf, 0xf, 0) * 5;\n"
"  y ^= (uint)__builtin_amdgcn_update_dpp(0, (int)x, 0x4e, 0xf, 0xf, 1);\n"
"  y += __builtin_amdgcn_readfirstlane(x) * 7;\n"
"  y += (uint)__builtin_amdgcn_readlane((int)x, 9) * 11;\n"
"  out[i] = y; }\n"
"__attribute__((noinline)) static uint callee(uint a, global const uint *p, uint k) { uint s = a; for (uint i = 0; i < k; i++) s = s * 31 + p[i]; return s; }\n"
"kernel void calls(global const uint *in, global uint *out, uint n) { uint i = ID; if (i < n) out[i] = callee(i, in, i & 7) ^ callee(i + 1, in, 3); }\n"
"kernel void widths(global const uchar *in, global uchar *out, uint n) {\n"
"  uint i = ID; out[i * 48] = in[i * 48] + 1; *(global ushort *)(out + i * 48 + 2) = *(global const ushort *)(in + i * 48 + 2) * 3;\n"
"  *(global short *)(out + i * 48 + 4) = (short)(*(global const char *)(in + i * 48 + 5) - 3);\n"
"  *(global uint *)(out + i * 48 + 8) = *(global const uint *)(in + i * 48 + 8) + 5;\n"
"  *(global ulong *)(out + i * 48 + 16) = *(global const ulong *)(in + i * 48 + 16) + 7;\n"
"  *(global uint4 *)(out + i * 48 + 32) = *(global const uint4 *)(in + i * 48 + 32) + (uint4)(1, 2, 3, 4); }\n"
"kernel void flat(global uint *in, global uint *out, uint n) {\n"
"  local uint s[64]; uint t = __builtin_amdgcn_workitem_id_x(), i = ID; s[t] = in[i] + 1;\n"
"  uint *p = (in[i] & 1) ? (uint *)&s[t] : (uint *)&in[i]; *p += 3; out[i] = *p; }\n";

static bool have_clang(void)
{
	return system("clang-19 -target amdgcn-amd-amdhsa -mcpu=gfx1100 --version >/dev/null "
		      "2>&1") == 0;
}

/* Compiles for a chip; the file's bytes, or NULL. */
static uint8_t *compile(const char *dir, const char *chip, const char *flags, size_t *size)
{
	char cmd[1024], path[256];
	snprintf(path, sizeof path, "%s/k.cl", dir);
	FILE *f = fopen(path, "w");
	if (!f)
		return NULL;
	fprintf(f, "%s%s", prelude, kernels);
	fclose(f);
	snprintf(cmd, sizeof cmd, "clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu=%s -nogpulib -I. -g "
		"-cl-fp32-correctly-rounded-divide-sqrt -ffp-contract=off -mllvm -disable-promote-alloca-to-vector -w %s %s/k.cl -o %s/k.hsaco",
		chip, flags, dir, dir);
	if (system(cmd))
		return NULL;
	snprintf(path, sizeof path, "%s/k.hsaco", dir);
	f = fopen(path, "rb");
	static uint8_t buf[1 << 22];
	*size = f ? fread(buf, 1, sizeof buf, f) : 0;
	if (f)
		fclose(f);
	return *size ? buf : NULL;
}

enum { N = 8192 };
static uint in[2 * N], want[N * 16];
typedef struct ctx {
	const char *chip, *flags;
	emu_device *dev;
	emu_object *obj;
	uint64_t args[3];
	uint *out;
} ctx;

static const char *launch(ctx *c, const char *name, const uint32_t grid[3], const uint32_t block[3])
{
	static char why[1024];
	static emu_result r;
	const emu_kernel *k = emu_find_kernel(c->obj, name);
	emu_launch_config l = { .args = c->args, .args_size = sizeof c->args };
	memcpy(l.grid, grid, sizeof l.grid);
	memcpy(l.block, block, sizeof l.block);
	if (!k)
		return "no such kernel";
	emu_status s = emu_launch(c->dev, k, &l, &r);
	if (s == EMU_OK)
		return NULL;
	snprintf(why, sizeof why, "%s%s at '%s' %s:%u", r.error.text, r.fault.message,
		r.fault.instruction, r.fault.file, r.fault.line);
	return why;
}

static const char *differ(const ctx *c, size_t n)
{
	static char why[256];
	for (size_t i = 0; i < n; i++)
		if (c->out[i] != want[i]) {
			snprintf(why, sizeof why, "[%zu] of (%08x, %08x) is %08x, not %08x", i, in[2 * i % (2 * N)], in[(2 * i + 1) % (2 * N)],
				c->out[i], want[i]);
			return why;
		}
	return NULL;
}

static void report(const ctx *c, const char *name, const char *why)
{
	char full[128];
	snprintf(full, sizeof full, "%s clang %s %s", c->chip, c->flags, name);
	t_result(full, why);
}

static void reset(ctx *c)
{
	memcpy((void *)(uintptr_t)c->args[0], in, sizeof in);
	memset(c->out, 0, sizeof want);
	memset(want, 0, sizeof want);
}

static void one_kernel(ctx *c, const char *name, const uint32_t grid[3], const uint32_t block[3], size_t n)
{
	const char *why = launch(c, name, grid, block);
	report(c, name, why ? why : differ(c, n));
}
#define DIMS(x, y, z) ((const uint32_t[3]){ x, y, z })

static void elementwise(ctx *c, bool scratch)
{
	for (size_t k = 0; k < sizeof fns / sizeof *fns; k++) {
		if (fns[k].scratch && !scratch)
			continue;
		reset(c);
		for (uint i = 0; i < N - 5; i++)
			want[i] = fns[k].host(in[2 * i], in[2 * i + 1]);
		one_kernel(c, fns[k].name, DIMS(N / 64, 1, 1), DIMS(64, 1, 1), N);
	}
}

static void groups(ctx *c)
{
	reset(c);
	for (uint i = 0; i < N; i++)
		want[i / 64] += in[i];
	one_kernel(c, "reduce", DIMS(N / 64, 1, 1), DIMS(64, 1, 1), N);
	reset(c);
	for (uint i = 0; i < N; i++)
		want[in[i] & 15]++;
	one_kernel(c, "histogram", DIMS(N / 64, 1, 1), DIMS(64, 1, 1), N);
	reset(c);
	c->out[1] = UINT32_MAX;
	want[1] = UINT32_MAX;
	for (uint i = 0; i < N; i++) {
		want[0] = in[i] > want[0] ? in[i] : want[0];
		want[1] = in[i] < want[1] ? in[i] : want[1];
		want[2] = (int)in[i] > (int)want[2] ? in[i] : want[2];
		want[3] ^= in[i];
		want[4] |= in[i];
		want[5] += in[i] & 7;
	}
	one_kernel(c, "extremes", DIMS(N / 64, 1, 1), DIMS(64, 1, 1), N);
	reset(c);
	for (uint z = 0; z < 16; z++)
		for (uint y = 0; y < 6; y++)
			for (uint x = 0; x < 12; x++)
				want[(z * 6 + y) * 12 + x] = x + 100 * y + 10000 * z + in[0];
	one_kernel(c, "grid3", DIMS(3, 3, 2), DIMS(4, 2, 8), N);
	reset(c);
	for (uint i = 0; i < N; i++)
		want[i] = in[i] + (in[i] & 1) + 3;
	one_kernel(c, "flat", DIMS(N / 64, 1, 1), DIMS(64, 1, 1), N);
}

static void lanes(ctx *c, uint wave)
{
	reset(c);
	for (uint i = 0; i < N; i++) {
		uint base = i & ~(wave - 1), t = i - base;
		uint y = in[base + (t ^ 5)] + in[base + (t ^ 1)] * 3;
		y ^= ((t & 15) ? in[i - 1] : 7) * 5;
		y ^= in[base + (t ^ 2)];
		want[i] = y + in[base] * 7 + in[base + 9] * 11;
	}
	one_kernel(c, "lanes", DIMS(N / 64, 1, 1), DIMS(64, 1, 1), N);
}

static void calls(ctx *c)
{
	reset(c);
	for (uint i = 0; i < N - 5; i++) {
		uint s = i, t = i + 1;
		for (uint k = 0; k < (i & 7); k++)
			s = s * 31 + in[k];
		for (uint k = 0; k < 3; k++)
			t = t * 31 + in[k];
		want[i] = s ^ t;
	}
	one_kernel(c, "calls", DIMS(N / 64, 1, 1), DIMS(64, 1, 1), N);
}

static void widths(ctx *c)
{
	uint8_t *p = (uint8_t *)in, *q = (uint8_t *)want;
	reset(c);
	for (uint i = 0; i < 1024; i++, p += 48, q += 48) {
		q[0] = (uint8_t)(p[0] + 1);
		uint16_t h;
		memcpy(&h, p + 2, 2);
		h = (uint16_t)(h * 3);
		memcpy(q + 2, &h, 2);
		h = (uint16_t)((int8_t)p[5] - 3);
		memcpy(q + 4, &h, 2);
		uint32_t w[4];
		memcpy(w, p + 8, 4);
		w[0] += 5;
		memcpy(q + 8, w, 4);
		uint64_t d;
		memcpy(&d, p + 16, 8);
		d += 7;
		memcpy(q + 16, &d, 8);
		memcpy(w, p + 32, 16);
		for (uint k = 0; k < 4; k++)
			w[k] += k + 1;
		memcpy(q + 32, w, 16);
	}
	one_kernel(c, "widths", DIMS(16, 1, 1), DIMS(64, 1, 1), 1024 * 12);
}

/* The line of witness.h that begins with that text. */
static uint line_of(const char *text)
{
	char line[512];
	uint n = 0;
	FILE *f = fopen("tests/emu/witness.h", "r");
	while (f && fgets(line, sizeof line, f) && ++n && strncmp(line, text, strlen(text)))
		;
	if (f)
		fclose(f);
	return n;
}

/* A fault in this code is reported with its source line. */
static void source_line(ctx *c)
{
	emu_result r;
	uint64_t args[3] = { c->args[0], 0x10, N };
	emu_launch_config l = { .block = { 64, 1, 1 }, .args = args, .args_size = sizeof args };
	emu_launch(c->dev, emu_find_kernel(c->obj, "mulhi"), &l, &r);
	bool good = strstr(r.fault.file, "witness.h") && r.fault.line == line_of("FN(mulhi)");
	char why[1024];
	snprintf(why, sizeof why, "%s:%u: %s", r.fault.file, r.fault.line, r.fault.message);
	report(c, "source line of a fault", good ? NULL : why);
}

/* Pairs (VOPD) must be among the instructions, where the chip has them. */
static void has_pairs(const ctx *c, const p2a_target *t, const uint8_t *p, size_t size)
{
	unsigned n = 0;
	for (size_t at = 0; at + 4 * P2A_MAX_DWORDS <= size; at += 4) {
		uint32_t w[P2A_MAX_DWORDS];
		p2a_inst i;
		memcpy(w, p + at, sizeof w);
		n += p2a_decode(t, w, P2A_MAX_DWORDS, &i) > 0 && i.enc == P2A_ENC_DUAL;
	}
	report(c, "pairs", n > 20 ? NULL : "too few");
}

static void chip(const char *dir, const char *id, const char *flags, bool scratch, emu_check level)
{
	const p2a_target *t = p2a_target_find(id);
	ctx c = { .chip = id, .flags = flags };
	emu_error e = { "" };
	size_t size;
	uint8_t *p = compile(dir, id, flags, &size);
	if (!p) {
		t_bad("%s clang %s: does not compile", id, flags);
		return;
	}
	emu_config cf = {
		.size = sizeof cf, .target = id, .threads = 2, .check = level, .timeout = 120
	};
	if (emu_create(&cf, &c.dev, &e) != EMU_OK ||
		emu_load(c.dev, p, size, &c.obj, &e) != EMU_OK) {
		t_bad("%s clang %s: %s", id, flags, e.text);
		emu_destroy(c.dev);
		return;
	}
	c.args[0] = emu_alloc(c.dev, sizeof in);
	c.args[1] = emu_alloc(c.dev, sizeof want);
	c.args[2] = N - 5;
	c.out = (uint *)(uintptr_t)c.args[1];
	if (isa_can_dual(t, OP_v_mov_b32, 0) && !strcmp(flags, "-O2"))
		has_pairs(&c, t, p, size);
	elementwise(&c, scratch);
	groups(&c);
	lanes(&c, strstr(flags, "wavefrontsize64") ? 64 : t->wave);
	if (scratch)
		calls(&c);
	widths(&c);
	source_line(&c);
	emu_destroy(c.dev);
}

int main(void)
{
	char dir[] = "/tmp/p2a-emu-XXXXXX", cmd[256];
	if (!have_clang()) {
		t_skip("clang: no clang-19 that knows amdgcn");
		return t_end() ? 1 : 77;
	}
	if (!mkdtemp(dir)) {
		t_bad("clang: no temporary directory");
		return t_end();
	}
	for (size_t i = 0; i < 2 * N; i++)
		in[i] = (uint)(i % 7 == 0     ? t_random() & 0xffff
				: i % 11 == 0 ? 0x7f800000 + (t_random() & 3)
					      : t_random());
	for (const char *const *id = t_chips; *id; id++) {
		bool arch = p2a_target_find(*id)->arch_scratch;
		const char *more = p2a_target_find(*id)->family == ISA_GFX9
			? "-O2 -Xclang -target-feature -Xclang -packed-fp32-ops"
			: "-O2";
		chip(dir, *id, more, arch, EMU_CHECK_MEMORY);
		chip(dir, *id,
			strcmp(more, "-O2") ? "-O1 -Xclang -target-feature -Xclang -packed-fp32-ops"
					    : "-O1",
			arch, EMU_CHECK_ALL);
		if (arch)
			chip(dir, *id, "-O0", arch, EMU_CHECK_MEMORY);
	}
	chip(dir, "gfx1100", "-O2 -mwavefrontsize64", true, EMU_CHECK_MEMORY);
	chip(dir, "gfx1030", "-O2 -mwavefrontsize64", false, EMU_CHECK_MEMORY);
	snprintf(cmd, sizeof cmd, "rm -r %s", dir);
	if (system(cmd))
		t_bad("clang: cannot remove %s", dir);
	return t_end();
}
