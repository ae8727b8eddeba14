/* test_api.c -- p2a_translate as an embedding program sees it: arguments, diagnostics, memory, threads.
 * The library must survive every allocation failing, give the same bytes in every thread, and refuse
 * what it cannot do with a status and never with the process. */
#include "check.h"
#include "p2a.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char good[] =
	".version 8.0\n.target sm_75\n.address_size 64\n"
	".global .align 4 .u32 counter[4] = {1, 2, 3};\n"
	".visible .entry pack(.param .u64 out, .param .u32 n)\n{\n"
	"\t.reg .pred %p<2>; .reg .b32 %r<10>; .reg .b64 %rd<5>;\n"
	"\tld.param.u64 %rd1, [out]; ld.param.u32 %r1, [n];\n"
	"\tmov.u32 %r2, %tid.x;\n\tsetp.ge.u32 %p1, %r2, %r1;\n\t@%p1 bra DONE;\n"
	"\tmov.u32 %r3, 0;\nLOOP:\n\tbfi.b32 %r3, %r2, %r3, 8, 4;\n\tadd.u32 %r2, %r2, 7;\n"
	"\tsetp.lt.u32 %p1, %r2, 100;\n\t@%p1 bra LOOP;\n"
	"\tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n\tst.global.u32 [%rd3], %r3;\nDONE:\n\tret;\n}\n";

static const char bad[] =
	".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
	"\t.reg .b32 %r<4>; .reg .f32 %f<9>;\n"
	"\tmma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8}, {%r1,%r2}, {%r1,%r2}, {%f1,%f2,%f3,%f4,%f5,%f6,%f7,%f8};\n"
	"\tbfi.b32 %r1, %r2, %r9, 1, 2;\n\tret;\n}\n";

static p2a_result *
translate(const char *text, p2a_options o)
{
	p2a_source s = { "t.ptx", text, strlen(text) };

	o.size = sizeof o;
	return p2a_translate(&s, 1, &o);
}

static void
arguments(void)
{
	p2a_options o = { .size = sizeof o, .target = "gfx1100" }, bad_o;
	p2a_source s = { "t.ptx", good, strlen(good) };
	struct { p2a_options o; int later[2]; } newer = { .later = { 0 } };
	p2a_result *r;

	check(!p2a_translate(NULL, 1, &o) && !p2a_translate(&s, 1, NULL), "api NULL arguments", "a result came back");
	p2a_result_free(NULL);
#define REFUSED(name, why, ...) \
	bad_o = (p2a_options){ .size = sizeof o, __VA_ARGS__ }; \
	r = p2a_translate(&s, 1, &bad_o); \
	check(r && r->status == P2A_EARG && !r->data && r->ndiags == 1 && !strncmp(r->diags[0].message, why, strlen(why)), "api refuses " name, \
	      r && r->ndiags ? r->diags[0].message : "no reason"); \
	p2a_result_free(r)
	REFUSED("an unknown chip", "unknown target 'gfx123'", .target = "gfx123");
	REFUSED("no chip", "no target is given", .emit = P2A_EMIT_ASM);
	REFUSED("code object 3", "code object version 3: it is 4 or 5", .target = "gfx1100", .code_object = 3);
	REFUSED("an unknown emit", "unknown kind of output 9", .target = "gfx1100", .emit = (p2a_emit)9);
	REFUSED("an unknown meaning", "unknown semantics 7", .target = "gfx1100", .semantics = (p2a_semantics)7);
	REFUSED("an unknown level", "unknown level of optimization 9", .target = "gfx1100", .opt = 9);
	REFUSED("kernels without names", "the names of the kernels are NULL", .target = "gfx1100", .nentries = 2);
	const char *holes[] = { "pack", NULL };
	REFUSED("a kernel without a name", "the name of kernel 1 is NULL", .target = "gfx1100", .entries = holes, .nentries = 2);
	REFUSED("an unknown pass", "unknown pass 'nonsense' to dump: it is all, lower, ssa,", .target = "gfx1100", .dump = "nonsense");
	newer.o = o;
	newer.o.size = sizeof newer;
	r = p2a_translate(&s, 1, &newer.o);
	check(r && r->status == P2A_OK, "api takes options of a newer header that are not set", "refused");
	p2a_result_free(r);
	newer.later[1] = 1;
	r = p2a_translate(&s, 1, &newer.o);
	check(r && r->status == P2A_EARG && r->ndiags == 1 && strstr(r->diags[0].message, "does not know"), "api refuses options of a newer header",
	      "accepted");
	p2a_result_free(r);
	o.size = 5000;
	check(!p2a_translate(&s, 1, &o), "api refuses a size without sense", "accepted");
	o.size = sizeof o;
	r = p2a_translate(&s, 0, &o);
	check(r && r->status == P2A_EARG && r->ndiags == 1 && !strcmp(r->diags[0].message, "no source is given"), "api refuses no source",
	      "accepted");
	p2a_result_free(r);
}

