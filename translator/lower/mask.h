/* mask.h -- the cheapest known sequence for bmsk.clamp, by what is known of its operands. Needs
 * nothing but facts; the sequence is written where an ir_builder stands. PTX ISA 9.7.1.22. */
#ifndef LOWER_MASK_H
#define LOWER_MASK_H
#include "ir/ir.h"

/* len ones from bit pos on; both are at most 32 in effect. */
typedef struct mask_query {
	ir_opnd pos, len;
	ir_fact pos_fact, len_fact;
	bool uniform;            /* both are the same in all lanes */
} mask_query;
ir_opnd mask_write(ir_builder *, const mask_query *);
#endif
