/* harness.c -- builds units and expressions, keeps count.
 * Needs the translator's rooms up to lower; leaves nothing. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned nfailed;

void
report(const char *name, const char *why, ...)
{
	va_list ap;

	if (!why) {
		printf("ok %s\n", name);
		return;
	}
	nfailed++;
	printf("not ok %s: ", name);
	va_start(ap, why);
	vprintf(why, ap);
	va_end(ap);
	printf("\n");
}

static void
allocate_variables(unit *u)
{
	const ir_module *M = u->M;

	u->var = arena_array(&u->A, void *, M->vars.n + 1);
	for (uint32_t i = 0; i < M->vars.n; i++) {
		const ir_var *v = &M->vars.a[i];
		uint8_t *p = arena_alloc(&u->A, v->size + v->align);

		p += (v->align - (uintptr_t)p % v->align) % v->align;
		if (v->data)
			memcpy(p, v->data, v->size);
		u->var[i] = p;
	}
	for (uint32_t i = 0; i < M->vars.n; i++)
		for (uint32_t k = 0; k < M->vars.a[i].relocs.n; k++) {
			const struct ir_reloc *r = &M->vars.a[i].relocs.a[k];
			uint64_t x = (uint64_t)(uintptr_t)u->var[r->var] + (uint64_t)r->addend;

			memcpy((uint8_t *)u->var[i] + r->offset, &x, 8);
		}
}

unit *
unit_of(const lower_options *opt, size_t n, const char *const *texts)
{
	unit *u = calloc(1, sizeof *u);
	lower_options o = *opt;

	if (setjmp(u->oom))
		exit(2);
	arena_init(&u->A, NULL, NULL, &u->oom);
	for (size_t i = 0; i < n; i++)
		u->src[i] = (p2a_source){ i ? "b.ptx" : "a.ptx", texts[i], strlen(texts[i]) };
	diag_init(&u->diags, &u->A, u->src, n);
	intern_init(&u->names, &u->A);
	for (size_t i = 0; i < n; i++) {
		u->mods[i] = ptx_parse(&u->A, &u->names, &u->diags, (uint32_t)i);
		ptx_sema(u->mods[i]);
	}
	if (!o.target)
		o.target = p2a_target_find("gfx1100");
	u->M = lower_module(&u->A, &u->names, &u->diags, u->mods, n, &o);
	for (uint32_t i = 0; u->M && i < u->M->funcs.n && !u->fault; i++)
		u->fault = ir_verify(u->M->funcs.a[i], IR_V_LOWERED);
	if (u->M)
		allocate_variables(u);
	return u;
}

unit *
unit_new(const char *text)
{
	return unit_of(&(lower_options){ 0 }, 1, &text);
}

void
unit_free(unit *u)
{
	arena_free(&u->A);
	free(u);
}

const char *
unit_diags(unit *u)
{
	buf b;

	buf_init(&b, &u->A);
	for (uint32_t i = 0; i < u->diags.list.n; i++)
		buf_printf(&b, "E%04u %u:%u %s\n", u->diags.list.a[i].id, u->diags.list.a[i].line,
			u->diags.list.a[i].column, u->diags.list.a[i].message);
	return buf_cstr(&b);
}

const ir_func *
unit_kernel(const unit *u, const char *name)
{
	for (uint32_t i = 0; u->M && i < u->M->funcs.n; i++)
		if (!name || !strcmp(u->M->funcs.a[i]->name, name))
			return u->M->funcs.a[i];
	return NULL;
}

/* Expressions */

static bool
is_predicate(const char *type)
{
	return !strcmp(type, "pred");
}

/* 8-bit types live in 16-bit registers. */
static const char *
register_type(const char *type)
{
	static const char *const bits[] = { "8", "16", "32", "64" };
	static const char *const reg[] = { "b16", "b16", "b32", "b64" };

	for (unsigned i = 0; i < 4; i++)
		if (!is_predicate(type) && !strcmp(type + 1, bits[i]))
			return reg[i];
	return type;
}

