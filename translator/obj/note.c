/* note.c -- the metadata of a code object, as MessagePack or as YAML (flow style).
 * Needs kernels after regalloc. Both spellings come from the same calls.
 * AMDGPUUsage, "Code Object V4/V5 Metadata"; MessagePack specification, "Formats". */
#include "obj/obj.h"

#include <string.h>

typedef struct writer {
	buf *out;
	bool yaml;
	uint8_t left[8];         /* YAML: what to close at each depth */
	uint32_t items[8];       /* entries still to come at each depth */
	bool key;                /* YAML: the next string is a key */
	unsigned depth;
} writer;

static void
mp_head(buf *b, uint8_t fix, uint32_t fixmax, uint8_t code8, uint8_t code16, uint32_t n)
{
	if (n <= fixmax) {
		buf_u8(b, (uint8_t)(fix | n));
	} else if (code8 && n <= 0xff) {
		buf_u8(b, code8);
		buf_u8(b, (uint8_t)n);
	} else if (n <= 0xffff) {
		buf_u8(b, code16);
		buf_u8(b, (uint8_t)(n >> 8));
		buf_u8(b, (uint8_t)n);
	} else {
		buf_u8(b, (uint8_t)(code16 + 1));
		for (int s = 24; s >= 0; s -= 8)
			buf_u8(b, (uint8_t)(n >> s));
	}
}

/* YAML: what follows a finished value in the list or map that it stands in. */
static void
next(writer *w)
{
	while (w->yaml && w->depth && --w->items[w->depth] == 0) {
		buf_u8(w->out, w->left[w->depth]);
		w->depth--;
	}
	if (w->yaml && w->depth)
		buf_printf(w->out, w->depth == 1 || w->left[w->depth] == ']' ? ",\n" : ", ");
}

static void
open(writer *w, char how, char close, uint32_t n)
{
	buf_u8(w->out, (uint8_t)how);
	if (!n) {
		buf_u8(w->out, (uint8_t)close);
		next(w);
		return;
	}
	w->depth++;
	w->left[w->depth] = (uint8_t)close;
	w->items[w->depth] = n;
}

static void
map(writer *w, uint32_t n)
{
	if (w->yaml)
		open(w, '{', '}', n);
	else
		mp_head(w->out, 0x80, 15, 0, 0xde, n);
}

static void
array(writer *w, uint32_t n)
{
	if (w->yaml)
		open(w, '[', ']', n);
	else
		mp_head(w->out, 0x90, 15, 0, 0xdc, n);
}

static void
raw(writer *w, const char *s)
{
	size_t n = strlen(s);

	if (w->yaml) {
		buf_printf(w->out, "%s", s);
		return;
	}
	mp_head(w->out, 0xa0, 31, 0xd9, 0xda, (uint32_t)n);
	buf_put(w->out, s, n);
}

static void
key(writer *w, const char *s)
{
	raw(w, s);
	if (w->yaml)
		buf_printf(w->out, ": ");
}

static void
str(writer *w, const char *k, const char *v)
{
	/* The tag: without it LLVM takes a parameter named n or y for a boolean, quotes or not. */
	key(w, k);
	if (w->yaml)
		buf_printf(w->out, "!str '%s'", v);
	else
		raw(w, v);
	next(w);
}

static void
num(writer *w, uint32_t v)
{
	if (w->yaml)
		buf_printf(w->out, "%u", v);
	else if (v < 128)
		buf_u8(w->out, (uint8_t)v);
	else
		mp_head(w->out, 0, 0, 0xcc, 0xcd, v);
	next(w);
}

static void
field(writer *w, const char *k, uint32_t v)
{
	key(w, k);
	num(w, v);
}

static void
args(writer *w, const ir_func *f)
{
	key(w, ".args");
	array(w, f->params.n);
	for (uint32_t i = 0; i < f->params.n; i++) {
		map(w, 4);
		str(w, ".name", f->params.a[i].name ? f->params.a[i].name : "");
		field(w, ".offset", f->params.a[i].offset);
		field(w, ".size", f->params.a[i].size);
		str(w, ".value_kind", "by_value");
	}
}

static void
kernel(writer *w, const ir_func *f)
{
	bool v5 = f->mod->code_object >= 5, wgp = v5 && f->target->family >= ISA_GFX10;
	bool agpr = f->target->accum_offset, req = f->reqntid[0] != 0;

	map(w, 13u + 2u * v5 + wgp + agpr + req);
	if (agpr)
		field(w, ".agpr_count", 0);
	args(w, f);
	field(w, ".group_segment_fixed_size", f->lds_static);
	field(w, ".kernarg_segment_align", MAX(f->kernarg_align, 8));
	field(w, ".kernarg_segment_size", f->kernarg_size);
	field(w, ".max_flat_workgroup_size", f->max_threads);
	str(w, ".name", f->name);
	field(w, ".private_segment_fixed_size", f->k.scratch_size);
	if (req) {
		key(w, ".reqd_workgroup_size");
		array(w, 3);
		for (int d = 0; d < 3; d++)
			num(w, MAX(f->reqntid[d], 1));
	}
	field(w, ".sgpr_count", f->k.sgprs);
	field(w, ".sgpr_spill_count", f->k.sgpr_spills);
	str(w, ".symbol", arena_printf(f->A, "%s.kd", f->name));
	if (v5) {
		field(w, ".uniform_work_group_size", 1);
		key(w, ".uses_dynamic_stack");
		if (w->yaml)
			buf_printf(w->out, "false");
		else
			buf_u8(w->out, 0xc2);
		next(w);
	}
	field(w, ".vgpr_count", f->k.vgprs);
	field(w, ".vgpr_spill_count", f->k.vgpr_spills);
	field(w, ".wavefront_size", f->target->wave);
	if (wgp)
		field(w, ".workgroup_processor_mode", 1);
}

static const char *
feature(arena *A, const char *name, int8_t v)
{
	return v ? arena_printf(A, ":%s%c", name, v > 0 ? '+' : '-') : "";
}

const char *
obj_target_id(const ir_module *m)
{
	return arena_printf(m->A, "amdgcn-amd-amdhsa--%s%s%s", m->target->name,
	                    feature(m->A, "sramecc", m->target->sramecc), feature(m->A, "xnack", m->target->xnack));
}

void
obj_metadata(const ir_module *m, bool yaml, buf *out)
{
	writer w = { .out = out, .yaml = yaml };

	map(&w, 3);
	key(&w, "amdhsa.kernels");
	array(&w, m->funcs.n);
	for (uint32_t i = 0; i < m->funcs.n; i++)
		kernel(&w, m->funcs.a[i]);
	str(&w, "amdhsa.target", obj_target_id(m));
	key(&w, "amdhsa.version");
	array(&w, 2);
	num(&w, 1);
	num(&w, m->code_object >= 5 ? 2 : 1);
}
