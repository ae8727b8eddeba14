/* asm.c -- the program as assembly text in LLVM's spelling, which reassembles to the same bytes.
 * Needs kernels with machine code: it prints what the decoder reads from the bytes, so the text shows
 * what runs. Branch targets get labels; addresses of variables stay symbolic.
 * AMDGPUUsage, "Assembler", directives for code object V4. */
#include "obj/obj.h"

#include <string.h>

static bool
plain_name(const char *s)
{
	if (!*s || (*s >= '0' && *s <= '9'))
		return false;
	return strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.$") == strlen(s);
}

static const char *
quoted(arena *A, const char *s)
{
	return plain_name(s) ? s : arena_printf(A, "\"%s\"", s);
}

/* ---- instructions ---- */

typedef struct reader {
	const ir_module *m;
	const ir_func *f;
	uint32_t index;
	bitset target;           /* by dword: a branch leads here */
	uint32_t fixup, line;    /* next of f->fixups, f->lines */
	uint32_t loc;
	buf *out;
} reader;

static int
decode_at(const reader *r, size_t dword, p2a_inst *i, uint32_t w[P2A_MAX_DWORDS])
{
	size_t n = MIN(r->f->code.n / 4 - dword, (size_t)P2A_MAX_DWORDS);

	for (size_t k = 0; k < n; k++) {
		const uint8_t *p = r->f->code.p + (dword + k) * 4;

		w[k] = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	}
	return p2a_decode(r->m->target, w, n, i);
}

static bool
is_branch(const p2a_inst *i)
{
	return isa_table[i->op].cls == ISA_BRANCH && i->nargs == 1 && i->arg[0].kind == P2A_K_IMM;
}

static int64_t
branch_target(const p2a_inst *i, size_t dword, int len)
{
	return (int64_t)dword + len + (int16_t)i->arg[0].imm;
}

static void
find_targets(reader *r)
{
	size_t n = r->f->code.n / 4;
	uint32_t w[P2A_MAX_DWORDS];
	p2a_inst i;

	r->target = bitset_new(r->m->A, (uint32_t)n + 1);
	for (size_t at = 0; at < n; ) {
		int len = decode_at(r, at, &i, w);

		if (len > 0 && is_branch(&i) && branch_target(&i, at, len) >= 0 && branch_target(&i, at, len) <= (int64_t)n)
			bit_set(&r->target, (uint32_t)branch_target(&i, at, len));
		at += len > 0 ? (size_t)len : 1;
	}
}

static void
source_line(reader *r, size_t offset)
{
	uint32_t loc = r->loc;

	while (r->line < r->f->lines.n && r->f->lines.a[r->line].offset <= offset)
		loc = r->f->lines.a[r->line++].loc;
	if (loc == r->loc || !loc || loc >= r->m->locs.n)
		return;
	r->loc = loc;
	buf_printf(r->out, "\t; %s:%u\n", r->m->files.a[r->m->locs.a[loc].file], r->m->locs.a[loc].line);
}

/* The literal of an instruction in `text` that is a distance to a variable, as the expression for it. */
static void
put_symbolic(reader *r, char *text, size_t offset, const struct ir_fixup *x)
{
	char *comma = strrchr(text, ',');
	int64_t addend = x->addend + (int64_t)x->offset - (int64_t)x->pc;

	(void)offset;
	if (comma)
		*comma = 0;
	buf_printf(r->out, "\t%s, %s@rel32@%s%+lld\n", text, quoted(r->m->A, r->m->vars.a[x->var].name),
	           x->high ? "hi" : "lo", (long long)addend);
}

static void
put_inst(reader *r, size_t at, const p2a_inst *i, int len)
{
	char text[256];
	const struct ir_fixup *x = r->fixup < r->f->fixups.n ? &r->f->fixups.a[r->fixup] : NULL;

	p2a_print(r->m->target, i, text, sizeof text);
	if (x && x->offset >= at * 4 && x->offset < (at + (size_t)len) * 4) {
		put_symbolic(r, text, at * 4, x);
		r->fixup++;
	} else if (is_branch(i)) {
		buf_printf(r->out, "\t%s .L%u_%x\n", p2a_op_name(r->m->target, i->op), r->index, (unsigned)branch_target(i, at, len) * 4);
	} else {
		buf_printf(r->out, "\t%s\n", text);
	}
}

