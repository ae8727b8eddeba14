/* words.c -- PTX's vocabulary: names of types, opcodes and modifiers, and taking an opcode apart.
 * Needs interned text; leaves tables of one parse, so that each different opcode is split once.
 * Manual: "Parallel Thread Execution ISA", 5.2 (types), 9.7 (instructions). */
#include <string.h>

#include "ptx/front.h"

static const struct { const char *name; uint8_t bits; } types[PTX_NTYPES] = {
	[PTX_NOTYPE] = { "none", 0 },
	[PTX_B8] = { "b8", 8 }, [PTX_B16] = { "b16", 16 }, [PTX_B32] = { "b32", 32 },
	[PTX_B64] = { "b64", 64 }, [PTX_B128] = { "b128", 128 },
	[PTX_U8] = { "u8", 8 }, [PTX_U16] = { "u16", 16 }, [PTX_U32] = { "u32", 32 },
	[PTX_U64] = { "u64", 64 },
	[PTX_S8] = { "s8", 8 }, [PTX_S16] = { "s16", 16 }, [PTX_S32] = { "s32", 32 },
	[PTX_S64] = { "s64", 64 },
	[PTX_F16] = { "f16", 16 }, [PTX_F16X2] = { "f16x2", 32 }, [PTX_BF16] = { "bf16", 16 },
	[PTX_BF16X2] = { "bf16x2", 32 }, [PTX_F32] = { "f32", 32 }, [PTX_F64] = { "f64", 64 },
	[PTX_TF32] = { "tf32", 32 }, [PTX_PRED] = { "pred", 1 }, [PTX_TEXREF] = { "texref", 0 },
	[PTX_SAMPLERREF] = { "samplerref", 0 }, [PTX_SURFREF] = { "surfref", 0 },
	[PTX_OTHER_TYPE] = { "other", 0 },
};

const char *const ptx_op_name[PTX_NOPS] = {
#define PTX_OP(id) #id,
#include "ptx/opcodes.def"
#undef PTX_OP
};

const char *const ptx_mod_name[PTX_NMODS] = {
#define PTX_MOD(id, text) text,
#include "ptx/modifiers.def"
#undef PTX_MOD
};

unsigned
ptx_type_bits(ptx_type t)
{
	return t < PTX_NTYPES ? types[t].bits : 0;
}

const char *
ptx_type_name(ptx_type t)
{
	return t < PTX_NTYPES ? types[t].name : "none";
}

static uint32_t
slot_of(const void *key, uint32_t nslots)
{
	uint64_t h = (uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);

	return (uint32_t)(h >> 32) & (nslots - 1);
}

void
ptr_map_init(ptr_map *M, arena *A)
{
	*M = (ptr_map){ .nslots = 64 };
	M->slot = arena_array(A, struct ptr_slot, M->nslots);
}

static struct ptr_slot *
find_slot(const ptr_map *M, const void *key)
{
	uint32_t k = slot_of(key, M->nslots);

	while (M->slot[k].key && M->slot[k].key != key)
		k = (k + 1) & (M->nslots - 1);
	return &M->slot[k];
}

void *
ptr_map_get(const ptr_map *M, const void *key)
{
	return find_slot(M, key)->value;
}

static void
grow_map(ptr_map *M, arena *A)
{
	ptr_map old = *M;

	M->nslots *= 2;
	M->slot = arena_array(A, struct ptr_slot, M->nslots);
	for (uint32_t i = 0; i < old.nslots; i++)
		if (old.slot[i].key)
			*find_slot(M, old.slot[i].key) = old.slot[i];
}

void **
ptr_map_at(ptr_map *M, arena *A, const void *key)
{
	struct ptr_slot *s;

	if (M->n * 2 >= M->nslots)
		grow_map(M, A);
	s = find_slot(M, key);
	if (!s->key) {
		s->key = key;
		M->n++;
	}
	return &s->value;
}

static void
add_dot(words *w, arena *A, intern *I, const char *text, dot_word x)
{
	*ptr_map_at(&w->dots, A, intern_lit(I, text)) = arena_dup(A, &x, sizeof x);
}

static bool
is_other_type(ptx_mod m)
{
	return m >= PTX_M_b1 && m <= PTX_M_b4x16_p64;
}

