/* test_messages.c -- every message of base/diag.def is provoked, and stands at its place: file, line and column.
 * In each text a ` (not part of it) marks where the message is to point. What has no row here is in without_row,
 * with the reason; a message that is in neither is a fault. */
#include "check.h"
#include "p2a.h"

#include <stdlib.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_75\n.address_size 64\n"
#define KERNEL HEAD ".visible .entry k()\n{\n\t.reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f16 %h;\n"
#define END "\tret;\n}\n"
#define P10 "(((((((((("
#define P100 P10 P10 P10 P10 P10 P10 P10 P10 P10 P10

/* The marked text; what else the row sets. */
#define M(number, words, ...) { .id = number, .text = words, __VA_ARGS__ }
static const struct row {
	unsigned id;
	const char *text, *second, *entry;
	bool keep_going;
	const char *target;      /* NULL: gfx90a */
} rows[] = {
	M(101, "`\177ELF\2\1\1"), M(101, HEAD ".global .align `3 .b8 x;\n"),
	M(102, KERNEL "mov.u32 %r1 `%r2;\n" END),
	M(103, KERNEL "mov.u32 %r1, `\1;\n" END),
	M(104, KERNEL "mov.u32 %r1, `18446744073709551616;\n" END),
	M(105, HEAD "`/* never ends"), M(105, HEAD ".file 1 `\"abc\n"),
	M(106, KERNEL "mov.b32 %r1, " P100 P100 "\n`(1;\n" END),
	M(107, "\n  `.target sm_75\n"),
	M(108, HEAD ".global .b8 `x[300000000] = {1};\n" KERNEL END),
	M(108, HEAD ".global .align 8192 .b8 `x[4];\n.visible .entry k() { ret; }\n"),
	M(109, ".version 8.0\n.address_size 64\n`.visible .entry k() { ret; }\n"),
	M(110, HEAD "`.version 8.0\n" KERNEL END), M(110, HEAD "`.target sm_80\n.visible .entry k() { ret; }\n"),
	M(201, KERNEL "mov.u32 %r1, `%r9;\n" END),
	M(202, KERNEL ".reg .f32 `%r1;\n" END),
	M(203, KERNEL "\t@%p1 `nosuch.u32 %r1, %r2;\n" END),
	M(204, KERNEL "add`.wide.u32 %r1, %r2, %r3;\n" END),
	M(205, KERNEL "bfi`.b16 %r1, %r2, %r3, 1, 2;\n" END),
	M(206, KERNEL "`add.u32 %r1, %r2;\n" END),
	M(207, KERNEL "add.u32 %r1, %r2, `%p1;\n" END),
	M(208, KERNEL "add.u32 %r1, %r2, `%rd1;\n" END),
	M(209, KERNEL "bar.sync `16;\n" END),
	M(210, KERNEL "`add %r1, %r2, %r3;\n" END),
	M(211, KERNEL "bra `L;\n" END),
	M(212, KERNEL "@`%r1 bra L;\nL:\n" END),
	M(213, HEAD ".global .b32 x[2] = {1, 2, `3};\n" KERNEL END),
	M(214, HEAD ".global .b8 `x[0];\n" KERNEL END),
	M(215, KERNEL "`setp.u32 %p1, %r1, %r2;\n" END),
	M(216, HEAD "`.visible .entry k() .maxntid 2048 { ret; }\n"),
	M(217, ".version `9.7\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"),
	M(217, ".version 9.0\n.target sm_75, `sm_140\n.address_size 64\n.visible .entry k() { ret; }\n"),
	M(218, ".version `99.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"),
	M(218, ".version `7.9\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n"),
	M(219, ".version 9.0\n.target sm_75, `gfx90a\n.visible .entry k() { ret; }\n"),
	M(219, ".version 9.0\n.target `sm_75x\n.visible .entry k() { ret; }\n"),
	M(301, KERNEL "\t@%p1 `movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;\n" END),
	M(302, ".version 8.0\n.target sm_90\n.address_size `32\n.visible .entry k() { ret; }\n"),
	M(302, HEAD "`.visible .entry k() .reqnctapercluster 2 { ret; }\n"),
	M(303, KERNEL "`mov.u32 %r1, %pm0;\n" END), M(303, KERNEL "`ld.global.u32 %r1, [%r2];\n" END),
	M(310, HEAD "`.visible .entry bad()\n{\n\t.reg .b32 %r<4>;\n\tmovmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;\n\tret;\n}\n"
		".visible .entry good() { ret; }\n", .keep_going = true),
	M(311, HEAD ".func f() { ret; }\n`.visible .entry bad()\n{\n\t.reg .b32 %r<4>;\n\tmovmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;\n\tret;\n}\n",
		.keep_going = true),
	M(312, KERNEL "\tmov.u32 %r1, %tid.x;\n\tsetp.lt.u32 %p1, %r1, 7;\n\t@%p1 bra L;\n\t`vote.sync.any.pred %p1, %p1, 0xff;\n\tbra M;\nL:\n\tvote.sync.all.pred %p1, %p1, 0xff;\nM:\n" END),
	M(313, KERNEL "\tmov.u32 %r1, %tid.x;\n\tsetp.lt.u32 %p1, %r1, 7;\n\t@%p1 bra L;\n\t`barrier.sync 1, 64;\n\tbra M;\nL:\n\tbarrier.sync 2, 64;\nM:\n" END),
	M(401, KERNEL ".shared .b8 a[100], `s[70000];\n\tmov.u32 %r1, s;\n\tmov.u32 %r1, a;\n" END),
	M(403, HEAD ".visible .entry k(.param .u32 a,\n\t.param .align 4 .b8 `s[40000]) { ret; }\n"),
	M(404, KERNEL "\t.local .b8 `s[200000];\n\tmov.u32 %r1, s;\n" END),
	M(404, KERNEL "\t.local .b8 `s[300000];\n\tmov.u32 %r1, s;\n" END, .target = "gfx1030"),
	M(404, KERNEL "\t.local .b8 `s[300000];\n\tmov.u32 %r1, s;\n" END, .target = "gfx1100"),
	M(404, KERNEL "\t.local .b8 `s[3000000];\n\tmov.u32 %r1, s;\n" END, .target = "gfx1200"),
	M(406, HEAD ".global .b8 a[9000000000];\n.global .b8 `b[9000000000];\n.visible .entry k() { ret; }\n"),
	M(501, "`" HEAD ".visible .entry k() { ret; }\n", .entry = "nix"),
	M(501, HEAD "`.func nix() { ret; }\n.visible .entry k() { ret; }\n", .entry = "nix"),
	M(502, HEAD "`.func f() { ret; }\n"), M(502, "`" HEAD),
	M(503, HEAD ".visible .entry k() { ret; }\n", .second = HEAD "\n.visible .entry `k() { ret; }\n"),
	M(505, HEAD ".extern .global .u32 `g[4];\n.visible .entry k() { ret; }\n", .second = HEAD ".visible .global .u32 g[2];\n"),
	M(506, HEAD ".extern .func `f(.param .b32 a);\n.visible .entry k() { ret; }\n", .second = HEAD ".visible .func f(.param .b64 a) { ret; }\n"),
	M(507, HEAD ".extern .func f();\n.visible .entry k()\n{\n\t`call f;\n\tret;\n}\n"),
	M(507, HEAD ".extern .global .u32 g;\n" KERNEL "\t`ld.global.u32 %r1, [g];\n" END),
	M(507, HEAD ".extern .shared .b8 s[8];\n" KERNEL "\t`ld.shared.u8 %r1, [s];\n" END),
	M(507, HEAD ".extern .global .u32 g;\n.global .u64 p[2] = {1, `g};\n" KERNEL END),
};

