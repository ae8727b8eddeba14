/* kit.c -- see kit.h. */
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const kit_chips[4] = { "gfx90a", "gfx1030", "gfx1100", "gfx1200" };

static int failures;

void
kit_ok(bool ok, const char *why, const char *fmt, ...)
{
	va_list ap;

	printf(ok ? "ok " : "not ok ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf(ok || !why ? "\n" : ": %s\n", why);
	failures += !ok;
}

int
kit_failures(void)
{
	return failures ? 1 : 0;
}

kit *
kit_new(const char *chip)
{
	kit *k = calloc(1, sizeof *k);

	if (!k || setjmp(k->oom)) {
		puts("not ok out of memory");
		exit(1);
	}
	arena_init(&k->A, NULL, NULL, &k->oom);
	k->M = (ir_module){ .A = &k->A, .target = p2a_target_find(chip) };
	*vec_push(&k->A, &k->M.vars) = (ir_var){ .name = "var", .size = 64, .align = 8 };
	k->f = arena_new(&k->A, ir_func);
	*k->f = (ir_func){ .mod = &k->M, .A = &k->A, .target = k->M.target, .name = "k",
		.max_threads = 256 };
	k->f->entry = ir_new_block(k->f);
	ir_new_val(k->f, 1);
	k->B = (ir_builder){ .f = k->f, .b = k->f->entry };
	return k;
}

void
kit_free(kit *k)
{
	arena_free(&k->A);
	free(k);
}

ir_opnd
kit_special(kit *k, ir_special s)
{
	ir_opnd r = ir_g0(&k->B, G_special);

	ir_last(&k->B)->m.offset = (int32_t)s;
	return r;
}

ir_opnd
kit_param(kit *k, unsigned bytes)
{
	ir_opnd base = ir_g0(&k->B, G_kernarg),
		d = ir_valop(k->f, ir_new_val(k->f, (bytes + 3) / 4));
	ir_inst *l;

	ir_gen_to(&k->B, d, G_load, 1, &base);
	l = ir_last(&k->B);
	k->offset = (k->offset + bytes - 1) / bytes * bytes;
	l->m.offset = (int32_t)k->offset;
	l->mem = (ir_mem){
		.space = IR_PARAM, .bytes = (uint8_t)bytes, .align = (uint8_t)bytes, .nc = 1
	};
	k->offset += bytes;
	return d;
}

ir_opnd
kit_source(kit *k, ir_type t, bool divergent)
{
	ir_opnd w, x[4];

	if (t == IR_T_D && !divergent)
		return kit_param(k, 8);
	w = kit_param(k, 4);
	if (divergent)
		w = ir_g2(&k->B, G_sub32, w, kit_special(k, IR_TID_X));
	for (unsigned n = 0; n < 4; n++)
		x[n] = w;
	switch (t) {
	case IR_T_B1: return ir_icmp(&k->B, 32, IR_LO, w, ir_i32(17));
	case IR_T_D: return ir_g2(&k->B, G_pack64, w, kit_param(k, 4));
	case IR_T_T: return ir_gen(&k->B, G_pack96, 3, x);
	case IR_T_Q: return ir_gen(&k->B, G_pack128, 4, x);
	default: return w;
	}
}

static void
store(kit *k, ir_opnd v)
{
	ir_opnd a[2] = { kit_param(k, 8), v };
	unsigned bytes = v.width * 4;

	ir_gen(&k->B, G_store, 2, a);
	ir_last(&k->B)->mem = (ir_mem){ .space = IR_GLOBAL,
					.bytes = (uint8_t)bytes,
					.align = (uint8_t)(bytes == 12 ? 4 : bytes) };
}

void
kit_use(kit *k, ir_opnd v)
{
	if (v.kind == IR_K_VAL && v.width == 0)
		v = ir_g3(&k->B, G_sel32, v, ir_i32(5), ir_i32(9));
	if (v.kind != P2A_K_NONE)
		store(k, v);
}

void
kit_ret(kit *k)
{
	ir_g0(&k->B, G_ret);
}

const char *
kit_text(kit *k)
{
	buf b;

	buf_init(&b, &k->A);
	ir_print(k->f, &b);
	return buf_cstr(&b);
}

/* ---- naive registers ---- */

typedef struct naive { ir_func *f; uint32_t *reg; uint32_t next[3]; } naive;

static uint32_t
place(naive *n, uint32_t v)
{
	const ir_val *val = &n->f->vals.a[v];
	uint32_t align = val->dwords >= 4  ? 4
			 : val->dwords > 1 ? 2
					   : 1,
		 *next = &n->next[val->bank];

	if (n->reg[v])
		return n->reg[v] - 1;
	*next = (*next + align - 1) / align * align;
	n->reg[v] = *next + 1;
	*next += val->dwords;
	/* Which register it is does not matter here, only that two values of one instruction
	 * have two. */
	if (*next > (val->bank == IR_BANK_S ? 96u : 250u))
		*next = 0;
	return n->reg[v] - 1;
}

static p2a_opnd
physical(naive *n, ir_opnd o)
{
	if (o.kind == IR_K_SYM)
		return (p2a_opnd){ .kind = P2A_K_IMM, .width = 1, .imm = 0x12345678 };
	if (o.kind != IR_K_VAL)
		return o;
	o.kind = n->f->vals.a[o.reg].bank == IR_BANK_V ? P2A_K_VGPR : P2A_K_SGPR;
	o.reg = place(n, o.reg) + (uint32_t)o.imm;
	o.imm = 0;
	return o;
}

static const char *
check_legal(kit *k)
{
	naive n = { k->f, arena_array(&k->A, uint32_t, k->f->vals.n), { 0 } };

	for (uint32_t b = 0; b < k->f->blocks.n; b++)
		for (ir_inst *i = k->f->blocks.a[b]->first; i; i = i->next) {
			p2a_inst m = i->m;
			int e;

			if (!ir_is_machine(i->m.op))
				continue;
			for (unsigned a = 0; a < m.nargs; a++)
				m.arg[a] = physical(&n, m.arg[a]);
			e = p2a_check(k->f->target, &m);
			if (e) {
				buf out;

				buf_init(&out, &k->A);
				buf_printf(&out, "%s: ", p2a_isa_error_name(e));
				ir_print_inst(k->f, i, &out);
				return buf_cstr(&out);
			}
		}
	return NULL;
}

static const char *
kit_then(kit *k, const char *why, void (*pass)(ir_func *), const char *name)
{
	if (why)
		return why;
	pass(k->f);
	if ((why = ir_verify(k->f, IR_V_MACHINE_SSA)))
		return arena_printf(&k->A, "after %s: %s", name, why);
	return check_legal(k);
}

const char *
kit_sdwa(kit *k)
{
	return kit_then(k, kit_select(k), p_sdwa, "sdwa");
}

const char *
kit_inplace(kit *k)
{
	return kit_then(k, kit_sdwa(k), p_inplace, "inplace");
}

const char *
kit_select(kit *k)
{
	const char *why;

	ir_count_uses(k->f);
	if ((why = ir_verify(k->f, IR_V_SSA)))
		return arena_printf(&k->A, "before: %s", why);
	p_uniform(k->f);
	if ((why = ir_verify(k->f, IR_V_SSA)))
		return arena_printf(&k->A, "after uniform: %s", why);
	p_select(k->f);
	if ((why = ir_verify(k->f, IR_V_MACHINE_SSA)))
		return arena_printf(&k->A, "after select: %s", why);
	return check_legal(k);
}

/* ---- text ---- */

/* Everything but loads of parameters and the kit's own stores. */
static bool
in_body(const ir_inst *i)
{
	if (!ir_is_machine(i->m.op))
		return i->m.op == P_copy || i->m.op == P_barrier;
	return (!(isa_table[i->m.op].eff & ISA_STORE) || !i->m.nargs || i->mem.order) &&
	       i->mem.space != IR_PARAM;
}

/* SDWA selections. */
static const char *const part[] = { "", ".b0", ".b1", ".b2", ".b3", ".w0", ".w1" };
static const char *const rest[] = { "", " sext", " preserve" };

typedef struct names { uint32_t *n; uint32_t next[3]; } names;

static void
put_name(kit *k, names *nm, ir_opnd o, buf *out)
{
	const ir_val *v = &k->f->vals.a[o.reg];

	if (!nm->n[o.reg])
		nm->n[o.reg] = ++nm->next[v->bank];
	buf_printf(out, "%s%s%s%u", o.mods & P2A_NEG ? "-" : "", o.mods & P2A_ABS ? "abs " : "",
	           v->bank == IR_BANK_V ? "v" : "s", nm->n[o.reg] - 1);
	if (o.width != v->dwords)
		buf_printf(out, "[%u]", (unsigned)o.imm);
	buf_printf(out, "%s%s", part[o.sel % COUNT(part)], o.mods & P2A_SEXT ? ".sext" : "");
}

static void
put_operand(kit *k, names *nm, ir_opnd o, buf *out)
{
	ir_inst one = { .m = { .op = P_copy, .nargs = 1, .arg = { o } } };
	buf tmp;

	if (o.kind == IR_K_VAL) {
		put_name(k, nm, o, out);
		return;
	}
	if (o.kind == P2A_K_IMM) {
		buf_printf(out, o.imm > -65536 && o.imm < 65536 ? "%lld" : "0x%llx",
			   o.width == 1 && !(o.imm > -65536 && o.imm < 65536)
				   ? (long long)(uint32_t)o.imm
				   : (long long)o.imm);
		return;
	}
	buf_init(&tmp, &k->A);
	ir_print_inst(k->f, &one, &tmp);
	buf_printf(out, "%s", strchr(buf_cstr(&tmp), ' ') + 1);
}

const char *
kit_body(kit *k)
{
	names nm = { arena_array(&k->A, uint32_t, k->f->vals.n), { 0 } };
	buf out;

	buf_init(&out, &k->A);
	for (uint32_t b = 0; b < k->f->blocks.n; b++)
		for (ir_inst *i = k->f->blocks.a[b]->first; i; i = i->next) {
			if (!in_body(i))
				continue;
			buf_printf(&out, "%s", ir_op_name(k->f, i->m.op));
			for (unsigned a = 0; a < i->m.nargs; a++) {
				buf_printf(&out, a ? ", " : " ");
				put_operand(k, &nm, i->m.arg[a], &out);
				if (!a)
					buf_printf(&out, "%s", part[i->m.dst_sel % COUNT(part)]);
			}
			if (i->m.offset)
				buf_printf(&out, " offset:%d", (int)i->m.offset);
			if (i->m.cpol)
				buf_printf(&out, " cpol:%x", i->m.cpol);
			buf_printf(&out, "%s", rest[i->m.dst_unused % COUNT(rest)]);
			buf_printf(&out, i->m.clamp ? " clamp\n" : "\n");
		}
	return buf_cstr(&out);
}

static void
print_pattern(const kit_pattern *p, const char *text)
{
	printf("P(%s, \"%s\",\n", p->name, p->chip);
	for (const char *s = text; *s; s = strchr(s, '\n') + 1)
		printf("\t\"%.*s\\n\"\n", (int)(strchr(s, '\n') - s), s);
	puts(")");
}

static void
run_pattern(const kit_pattern *p, const char *(*pass)(kit *), bool print)
{
	kit *k = kit_new(p->chip);
	const char *why, *got;

	p->build(k);
	kit_ret(k);
	why = pass(k);
	got = why ? "" : kit_body(k);
	if (!why && strcmp(got, p->text))
		why = got;
	if (print)
		print_pattern(p, got);
	else
		kit_ok(!why, why, "%s on %s", p->name, p->chip);
	kit_free(k);
}

int
kit_patterns(const kit_pattern *p, size_t n, const char *(*pass)(kit *), bool print)
{
	for (size_t i = 0; i < n; i++)
		run_pattern(&p[i], pass, print);
	return kit_failures();
}
