/* test_forms.c -- ptx/forms.def says of each form whether it is translated; lower/table.c decides it.
 * Each form's modifiers are written out in all combinations (up to a limit) and looked up: a translated
 * form has one that a row covers; of one that is not, none may slip through, except where noted. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITEMS = 24, MAX_TEXTS = 2000 };

typedef struct pattern {
	char item[MAX_ITEMS][256];
	bool optional[MAX_ITEMS];
	unsigned n;
	bool open;               /* ends in "...": anything may follow */
} pattern;

static void
read_pattern(const char *p, pattern *t)
{
	*t = (pattern){ .n = 0 };
	for (p += strcspn(p, ". "); *p == '.' && t->n < MAX_ITEMS; t->n++) {
		const char *end;

		if (!strncmp(p, "...", 3)) {
			t->open = true;
			return;
		}
		p++;
		end = *p == '{' ? strchr(p, '}') : p + strcspn(p, ".?{ ");
		p += *p == '{';
		snprintf(t->item[t->n], sizeof t->item[0], "%.*s", (int)(end - p), p);
		p = end + (*end == '}');
		t->optional[t->n] = *p == '?';
		p += *p == '?';
	}
}

/* Appends one instruction a combination; *left counts down. */
static void
expand(const pattern *t, unsigned i, const char *so_far, buf *out, unsigned *left)
{
	char text[512], word[256];

	if (!*left)
		return;
	if (i == t->n) {
		--*left;
		buf_printf(out, "%s r0, r1;\n", so_far);
		return;
	}
	if (t->optional[i])
		expand(t, i + 1, so_far, out, left);
	for (const char *p = t->item[i]; *p; p += strcspn(p, ","), p += *p == ',') {
		snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ","), p);
		snprintf(text, sizeof text, "%s.%s", so_far, word);
		expand(t, i + 1, text, out, left);
	}
}

/* Covered by the table, but refused for all or some operands. */
static const char *const refused_later[] = { "mad.ftz?.sat?.f32 d, a, b, c", "mov.b16 d, a:pack",
	"cvt.{rz,rm,rp}.ftz?.sat?.f16.f32 d:r1, a:r2", "div.ftz?.{f32,f64} d, a, b", "rcp.ftz?.{f32,f64} d, a",
	"sqrt.ftz?.{f32,f64} d, a", "rsqrt.ftz?.{f32,f64} d, a", "sin.ftz?.f32 d, a", "cos.ftz?.f32 d, a", "lg2.ftz?.f32 d, a",
	"ex2.ftz?.f32 d, a" };

static bool
is_refused_later(const char *form)
{
	for (size_t i = 0; i < COUNT(refused_later); i++)
		if (!strcmp(refused_later[i], form))
			return true;
	return false;
}

static void
test_form(arena *A, const ptx_form_info *form)
{
	buf text;
	pattern t;
	p2a_source src;
	diag_sink diags;
	intern names;
	const ptx_module *m;
	unsigned left = MAX_TEXTS, covered = 0, all = 0;

	buf_init(&text, A);
	buf_printf(&text, ".version 8.7\n.target sm_90\n.address_size 64\n.visible .entry k() {\n");
	read_pattern(form->pattern, &t);
	expand(&t, 0, ptx_op_name[form->op], &text, &left);
	buf_printf(&text, "}\n");
	src = (p2a_source){ "a.ptx", buf_cstr(&text), text.n };
	diag_init(&diags, A, &src, 1);
	intern_init(&names, A);
	m = ptx_parse(A, &names, &diags, 0);
	for (const ptx_stmt *s = m->funcs ? m->funcs->body : NULL; s; s = s->next)
		if (s->kind == PTX_S_INST) {
			all++;
			covered += lower_find(&s->inst) != NULL;
		}
	if (form->translated && !covered)
		report(form->pattern, "said to be translated, but no row covers it");
	if (!form->translated && !t.open && all && covered == all && !is_refused_later(form->pattern))
		report(form->pattern, "translated, but not said to be");
}

int
main(void)
{
	arena A;
	jmp_buf oom;

	if (setjmp(oom))
		exit(2);
	for (size_t i = 0; i < ptx_nforms; i++) {
		arena_init(&A, NULL, NULL, &oom);
		test_form(&A, &ptx_form[i]);
		arena_free(&A);
	}
	if (!nfailed)
		report("forms", NULL);
	return nfailed != 0;
}
