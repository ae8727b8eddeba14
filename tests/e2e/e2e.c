/* e2e.c -- translate, load, launch, read back, for the end-to-end tests.
 * Needs p2a_rt.h only; the references are written from the PTX manual, apart from the translator. */
#include "e2e.h"
#include "cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const e2e_chips[4] = { "gfx90a", "gfx1030", "gfx1100", "gfx1200" };

int
e2e_quick(void)
{
	return getenv("P2A_TEST_QUICK") != NULL;
}

void
text_add(text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->cap - t->n < 512) {
		t->cap = t->cap ? t->cap * 2 : 1 << 16;
		t->s = realloc(t->s, t->cap);
		if (!t->s)
			abort();
	}
	va_start(ap, fmt);
	n = vsnprintf(t->s + t->n, t->cap - t->n, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= t->cap - t->n)
		abort();
	t->n += (size_t)n;
}

char *
e2e_corpus(const char *name)
{
	char path[256], *s;
	FILE *f;
	long n;

	snprintf(path, sizeof path, "tests/corpus/cuda/%s.ptx", name);
	f = fopen(path, "rb");
	if (!f || fseek(f, 0, SEEK_END) || (n = ftell(f)) < 0 || !(s = calloc(1, (size_t)n + 1)))
		return NULL;
	rewind(f);
	n -= (long)fread(s, 1, (size_t)n, f);
	fclose(f);
	return s;
}

static int
complain(const char *name, const e2e_run *r, const char *what, const char *why)
{
	if (!r->quiet)
		printf("not ok %s on %s: %s: %s\n", name, r->chip, what, why);
	return 1;
}

static int
launch(const char *name, const e2e_run *r, p2a_device *dev, p2a_module *mod, uint64_t addr[2])
{
	char params[4096];
	p2a_rt_status status;
	p2a_stats stats;
	p2a_error err;
	p2a_launch_config l = { .size = sizeof l, .shared = r->shared, .packed = params, .packed_size = 16 + r->extra_size };
	const p2a_kernel *k = p2a_module_kernel(mod, r->kernel);

	if (!k)
		return complain(name, r, "kernel", r->kernel);
	if (p2a_mem_alloc(dev, r->in_size, &addr[0], &err) || p2a_mem_alloc(dev, r->out_size, &addr[1], &err) ||
	    p2a_mem_write(dev, addr[0], r->in, r->in_size, &err))
		return complain(name, r, "memory", err.text);
	memcpy(l.grid, r->grid, sizeof l.grid);
	memcpy(l.block, r->block, sizeof l.block);
	memcpy(params, addr, 16);
	if (r->extra_size)
		memcpy(params + 16, r->extra, r->extra_size);
	status = p2a_launch(k, &l, &stats, &err);
	/* A fault that is looked for counts as executed. */
	if (!e2e_hip() && (!status || (r->quiet && status == P2A_RT_EFAULT)))
		cover_kernel(r->ptx, r->kernel, p2a_kernel_attributes(k)->wave);
	if (status)
		return complain(name, r, "launch", err.text);
	if (p2a_mem_read(dev, r->out, addr[1], r->out_size, &err))
		return complain(name, r, "read", err.text);
	return 0;
}

/* ---- devices ---- */

bool
e2e_hip(void)
{
	const char *backend = getenv("P2A_BACKEND");

	if (!backend || !strcmp(backend, "emu"))
		return false;
	if (strcmp(backend, "hip")) {
		printf("not ok e2e: P2A_BACKEND is emu or hip, not '%s'\n", backend);
		exit(1);
	}
	return true;
}

/* The one GPU of a run: opened once, kept to the end. */
static p2a_device *
gpu(void)
{
	static p2a_device *dev;
	p2a_device_config c = { .size = sizeof c, .backend = "hip", .timeout = 300 };
	p2a_error err;

	if (dev)
		return dev;
	if (p2a_device_open(&c, &dev, &err)) {
		printf(err.status == P2A_RT_ENODEVICE ? "skip e2e on hip: %s\n" : "not ok e2e on hip: %s\n", err.text);
		exit(err.status == P2A_RT_ENODEVICE ? 77 : 1);
	}
	printf("device: %s, %s, %s\n", p2a_device_name(dev), p2a_device_target(dev), p2a_device_driver(dev));
	return dev;
}

const char *const *
e2e_on(const char *const *chips, size_t n)
{
	static const char *list[17];
	const size_t most = sizeof list / sizeof *list - 1;

	n = n < most ? n : most;
	for (size_t i = 0; i < n; i++)
		list[i] = chips[i];
	if (e2e_hip()) {
		list[0] = p2a_device_target(gpu());
		n = 1;
	}
	list[n] = NULL;
	return list;
}

