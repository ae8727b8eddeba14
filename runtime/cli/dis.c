/* dis.c -- `p2a dis`: the instructions of a code object in LLVM's spelling, with what is known of them.
 * Needs the emulator's loader for symbols and source lines; leaves text that assembles to the same
 * instructions. LLVM's AMDGPU guide, "Code Object" and "Assembler". */
#include <string.h>

#include "cli.h"
#include "emu/emu.h"
#include "emu/object.h"

enum { STT_FUNC_TYPE = 2, STT_OBJECT_TYPE = 1, FILL_MIN = 8 };

typedef struct view {
	cli *c;
	const emu_object *o;
	const p2a_target *t;
	const emu_code *code;    /* the segment that is printed */
	size_t n;                /* its dwords */
	bitset label;            /* by dword: a branch leads here */
	const char **name;       /* by dword: a function begins here */
	const char *file;        /* of the last line printed */
	uint32_t line;
} view;

static uint32_t
word_at(const view *v, size_t at)
{
	uint32_t w;

	memcpy(&w, (const void *)(uintptr_t)(v->code->addr + at * 4), sizeof w);
	return w;
}

/* Dwords that the instruction at `at` has; 0 or less where there is none. */
static int
decode(const view *v, size_t at, p2a_inst *inst)
{
	uint32_t w[P2A_MAX_DWORDS];
	size_t n = MIN(v->n - at, (size_t)P2A_MAX_DWORDS);

	for (size_t i = 0; i < n; i++)
		w[i] = word_at(v, at + i);
	return isa_decode_any(v->t, w, n, inst);
}

static bool
is_branch(const p2a_inst *i)
{
	return isa_table[i->op].cls == ISA_BRANCH && i->nargs == 1 && i->arg[0].kind == P2A_K_IMM;
}

/* The dword that a branch leads to; -1: outside the segment. */
static int64_t
branch_target(const view *v, const p2a_inst *i, size_t at)
{
	int64_t to = (int64_t)at + 1 + (int16_t)i->arg[0].imm;

	return to >= 0 && (uint64_t)to < v->n ? to : -1;
}

/* ---- Labels ---------------------------------------------------------------------------------- */

static void
name_at(view *v, uint64_t addr, const char *name)
{
	uint64_t at = (addr - v->code->addr) / 4;

	if (addr >= v->code->addr && at < v->n)
		v->name[at] = name;
}

static void
find_labels(view *v)
{
	p2a_inst i;

	v->label = bitset_new(&v->c->A, (uint32_t)v->n + 1);
	v->name = arena_array(&v->c->A, const char *, v->n + 1);
	for (size_t k = 0; k < v->o->nsymbols; k++)
		if (v->o->symbol[k].type == STT_FUNC_TYPE)
			name_at(v, v->o->symbol[k].addr, v->o->symbol[k].name);
	for (size_t k = 0; k < emu_kernel_count(v->o); k++)
		name_at(v, emu_kernel_at(v->o, k)->entry, emu_kernel_at(v->o, k)->name);
	for (size_t at = 0; at < v->n;) {
		int len = decode(v, at, &i);
		if (len > 0 && is_branch(&i) && branch_target(v, &i, at) >= 0)
			bit_set(&v->label, (uint32_t)branch_target(v, &i, at));
		at += len > 0 ? (size_t)len : 1;
	}
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Names come from the file: what could break out of a line of assembly is replaced. */
static const char *
clean(cli *c, const char *name)
{
	char *s = arena_str(&c->A, name, strlen(name));

	for (char *p = s; *p; p++)
		if ((unsigned char)*p < 32 || *p == 127 || *p == '"' || *p == '\\')
			*p = '?';
	return s;
}

static const char *
symbol(cli *c, const char *name)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.$0123456789";
	bool digit = *name >= '0' && *name <= '9';

	if (*name && !digit && strspn(name, plain) == strlen(name))
		return name;
	return arena_printf(&c->A, "\"%s\"", clean(c, name));
}

static void
print_labels(const view *v, size_t at)
{
	if (v->name[at]) {
		const char *name = symbol(v->c, v->name[at]);
		printf("\n\t.globl\t%s\n\t.p2align\t8\n\t.type\t%s,@function\n%s:\n", name, name, name);
	}
	if (bit_has(&v->label, (uint32_t)at))
		printf(".L%zx:\n", at * 4);
}

static void
print_line(view *v, size_t at)
{
	const char *file;
	uint32_t line;

	if (!emu_find_line(v->o, v->code->addr + at * 4, &file, &line))
		return;
	if (line == v->line && v->file && !strcmp(file, v->file))
		return;
	v->line = line;
	v->file = file;
	printf("\t; %s:%u\n", clean(v->c, file), (unsigned)line);
}

/* Address in the file's terms, then the dwords. */
static void
print_bytes(const view *v, size_t at, int len)
{
	uint64_t addr = v->code->addr + at * 4 - (uint64_t)(uintptr_t)v->o->image + v->o->vaddr;

	printf("// %012llX:", (unsigned long long)addr);
	for (int i = 0; i < len; i++)
		printf(" %08X", (unsigned)word_at(v, at + (size_t)i));
	putchar('\n');
}

