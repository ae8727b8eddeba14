/* refused.c -- why an instruction is not translated, and what to do instead.
 * Needs refused.def; leaves nothing.
 * Manual: "Parallel Thread Execution ISA", 9.7. */
#include "lower/lower.h"

static const struct { uint16_t op, mod; const char *text; } rows[] = {
#define WHY(op, mod, text) { PTX_OP_##op, PTX_M_##mod, text },
#include "lower/refused.def"
};

const char *
lower_why(const ptx_inst *in)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].op == in->op && (rows[i].mod == PTX_M_unknown || ptx_has(in, (ptx_mod)rows[i].mod)))
			return rows[i].text;
	return "";
}