static void
body(reader *r)
{
	size_t n = r->f->code.n / 4;
	uint32_t w[P2A_MAX_DWORDS];
	p2a_inst i;

	find_targets(r);
	for (size_t at = 0; at < n; ) {
		int len = decode_at(r, at, &i, w);

		if (bit_has(&r->target, (uint32_t)at))
			buf_printf(r->out, ".L%u_%x:\n", r->index, (unsigned)at * 4);
		source_line(r, at * 4);
		if (len > 0)
			put_inst(r, at, &i, len);
		else
			buf_printf(r->out, "\t.long 0x%08x\n", w[0]);
		at += len > 0 ? (size_t)len : 1;
	}
}

/* ---- directives ---- */

static void
descriptor(const ir_func *f, buf *b)
{
	const p2a_target *t = f->target;
	static const char axis[] = "xyz";

	buf_printf(b, "\t.amdhsa_kernel %s\n", quoted(f->A, f->name));
	buf_printf(b, "\t\t.amdhsa_group_segment_fixed_size %u\n", f->lds_static);
	buf_printf(b, "\t\t.amdhsa_private_segment_fixed_size %u\n", f->k.scratch_size);
	buf_printf(b, "\t\t.amdhsa_kernarg_size %u\n", f->kernarg_size);
	buf_printf(b, "\t\t.amdhsa_user_sgpr_count %u\n", f->k.user_sgprs);
	if (!t->arch_scratch) {
		buf_printf(b, "\t\t.amdhsa_user_sgpr_private_segment_buffer %d\n", f->k.private_segment_buffer);
		buf_printf(b, "\t\t.amdhsa_user_sgpr_flat_scratch_init %d\n", f->k.flat_scratch_init);
	}
	buf_printf(b, "\t\t.amdhsa_user_sgpr_dispatch_ptr %d\n", f->k.dispatch_ptr);
	buf_printf(b, "\t\t.amdhsa_user_sgpr_kernarg_segment_ptr %d\n", f->k.kernarg_ptr);
	if (t->family >= ISA_GFX10)
		buf_printf(b, "\t\t.amdhsa_wavefront_size32 %d\n", t->wave == 32);
	buf_printf(b, "\t\t.amdhsa_%s %d\n", t->arch_scratch ? "enable_private_segment" : "system_sgpr_private_segment_wavefront_offset",
	           f->k.scratch);
	for (int d = 0; d < 3; d++)
		buf_printf(b, "\t\t.amdhsa_system_sgpr_workgroup_id_%c %d\n", axis[d], f->k.wgid[d]);
	buf_printf(b, "\t\t.amdhsa_system_vgpr_workitem_id %u\n", f->k.wid);
	buf_printf(b, "\t\t.amdhsa_next_free_vgpr %u\n", MAX(f->k.vgprs, 1));
	buf_printf(b, "\t\t.amdhsa_next_free_sgpr %u\n", MAX(f->k.sgprs, 1));
	if (t->accum_offset)
		buf_printf(b, "\t\t.amdhsa_accum_offset %u\n", obj_accum_offset(f));
	if (!t->arch_scratch && t->sgpr_granule)
		buf_printf(b, "\t\t.amdhsa_reserve_flat_scratch 1\n");
	if (t->sgpr_granule)
		buf_printf(b, "\t\t.amdhsa_reserve_xnack_mask 1\n");
	buf_printf(b, "\t\t.amdhsa_float_round_mode_32 %u\n", f->k.round32);
	buf_printf(b, "\t\t.amdhsa_float_round_mode_16_64 %u\n", f->k.round64);
	buf_printf(b, "\t\t.amdhsa_float_denorm_mode_32 %u\n", f->k.denorm32);
	buf_printf(b, "\t\t.amdhsa_float_denorm_mode_16_64 %u\n", f->k.denorm64);
	if (t->family < ISA_GFX12)
		buf_printf(b, "\t\t.amdhsa_dx10_clamp 1\n\t\t.amdhsa_ieee_mode 0\n");
	if (t->family >= ISA_GFX10)
		buf_printf(b, "\t\t.amdhsa_workgroup_processor_mode 1\n\t\t.amdhsa_memory_ordered 1\n\t\t.amdhsa_forward_progress 0\n");
	buf_printf(b, "\t.end_amdhsa_kernel\n");
}

