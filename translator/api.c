/* api.c -- the entry points: checks the call, runs the rooms in order, packs the result.
 * Needs PTX texts and options; leaves a result that owns everything, diagnostics included.
 * pipeline[] is the one place where the order of passes is written: read it first. */
#include "lower/lower.h"
#include "obj/obj.h"
#include "pass/pass.h"

#include <string.h>

typedef struct pass {
	const char *name;
	void (*run)(ir_func *);
	int stage;              /* the form that the kernel has afterwards: ir_verify */
	unsigned opt;           /* runs from this optimisation level on */
} pass;

static const pass pipeline[] = {
	/* generic operations */
	{ "ssa",       p_ssa,       IR_V_SSA,         0 },
	{ "fold",      p_fold,      IR_V_SSA,         0 },
	{ "cse",       p_cse,       IR_V_SSA,         1 },
	{ "fold",      p_fold,      IR_V_SSA,         1 },
	{ "dce",       p_dce,       IR_V_SSA,         0 },
	{ "warp",      p_warp,      IR_V_SSA,         0 },
	{ "normalize", p_normalize, IR_V_SSA,         0 },
	{ "uniform",   p_uniform,   IR_V_SSA,         0 },
	{ "barrier",   p_barrier,   IR_V_SSA,         0 },
	{ "field",     p_field,     IR_V_SSA,         0 },
	/* again over what the bit fields became; folding forwards uniform's copies, so it runs again too */
	{ "fold",      p_fold,      IR_V_SSA,         1 },
	{ "cse",       p_cse,       IR_V_SSA,         1 },
	{ "dce",       p_dce,       IR_V_SSA,         1 },
	{ "normalize", p_normalize, IR_V_SSA,         1 },
	{ "uniform",   p_uniform,   IR_V_SSA,         1 },
	{ "pack",      p_pack,      IR_V_SSA,         1 },
	{ "licm",      p_licm,      IR_V_SSA,         1 },
	/* generic operations become machine instructions */
	{ "select",    p_select,    IR_V_MACHINE_SSA, 0 },
	{ "sdwa",      p_sdwa,      IR_V_MACHINE_SSA, 1 },
	{ "merge",     p_merge,     IR_V_MACHINE_SSA, 1 },
	{ "twin",      p_twin,      IR_V_MACHINE_SSA, 1 },
	{ "hoist",     p_hoist,     IR_V_MACHINE_SSA, 1 },
	{ "inplace",   p_inplace,   IR_V_MACHINE_SSA, 1 },
	{ "schedule",  p_schedule,  IR_V_MACHINE_SSA, 1 },
	{ "unssa",     p_unssa,     IR_V_MACHINE,     0 },
	{ "linearize", p_linearize, IR_V_LINEAR,      0 },
	{ "mode",      p_mode,      IR_V_LINEAR,      0 },
	{ "regalloc",  p_regalloc,  IR_V_PHYSICAL,    0 },
	/* physical registers */
	{ "waitcnt",   p_waitcnt,   IR_V_PHYSICAL,    0 },
	{ "dual",      p_dual,      IR_V_PHYSICAL,    1 },
	{ "hazard",    p_hazard,    IR_V_PHYSICAL,    0 },
	{ "emit",      p_emit,      IR_V_PHYSICAL,    0 },
};

/* Everything of one translation. The result that the caller sees is its first member. */
typedef struct job {
	p2a_result r;
	arena A;
	jmp_buf oom;
	diag_sink diags;
	intern names;
	buf dump, out;
	p2a_options opt;
	bool unknown_field;     /* the caller's options have one that is set */
	bool fatal;             /* a fault that keep_going does not leave out with its kernel */
} job;

enum { MOST_STACK = 2 << 20 };
enum { MOST_OPTIONS = 4096 };   /* bytes of a p2a_options, whatever version of it */

const char *
p2a_version(void)
{
	return P2A_VERSION;
}

const char *
p2a_status_name(p2a_status s)
{
	switch (s) {
	case P2A_OK:        return "ok";
	case P2A_EARG:      return "bad argument";
	case P2A_EINPUT:    return "input refused";
	case P2A_ENOMEM:    return "out of memory";
	case P2A_EINTERNAL: return "internal fault";
	}
	return "unknown status";
}

/* ---- options ---- */

