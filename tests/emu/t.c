/* t.c -- the shared part of the emulator's tests: see t.h.
 * The code object is written here byte by byte, so that loading is tested against another writer
 * than ours.
 * ELF-64; LLVM's AMDGPU guide, "Code Object V4". */
#include <stdarg.h>

#include "t.h"

static int failed, passed, skipped;

static void line(const char *kind, const char *fmt, va_list ap)
{
	printf("%s ", kind);
	vprintf(fmt, ap);
	putchar('\n');
	fflush(stdout);
}
void t_ok(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	line("ok", fmt, ap);
	va_end(ap);
	passed++;
}
void t_skip(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	line("skip", fmt, ap);
	va_end(ap);
	skipped++;
}
void t_bad(const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	line("not ok", fmt, ap);
	va_end(ap);
	failed++;
}
void t_result(const char *name, const char *why)
{
	if (why)
		t_bad("%s: %s", name, why);
	else
		t_ok("%s", name);
}
int t_end(void)
{
	printf("# %d ok, %d not ok, %d skipped\n", passed, failed, skipped);
	return failed != 0;
}

uint64_t t_random(void)
{
	static uint64_t x = 88172645463325252u;
	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x * 2685821657736338717u;
}

const char *const t_chips[] = { "gfx90a", "gfx1030", "gfx1100", "gfx1200", NULL };

t_code *t_new(const char *target)
{
	t_code *c = calloc(1, sizeof *c);
	c->t = p2a_target_find(target);
	c->vgprs = 64;
	c->mode = 0xf0;
	c->dx10 = true;
	c->kernarg = 16;
	return c;
}

void t_wave64(t_code *c)
{
	c->own = *c->t;
	c->own.wave = 64;
	c->t = &c->own;
	c->wave64 = true;
}

void t_emit(t_code *c, const p2a_inst *i)
{
	uint32_t w[P2A_MAX_DWORDS];
	int n = p2a_encode(c->t, i, w);
	if (n < 0 && !c->error) {
		c->error = n;
		c->bad = *i;
	}
	for (int k = 0; k < n; k++)
		t_word(c, w[k]);
}
void t_word(t_code *c, uint32_t w)
{
	if (c->n < sizeof c->w / sizeof *c->w)
		c->w[c->n++] = w;
}

static p2a_inst make(unsigned op, const p2a_opnd *o, unsigned n)
{
	p2a_inst i = { .op = (uint16_t)op, .nargs = (uint8_t)n };
	for (unsigned k = 0; k < n && k < P2A_MAX_ARGS; k++)
		i.arg[k] = o[k];
	return i;
}
void t_op(t_code *c, unsigned op, const p2a_opnd *o, unsigned n)
{
	p2a_inst i = make(op, o, n);
	t_emit(c, &i);
}
void t_mem(t_code *c, unsigned op, int offset, const p2a_opnd *o, unsigned n)
{
	p2a_inst i = make(op, o, n);
	i.offset = offset;
	t_emit(c, &i);
}
void t_wait(t_code *c)
{
	uint8_t none[ISA_NCNT] = { 0 };
	p2a_inst out[ISA_NCNT];
	int n = isa_wait(c->t, none, out);
	for (int k = 0; k < n; k++)
		t_emit(c, &out[k]);
}
void t_back(t_code *c, unsigned op, size_t to)
{
	p2a_opnd o = K((int64_t)to - (int64_t)c->n - 1);
	t_op(c, op, &o, 1);
}
size_t t_forward(t_code *c, unsigned op)
{
	p2a_opnd o = K(0);
	t_op(c, op, &o, 1);
	return c->n - 1;
}
void t_here(t_code *c, size_t branch)
{
	c->w[branch] = (c->w[branch] & 0xffff0000u) | (uint32_t)(c->n - branch - 1);
}

/* The file: header and program headers, note, descriptor, symbols, sections; code from 0x1000
 * on. */
enum {
	AT_NOTE = 0x200,
	AT_KD = 0x400,
	AT_SYM = 0x480,
	AT_STR = 0x500,
	AT_SH = 0x580,
	AT_TEXT = 0x1000
};
static void p16(uint8_t *p, uint32_t x) { uint16_t h = (uint16_t)x; memcpy(p, &h, 2); }
static void p32(uint8_t *p, uint32_t x) { memcpy(p, &x, 4); }
static void p64(uint8_t *p, uint64_t x) { memcpy(p, &x, 8); }

