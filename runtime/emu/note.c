/* note.c -- reads the metadata note: the part of MessagePack that it is written in.
 * Needs the note's bytes; leaves the object's list of kernels with their arguments. Nesting is
 * bounded.
 * LLVM's AMDGPU guide, "Code Object V4/V5 Metadata"; MessagePack specification. */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>

#include "emu/object.h"

enum { MAX_DEPTH = 16, MAX_KERNELS = 1 << 20, MAX_ARGS = 1 << 16 };

typedef enum mp_kind { MP_NIL, MP_INT, MP_STR, MP_ARRAY, MP_MAP, MP_OTHER } mp_kind;
typedef struct mp_value {
	mp_kind kind;
	uint64_t n;              /* the integer, or how many bytes, elements or pairs follow */
	const char *str;
} mp_value;

static mp_value mp_string(emu_span *s, uint64_t n)
{
	return (mp_value){ MP_STR, n, (const char *)emu_take(s, n) };
}

/* Reads one value's head; elements of arrays and maps follow in the span. */
static mp_value mp_read(emu_span *s)
{
	unsigned b = (unsigned)emu_take_be(s, 1);
	if (b < 0x80)
		return (mp_value){ MP_INT, b, NULL };
	if (b < 0x90)
		return (mp_value){ MP_MAP, b & 15, NULL };
	if (b < 0xa0)
		return (mp_value){ MP_ARRAY, b & 15, NULL };
	if (b < 0xc0)
		return mp_string(s, b & 31);
	if (b >= 0xe0)
		return (mp_value){ MP_INT, (uint64_t)(int64_t)(int8_t)b, NULL };
	switch (b) {
	case 0xc0: return (mp_value){ MP_NIL, 0, NULL };
	case 0xc2: case 0xc3: return (mp_value){ MP_INT, b & 1, NULL };
	case 0xc4: case 0xc5: case 0xc6:        /* bin */
		emu_take(s, emu_take_be(s, 1u << (b - 0xc4)));
		return (mp_value){ MP_OTHER, 0, NULL };
	case 0xc7: case 0xc8: case 0xc9: {      /* ext: length, type, bytes */
		uint64_t n = emu_take_be(s, 1u << (b - 0xc7));
		emu_take(s, 1);
		emu_take(s, n);
		return (mp_value){ MP_OTHER, 0, NULL };
	}
	case 0xca: case 0xcb:                   /* float */
		emu_take(s, b == 0xca ? 4 : 8);
		return (mp_value){ MP_OTHER, 0, NULL };
	case 0xcc: case 0xcd: case 0xce: case 0xcf:
		return (mp_value){ MP_INT, emu_take_be(s, 1u << (b - 0xcc)), NULL };
	case 0xd0: return (mp_value){ MP_INT, (uint64_t)(int64_t)(int8_t)emu_take_be(s, 1), NULL };
	case 0xd1: return (mp_value){ MP_INT, (uint64_t)(int64_t)(int16_t)emu_take_be(s, 2), NULL };
	case 0xd2: return (mp_value){ MP_INT, (uint64_t)(int64_t)(int32_t)emu_take_be(s, 4), NULL };
	case 0xd3: return (mp_value){ MP_INT, emu_take_be(s, 8), NULL };
	case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: /* fixext */
		emu_take(s, 1 + ((size_t)1 << (b - 0xd4)));
		return (mp_value){ MP_OTHER, 0, NULL };
	case 0xd9: case 0xda: case 0xdb: return mp_string(s, emu_take_be(s, 1u << (b - 0xd9)));
	case 0xdc:
	case 0xdd: return (mp_value){ MP_ARRAY, emu_take_be(s, b == 0xdc ? 2 : 4), NULL };
	case 0xde: case 0xdf: return (mp_value){ MP_MAP, emu_take_be(s, b == 0xde ? 2 : 4), NULL };
	default:
		s->bad = true;
		return (mp_value){ MP_OTHER, 0, NULL };
	}
}

/* Passes over what belongs to a value whose head was read. */
static void mp_skip(emu_span *s, mp_value v, unsigned depth)
{
	uint64_t n = v.kind == MP_ARRAY ? v.n : v.kind == MP_MAP ? 2 * v.n : 0;
	if (depth > MAX_DEPTH)
		s->bad = true;
	while (n-- && !s->bad)
		mp_skip(s, mp_read(s), depth + 1);
}

static bool is(mp_value v, const char *s)
{
	return v.kind == MP_STR && v.str && v.n == strlen(s) && !memcmp(v.str, s, v.n);
}
static char *copy(emu_span *s, mp_value v)
{
	if (v.kind != MP_STR || !v.str) {
		s->bad = true;
		return NULL;
	}
	return strndup(v.str, v.n);
}
static uint32_t number(emu_span *s, mp_value v)
{
	if (v.kind != MP_INT || v.n > UINT32_MAX)
		s->bad = true;
	return (uint32_t)v.n;
}

