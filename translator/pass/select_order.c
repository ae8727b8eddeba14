/* select_order.c -- memory order: cache policy, invalidation and write-back, barriers.
 * Needs i->mem; leaves the instructions of order.def and full waits around them.
 * AMDGPUUsage, "Memory Model". */
#include "pass/select.h"

enum model { G9, G90, G940, G10, G11, G12, NMODELS };
enum { CTA = IR_CTA, GPU = IR_GPU, SYS = IR_SYS, VOL, NSCOPES };

static const struct order {
	uint16_t load, store, rmw, inv[2], inv_cpol, wb, wb_cpol;
} orders[NMODELS][NSCOPES] = {
#define SCOPE(n) (n) << P2A_SCOPE_SHIFT
#define WAITS 0x8000    /* beside the cache policy */
#define OP_NO NO_OP
#define ORDER(model, scope, load, store, rmw, inv1, inv2, inv_cpol, wb, wb_cpol) \
	[model][scope] = { load, store, rmw, { OP_##inv1, OP_##inv2 }, inv_cpol, OP_##wb, wb_cpol },
#include "pass/order.def"
};

static const struct order *
order_of(const sel *S, unsigned scope)
{
	static const uint8_t family[ISA_NFAMILY] = {
		[ISA_GFX9] = G9, [ISA_GFX10] = G10, [ISA_GFX11] = G11, [ISA_GFX12] = G12
	};
	unsigned model = family[S->t->family];

	if (model == G9)
		model = S->t->sc_bits ? G940 : isa_has(S->t, OP_buffer_invl2) ? G90 : G9;
	return &orders[model][scope];
}

static unsigned
policy(const sel *S, const ir_inst *i)
{
	const struct order *o;

	if (i->mem.space == IR_SHARED || i->mem.space == IR_LOCAL || i->mem.space == IR_PARAM)
		return 0;
	if (!i->mem.vol && i->mem.order == IR_WEAK)
		return 0;
	o = order_of(S, i->mem.vol ? VOL : i->mem.scope);
	return i->m.op == G_load ? o->load : i->m.op == G_store ? o->store : o->rmw;
}

uint16_t
sel_cpol(const sel *S, const ir_inst *i)
{
	return policy(S, i) & (WAITS - 1);
}

/* Waits until every access before it is done, as far as the scope can tell: on gfx9 the waves of a workgroup
 * share an L1, which sees their accesses to memory in order. */
static void
wait_all(sel *S, unsigned scope)
{
	uint8_t left[ISA_NCNT] = { [ISA_CNT_EXP] = 255, [ISA_CNT_SAMPLE] = 255, [ISA_CNT_BVH] = 255 };
	p2a_inst w[ISA_NCNT];
	int n;

	if (scope == CTA && S->t->family == ISA_GFX9)
		left[ISA_CNT_VM] = 255;
	n = isa_wait(S->t, left, w);
	for (int k = 0; k < n; k++)
		ir_emit(&S->B, w[k].op, 0, w[k].nargs, w[k].arg);
}

static void
cache(sel *S, unsigned op, unsigned cpol)
{
	if (op != NO_OP)
		ir_m(&S->B, op, 0)->m.cpol = (uint16_t)cpol;
}

/* Nothing behind it sees what is older than what the accesses before it have seen. */
static void
acquire(sel *S, unsigned scope)
{
	const struct order *o = order_of(S, scope);

	cache(S, o->inv[0], o->inv_cpol);
	cache(S, o->inv[1], o->inv_cpol);
}

/* Whoever sees what is written behind it sees all that was written before it. */
static void
release(sel *S, unsigned scope)
{
	const struct order *o = order_of(S, scope);

	cache(S, o->wb, o->wb_cpol);
	wait_all(S, scope);
}

static bool
acquires(const ir_inst *i)
{
	return i->mem.order == IR_ACQUIRE || i->mem.order == IR_ACQ_REL;
}

static bool
releases(const ir_inst *i)
{
	return i->mem.order == IR_RELEASE || i->mem.order == IR_ACQ_REL;
}

/* gfx12: a store of system scope may overtake what comes before it. */
void
sel_before(sel *S, const ir_inst *i)
{
	if (releases(i))
		release(S, i->mem.scope);
	else if (policy(S, i) & WAITS)
		wait_all(S, i->mem.scope);
}

void
sel_behind(sel *S, const ir_inst *i)
{
	if (!acquires(i))
		return;
	wait_all(S, i->mem.scope);
	acquire(S, i->mem.scope);
}

void
sel_do_fence(sel *S, ir_inst *i, const sel_row *r)
{
	(void)r;
	if (releases(i))
		release(S, i->mem.scope);
	else
		wait_all(S, i->mem.scope);
	if (acquires(i))
		acquire(S, i->mem.scope);
}

/* The waits before it are pass waitcnt's. What the waves of the workgroup wrote to global memory is seen
 * by each other after it: it must have left their caches, and old copies must go, where they do not share one. */
void
sel_do_barrier(sel *S, ir_inst *i, const sel_row *r)
{
	const struct order *o = order_of(S, IR_CTA);

	(void)i;
	(void)r;
	if (S->stores)
		cache(S, o->wb, o->wb_cpol);
	ir_m(&S->B, P_barrier, 0);
	if (S->stores)
		cache(S, o->inv[0], o->inv_cpol);
}