static bool
dump_ok(const char *name)
{
	if (!strcmp(name, "all") || !strcmp(name, "lower"))
		return true;
	for (size_t i = 0; i < COUNT(pipeline); i++)
		if (!strcmp(name, pipeline[i].name))
			return true;
	return false;
}

static const char *
dump_names(job *j)
{
	buf b;

	buf_init(&b, &j->A);
	for (size_t i = 0; i < COUNT(pipeline); i++) {
		bool known = false;

		for (size_t k = 0; k < i; k++)
			known |= !strcmp(pipeline[k].name, pipeline[i].name);
		if (!known)
			buf_printf(&b, ", %s", pipeline[i].name);
	}
	return buf_cstr(&b);
}

static const char *
source_fault(job *j, const p2a_source *src, size_t n)
{
	if (!n)
		return "no source is given";
	for (size_t i = 0; i < n; i++) {
		if (!src[i].name)
			return arena_printf(&j->A, "source %zu has no name", i);
		if (!src[i].text && src[i].size)
			return arena_printf(&j->A, "source '%s' has no text", src[i].name);
		if (src[i].size > (size_t)1 << 30)
			return arena_printf(&j->A, "source '%s' is larger than 1 GiB", src[i].name);
	}
	return NULL;
}

/* Fields of a newer header, which the caller has set. */
static bool
has_unknown_field(const p2a_options *o)
{
	const char *p = (const char *)o;

	for (size_t i = sizeof *o; i < o->size; i++)
		if (p[i])
			return true;
	return false;
}

/* What the caller did wrong, in words; NULL: nothing. */
static const char *
options_fault(job *j, const p2a_source *src, size_t n)
{
	const p2a_options *o = &j->opt;

	if (j->unknown_field)
		return "p2a_options has a field set that this version of the library does not know";
	if (!o->target)
		return "no target is given";
	if (!p2a_target_find(o->target))
		return arena_printf(&j->A, "unknown target '%s': p2a_target_at() lists them", o->target);
	if (o->nentries && !o->entries)
		return "the names of the kernels are NULL";
	for (size_t i = 0; i < o->nentries; i++)
		if (!o->entries[i])
			return arena_printf(&j->A, "the name of kernel %zu is NULL", i);
	if (o->emit > P2A_EMIT_PTX)
		return arena_printf(&j->A, "unknown kind of output %d", (int)o->emit);
	if (o->semantics > P2A_SEM_NVIDIA)
		return arena_printf(&j->A, "unknown semantics %d", (int)o->semantics);
	if (o->opt > P2A_O0)
		return arena_printf(&j->A, "unknown level of optimization %u", o->opt);
	if (o->code_object && o->code_object != 4 && o->code_object != 5)
		return arena_printf(&j->A, "code object version %u: it is 4 or 5", o->code_object);
	if (o->stack > MOST_STACK)
		return arena_printf(&j->A, "a stack of %u bytes: the most is %u", o->stack, (unsigned)MOST_STACK);
	if (o->dump && !dump_ok(o->dump))
		return arena_printf(&j->A, "unknown pass '%s' to dump: it is all, lower%s", o->dump, dump_names(j));
	return source_fault(j, src, n);
}

/* ---- the run ---- */

static void
dump(job *j, const ir_func *f, const char *pass_name)
{
	if (!j->opt.dump || (strcmp(j->opt.dump, "all") && strcmp(j->opt.dump, pass_name)))
		return;
	buf_printf(&j->dump, "; %s after %s\n", f->name, pass_name);
	ir_print(f, &j->dump);
}

/* Checks the form; a fault here is ours. */
static bool
verified(job *j, ir_func *f, const char *after, int stage)
{
	const char *why = ir_verify(f, stage);

	if (why)
		diag_add(&j->diags, DIAG_internal, f->loc, after, arena_printf(&j->A, "kernel %s: %s", f->name, why));
	return !why;
}

/* The last pass before machine instructions leave SSA, behind which nobody sees that a value is read which nothing
 * computes; and the last of all. */
static bool
check_now(size_t k, unsigned level)
{
#ifdef P2A_CHECK
	(void)k, (void)level;
	return true;
#else
	size_t next = k + 1;

	while (next < COUNT(pipeline) && pipeline[next].opt > level)
		next++;
	return next == COUNT(pipeline) || (pipeline[k].stage == IR_V_MACHINE_SSA && pipeline[next].stage != IR_V_MACHINE_SSA);
#endif
}