static emu_arg_kind arg_kind(mp_value v)
{
	static const char *const name[] = {
#define EMU_ARG(id, text) text,
#include "emu/arg.def"
#undef EMU_ARG
	};
	for (unsigned i = 1; i < EMU_NARG_KINDS; i++)
		if (is(v, name[i]))
			return (emu_arg_kind)i;
	return EMU_ARG_UNKNOWN;
}

static void read_arg(emu_span *s, emu_arg *a)
{
	mp_value m = mp_read(s);
	if (m.kind != MP_MAP)
		s->bad = true;
	for (uint64_t i = 0; i < m.n && !s->bad; i++) {
		mp_value key = mp_read(s), v = mp_read(s);
		if (is(key, ".offset"))
			a->offset = number(s, v);
		else if (is(key, ".size"))
			a->size = number(s, v);
		else if (is(key, ".value_kind"))
			a->kind = arg_kind(v);
		else if (is(key, ".name") && !a->name)
			a->name = copy(s, v);
		else
			mp_skip(s, v, 0);
	}
	if (!a->name)
		a->name = strdup("");
}

static void read_args(emu_span *s, mp_value v, emu_note_kernel *k)
{
	if (v.kind != MP_ARRAY || v.n > MAX_ARGS || v.n > emu_left(s) || k->args)
		s->bad = true;
	else if (v.n && !(k->args = calloc(v.n, sizeof *k->args)))
		s->bad = true;
	for (uint64_t i = 0; i < v.n && !s->bad; i++) {
		k->nargs = i + 1;
		read_arg(s, &k->args[i]);
	}
}

static void read_kernel(emu_span *s, emu_note_kernel *k)
{
	static const struct { const char *key; size_t at; } num[] = {
		{ ".kernarg_segment_size", offsetof(emu_note_kernel, kernarg_size) },
		{ ".kernarg_segment_align", offsetof(emu_note_kernel, kernarg_align) },
		{ ".group_segment_fixed_size", offsetof(emu_note_kernel, group_size) },
		{ ".private_segment_fixed_size", offsetof(emu_note_kernel, private_size) },
		{ ".max_flat_workgroup_size", offsetof(emu_note_kernel, max_workgroup) },
		{ ".wavefront_size", offsetof(emu_note_kernel, wave) },
		{ ".sgpr_count", offsetof(emu_note_kernel, sgprs) },
		{ ".vgpr_count", offsetof(emu_note_kernel, vgprs) },
	};
	mp_value m = mp_read(s);
	if (m.kind != MP_MAP)
		s->bad = true;
	for (uint64_t i = 0; i < m.n && !s->bad; i++) {
		mp_value key = mp_read(s), v = mp_read(s);
		size_t j = 0;
		while (j < sizeof num / sizeof *num && !is(key, num[j].key))
			j++;
		if (j < sizeof num / sizeof *num)
			*(uint32_t *)(void *)((char *)k + num[j].at) = number(s, v);
		else if (is(key, ".name") && !k->name)
			k->name = copy(s, v);
		else if (is(key, ".symbol") && !k->symbol)
			k->symbol = copy(s, v);
		else if (is(key, ".args"))
			read_args(s, v, k);
		else
			mp_skip(s, v, 0);
	}
	if (!k->name || !k->symbol)
		s->bad = true;
}

static void read_kernels(emu_object *o, emu_span *s, mp_value v)
{
	if (v.kind != MP_ARRAY || v.n > MAX_KERNELS || v.n > emu_left(s) || o->note)
		s->bad = true;
	else if (!(o->note = calloc(v.n + 1, sizeof *o->note)))
		s->bad = true;
	for (uint64_t i = 0; i < v.n && !s->bad; i++) {
		o->nkernels = i + 1;
		read_kernel(s, &o->note[i]);
	}
}

bool emu_read_note(emu_object *o, const uint8_t *p, size_t n, emu_error *err)
{
	emu_span s = emu_span_of(p, n);
	mp_value m = mp_read(&s);
	if (m.kind != MP_MAP)
		s.bad = true;
	for (uint64_t i = 0; i < m.n && !s.bad; i++) {
		mp_value key = mp_read(&s), v = mp_read(&s);
		if (is(key, "amdhsa.kernels"))
			read_kernels(o, &s, v);
		else
			mp_skip(&s, v, 0);
	}
	if (!s.bad && o->note)
		return true;
	emu_error_set(err, EMU_EOBJECT, s.bad ? "malformed metadata note, near byte %zu of %zu" :
		"the metadata note lists no kernels (byte %zu of %zu)", (size_t)(s.p - p), n);
	return false;
}
