/* forms.c -- forms.def as the table that ptx.h promises.
 * Needs nothing; leaves constant data. Manual: "Parallel Thread Execution ISA", 9.7. */
#include "ptx/front.h"

const ptx_form_info ptx_form[] = {
#define PTX_FORM(op, mods, operands, section, translated) \
	{ PTX_OP_##op, #op mods " " operands, translated, section },
#define PTX_FORM_OLD PTX_FORM
#include "ptx/forms.def"
#undef PTX_FORM
#undef PTX_FORM_OLD
};
const size_t ptx_nforms = COUNT(ptx_form);

const bool ptx_form_old[] = {
#define PTX_FORM(op, mods, operands, section, translated) false,
#define PTX_FORM_OLD(op, mods, operands, section, translated) true,
#include "ptx/forms.def"
#undef PTX_FORM
#undef PTX_FORM_OLD
};
