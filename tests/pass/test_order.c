/* test_order.c -- what makes memory visible on each chip, from PTX to the assembler's text.
 * Expected: the sequences of LLVM's SIMemoryLegalizer (insertAcquire, insertRelease, insertWait,
 * enableLoadCacheBypass, enableStoreCacheBypass, enableVolatileAndOrNonTemporal, finalizeStore of each
 * family's CacheControl), tgsplit and CU mode off; as AMDGPUUsage, "Memory Model". Where we wait for
 * more than LLVM does, the comment says so. Only global memory, so lgkmcnt and dscnt have nothing to
 * wait for. */
#include "p2a.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { FAMILIES = 5, MOST = 4000 };
static const char *const chips[FAMILIES] = { "gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100" };

typedef struct order_case {
	const char *name, *ptx;
	const char *want[FAMILIES + 1]; /* chips', then gfx1200's; operands left out */
} order_case;

static const order_case cases[] = {
	/* A barrier makes global memory visible in the workgroup: L0 is per CU on gfx10 and later, and a
	 * workgroup has two of them in WGP mode. gfx90a and gfx942 need not wait for the store. */
	{ "barrier", "st.global.u32 [%a], 3; bar.sync 0; ld.global.u32 %r, [%b]; st.global.u32 [%c], %r;", {
		"st vm0 barrier ld vm0 st", "st barrier ld vm0 st", "st barrier ld vm0 st",
		"st vs0 barrier gl0_inv ld vm0 st", "st vs0 barrier gl0_inv ld vm0 st",
		"st wb:SE store0 signal wait inv:SE ld load0 st" } },
	/* No global memory is written: nothing to make visible. */
	{ "barrier-read", "ld.global.u32 %r, [%b]; bar.sync 0; ld.global.u32 %s, [%a]; add.u32 %r, %r, %s; "
		"st.shared.u32 [sh], %r;", {
		"ld vm0 barrier ld vm0", "ld barrier ld vm0", "ld barrier ld vm0",
		"ld vm0 barrier ld vm0", "ld vm0 barrier ld vm0", "ld load0 signal wait ld load0" } },
	{ "volatile", "ld.volatile.global.u32 %r, [%a]; st.volatile.global.u32 [%b], %r; "
		"st.volatile.global.u32 [%c], 7;", {
		"ld:glc vm0 st st", "ld:glc vm0 st st", "ld:sc0,sc1 vm0 st:sc0,sc1 st:sc0,sc1",
		"ld:glc,dlc vm0 st st", "ld:glc,dlc vm0 st:dlc st:dlc",
		"ld:SYS load0 st:SYS store0 st:SYS" } },
	/* gfx12: FeatureWaitsBeforeSystemScopeStores */
	{ "relaxed.sys", "ld.relaxed.sys.global.u32 %r, [%a]; st.global.u32 [%b], %r; "
		"st.relaxed.sys.global.u32 [%c], 7;", {
		"ld:glc vm0 st st", "ld:glc vm0 st st", "ld:sc0,sc1 vm0 st st:sc0,sc1",
		"ld:glc,dlc vm0 st st", "ld:glc vm0 st st", "ld:SYS load0 st store0 st:SYS" } },
	{ "relaxed.gpu", "ld.relaxed.gpu.global.u32 %r, [%a]; st.relaxed.gpu.global.u32 [%b], %r;", {
		"ld:glc vm0 st", "ld:glc vm0 st", "ld:sc1 vm0 st:sc1", "ld:glc,dlc vm0 st", "ld:glc vm0 st",
		"ld:DEV load0 st:DEV" } },
	{ "relaxed.cta", "ld.relaxed.cta.global.u32 %r, [%a]; st.relaxed.cta.global.u32 [%b], %r;", {
		"ld vm0 st", "ld vm0 st", "ld:sc0 vm0 st:sc0", "ld:glc vm0 st", "ld:glc vm0 st",
		"ld:SE load0 st:SE" } },
	{ "acquire-release.gpu", "ld.acquire.gpu.global.u32 %r, [%a]; st.release.gpu.global.u32 [%b], %r;", {
		"ld:glc vm0 wbinvl1 st", "ld:glc vm0 wbinvl1 st", "ld:sc1 vm0 inv:sc1 wbl2:sc1 vm0 st:sc1",
		"ld:glc,dlc vm0 gl1_inv gl0_inv st", "ld:glc vm0 gl1_inv gl0_inv st",
		"ld:DEV load0 inv:DEV wb:DEV load0 store0 st:DEV" /* the second load0 is for global_inv */ } },
	{ "fence.cta", "st.global.u32 [%a], 3; fence.acq_rel.cta; st.global.u32 [%b], 3;", {
		"st st", "st st", "st st", "st vs0 gl0_inv st", "st vs0 gl0_inv st",
		"st wb:SE store0 inv:SE st" } },
	{ "fence.gpu", "st.global.u32 [%a], 3; fence.acq_rel.gpu; st.global.u32 [%b], 3;", {
		"st vm0 wbinvl1 st", "st vm0 wbinvl1 st", "st wbl2:sc1 vm0 inv:sc1 st",
		"st vs0 gl1_inv gl0_inv st", "st vs0 gl1_inv gl0_inv st", "st wb:DEV store0 inv:DEV st" } },
	{ "fence.sys", "st.global.u32 [%a], 3; fence.acq_rel.sys; st.global.u32 [%b], 3;", {
		"st vm0 wbinvl1 st", "st wbl2 vm0 invl2 wbinvl1 st", "st wbl2:sc0,sc1 vm0 inv:sc0,sc1 st",
		"st vs0 gl1_inv gl0_inv st", "st vs0 gl1_inv gl0_inv st",
		"st wb:SYS store0 inv:SYS st" } },
};