static const char *
memory_type(const char *type)
{
	return is_predicate(type) ? "u32" : register_type(type);
}

static void
declare(buf *b, const char *name, unsigned i, const char *type)
{
	if (i < 4)
		buf_printf(b, ".reg .%s %s%u;\n", register_type(type), name, i);
	else
		buf_printf(b, ".reg .%s %s;\n", register_type(type), name);
}

/* Operand i stands at in + 8 i, the result goes to out. */
static const char *
kernel_text(arena *A, const char *text, const char *dst, unsigned nsrc, const char *const *src)
{
	buf b;

	buf_init(&b, A);
	buf_printf(&b, ".version 8.7\n.target sm_90\n.address_size 64\n"
		".visible .entry k(.param .u64 in, .param .u64 out)\n{\n"
		".reg .b64 in_, out_; .reg .b32 w_;\nld.param.u64 in_, [in]; ld.param.u64 out_, [out];\n");
	declare(&b, "d", 9, dst);
	for (unsigned i = 0; i < nsrc; i++) {
		declare(&b, "a", i, src[i]);
		if (is_predicate(src[i]))
			buf_printf(&b, "ld.global.u32 w_, [in_+%u]; setp.ne.u32 a%u, w_, 0;\n", 8 * i, i);
		else
			buf_printf(&b, "ld.global.%s a%u, [in_+%u];\n", memory_type(src[i]), i, 8 * i);
	}
	buf_printf(&b, "{\n%s\n}\n", text);
	if (is_predicate(dst))
		buf_printf(&b, "selp.u32 w_, 1, 0, d; st.global.u32 [out_], w_;\n");
	else
		buf_printf(&b, "st.global.%s [out_], d;\n", memory_type(dst));
	buf_printf(&b, "ret;\n}\n");
	return buf_cstr(&b);
}

bool
op_new(op *o, const char *text, const char *dst, unsigned nsrc, const char *const *src, p2a_semantics sem)
{
	arena A;
	jmp_buf oom;
	const char *kernel;

	if (setjmp(oom))
		exit(2);
	arena_init(&A, NULL, NULL, &oom);
	kernel = kernel_text(&A, text, dst, nsrc, src);
	o->u = unit_of(&(lower_options){ .sem = sem }, 1, &kernel);
	o->f = unit_kernel(o->u, "k");
	o->nsrc = nsrc;
	arena_free(&A);
	return o->f && !o->u->fault && !o->u->diags.nerrors;
}

bool
op_eval(const op *o, const uint64_t *src, uint64_t *result)
{
	uint64_t in[4] = { 0 }, args[2];
	interp I = { .f = o->f, .kernarg = args, .var = o->u->var };

	memcpy(in, src, o->nsrc * sizeof *in);
	*result = 0;
	args[0] = (uint64_t)(uintptr_t)in;
	args[1] = (uint64_t)(uintptr_t)result;
	if (interp_run(&I))
		return true;
	printf("# %s\n", I.fault);
	return false;
}

void
op_free(op *o)
{
	unit_free(o->u);
}

/* Operands */

static uint64_t
scrambled(uint64_t x)
{
	x += 0x9e3779b97f4a7c15;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

uint64_t
sample(unsigned i, unsigned bits)
{
	uint64_t top = 1ull << (bits - 1), all = top * 2 - 1, r = scrambled(i);
	const uint64_t edge[NEDGES] = { 0, 1, 2, 3, 5, 7, 10, 16, 31, 32, 33, 63, 64, 255, 256, 65535, top, top - 1,
		top + 1, all, all - 1, all / 3, 1ull << bits / 2, (1ull << bits / 2) - 1 };

	if (i < NEDGES)
		return edge[i] & all;
	if (i % 3 == 0)
		return r >> (scrambled(r) % bits) & all;       /* all sizes alike */
	return i % 3 == 1 ? r & all : ~(r >> (scrambled(r) % bits)) & all;
}
