/* gate.h -- the one place of a kernel where lanes of a wave wait for each other (pass barrier). */
#ifndef PASS_GATE_H
#define PASS_GATE_H
#include "pass/pass.h"

/* What is led through it besides all barriers; each by block id, NULL: nothing. */
typedef struct gate_plan {
	const bool *spin;        /* heads of cycles each of whose turns waits there */
	const bool *meet;        /* blocks whose G_meet of several lanes do */
	const bool *apart;       /* by kind of G_meet (m.offset): lanes of one mask may execute it at different places or times */
} gate_plan;

/* The loops that wait and the .sync that need it (progress.c); or f->wants_body is set. */
gate_plan gate_find_spins(ir_func *);
/* plan.apart; f->wants_body where a kind has to have one body (meet.c). Returns whether a kind is apart. Wants divergence as of waves of one warp. */
bool gate_find_apart(ir_func *, gate_plan *);
/* Message 312 for each .sync of a constant mask in a block of `parted` whose lanes the gate does not gather (plan.meet). */
void gate_warn_of_meets(const ir_func *, const gate_plan *, const bool *parted);
/* Needs generic SSA in normal form with cycles; leaves the same, normalized, without block.divergent. */
void gate_lead(ir_func *, const gate_plan *);

/* if (the LDS word at `at` has gone beyond `phase`): the condition, by a strong load. */
ir_opnd gate_exceeds(ir_builder *, ir_opnd at, ir_opnd phase);
void gate_pause(ir_builder *);
ir_block *gate_cut(ir_func *, ir_block *, ir_inst *from);       /* moves what stands from `from` on into a block of its own; the first is left without an end */
void gate_jump(ir_func *, ir_block *, ir_block *to, uint32_t loc);
void gate_branch(ir_builder *, ir_opnd cond, ir_block *yes, ir_block *no);
bool gate_one_warp(const ir_func *);                            /* does a wave hold one warp? */
bool *gate_blocks_with(ir_func *, bool (*which)(const ir_inst *)); /* by block: does it hold such an instruction? NULL: none does */
bool gate_is_barrier(const ir_inst *);                          /* of the block, or for a number of threads */
bool gate_names_many(ir_opnd mask);                             /* may it name more than one lane? */
#endif