/* From `f` as lowered to code. NULL: reported. */
static ir_func *
run_pipeline(job *j, ir_func *f)
{
	unsigned level = j->opt.opt == P2A_O0 ? 0 : j->opt.opt ? j->opt.opt : 2;

	dump(j, f, "lower");
	for (size_t i = 0; i < COUNT(pipeline); i++) {
		const pass *p = &pipeline[i];
		uint32_t before = j->diags.nerrors;

		if (level < p->opt)
			continue;
		p->run(f);
		dump(j, f, p->name);
		if (j->diags.nerrors != before || (check_now(i, level) && !verified(j, f, p->name, p->stage)))
			return NULL;
		if (f->wants_body)      /* what is lowered again wants nothing more */
			return run_pipeline(j, lower_again(f));
	}
	return f;
}

/* All kernels, each to its code. One that the chip has no room for is left out if keep_going. */
static void
run_kernels(job *j, ir_module *m)
{
	diag_loc first = m->funcs.a[0]->loc;
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->funcs.n; i++) {
		ir_func *f = run_pipeline(j, m->funcs.a[i]);

		if (f)
			m->funcs.a[n++] = f;
		else if (!j->opt.keep_going)
			return;
	}
	m->funcs.n = n;
	if (!n && j->opt.keep_going)
		diag_add(&j->diags, DIAG_no_kernel_left, first);
	j->fatal |= !n;
}

/* Also the texts of our own that the program asks for: they lie behind its n sources. Returns how many there are. */
static size_t
parse_all(job *j, size_t n, ptx_module **mods)
{
	size_t all = n, within = 0;     /* faults that cost their kernels alone */

	for (size_t i = 0; i < n; i++)
		mods[i] = ptx_parse(&j->A, &j->names, &j->diags, (uint32_t)i);
	for (unsigned i = 0; i < LOWER_BUILTINS; i++)
		if (lower_wants_builtin(mods, n, i))
			mods[all++] = ptx_parse(&j->A, &j->names, &j->diags, (uint32_t)n + i);
	for (size_t i = 0; i < all && j->opt.emit != P2A_EMIT_PTX; i++)
		within += mods[i]->nwithin;
	j->fatal = j->diags.nerrors != within;
	for (size_t i = 0; i < all && j->opt.emit != P2A_EMIT_PTX; i++) {
		ptx_sema(mods[i]);
		j->fatal |= mods[i]->nbad != 0;
	}
	return all;
}

static void
describe_kernels(job *j, const ir_module *m)
{
	p2a_kernel_info *k = arena_array(&j->A, p2a_kernel_info, m->funcs.n + 1);

	for (uint32_t i = 0; i < m->funcs.n; i++) {
		const ir_func *f = m->funcs.a[i];

		k[i] = (p2a_kernel_info){ .name = f->name, .vgprs = f->k.vgprs, .sgprs = f->k.sgprs,
			.vgpr_spills = f->k.vgpr_spills, .sgpr_spills = f->k.sgpr_spills, .lds = f->lds_static,
			.scratch = f->k.scratch_size, .instructions = f->k.instructions,
			.code_size = (uint32_t)f->code.n, .kernarg_size = f->kernarg_size };
	}
	j->r.kernels = k;
	j->r.nkernels = m->funcs.n;
}

static void
write_output(job *j, ir_module *m)
{
	switch (j->opt.emit) {
	case P2A_EMIT_ASM:
		obj_asm(m, &j->out);
		break;
	case P2A_EMIT_IR:
		for (uint32_t i = 0; i < m->funcs.n; i++)
			ir_print(m->funcs.a[i], &j->out);
		break;
	default:
		obj_write(m, &j->out);
		break;
	}
}

