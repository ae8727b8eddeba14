/* cover.c -- which PTX forms a launched kernel has, for tests/e2e/coverage.py.
 * Needs P2A_COVER in the environment, the file to append to; without it does nothing. A line is
 *	WAVE tab OPCODE WITH MODIFIERS tab ROW OF forms.def tab OPERANDS
 * once for each that differs, of the kernel and of all functions of its module; operands as letters (sign). */
#include "cover.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx/ptx.h"

typedef struct set { uint64_t *key; size_t n, cap; } set;

/* Is it new? Keys are hashes: two lines that share one of 64 bits do not happen. */
static bool
set_add(set *s, uint64_t key)
{
	set old = *s;
	size_t i;

	if (s->n * 2 >= s->cap) {
		s->cap = s->cap ? s->cap * 2 : 1 << 12;
		s->n = 0;
		s->key = calloc(s->cap, sizeof *s->key);
		if (!s->key)
			abort();
		for (i = 0; i < old.cap; i++)
			if (old.key[i])
				set_add(s, old.key[i]);
		free(old.key);
	}
	key += !key;
	for (i = key & (s->cap - 1); s->key[i]; i = (i + 1) & (s->cap - 1))
		if (s->key[i] == key)
			return false;
	s->key[i] = key;
	s->n++;
	return true;
}

static uint64_t
hash(const char *s, uint64_t h)
{
	for (; *s; s++)
		h = (h ^ (uint8_t)*s) * 0x100000001b3u;
	return h ^ h >> 29;
}

static const char *const sreg_name[PTX_NSREGS] = {
#define PTX_SREG(id, text, type) text,
#include "ptx/sregs.def"
#undef PTX_SREG
};

/* "!r" a negated predicate, "p|p" a pair, "_" a sink, "r.b1" a selected byte; register, constant, special, variable. */
static void
sign(buf *b, const ptx_operand *o)
{
	static const char letter[] = {
		[PTX_O_REG] = 'r', [PTX_O_SREG] = 's', [PTX_O_INT] = 'i', [PTX_O_F32] = 'i', [PTX_O_F64] = 'i', [PTX_O_SYM] = 'v',
		[PTX_O_LABEL] = 'l', [PTX_O_MEM] = 'm', [PTX_O_VEC] = '{', [PTX_O_LIST] = '(', [PTX_O_PAIR] = '|', [PTX_O_SINK] = '_',
	};

	if (o->kind == PTX_O_PAIR) {
		sign(b, &o->sub[0]);
		buf_printf(b, "|");
		sign(b, &o->sub[1]);
		return;
	}
	buf_printf(b, "%s%c", !o->neg ? "" : o->neg == 1 ? "!" : "-", letter[o->kind]);
	if (o->kind == PTX_O_SREG)
		buf_printf(b, "%s", sreg_name[o->sreg]);
	else if (o->kind == PTX_O_REG && (o->part == 'b' || o->part == 'h'))
		buf_printf(b, ".%c%llx", o->part, (unsigned long long)o->ival);
	else if (o->kind == PTX_O_REG && o->part)
		buf_printf(b, ".%c", o->part);
}

static void
line(buf *b, set *seen, const ptx_inst *x, unsigned wave)
{
	size_t start = b->n;

	if (x->form == UINT16_MAX)
		return;
	buf_printf(b, "%u\t%s\t%s\t", wave, x->text, ptx_form[x->form].pattern);
	for (unsigned i = 0; i < x->nops; i++) {
		buf_printf(b, i ? "," : "");
		sign(b, &x->ops[i]);
	}
	if (!set_add(seen, hash(buf_cstr(b) + start, 1)))
		b->n = start;
	else
		buf_printf(b, "\n");
}

static void
lines(buf *b, set *seen, const ptx_stmt *s, unsigned wave)
{
	for (; s; s = s->next) {
		if (s->kind == PTX_S_INST)
			line(b, seen, &s->inst, wave);
		lines(b, seen, s->body, wave);
	}
}

/* By one write, so that programs may share the file. */
static void
append(const char *name, const buf *b)
{
	FILE *f = b->n ? fopen(name, "ab") : NULL;

	if (!b->n)
		return;
	if (!f || setvbuf(f, NULL, _IONBF, 0) || fwrite(b->p, 1, b->n, f) != b->n) {
		printf("not ok coverage: %s cannot be written\n", name);
		exit(1);
	}
	fclose(f);
}

void
cover_kernel(const char *ptx, const char *kernel, unsigned wave)
{
	static set texts, seen;
	const char *name = getenv("P2A_COVER");
	p2a_source src = { "cover", ptx, strlen(ptx) };
	diag_sink diags;
	ptx_module *m;
	intern names;
	jmp_buf oom;
	arena A;
	buf b;

	if (!name || !set_add(&texts, hash(ptx, hash(kernel, wave))))
		return;
	arena_init(&A, NULL, NULL, &oom);
	if (setjmp(oom))
		abort();
	intern_init(&names, &A);
	diag_init(&diags, &A, &src, 1);
	buf_init(&b, &A);
	m = ptx_parse(&A, &names, &diags, 0);
	ptx_sema(m);
	for (const ptx_func *f = m->funcs; f; f = f->next)
		if (f->has_body && (!f->entry || !strcmp(f->sym->name, kernel)))
			lines(&b, &seen, f->body, wave);
	append(name, &b);
	arena_free(&A);
}