/* Memory beyond PCI Express knows add, exchange and compare-and-swap of integers only: at system scope the others are
 * loops. `has` stands in the code, `lacks` does not. */
static const struct far { const char *ptx, *has, *lacks; } fars[] = {
	{ "red.sys.global.and.b32 [%a], %r;", "atomic_cmpswap", "atomic_and" },
	{ "red.relaxed.sys.global.max.s32 [%a], %r;", "atomic_cmpswap", "atomic_max" },
	{ "red.sys.add.f32 [%a], 0f3f800000;", "atomic_cmpswap", "atomic_add" },
	{ "atom.acq_rel.sys.global.inc.u32 %r, [%a], %r;", "atomic_cmpswap", "atomic_inc" },
	{ "red.sys.global.add.u32 [%a], %r;", "atomic_add", "atomic_cmpswap" },
	{ "atom.sys.global.exch.b32 %s, [%a], %r;", "atomic_swap", "atomic_cmpswap" },
	{ "red.global.and.b32 [%a], %r;", "atomic_and", "atomic_cmpswap" },
	{ "red.cta.global.or.b32 [%a], %r;", "atomic_or", "atomic_cmpswap" },
	{ "red.sys.shared.and.b32 [sh], %r;", "ds_and", "ds_cmps" },
};

/* The words of want by the beginnings of the lines that they stand for. */
static const struct { const char *line, *word; } words[] = {
	{ "global_load_", "ld" }, { "global_store_", "st" }, { "global_inv", "inv" }, { "global_wb", "wb" },
	{ "buffer_wbinvl1_vol", "wbinvl1" }, { "buffer_wbl2", "wbl2" }, { "buffer_invl2", "invl2" },
	{ "buffer_inv", "inv" }, { "buffer_gl0_inv", "gl0_inv" }, { "buffer_gl1_inv", "gl1_inv" },
	{ "s_waitcnt vmcnt(0)", "vm0" }, { "s_waitcnt_vscnt null, 0x0", "vs0" }, { "s_barrier_signal", "signal" },
	{ "s_barrier_wait", "wait" }, { "s_barrier", "barrier" }, { "s_wait_loadcnt 0x0", "load0" },
	{ "s_wait_storecnt 0x0", "store0" },
};
static const struct { const char *in, *out; } policies[] = {
	{ " glc", "glc" }, { " dlc", "dlc" }, { " sc0", "sc0" }, { " sc1", "sc1" }, { ":SCOPE_SE", "SE" },
	{ ":SCOPE_DEV", "DEV" }, { ":SCOPE_SYS", "SYS" },
};