static void
translate(job *j, size_t n)
{
	ptx_module **mods = arena_array(&j->A, ptx_module *, n + LOWER_BUILTINS);
	lower_options lo = { .target = p2a_target_find(j->opt.target), .sem = j->opt.semantics,
		.code_object = j->opt.code_object ? j->opt.code_object : 4, .opt = j->opt.opt,
		.entries = j->opt.entries, .nentries = j->opt.nentries, .keep_going = j->opt.keep_going != 0,
		.stack = j->opt.stack ? (j->opt.stack + 15) / 16 * 16 : ISA_LANE_STACK };
	size_t all = parse_all(j, n, mods);
	ir_module *m;

	if (j->opt.emit == P2A_EMIT_PTX) {
		for (size_t i = 0; i < n && !j->fatal; i++)
			ptx_print(mods[i], &j->out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		if (mods[i]->address_size == 32)        /* said once: each address would be at fault */
			return;
	m = lower_module(&j->A, &j->names, &j->diags, mods, all, &lo);
	j->fatal |= !m || !m->funcs.n || (j->diags.nerrors && !j->opt.keep_going);
	if (j->fatal)
		return;
	run_kernels(j, m);
	j->fatal |= j->diags.nerrors && !j->opt.keep_going;
	if (j->fatal)
		return;
	describe_kernels(j, m);
	write_output(j, m);
}

static p2a_status
status_of(const job *j)
{
	for (uint32_t i = 0; i < j->diags.list.n; i++)
		if (j->diags.list.a[i].id == diag_number(DIAG_internal))
			return P2A_EINTERNAL;
	return j->fatal ? P2A_EINPUT : P2A_OK;
}

/* What stood in the way of kernels that were left out is no error of a translation that was made. */
static void
finish(job *j, p2a_status s)
{
	for (uint32_t i = 0; s == P2A_OK && i < j->diags.list.n; i++)
		if (j->diags.list.a[i].severity == P2A_ERROR)
			j->diags.list.a[i].severity = P2A_WARNING;
	j->r.status = s;
	j->r.diags = j->diags.list.a;
	j->r.ndiags = j->diags.list.n;
}

static bool
refused(job *j, const p2a_source *src, size_t n)
{
	const char *why = options_fault(j, src, n);

	if (!why)
		return false;
	diag_add(&j->diags, DIAG_argument, DIAG_NOWHERE, why);
	finish(j, P2A_EARG);
	return true;
}

static const p2a_source *
with_builtins(job *j, const p2a_source *src, size_t n)
{
	p2a_source *all = arena_array(&j->A, p2a_source, n + LOWER_BUILTINS);

	memcpy(all, src, n * sizeof *src);
	for (unsigned i = 0; i < LOWER_BUILTINS; i++)
		all[n + i] = lower_builtin(i);
	return all;
}

/* The one setjmp: arena.c's longjmp comes back here when memory is short. */
static void
run(job *j, const p2a_source *src, size_t n)
{
	if (setjmp(j->oom)) {
		j->r.status = P2A_ENOMEM;
		return;
	}
	diag_init(&j->diags, &j->A, src, n);
	if (refused(j, src, n))
		return;
	diag_init(&j->diags, &j->A, with_builtins(j, src, n), n + LOWER_BUILTINS);
	intern_init(&j->names, &j->A);
	buf_init(&j->dump, &j->A);
	buf_init(&j->out, &j->A);
	translate(j, n);
	finish(j, status_of(j));
	j->r.dump = buf_cstr(&j->dump);
	if (j->r.status != P2A_OK)
		return;
	j->r.size = j->out.n;
	j->r.data = buf_cstr(&j->out);
}

static void *
job_alloc(const p2a_options *o, size_t size)
{
	arena A;
	jmp_buf oom;
	void *p = NULL;

	/* The job lives in its own first chunk's allocator, so that the caller's allocator sees all. */
	arena_init(&A, o->alloc, o->alloc_ud, &oom);
	p = A.alloc(A.ud, NULL, 0, size);
	return p ? memset(p, 0, size) : NULL;
}

p2a_result *
p2a_translate(const p2a_source *src, size_t n, const p2a_options *opt)
{
	p2a_options o = { 0 };
	job *j;

	if (!opt || !src || opt->size < offsetof(p2a_options, emit) || opt->size > MOST_OPTIONS)
		return NULL;
	memcpy(&o, opt, opt->size < sizeof o ? opt->size : sizeof o);
	j = job_alloc(&o, sizeof *j);
	if (!j)
		return NULL;
	j->opt = o;
	j->unknown_field = has_unknown_field(opt);
	arena_init(&j->A, o.alloc, o.alloc_ud, &j->oom);
	j->r.dump = "";
	run(j, src, n);
	return &j->r;
}

void
p2a_result_free(p2a_result *r)
{
	job *j = (job *)r;
	arena A;

	if (!r)
		return;
	A = j->A;
	arena_free(&j->A);
	A.alloc(A.ud, j, sizeof *j, 0);
}