static uint8_t *mp_str(uint8_t *p, const char *s)
{
	size_t n = strlen(s);
	*p++ = 0xd9;
	*p++ = (uint8_t)n;
	memcpy(p, s, n);
	return p + n;
}
static uint8_t *mp_num(uint8_t *p, const char *key, uint32_t x)
{
	p = mp_str(p, key);
	*p++ = 0xce;
	for (int k = 24; k >= 0; k -= 8)
		*p++ = (uint8_t)(x >> k);
	return p;
}
static size_t note(uint8_t *p, const t_code *c)
{
	uint8_t *q = p + 20;
	*q++ = 0x82;
	q = mp_str(q, "amdhsa.version");
	*q++ = 0x92, *q++ = 1, *q++ = 1;
	q = mp_str(q, "amdhsa.kernels");
	*q++ = 0x91, *q++ = 0x87;
	q = mp_str(mp_str(q, ".name"), "k");
	q = mp_str(mp_str(q, ".symbol"), "k.kd");
	q = mp_num(q, ".kernarg_segment_size", c->kernarg);
	q = mp_num(q, ".kernarg_segment_align", 8);
	q = mp_num(q, ".group_segment_fixed_size", c->lds);
	q = mp_num(q, ".max_flat_workgroup_size", 1024);
	q = mp_str(q, ".args");
	*q++ = 0x91, *q++ = 0x83;
	q = mp_num(q, ".offset", 0);
	q = mp_num(q, ".size", c->kernarg);
	q = mp_str(mp_str(q, ".value_kind"), "by_value");
	size_t n = (size_t)(q - p) - 20;
	p32(p, 7);
	p32(p + 4, (uint32_t)n);
	p32(p + 8, 32);
	memcpy(p + 12, "AMDGPU", 6);
	return 20 + n;
}

static void descriptor(uint8_t *p, const t_code *c)
{
	bool w64 = c->wave64 || !(c->t->wave_bits & 32);
	uint32_t granule = c->t->family == ISA_GFX9 ? c->t->vgpr_granule : w64 ? 4 : 8;
	uint32_t user = 2 + (c->buffer ? 4u : 0) + (c->dispatch_ptr ? 2u : 0) + (c->flat_init ? 2u : 0);
	p32(p, c->lds);
	p32(p + 4, c->scratch);
	p32(p + 8, c->kernarg);
	p64(p + 16, AT_TEXT - AT_KD);
	if (c->t->accum_offset)
		p32(p + 44, c->vgprs / 4 - 1);
	p32(p + 48, ((c->vgprs + c->agprs) / granule - 1) | (c->t->sgpr_granule ? 11u << 6 : 0) | c->mode << 12 |
		(uint32_t)c->dx10 << 21 | (uint32_t)c->ieee << 23);
	p32(p + 52,
		(uint32_t)c->private_segment | user << 1 | 1u << 7 | (c->wg_yz ? 3u << 8 : 0) |
			c->item_dims << 11);
	p16(p + 56,
		8u | (c->buffer ? 1u : 0) | (c->dispatch_ptr ? 2u : 0) | (c->flat_init ? 32u : 0) | (w64 ? 0 : 1u << 10));
}

static void phdr(uint8_t *p, uint32_t type, uint32_t flags, uint64_t at, uint64_t size)
{
	p32(p, type);
	p32(p + 4, flags);
	p64(p + 8, at);
	p64(p + 16, at);
	p64(p + 24, at);
	p64(p + 32, size);
	p64(p + 40, size);
	p64(p + 48, 0x1000);
}
static void symbol(uint8_t *p, uint32_t name, uint32_t info, uint64_t value, uint64_t size)
{
	p32(p, name);
	p[4] = (uint8_t)info;
	p[5] = 3;
	p16(p + 6, 1);
	p64(p + 8, value);
	p64(p + 16, size);
}
static void shdr(uint8_t *p, uint32_t name, uint32_t type, uint64_t at, uint64_t size, uint32_t link)
{
	p32(p, name);
	p32(p + 4, type);
	p64(p + 24, at);
	p64(p + 32, size);
	p32(p + 40, link);
	p64(p + 56, type == 2 ? 24 : 0);
}

