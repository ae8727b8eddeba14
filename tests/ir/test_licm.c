/* test_licm.c -- what p_licm takes out of a loop and what it must leave, by the names of the operations that a turn of the
 * loop still does. Each row writes the body of one loop (or of a conditional block in it) from values x, y that the loop does
 * not change and its counter i. */
#include "kit.h"

#include <stdio.h>
#include <string.h>

typedef struct loop {
	kit *k;
	ir_opnd x, y, d, i;     /* d: the address of the parameters; x, y, i: 32 bits */
	ir_block *body, *exit;
} loop;

static ir_opnd g2(loop *l, unsigned op, ir_opnd a, ir_opnd b) { return ir_g2(&l->k->B, op, a, b); }
static ir_opnd g3(loop *l, unsigned op, ir_opnd a, ir_opnd b, ir_opnd c) { return ir_g3(&l->k->B, op, a, b, c); }

static ir_opnd
load(loop *l, unsigned space, bool nc, ir_opnd address)
{
	ir_opnd r = kit_reg(l->k, 1);

	ir_gen_to(&l->k->B, r, G_load, 1, &address);
	ir_last(&l->k->B)->mem = (ir_mem){ .space = (uint8_t)space, .bytes = 4, .align = 4, .nc = nc };
	return r;
}

static ir_opnd
bfi(loop *l, ir_opnd a, ir_opnd b, ir_opnd pos, ir_opnd len)
{
	return ir_g4(&l->k->B, G_ptx_bfi32, a, b, pos, len);
}

/* From here on only where the counter is odd. */
static void
sometimes(loop *l)
{
	ir_block *then = ir_new_block(&l->k->f), *next = ir_new_block(&l->k->f);

	kit_end(l->k, then, next, ir_icmp(&l->k->B, 32, IR_EQ, g2(l, G_and32, l->i, ir_i32(1)), ir_i32(1)));
	l->k->B.b = next;
	l->body = next;
	l->k->B.b = then;
}

static void
use(loop *l, ir_opnd v)
{
	kit_store(l->k, 16, v);
}

static void invariant(loop *l) { use(l, g2(l, G_add32, g2(l, G_mul32, l->x, l->y), l->i)); }
static void chain(loop *l) { use(l, g2(l, G_xor32, g2(l, G_sub32, g2(l, G_mul32, l->x, l->y), l->x), l->i)); }
static void variant(loop *l) { use(l, g2(l, G_sub32, g2(l, G_mul32, l->x, l->i), l->y)); }
static void conditional(loop *l) { sometimes(l); use(l, g2(l, G_mul32, l->x, l->y)); }
static void shared(loop *l) { use(l, load(l, IR_SHARED, false, l->x)); }
static void constant(loop *l) { use(l, load(l, IR_CONST, false, l->d)); }
static void global(loop *l) { use(l, load(l, IR_GLOBAL, false, l->d)); }
static void global_nc(loop *l) { use(l, load(l, IR_GLOBAL, true, l->d)); }
static void nc_sometimes(loop *l) { sometimes(l); use(l, load(l, IR_GLOBAL, true, l->d)); }
static void nc_after(loop *l)
{
	sometimes(l);
	kit_end(l->k, l->body, NULL, ir_i1(0));
	l->k->B.b = l->body;
	use(l, load(l, IR_GLOBAL, true, l->d));
}
static void lanes(loop *l) { use(l, ir_g1(&l->k->B, G_readfirst, l->x)); }
static void compare(loop *l) { use(l, g3(l, G_sel32, ir_icmp(&l->k->B, 32, IR_LO, l->x, l->y), l->i, l->x)); }
static void compare_uniform(loop *l)
{
	ir_opnd n = load(l, IR_PARAM, false, l->d);

	use(l, g3(l, G_sel32, ir_icmp(&l->k->B, 32, IR_LO, n, ir_i32(7)), l->i, l->x));
}
/* Mask and shifted source of a field that stays where it is. */
static void bfi_mask(loop *l) { use(l, bfi(l, l->i, l->x, l->y, l->x)); }
static void bfi_source(loop *l) { use(l, bfi(l, l->x, l->i, l->y, ir_i32(5))); }
/* Two fields in one place share both. */
static void bfi_two(loop *l)
{
	use(l, bfi(l, l->x, l->i, l->y, ir_i32(5)));
	use(l, bfi(l, l->x, g2(l, G_mul32, l->i, l->i), l->y, ir_i32(5)));
}
/* More than a loop may keep: the rest stays. */
static void crowd(loop *l)
{
	for (uint32_t n = 0; n < 100; n++)
		use(l, g2(l, G_mul32, g2(l, G_mul32, l->x, ir_i32(3 * n + 5)), l->i));
}

typedef struct row { const char *name; void (*body)(loop *); const char *left; } row;
static const row rows[] = {
	{ "an operation on invariants leaves", invariant, "add32 store" },
	{ "so does what follows from it", chain, "xor32 store" },
	{ "what the counter changes stays", variant, "mul32 sub32 store" },
	{ "operations without effect leave also where they do not always run", conditional, "and32 icmp32 cbr store" },
	{ "loads of memory that is written stay", shared, "load store" },
	{ "loads of constants leave", constant, "store" },
	{ "loads of global memory stay", global, "load store" },
	{ "those of memory that is not written leave", global_nc, "store" },
	{ "but not where they do not always run", nc_sometimes, "and32 icmp32 cbr load store" },
	{ "after a condition they do", nc_after, "and32 icmp32 cbr store" },
	{ "what reads other lanes stays", lanes, "readfirst store" },
	{ "a comparison of lanes leaves", compare, "sel32 store" },
	{ "a uniform one stays before its select", compare_uniform, "icmp32 sel32 store" },
	{ "bfi: the mask leaves", bfi_mask, "shl32 bitsel32 store" },
	{ "bfi: the shifted source and the mask leave", bfi_source, "bitsel32 store" },
	{ "two bfi: the same", bfi_two, "bitsel32 store mul32 bitsel32 store" },
};

