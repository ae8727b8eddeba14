/* test_forms.c -- every row of forms.def takes the instructions that it describes, and ptxas takes them too.
 * Makes from each row instructions with each alternative of each modifier once; rows with "..." and rows
 * of old versions have no ptxas to ask. What ptxas restricts beyond a row is listed in known_narrower. */
#include "form_maker.h"
#include "ptx/front.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What ptxas takes only with other types, sizes or versions than the generator chooses. */
static bool
known_narrower(const char *inst)
{
	static const char *const parts[] = {
		"cvt.sat.", "call", "L2::evict_normal.b8", "L2::evict_first.b8", "L2::evict_last.b8",
		"volatile.local", "shfl.up", "shfl.down", "shfl.bfly", "shfl.idx", "vote.all", "vote.any",
		"vote.uni", "vote.ballot", "prefetch.param", "applypriority", "discard", "setmaxnreg",
		"cp.async.cg", "ld.param::func", "ld.weak.param::func", "atom.L2::cache_hint.cas.b16", "u32 ur0, ur1;",
		"m3x2.bf16x2", "m2x2.bf16x2", "m1x2.bf16x2", "e2m3x2.f16x2", "e3m2x2.f16x2",     /* PTX 9.1 */
	};
	bool cvta = !strncmp(inst, "cvta", 4);

	for (size_t i = 0; i < COUNT(parts); i++)
		if (strstr(inst, parts[i]) && (cvta || strcmp(parts[i], "u32 ur0, ur1;")))
			return true;
	return false;
}

static void
try_ours(const char *inst, const char *text, uint16_t row)
{
	unit u;
	const ptx_stmt *found = NULL;

	unit_open(&u, inst, text, strlen(text));
	unit_check(&u);
	for (const ptx_stmt *st = u.m->funcs->next->body; st; st = st->next)
		if (st->kind == PTX_S_BLOCK)
			found = st->body;
	expect_true(u.diags.nerrors == 0, "%s (%s): %s", inst, ptx_form[row].pattern, unit_first_fault(&u));
	if (found && found->kind == PTX_S_INST && u.diags.nerrors == 0)
		expect_true(found->inst.form == row || !strcmp(ptx_form[row].section, "9.7.3.11") ||
			!strcmp(ptx_form[row].section, "9.7.3.12"), "%s is taken for %s, not %s", inst,
			ptx_form[found->inst.form].pattern, ptx_form[row].pattern);
	unit_close(&u);
}

/* The instructions of one row, together for one call of ptxas. */
typedef struct batch {
	char inst[200][1024];
	int n;
	char all[80000];
} batch;

static bool
ptxas_takes(const char *inst, char **said)
{
	char *text = framed_inst(inst);
	bool good = ptxas(text, strlen(text), "sm_100a", said);

	free(text);
	return good;
}

static void
ask_ptxas(const batch *B, uint16_t row)
{
	char *said;
	bool good = ptxas_takes(B->all, &said);

	free(said);
	for (int i = 0; i < B->n && !good; i++) {
		expect_true(ptxas_takes(B->inst[i], &said), "ptxas refuses %s (%s): %.200s", B->inst[i],
			ptx_form[row].pattern, said);
		free(said);
	}
}

static void
try_one(const char *inst, uint16_t row, void *ud)
{
	batch *B = ud;
	char *text = framed_inst(inst);

	try_ours(inst, text, row);
	free(text);
	if (known_narrower(inst) || B->n == (int)COUNT(B->inst))
		return;
	snprintf(B->inst[B->n++], sizeof B->inst[0], "%s", inst);
	strcat(strcat(B->all, inst), "\n");
}

static int
try_row(uint16_t row, int *asked)
{
	static batch B;
	int n;

	B.n = 0;
	B.all[0] = 0;
	n = each_instruction(row, try_one, &B);
	if (have_ptxas() && B.n) {
		ask_ptxas(&B, row);
		*asked += B.n;
	}
	return n;
}

/* Every opcode has a row; every word of a row is a word of PTX. */
static void
check_tables(void)
{
	bool has[PTX_NOPS] = { false };
	form F;
	unit u;
	words w;

	unit_open(&u, "", "", 0);
	words_init(&w, &u.A, &u.names);
	for (size_t i = 0; i < ptx_nforms; i++) {
		has[ptx_form[i].op] = true;
		read_form(ptx_form[i].pattern, &F);
		for (int k = 0; k < F.n; k++)
			for (int a = 0; a < F.item[k].n; a++) {
				const char *s = F.item[k].alt[a];
				dot_word x = words_dot(&w, &u.names, s, strlen(s));

				expect_true(x.type != PTX_NOTYPE || x.mod != PTX_M_unknown,
					"%s: .%s is no word of PTX", ptx_form[i].pattern, s);
			}
	}
	for (int i = 0; i < PTX_NOPS; i++)
		expect_true(has[i], "opcode %s has no row", ptx_op_name[i]);
	unit_close(&u);
}

int
main(void)
{
	int n = 0, asked = 0;

	check_tables();
	for (size_t i = 0; i < ptx_nforms; i++)
		n += try_row((uint16_t)i, &asked);
	if (finish() == 0)
		pass("%zu forms, %d instructions", ptx_nforms, n);
	if (asked)
		printf("ok %d of them asked of ptxas\n", asked);
	else
		skip("ptxas on the forms: not installed");
	return finish();
}