uint8_t *t_object(const t_code *c, size_t *size)
{
	static const char strings[] = "\0k\0k.kd\0.symtab\0.strtab";
	size_t text = 4 * c->n;
	*size = AT_TEXT + text;
	uint8_t *p = calloc(1, *size);
	memcpy(p + AT_TEXT, c->w, text);
	memcpy(p, "\177ELF\2\1\1\100\2", 9);
	p16(p + 16, 3);
	p16(p + 18, 224);
	p32(p + 20, 1);
	p64(p + 32, 64);
	p64(p + 40, AT_SH);
	p32(p + 48, c->t->mach | (c->t->has_xnack ? 0x100u : 0) | (c->t->has_sramecc ? 0x400u : 0));
	p16(p + 52, 64);
	p16(p + 54, 56);
	p16(p + 56, 3);
	p16(p + 58, 64);
	p16(p + 60, 3);
	phdr(p + 64, 1, 4, 0, AT_TEXT);
	phdr(p + 120, 1, 5, AT_TEXT, text);
	phdr(p + 176, 4, 4, AT_NOTE, note(p + AT_NOTE, c));
	descriptor(p + AT_KD, c);
	symbol(p + AT_SYM + 24, 1, 0x12, AT_TEXT, text);
	symbol(p + AT_SYM + 48, 3, 0x11, AT_KD, 64);
	memcpy(p + AT_STR, strings, sizeof strings);
	shdr(p + AT_SH + 64, 8, 2, AT_SYM, 72, 2);
	shdr(p + AT_SH + 128, 16, 3, AT_STR, sizeof strings, 0);
	return p;
}

bool t_load(t_run *r, const t_code *c, const emu_config *conf)
{
	emu_config cf = *conf;
	emu_error e = { "" };
	size_t n;
	memset(r, 0, sizeof *r);
	if (c->error) {
		char text[128];
		p2a_print(c->t, &c->bad, text, sizeof text);
		t_bad("%s: cannot encode %s: %s", c->t->name, isa_table[c->bad.op].name,
			p2a_isa_error_name(c->error));
		return false;
	}
	cf.size = sizeof cf;
	uint8_t *p = t_object(c, &n);
	if (emu_create(&cf, &r->dev, &e) == EMU_OK && emu_load(r->dev, p, n, &r->obj, &e) == EMU_OK)
		r->k = emu_find_kernel(r->obj, "k");
	else
		t_bad("%s: %s", cf.target, e.text);
	free(p);
	return r->k;
}
void t_unload(t_run *r)
{
	emu_unload(r->obj);
	emu_destroy(r->dev);
}

bool t_judge(t_code *c, unsigned op, t_judge_fn judge)
{
	char title[96];
	t_run r;
	snprintf(title, sizeof title, "%s %s", c->t->name, isa_table[op].name);
	bool good = t_load(&r, c, &(emu_config){ .target = c->t->name, .threads = 1 });
	const char *why = good ? judge(&r, c->t, op) : NULL;
	if (why)
		t_result(title, why);
	t_unload(&r);
	free(c);
	return good && !why;
}

void t_each_row(const char *const *chips, size_t n, bool (*run)(const char *chip, unsigned op), const char *what)
{
	for (size_t k = 0; k < n; k++) {
		bool good = true;
		for (unsigned op = 0; op < ISA_NOPS; op++)
			good &= run(chips[k], op);
		if (good)
			t_ok("%s: %s", chips[k], what);
	}
}

void t_prologue(t_code *c)
{
	MEM(c, s_load_dwordx4, 0, SN(4, 4), SN(0, 2), OFF);
	if (c->t->ttmp_wgid)
		OP(c, s_lshl_b32, S(8), SREG(P2A_TTMP0 + 9, 1), K(6));
	else
		OP(c, s_lshl_b32, S(8), S(2), K(6));
	OP(c, v_add_u32, V(0), S(8), V(0));
	t_wait(c);
}