static void
diagnostics(void)
{
	p2a_result *r = translate(bad, (p2a_options){ .target = "gfx1100" });
	int undeclared = 0, unsupported = 0;

	check(r && r->status == P2A_EINPUT && !r->data && r->ndiags >= 2, "api reports all faults", "too few");
	for (size_t i = 0; r && i < r->ndiags; i++) {
		undeclared |= r->diags[i].line == 8 && r->diags[i].column == 20;
		unsupported |= r->diags[i].line == 7 && r->diags[i].column == 2;
	}
	check(undeclared, "api places an undeclared register", "not at 8:20");
	check(unsupported, "api places an unsupported instruction", "not at 7:2");
	p2a_result_free(r);
}

typedef struct budget { long left; long live; } budget;

static void *
counting(void *ud, void *ptr, size_t osize, size_t nsize)
{
	budget *b = ud;

	(void)osize;
	if (!nsize) {
		b->live -= ptr != NULL;
		free(ptr);
		return NULL;
	}
	if (b->left-- <= 0)
		return NULL;
	b->live += !ptr;
	return realloc(ptr, nsize);
}

/* Fails the first, the second, ... allocation until the translation succeeds. */
static void
memory(void)
{
	long n;

	for (n = 0; n < 100000; n++) {
		budget b = { n, 0 };
		p2a_result *r = translate(good, (p2a_options){ .target = "gfx90a", .alloc = counting, .alloc_ud = &b });
		int done = r && r->status == P2A_OK;

		if (r && !done && r->status != P2A_ENOMEM) {
			check(0, "api allocation failures", "another status than ENOMEM");
			return;
		}
		p2a_result_free(r);
		if (b.live) {
			check(0, "api allocation failures", "memory is left");
			return;
		}
		if (done)
			break;
	}
	check(n > 3, "api allocation failures", "too few allocations to mean anything");
}

static void *
in_thread(void *target)
{
	return translate(good, (p2a_options){ .target = target });
}

static void
threads(void)
{
	pthread_t t[4];
	void *r[4];
	int same = 1;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&t[i], NULL, in_thread, "gfx1200"))
			exit(1);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], &r[i]);
	for (int i = 0; i < 4; i++) {
		p2a_result *a = r[0], *b = r[i];

		same = same && a && b && a->status == P2A_OK && b->status == P2A_OK && a->size == b->size && !memcmp(a->data, b->data, a->size);
	}
	for (int i = 0; i < 4; i++)
		p2a_result_free(r[i]);
	check(same, "api four threads, the same bytes", "they differ");
}

static void
outputs(void)
{
	static const char *const chips[] = { "gfx90a", "gfx1030", "gfx1100", "gfx1200" };

	for (int c = 0; c < 4; c++)
		for (int e = P2A_EMIT_HSACO; e <= P2A_EMIT_PTX; e++)
			for (unsigned opt = 0; opt <= P2A_O0; opt++) {
				p2a_result *r = translate(good, (p2a_options){ .target = chips[c], .emit = (p2a_emit)e, .opt = opt });
				char name[64];

				snprintf(name, sizeof name, "api output %d opt %u for %s", e, opt, chips[c]);
				check(r && r->status == P2A_OK && r->size > 100, name, r && r->ndiags ? r->diags[0].message : "no output");
				p2a_result_free(r);
			}
}

int
main(void)
{
	arguments();
	diagnostics();
	memory();
	threads();
	outputs();
	return failures != 0;
}