static void
kernel(const ir_module *m, uint32_t k, buf *b)
{
	reader r = { .m = m, .f = m->funcs.a[k], .index = k, .out = b };
	const char *name = quoted(m->A, r.f->name);

	buf_printf(b, "\n\t.text\n\t.globl %s\n\t.protected %s\n\t.p2align 8\n\t.type %s,@function\n%s:\n", name, name, name, name);
	body(&r);
	buf_printf(b, ".Lend%u:\n\t.size %s, .Lend%u-%s\n", k, name, k, name);
	buf_printf(b, "\n\t.section .rodata,\"a\",@progbits\n\t.p2align 6\n");
	descriptor(r.f, b);
}

static void
bytes(const uint8_t *p, uint64_t n, buf *b)
{
	for (uint64_t i = 0; i < n; i++)
		buf_printf(b, "%s%u%s", i % 16 ? "," : "\t.byte ", p[i], i % 16 == 15 || i == n - 1 ? "\n" : "");
}

/* Bytes, and in their places the addresses, which stand in ascending order. */
static void
data(const ir_module *m, const ir_var *x, buf *b)
{
	uint64_t at = 0;

	if (!x->data) {
		buf_printf(b, "\t.zero %llu\n", (unsigned long long)x->size);
		return;
	}
	for (uint32_t k = 0; k < x->relocs.n; k++) {
		const struct ir_reloc *r = &x->relocs.a[k];

		bytes(x->data + at, r->offset - at, b);
		buf_printf(b, "\t.quad %s%+lld\n", quoted(m->A, m->vars.a[r->var].name), (long long)r->addend);
		at = r->offset + 8;
	}
	bytes(x->data + at, x->size - at, b);
}

static void
variable(const ir_module *m, const ir_var *x, buf *b)
{
	const char *name = quoted(m->A, x->name);
	unsigned p2 = 0;

	while ((1u << p2) < x->align)
		p2++;
	buf_printf(b, "\n\t.section %s\n", x->constant ? ".rodata,\"a\",@progbits" : x->data ? ".data,\"aw\",@progbits" : ".bss,\"aw\",@nobits");
	if (x->exported)
		buf_printf(b, "\t.globl %s\n\t.protected %s\n", name, name);
	buf_printf(b, "\t.p2align %u\n\t.type %s,@object\n%s:\n", p2, name, name);
	data(m, x, b);
	buf_printf(b, "\t.size %s, %llu\n", name, (unsigned long long)x->size);
}

void
obj_asm(ir_module *m, buf *out)
{
	buf_printf(out, "\t.amdgcn_target \"%s\"\n\t.amdhsa_code_object_version %u\n", obj_target_id(m), m->code_object);
	for (uint32_t k = 0; k < m->funcs.n; k++)
		kernel(m, k, out);
	buf_printf(out, "\n\t.text\n\t.fill %u, 4, 0x%08x\n", m->target->end_pad / 4, m->target->end_pad_word);
	for (uint32_t v = 0; v < m->vars.n; v++)
		variable(m, &m->vars.a[v], out);
	buf_printf(out, "\n\t.amdgpu_metadata\n");
	obj_metadata(m, true, out);
	buf_printf(out, "\n\t.end_amdgpu_metadata\n");
}