void
words_init(words *w, arena *A, intern *I)
{
	ptr_map_init(&w->ops, A);
	ptr_map_init(&w->dots, A);
	ptr_map_init(&w->texts, A);
	for (uintptr_t i = 0; i < PTX_NOPS; i++)
		*ptr_map_at(&w->ops, A, intern_lit(I, ptx_op_name[i])) = (void *)(i + 1);
	for (int t = PTX_B8; t < PTX_OTHER_TYPE; t++)
		add_dot(w, A, I, types[t].name, (dot_word){ .type = (ptx_type)t });
	for (int m = PTX_M_unknown + 1; m < PTX_NMODS; m++)
		add_dot(w, A, I, ptx_mod_name[m], (dot_word){
			.type = is_other_type((ptx_mod)m) ? PTX_OTHER_TYPE : PTX_NOTYPE,
			.mod = (ptx_mod)m });
}

/* m16n8k16 and its many sisters are one modifier. */
static bool
is_shape(const char *s, size_t n)
{
	size_t i = 0;

	for (const char *k = "mnk"; *k; k++) {
		size_t start;

		if (i >= n || s[i] != *k)
			return false;
		start = ++i;
		while (i < n && s[i] >= '0' && s[i] <= '9')
			i++;
		if (i == start)
			return false;
	}
	return i == n;
}

dot_word
words_dot(const words *w, intern *I, const char *s, size_t n)
{
	const dot_word *x = ptr_map_get(&w->dots, intern_str(I, s, n));

	if (x)
		return *x;
	return (dot_word){ .mod = is_shape(s, n) ? PTX_M_mMnNkK : PTX_M_unknown };
}

static void
add_word(opcode *oc, dot_word x)
{
	if (x.type != PTX_NOTYPE) {
		if (oc->ntypes < PTX_MAX_TYPES)
			oc->type[oc->ntypes++] = (uint8_t)x.type;
		else
			oc->too_long = true;
	}
	if (x.type == PTX_NOTYPE || x.type == PTX_OTHER_TYPE) {
		if (oc->nmods < PTX_MAX_MODS)
			oc->mod[oc->nmods++] = (uint16_t)x.mod;
		else
			oc->too_long = true;
	}
}

opcode *
words_opcode(words *w, arena *A, intern *I, const char *text)
{
	void **at = ptr_map_at(&w->texts, A, text);
	const char *dot = text + strcspn(text, ".");
	opcode *oc = *at;
	uintptr_t op;

	if (oc)
		return oc;
	op = (uintptr_t)ptr_map_get(&w->ops, intern_str(I, text, (size_t)(dot - text)));
	*at = oc = arena_new(A, opcode);
	oc->text = text;
	oc->op = op ? (ptx_op)(op - 1) : PTX_NOPS;
	while (*dot) {
		size_t n = strcspn(dot + 1, ".");

		add_word(oc, words_dot(w, I, dot + 1, n));
		dot += 1 + n;
	}
	return oc;
}

bool
ptx_has(const ptx_inst *x, ptx_mod m)
{
	for (unsigned i = 0; i < x->nmods; i++)
		if (x->mod[i] == (uint16_t)m)
			return true;
	return false;
}

ptx_space
ptx_space_of(const ptx_inst *x)
{
	static const struct { uint16_t mod, space; } row[] = {
		{ PTX_M_global, PTX_GLOBAL }, { PTX_M_shared, PTX_SHARED },
		{ PTX_M_shared_cta, PTX_SHARED }, { PTX_M_shared_cluster, PTX_SHARED_CLUSTER },
		{ PTX_M_local, PTX_LOCAL }, { PTX_M_const, PTX_CONST }, { PTX_M_param, PTX_PARAM },
		{ PTX_M_param_entry, PTX_PARAM }, { PTX_M_param_func, PTX_PARAM },
		{ PTX_M_reg, PTX_REG }, { PTX_M_tex, PTX_TEX },
	};

	for (unsigned i = 0; i < x->nmods; i++)
		for (size_t k = 0; k < COUNT(row); k++)
			if (x->mod[i] == row[k].mod)
				return (ptx_space)row[k].space;
	return PTX_GENERIC;
}

unsigned
ptx_vec_of(const ptx_inst *x)
{
	return ptx_has(x, PTX_M_v2) ? 2 : ptx_has(x, PTX_M_v4) ? 4 : ptx_has(x, PTX_M_v8) ? 8 : 1;
}
