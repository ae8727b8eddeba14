/* kit.c -- kernels for tests and the lines that tests print. See kit.h. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures, checks;

void
t_ok(bool good, const char *name, const char *fmt, ...)
{
	va_list ap;

	checks++;
	if (good) {
		printf("ok %s\n", name);
		return;
	}
	failures++;
	printf("not ok %s: ", name);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

void
t_same(const char *got, const char *want, const char *name)
{
	t_ok(!strcmp(got, want), name, "got\n%swant\n%s", got, want);
}

int
t_end(void)
{
	return failures || !checks;
}

unsigned
t_rounds(unsigned n)
{
	return getenv("P2A_TEST_QUICK") ? (n + 9) / 10 : n;
}

void
kit_open(kit *k)
{
	memset(k, 0, sizeof *k);
	arena_init(&k->A, NULL, NULL, &k->oom);
	k->M.A = &k->A;
	k->f.A = &k->A;
	k->f.mod = &k->M;
	k->f.name = "t";
	k->f.max_threads = 1024;
	k->B.f = &k->f;
	k->f.entry = kit_block(k);
}

void
kit_close(kit *k)
{
	arena_free(&k->A);
}

ir_block *
kit_block(kit *k)
{
	return k->B.b = ir_new_block(&k->f);
}

ir_opnd
kit_reg(kit *k, unsigned dwords)
{
	return ir_valop(&k->f, ir_new_val(&k->f, dwords));
}

void
kit_set(kit *k, ir_opnd reg, ir_opnd value)
{
	static const unsigned op[] = { G_copy1, G_copy32, G_copy64 };

	ir_gen_to(&k->B, reg, op[reg.width], 1, &value);
}

void
kit_store(kit *k, unsigned address, ir_opnd value)
{
	ir_opnd v = value.width ? value : ir_g3(&k->B, G_sel32, value, ir_i32(1), ir_i32(0));
	ir_inst *i;

	ir_g2(&k->B, G_store, ir_i32(address), v);
	i = ir_last(&k->B);
	i->mem = (ir_mem){ .space = IR_SHARED, .bytes = (uint8_t)(4 * v.width), .align = 4 };
}

void
kit_end(kit *k, ir_block *yes, ir_block *no, ir_opnd cond)
{
	ir_block *b = k->B.b;

	if (!yes)
		ir_g0(&k->B, G_ret);
	else if (!no)
		ir_g0(&k->B, G_br);
	else
		ir_g1(&k->B, G_cbr, cond);
	if (yes)
		ir_link(b, yes);
	if (no)
		ir_link(b, no);
}

const char *
kit_text(kit *k)
{
	buf out;

	buf_init(&out, &k->A);
	ir_print(&k->f, &out);
	return buf_cstr(&out);
}
