/* refused.c -- why an instruction or a call is not translated, and what to do instead.
 * Needs refused.def; leaves nothing.
 * Manual: "Parallel Thread Execution ISA", 9.7. */
#include "lower/lower.h"

#include <string.h>

static const struct { uint16_t op, mod; const char *text; } rows[] = {
#define WHY(op, mod, text) { PTX_OP_##op, PTX_M_##mod, text },
#include "lower/refused.def"
};

/* CUDA's library for device code has names of its own, which no program defines: nothing but launches needs it. */
static bool
is_device_runtime(const char *name)
{
	return !strncmp(name, "__cudaCDP", 9) || (!strncmp(name, "cuda", 4) && name[4] >= 'A' && name[4] <= 'Z');
}

void
lo_reject_missing(lower *L, const char *name)
{
	if (is_device_runtime(name))
		lo_reject(L, DIAG_unsupported_use, arena_printf(L->A, "dynamic parallelism ('%s'; launch the kernel from the host)", name));
	else
		lo_reject(L, DIAG_no_definition, name);
}

const char *
lower_why(const ptx_inst *in)
{
	for (size_t i = 0; i < COUNT(rows); i++)
		if (rows[i].op == in->op && (rows[i].mod == PTX_M_unknown || ptx_has(in, (ptx_mod)rows[i].mod)))
			return rows[i].text;
	return "";
}