static void
add(char *out, const char *s)
{
	if (strlen(out) + strlen(s) < MOST)
		strcat(out, s);
}

static void
add_word(char *out, const char *line)
{
	const char *sep = ":";

	for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
		if (strncmp(line, words[k].line, strlen(words[k].line)))
			continue;
		add(out, *out ? " " : "");
		add(out, words[k].word);
		for (size_t p = 0; p < sizeof policies / sizeof *policies; p++)
			if (strstr(line, policies[p].in)) {
				add(out, sep);
				add(out, policies[p].out);
				sep = ",";
			}
		return;
	}
}

static void
shorten(const char *text, size_t n, char *out)
{
	char line[200];

	*out = 0;
	for (size_t at = 0, end; at < n; at = end + 1) {
		for (end = at; end < n && text[end] != '\n'; end++)
			;
		if (end - at < 2 || end - at >= sizeof line || text[at] != '\t')
			continue;
		memcpy(line, text + at + 1, end - at - 1);
		line[end - at - 1] = 0;
		add_word(out, line);
	}
}

static p2a_result *
translate(const char *chip, const char *name, const char *body)
{
	char ptx[2000];
	p2a_source src = { .name = name, .text = ptx };
	p2a_options opt = { .size = sizeof opt, .target = chip, .emit = P2A_EMIT_ASM };

	snprintf(ptx, sizeof ptx, ".version 8.0\n.target sm_80\n.address_size 64\n.shared .u32 sh;\n"
		".visible .entry k(.param .u64 p, .param .u64 q, .param .u64 x)\n{\n.reg .u64 %%a, %%b, %%c;\n"
		".reg .u32 %%r, %%s;\n.reg .f32 %%f;\nld.param.u64 %%a, [p];\nld.param.u64 %%b, [q];\nld.param.u64 %%c, [x];\n"
		"%s\nret;\n}\n", body);
	src.size = strlen(ptx);
	return p2a_translate(&src, 1, &opt);
}

static bool
holds(const p2a_result *r, const char *word)
{
	size_t n = strlen(word);

	for (size_t at = 0; at + n <= r->size; at++)
		if (!memcmp((const char *)r->data + at, word, n))
			return true;
	return false;
}

static bool
check_far(const char *chip, const struct far *f)
{
	p2a_result *r = translate(chip, "far", f->ptx);
	bool ok = r && r->status == P2A_OK && holds(r, f->has) && !holds(r, f->lacks);

	printf("%sok far, %s %s\n", ok ? "" : "not ", chip, f->ptx);
	p2a_result_free(r);
	return ok;
}

static bool
check(const char *chip, const order_case *c, const char *want)
{
	char got[MOST + 1] = "";
	p2a_result *r = translate(chip, c->name, c->ptx);
	bool ok;

	if (r && r->status == P2A_OK)
		shorten(r->data, r->size, got);
	else if (r && r->ndiags)
		snprintf(got, sizeof got, "%s", r->diags[0].message);
	ok = !strcmp(got, want);
	printf(ok ? "ok order, %s %s\n" : "not ok order, %s %s: '%s', wanted '%s'\n", chip, c->name, got, want);
	p2a_result_free(r);
	return ok;
}

int
main(void)
{
	int bad = 0;

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		for (size_t f = 0; f < FAMILIES; f++)
			bad += !check(chips[f], &cases[k], cases[k].want[f]);
		bad += !check("gfx1200", &cases[k], cases[k].want[FAMILIES]);
	}
	/* gfx908 has only the instruction that does not give the old value: a loop is needed where it is read */
	bad += !check_far("gfx908", &(struct far){ "atom.global.add.f32 %f, [%a], 0f3f800000;", "global_atomic_add_f32", "cmpswap" });
	bad += !check_far("gfx908", &(struct far){ "atom.global.add.f32 %f, [%a], 0f3f800000; st.global.f32 [%b], %f;", "cmpswap", "atomic_add_f32" });
	for (size_t k = 0; k < sizeof fars / sizeof *fars; k++)
		for (size_t f = 0; f < FAMILIES; f++)
			bad += !check_far(chips[f], &fars[k]);
	return bad != 0;
}
