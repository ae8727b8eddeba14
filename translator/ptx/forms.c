/* forms.c -- forms.def as the table that ptx.h promises.
 * Needs nothing; leaves constant data. Manual: "Parallel Thread Execution ISA", 9.7. */
#include "ptx/front.h"

const ptx_form_info ptx_form[] = {
#define PTX_FORM(op, mods, operands, section, translated) \
	{ PTX_OP_##op, #op mods " " operands, translated, section },
#define PTX_FORM_OLD(until, op, mods, operands, section, implied) PTX_FORM(op, mods, operands, section, true)
#include "ptx/forms.def"
#undef PTX_FORM
#undef PTX_FORM_OLD
};
const size_t ptx_nforms = COUNT(ptx_form);

const form_past ptx_form_past[] = {
#define PTX_FORM(op, mods, operands, section, translated) { 0, PTX_M_unknown },
#define PTX_FORM_OLD(until, op, mods, operands, section, implied) { until, PTX_M_##implied },
#include "ptx/forms.def"
#undef PTX_FORM
#undef PTX_FORM_OLD
};