static int
print_inst(const view *v, size_t at)
{
	p2a_inst i;
	char text[256];
	int len = decode(v, at, &i);

	if (len <= 0) {
		snprintf(text, sizeof text, ".long 0x%08x", (unsigned)word_at(v, at));
		len = 1;
	} else if (is_branch(&i) && branch_target(v, &i, at) >= 0) {
		snprintf(text, sizeof text, "%s .L%llx", p2a_op_name(v->t, i.op),
			 (unsigned long long)branch_target(v, &i, at) * 4);
	} else {
		p2a_print(v->t, &i, text, sizeof text);
	}
	printf("\t%-58s ", text);
	print_bytes(v, at, len);
	return len;
}

/* Equal dwords from `at` on that no label interrupts: padding. */
static size_t
run_length(const view *v, size_t at)
{
	size_t n = 1;

	while (at + n < v->n && word_at(v, at + n) == word_at(v, at) && !v->name[at + n] &&
	       !bit_has(&v->label, (uint32_t)(at + n)))
		n++;
	return n;
}

static void
print_code(view *v)
{
	find_labels(v);
	for (size_t at = 0; at < v->n;) {
		size_t same = run_length(v, at);
		print_labels(v, at);
		if (same >= FILL_MIN) {
			printf("\t.fill %zu, 4, 0x%08x\n", same, (unsigned)word_at(v, at));
			at += same;
			continue;
		}
		print_line(v, at);
		at += (size_t)print_inst(v, at);
	}
}

static void
print_head(const view *v, const char *id)
{
	printf("\t.amdgcn_target \"amdgcn-amd-amdhsa--%s\"\n", id);
	for (size_t i = 0; i < emu_kernel_count(v->o); i++) {
		const emu_kernel *k = emu_kernel_at(v->o, i);
		printf("// kernel %s: wave%u, %u vgprs, %u sgprs, %u bytes lds, %u bytes scratch, %u bytes "
		       "parameters\n", clean(v->c, k->name), (unsigned)k->wave, (unsigned)k->vgprs, (unsigned)k->sgprs,
		       (unsigned)k->group_size, (unsigned)k->private_size, (unsigned)k->kernarg_size);
	}
	for (size_t i = 0; i < v->o->nsymbols; i++) {
		const emu_symbol *s = &v->o->symbol[i];
		size_t n = strlen(s->name);
		bool descriptor = n > 3 && !strcmp(s->name + n - 3, ".kd");
		if (s->type == STT_OBJECT_TYPE && !descriptor)
			printf("// variable %s: %llu bytes\n", clean(v->c, s->name),
			       (unsigned long long)s->size);
	}
	printf("\t.text\n");
}

/* ---- The command ----------------------------------------------------------------------------- */

static void
print_object(cli *c, const emu_object *o, const char *id)
{
	view v = { .c = c, .o = o, .t = p2a_target_find(id) };

	print_head(&v, id);
	for (size_t i = 0; i < o->ncode; i++) {
		v.code = &o->code[i];
		v.n = v.code->size / 4;
		print_code(&v);
	}
}

static int
disassemble(cli *c, const char *path, const cli_bytes *b)
{
	char id[64];
	emu_config config = { .size = sizeof config, .target = id, .threads = 1 };
	emu_device *dev = NULL;
	emu_object *object = NULL;
	emu_error e;
	p2a_error err;

	if (p2a_object_target(b->p, b->n, id, &err) != P2A_RT_OK) {
		cli_say(c, "'%s': %s", path, err.text);
		return CLI_REFUSED;
	}
	if (emu_create(&config, &dev, &e) != EMU_OK || emu_load(dev, b->p, b->n, &object, &e) != EMU_OK) {
		cli_say(c, "'%s': %s", path, e.text);
		emu_destroy(dev);
		return CLI_REFUSED;
	}
	print_object(c, object, id);
	emu_destroy(dev);
	return CLI_DONE;
}

static int
run(cli *c, int argc, char **argv)
{
	cli_list rest = { 0 };
	cli_bytes b;
	int status = cli_parse(c, &cli_dis, argc, argv, NULL, &rest);

	if (status >= 0)
		return status;
	if (rest.n != 1)
		return cli_misuse(c, &cli_dis, rest.n ? "one file at a time" : "which file?");
	if (!cli_read(c, rest.a[0], &b))
		return CLI_REFUSED;
	return disassemble(c, rest.a[0], &b);
}

const cli_command cli_dis = {
	.name = "dis",
	.usage = "FILE",
	.summary = "disassemble a code object",
	.text = "Prints the instructions of a code object (ours or any compiler's; - is standard input) in\n"
		"LLVM's spelling, with symbols, branch labels, the source lines that the object knows, and\n"
		"addresses and bytes as comments. The text assembles to the same instructions.",
	.example = "  p2a dis scale.hsaco",
	.run = run,
};