int
e2e_everywhere(int (*check)(const void *form, const char *chip, unsigned opt), const void *form)
{
	static const unsigned level[] = { 0, 1, P2A_O0 };
	int bad = 0;

	for (const char *const *chip = e2e_on(e2e_chips, sizeof e2e_chips / sizeof *e2e_chips); *chip; chip++)
		for (size_t o = 0; o < sizeof level / sizeof *level; o++)
			bad += check(form, *chip, level[o]);
	return bad;
}

static int
load_and_launch(const char *name, const e2e_run *r, p2a_device *dev)
{
	p2a_options o = { .size = sizeof o, .semantics = r->sem, .opt = r->opt, .code_object = e2e_hip() ? 4 : r->code_object };
	p2a_source src = { name, r->ptx, strlen(r->ptx) };
	uint64_t addr[2] = { 0, 0 };
	p2a_module *mod;
	p2a_error err;
	int bad;

	if (p2a_module_load_ptx(dev, &src, 1, &o, &mod, &err))
		return complain(name, r, "translation", err.text);
	bad = launch(name, r, dev, mod, addr);
	p2a_module_unload(mod);
	if (p2a_mem_free(dev, addr[0], &err) || p2a_mem_free(dev, addr[1], &err))
		bad |= complain(name, r, "memory", err.text);
	return bad;
}

int
e2e_launch(const char *name, const e2e_run *r)
{
	p2a_device_config c = { .size = sizeof c, .backend = "emu", .target = r->chip, .timeout = r->timeout > 0 ? r->timeout : 300, .check = r->check };
	p2a_device *dev;
	p2a_error err;
	int bad;

	if (e2e_hip())
		return load_and_launch(name, r, gpu());
	if (p2a_device_open(&c, &dev, &err))
		return complain(name, r, "device", err.text);
	bad = load_and_launch(name, r, dev);
	p2a_device_close(dev);
	return bad;
}

/* ---- references ---- */

static uint32_t
operand(uint32_t x, unsigned bits, p2a_semantics sem)
{
	return sem == P2A_SEM_NVIDIA && bits == 64 ? x : x & 0xff;
}

uint32_t
ref_bmsk(uint32_t a, uint32_t b, bool clamp)
{
	uint32_t a1 = a & 31, b1 = b & 31, sum = a1 + b1;
	uint32_t mask0 = ~0u << a1, mask1 = sum < 32 ? ~0u << sum : 0;

	if (clamp && a >= 32)
		mask0 = 0;
	if (clamp && (a >= 32 || b >= 32))
		mask1 = 0;
	else if (sum < 32 && b1 == 0)
		mask1 = ~0u;
	return mask0 & ~mask1;
}

static void
mnemonics(const char *code, size_t n, bool (*wanted)(const char *), char *out, size_t cap)
{
	size_t len = 0;

	for (const char *p = code, *end; p < code + n && len < cap; p = end + 1) {
		char word[40];

		end = memchr(p, '\n', (size_t)(code + n - p));
		if (!end)
			return;
		p += strspn(p, "\t ");
		snprintf(word, sizeof word, "%.*s", (int)strcspn(p, " \n"), p);
		if (strstr(word, "_e32") || strstr(word, "_e64"))
			word[strlen(word) - 4] = 0;
		if (wanted(word))
			len += (size_t)snprintf(out + len, cap - len, "%s%s", len ? " " : "", word);
	}
}

void
e2e_mnemonics(const char *chip, const char *ptx, bool (*wanted)(const char *), char *out, size_t cap)
{
	p2a_options o = { .size = sizeof o, .target = chip, .emit = P2A_EMIT_ASM };
	p2a_source src = { .name = "k", .text = ptx, .size = strlen(ptx) };
	p2a_result *r = p2a_translate(&src, 1, &o);

	*out = 0;
	if (r && r->status == P2A_OK)
		mnemonics(r->data, r->size, wanted, out, cap);
	else
		snprintf(out, cap, "%s", r && r->ndiags ? r->diags[0].message : "nothing");
	p2a_result_free(r);
}

uint64_t
ref_bfi(uint64_t a, uint64_t b, uint32_t c, uint32_t d, unsigned bits, p2a_semantics sem)
{
	uint32_t pos = operand(c, bits, sem), len = operand(d, bits, sem);
	uint64_t f = b;

	for (uint64_t i = 0; i < len && pos + i < bits; i++) {
		uint64_t bit = (uint64_t)1 << (pos + i);

		f = a >> i & 1 ? f | bit : f & ~bit;
	}
	return f;
}

uint64_t
ref_bfe(uint64_t a, uint32_t c, uint32_t d, unsigned bits, int is_signed, p2a_semantics sem)
{
	uint64_t pos = operand(c, bits, sem), len = operand(d, bits, sem), f = 0, last = pos + len - 1;
	int sbit = 0;

	if (is_signed && len)
		sbit = (int)(a >> (last < bits ? last : bits - 1) & 1);
	for (uint64_t i = 0; i < bits; i++) {
		int bit = i < len && pos + i < bits ? (int)(a >> (pos + i) & 1) : sbit;

		f |= (uint64_t)bit << i;
	}
	return f;
}