/* What one turn does, but for counting and leaving. */
static const char *
turn(kit *k)
{
	buf out;
	bool first = true;

	buf_init(&out, &k->A);
	for (uint32_t b = 0; b < k->f.blocks.n; b++)
		for (const ir_inst *i = k->f.blocks.a[b]->first; i && k->f.blocks.a[b]->loop; i = i->next) {
			if (i->m.op == G_phi || i->m.op == G_br || i->loc == 7)
				continue;
			buf_printf(&out, first ? "%s" : " %s", ir_op_name(&k->f, i->m.op));
			first = false;
		}
	return buf_cstr(&out);
}

static void
open_loop(loop *l, kit *k)
{
	ir_block *head;

	kit_open(k);
	k->f.target = p2a_target_find("gfx1030");
	*l = (loop){ .k = k, .d = ir_g0(&k->B, G_kernarg), .i = kit_reg(k, 1) };
	l->x = load(l, IR_SHARED, false, ir_i32(0));
	l->y = load(l, IR_SHARED, false, ir_i32(4));
	kit_set(k, l->i, ir_i32(0));
	head = ir_new_block(&k->f);
	l->exit = ir_new_block(&k->f);
	kit_end(k, head, NULL, ir_i1(0));
	k->B.b = l->body = head;
}

/* Source line 7 marks what belongs to the loop itself. */
static void
close_loop(loop *l, ir_block *head)
{
	kit *k = l->k;

	if (k->B.b != l->body) {
		kit_end(k, l->body, NULL, ir_i1(0));
		k->B.b = l->body;
	}
	k->B.loc = 7;
	ir_gen_to(&k->B, l->i, G_add32, 2, (ir_opnd[]){ l->i, ir_i32(1) });
	kit_end(k, head, l->exit, ir_icmp(&k->B, 32, IR_LO, l->i, l->x));
	k->B.b = l->exit;
	kit_end(k, NULL, NULL, ir_i1(0));
}

static void
run_passes(kit *k)
{
	p_ssa(&k->f);
	p_fold(&k->f);
	p_normalize(&k->f);
	p_uniform(&k->f);
	p_field(&k->f);
	p_fold(&k->f);
	p_cse(&k->f);
	p_dce(&k->f);
	p_normalize(&k->f);
	p_uniform(&k->f);
	p_licm(&k->f);
}

static void
check_row(const row *r)
{
	kit k;
	loop l;
	ir_block *head;
	const char *bad;

	open_loop(&l, &k);
	head = k.B.b;
	r->body(&l);
	close_loop(&l, head);
	run_passes(&k);
	bad = ir_verify(&k.f, IR_V_SSA);
	t_ok(!bad && !strcmp(turn(&k), r->left), r->name, "%s, left: %s", bad ? bad : "", turn(&k));
	kit_close(&k);
}

/* Some of the hundred products leave, so many as registers are for. */
static void
check_crowd(void)
{
	kit k;
	loop l;
	ir_block *head;
	unsigned n = 0;

	open_loop(&l, &k);
	head = k.B.b;
	crowd(&l);
	close_loop(&l, head);
	run_passes(&k);
	for (const char *s = turn(&k); (s = strstr(s, "mul32")); s++)
		n++;
	t_ok(n > 130 && n < 170 && !ir_verify(&k.f, IR_V_SSA), "registers set a limit", "%u products left", n);
	kit_close(&k);
}

static unsigned
count(const kit *k, unsigned op)
{
	unsigned n = 0;

	for (uint32_t b = 0; b < k->f.blocks.n; b++)
		for (const ir_inst *i = k->f.blocks.a[b]->first; i; i = i->next)
			n += i->m.op == op;
	return n;
}

/* Two fields of one place in a block: one mask, and one shifted source where the sources are the same. */
static void
check_sharing(bool same)
{
	kit k;
	loop l;
	unsigned shifts;

	open_loop(&l, &k);
	use(&l, bfi(&l, l.x, load(&l, IR_SHARED, false, ir_i32(8)), l.y, l.x));
	use(&l, bfi(&l, same ? l.x : l.y, load(&l, IR_SHARED, false, ir_i32(12)), l.y, l.x));
	close_loop(&l, l.body);
	run_passes(&k);
	shifts = count(&k, G_shl32);
	t_ok(count(&k, G_shl64) == 1 && count(&k, G_bitsel32) == 2 && shifts == (same ? 2u : 3u) && !ir_verify(&k.f, IR_V_SSA),
		same ? "two bfi share mask and shifted source" : "two bfi share a mask", "%s", kit_text(&k));
	kit_close(&k);
}

int
main(void)
{
	for (size_t n = 0; n < COUNT(rows); n++)
		check_row(&rows[n]);
	check_crowd();
	check_sharing(true);
	check_sharing(false);
	return t_end();
}