static const struct { unsigned id; const char *why; } without_row[] = {
	{ 402, "the allocator spills until everything fits: no text is known that leads to it; it points to the kernel" },
	{ 405, "the allocator keeps a pair for long branches: no text is known that leads to it; it points to the kernel" },
	{ 504, "what is at fault is the call, not a text (test_api.c)" },
	{ 901, "our own fault: it points to the kernel, or to nothing where the file as a whole cannot be written" },
};

static const struct { unsigned id; const char *name; } all[] = {
#define DIAG(id, num, sev, text) { num, #id },
#include "base/diag.def"
};

/* The text without its mark; *line is 0 where it has none. */
static char *
unmarked(const char *text, uint32_t *line, uint32_t *column)
{
	const char *mark = strchr(text, '`');
	char *s = malloc(strlen(text) + 1);

	if (!s)
		abort();
	strcpy(s, text);
	*line = 0;
	if (!mark)
		return s;
	*line = *column = 1;
	for (const char *p = text; p < mark; p++) {
		*column = *p == '\n' ? 1 : *column + 1;
		*line += *p == '\n';
	}
	memmove(s + (mark - text), mark + 1, strlen(mark));
	return s;
}

static void
provoke(const struct row *x)
{
	static const char *const names[] = { "one.ptx", "two.ptx" };
	const char *texts[] = { x->text, x->second };
	p2a_source src[2];
	char *copy[2] = { NULL, NULL }, name[64], got[512];
	uint32_t line = 0, column = 0;
	size_t n = x->second ? 2 : 1, file = 0;
	p2a_options o = { .size = sizeof o, .target = x->target ? x->target : "gfx90a", .keep_going = x->keep_going,
		.entries = x->entry ? &x->entry : NULL, .nentries = x->entry != NULL };
	p2a_result *r;
	bool found = false;

	for (size_t i = 0; i < n; i++) {
		uint32_t l, c;

		copy[i] = unmarked(texts[i], &l, &c);
		src[i] = (p2a_source){ names[i], copy[i], strlen(copy[i]) };
		if (l) {
			line = l;
			column = c;
			file = i;
		}
	}
	snprintf(name, sizeof name, "message %u, row %d", x->id, (int)(x - rows));
	snprintf(got, sizeof got, "it is not given");
	r = p2a_translate(src, n, &o);
	for (size_t i = 0; r && !found && i < r->ndiags; i++) {
		const p2a_diag *d = &r->diags[i];

		if (d->id != x->id)
			continue;
		found = d->file == names[file] && d->line == line && d->column == column;
		snprintf(got, sizeof got, "at %s:%u:%u, not %s:%u:%u: %s", d->file ? d->file : "?", (unsigned)d->line,
			(unsigned)d->column, names[file], (unsigned)line, (unsigned)column, d->message);
	}
	check(found, name, got);
	p2a_result_free(r);
	free(copy[0]);
	free(copy[1]);
}

static bool
is_covered(unsigned id)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].id == id)
			return true;
	for (size_t i = 0; i < sizeof without_row / sizeof *without_row; i++)
		if (without_row[i].id == id)
			return true;
	return false;
}

int
main(void)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		provoke(&rows[i]);
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!is_covered(all[i].id))
			check(false, all[i].name, "no row provokes it");
	return failures != 0;
}
