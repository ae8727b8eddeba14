/* run.c -- `p2a run`: one launch of one kernel, with buffers from files and to files.
 * Needs a PTX file or a code object; leaves the outputs only after the kernel ended well.
 * Contract: docs/cli.md. */
#include <stdlib.h>
#include <string.h>

#include "spec.h"

typedef struct options {
	int device, check, stats, semantics, code_object, opt;
	const char *target;
	cli_dim grid, block;
	uint32_t shared, stack;
	cli_list args;
	double timeout;
} options;

enum { NOT_GIVEN = -1 };

#define AT(field) offsetof(options, field)
static const cli_option table[] = {
	{ "--device", CLI_WORD, AT(device), "emu|hip", "default hip where a device answers, else emu", 0 },
	{ "--target", CLI_TEXT, AT(target), "ID",
	  "the chip to emulate; default the code object's, for PTX gfx1100", 0 },
	{ "--grid", CLI_DIM, AT(grid), "X[,Y[,Z]]", "workgroups, default 1", 0 },
	{ "--block", CLI_DIM, AT(block), "X[,Y[,Z]]", "work-items a workgroup, default 1", 0 },
	{ "--shared", CLI_UINT, AT(shared), "BYTES", "dynamic shared memory, default 0", 0 },
	{ "--arg", CLI_LIST, AT(args), "SPEC", "once a parameter, in order", 0 },
	{ "--check", CLI_WORD, AT(check), "none|memory|all", "emulator checks, default memory", 0 },
	{ "--stats", CLI_FLAG, AT(stats), NULL, "what the launch did, as JSON on standard error", 1 },
	{ "--timeout", CLI_SECONDS, AT(timeout), "SECONDS", "ends an endless kernel as a fault", 0 },
	{ "--semantics", CLI_WORD, AT(semantics), "documented|nvidia", "of PTX, as for compile", 0 },
	{ "--code-object", CLI_WORD, AT(code_object), "4|5", "of PTX, as for compile", 0 },
	{ "--stack", CLI_UINT, AT(stack), "BYTES", "of PTX, as for compile", 0 },
	{ "-O0", CLI_FLAG, AT(opt), NULL, "of PTX: no optimization", P2A_O0 },
	{ "-O1", CLI_FLAG, AT(opt), NULL, "of PTX: some", 1 },
	{ "-O2", CLI_FLAG, AT(opt), NULL, "of PTX: all, the default", 2 },
	{ 0 }
};

/* One run: what has to be freed is in here. */
typedef struct job {
	cli *c;
	const options *o;
	const char *input, *name;        /* file, kernel */
	cli_bytes bytes;                 /* of the input */
	bool is_object;
	spec *specs;
	size_t nspecs;
	p2a_device *dev;
	p2a_module *mod;
	const p2a_kernel *kernel;
} job;

/* The exit status that belongs to an error of the runtime. */
static int
exit_status(p2a_rt_status s)
{
	switch (s) {
	case P2A_RT_OK:
		return CLI_DONE;
	case P2A_RT_EARG:
		return CLI_USAGE;
	case P2A_RT_EPTX:
	case P2A_RT_EOBJECT:
		return CLI_REFUSED;
	default:
		return CLI_FAULT;
	}
}

static int
failed(const job *j, const p2a_error *e)
{
	cli_say(j->c, "%s", e->text);
	return exit_status(e->status);
}

/* ---- Before the device ----------------------------------------------------------------------- */

static int
parse_specs(job *j)
{
	const cli_list *args = &j->o->args;

	j->nspecs = args->n;
	j->specs = arena_array(&j->c->A, spec, args->n + 1);
	for (size_t i = 0; i < args->n; i++) {
		const char *why;
		if (!spec_parse(j->c, args->a[i], &j->specs[i], &why))
			return cli_misuse(j->c, &cli_run, "--arg=%s: expected %s", args->a[i], why);
		for (size_t k = 0; k < i; k++)
			if (j->specs[i].out && j->specs[k].out && strcmp(j->specs[i].out, "-") &&
			    !strcmp(j->specs[i].out, j->specs[k].out))
				return cli_misuse(j->c, &cli_run, "two buffers go to '%s'",
						  j->specs[i].out);
	}
	return CLI_DONE;
}

static int
read_inputs(job *j)
{
	if (!cli_read(j->c, j->input, &j->bytes))
		return CLI_REFUSED;
	j->is_object = j->bytes.n >= 4 && !memcmp(j->bytes.p, "\177ELF", 4);
	for (size_t i = 0; i < j->nspecs; i++) {
		spec *s = &j->specs[i];
		if (!s->in)
			continue;
		if (!cli_read(j->c, s->in, &s->data))
			return CLI_REFUSED;
		s->bytes = s->data.n;
		if (s->kind == SPEC_BYTES)
			s->size = (uint32_t)s->data.n;
	}
	return CLI_DONE;
}

/* ---- Device and kernel ----------------------------------------------------------------------- */

enum { DEVICE_EMU, DEVICE_HIP };

/* Code for one chip needs that chip: the object's own is the default of the emulator. */
static int
open_device(job *j)
{
	static const char *const names[] = { [DEVICE_EMU] = "emu", [DEVICE_HIP] = "hip" };
	static const p2a_check_level checks[] = { P2A_CHECK_NONE, P2A_CHECK_MEMORY, P2A_CHECK_ALL };
	p2a_device_config config = {
		.size = sizeof config, .target = j->o->target, .timeout = j->o->timeout,
		.backend = j->o->device == NOT_GIVEN ? "auto" : names[j->o->device],
		.check = j->o->check == NOT_GIVEN ? P2A_CHECK_DEFAULT : checks[j->o->check],
	};
	char own[64];
	p2a_error e;

	if (j->is_object && !config.target && j->o->device != DEVICE_HIP) {
		if (p2a_object_target(j->bytes.p, j->bytes.n, own, &e) != P2A_RT_OK) {
			cli_say(j->c, "'%s': %s", j->input, e.text);
			return CLI_REFUSED;
		}
		config.target = own;
	}
	if (p2a_device_open(&config, &j->dev, &e) != P2A_RT_OK)
		return failed(j, &e);
	if (j->o->check != NOT_GIVEN && strcmp(p2a_device_backend(j->dev), "emu"))
		cli_say(j->c, "--check has no effect on device %s", p2a_device_backend(j->dev));
	return CLI_DONE;
}

static int
load(job *j, const void *elf, size_t size)
{
	p2a_error e;
	p2a_rt_status s = p2a_module_load(j->dev, elf, size, &j->mod, &e);

	if (s == P2A_RT_OK)
		return CLI_DONE;
	cli_say(j->c, "'%s': %s", j->input, e.text);
	return exit_status(s);
}

/* Translates the one kernel that is asked for, so that others need not be translatable. */
static int
translate(job *j)
{
	const options *o = j->o;
	p2a_source src = { .name = strcmp(j->input, "-") ? j->input : "<stdin>", .text = j->bytes.p,
			   .size = j->bytes.n };
	p2a_options opt = { .size = sizeof opt, .target = p2a_device_target(j->dev),
			    .semantics = (p2a_semantics)o->semantics, .opt = (unsigned)o->opt,
			    .code_object = o->code_object ? 5 : 4, .entries = &j->name, .nentries = 1, .stack = o->stack };

	cli_progress *p = cli_progress_start(j->c, "translating");
	p2a_result *r = p2a_translate(&src, 1, &opt);
	cli_progress_stop(p);
	int status = cli_translated(j->c, r, &src, 1);
	if (status == CLI_DONE)
		status = load(j, r->data, r->size);
	p2a_result_free(r);
	return status;
}

static int
no_kernel(const job *j)
{
	size_t n = p2a_module_kernels(j->mod);

	cli_say(j->c, "'%s' has no kernel '%s'%s", j->input, j->name,
		n ? "; it has:" : "; it has none at all");
	for (size_t i = 0; i < n; i++) {
		const char *name = p2a_kernel_attributes(p2a_module_kernel_at(j->mod, i))->name;
		fprintf(stderr, "\t%s\n", cli_clean(arena_str(&j->c->A, name, strlen(name))));
	}
	return CLI_REFUSED;
}

static int
find_kernel(job *j)
{
	int status = j->is_object ? load(j, j->bytes.p, j->bytes.n) : translate(j);

	if (status)
		return status;
	j->kernel = p2a_module_kernel(j->mod, j->name);
	return j->kernel ? CLI_DONE : no_kernel(j);
}

/* ---- Parameters ------------------------------------------------------------------------------ */

static void
list_params(cli *c, const p2a_kernel_attr *a)
{
	for (size_t i = 0; i < a->nparams; i++) {
		const p2a_param *p = &a->params[i];
		fprintf(stderr, "\tparameter %zu: %u byte%s%s%s\n", i + 1, (unsigned)p->size,
			p->size == 1 ? "" : "s", *p->name ? ", " : "",
			cli_clean(arena_str(&c->A, p->name, strlen(p->name))));
	}
}

/* Every --arg against the parameter that it is for. */
static int
check_params(const job *j)
{
	const p2a_kernel_attr *a = p2a_kernel_attributes(j->kernel);

	if (j->nspecs != a->nparams) {
		cli_say(j->c, "too %s arguments: kernel '%s' has %zu parameter%s, %zu given",
			j->nspecs < a->nparams ? "few" : "many", a->name, a->nparams,
			a->nparams == 1 ? "" : "s", j->nspecs);
		list_params(j->c, a);
		return CLI_USAGE;
	}
	for (size_t i = 0; i < a->nparams; i++) {
		if (j->specs[i].size == a->params[i].size)
			continue;
		cli_say(j->c, "argument %zu, '%s', has %u byte%s: parameter '%s' of kernel '%s' has %u",
			i + 1, j->specs[i].text, (unsigned)j->specs[i].size,
			j->specs[i].size == 1 ? "" : "s", a->params[i].name, a->name,
			(unsigned)a->params[i].size);
		return CLI_USAGE;
	}
	return CLI_DONE;
}

static int
make_buffers(job *j)
{
	for (size_t i = 0; i < j->nspecs; i++) {
		spec *s = &j->specs[i];
		uint64_t addr = 0;
		p2a_error e;
		if (s->kind != SPEC_BUFFER)
			continue;
		if (p2a_mem_alloc(j->dev, (size_t)s->bytes, &addr, &e) != P2A_RT_OK)
			return failed(j, &e);
		if (s->in && p2a_mem_write(j->dev, addr, s->data.p, s->data.n, &e) != P2A_RT_OK)
			return failed(j, &e);
		memcpy(s->value, &addr, sizeof addr);
	}
	return CLI_DONE;
}

/* ---- Launch ---------------------------------------------------------------------------------- */

static void
print_fault(const job *j, p2a_rt_status s)
{
	p2a_fault f;

	if (!p2a_last_fault(j->dev, &f))
		return;
	cli_say(j->c, "%s: %s", p2a_rt_status_name(s), f.message);
	fprintf(stderr, "  kernel       %s\n", cli_clean(f.kernel));
	if (!f.located)
		return;
	fprintf(stderr, "  workgroup    %u,%u,%u wave %u\n", (unsigned)f.workgroup[0],
		(unsigned)f.workgroup[1], (unsigned)f.workgroup[2], (unsigned)f.wave);
	if (f.lane >= 0)
		fprintf(stderr, "  lane         %d, work-item %u,%u,%u\n", f.lane, (unsigned)f.work_item[0],
			(unsigned)f.work_item[1], (unsigned)f.work_item[2]);
	if (f.address)
		fprintf(stderr, "  address      0x%llx\n", (unsigned long long)f.address);
	fprintf(stderr, "  instruction  %s, at 0x%llx\n", cli_clean(f.instruction), (unsigned long long)f.pc);
	if (f.line)
		fprintf(stderr, "  source       %s:%u\n", cli_clean(f.file), (unsigned)f.line);
}

static void
print_stats(const job *j, const p2a_stats *s)
{
	const struct { const char *name; uint64_t n; } counts[] = {
		{ "valu", s->valu }, { "salu", s->salu }, { "vmem", s->vmem }, { "smem", s->smem },
		{ "lds", s->lds }, { "branch", s->branch }, { "other", s->other }, { "total", s->total },
	};

	fputs("{\"kernel\":", stderr);
	cli_json_string(stderr, j->name);
	fprintf(stderr, ",\"device\":\"%s\",\"target\":\"%s\",\"waves\":%llu,\"instructions\":{",
		p2a_device_backend(j->dev), p2a_device_target(j->dev), (unsigned long long)s->waves);
	for (size_t i = 0; i < COUNT(counts); i++) {
		fprintf(stderr, "%s\"%s\":", i ? "," : "", counts[i].name);
		if (s->counted)
			fprintf(stderr, "%llu", (unsigned long long)counts[i].n);
		else
			fputs("null", stderr);
	}
	if (s->counted)
		fprintf(stderr, "},\"lane_ops\":%llu", (unsigned long long)s->lane_ops);
	else
		fputs("},\"lane_ops\":null", stderr);
	fprintf(stderr, ",\"seconds\":%.9f}\n", s->seconds);
}

/* What the kernel printed, also before a fault. */
static void
print_printed(const job *j)
{
	char *text;
	size_t n;
	p2a_error e;

	if (p2a_module_printed(j->mod, &text, &n, &e) != P2A_RT_OK)
		return;
	fwrite(text, 1, n, stdout);
	fflush(stdout);
	free(text);
}

static int
launch(const job *j)
{
	const void **args = arena_array(&j->c->A, const void *, j->nspecs + 1);
	p2a_launch_config l = { .size = sizeof l, .shared = j->o->shared, .args = args,
				.nargs = j->nspecs };
	p2a_stats stats;
	p2a_error e;

	for (size_t i = 0; i < j->nspecs; i++)
		args[i] = j->specs[i].kind == SPEC_BYTES ? (const void *)j->specs[i].data.p
							 : j->specs[i].value;
	memcpy(l.grid, j->o->grid.v, sizeof l.grid);
	memcpy(l.block, j->o->block.v, sizeof l.block);
	cli_progress *p = cli_progress_start(j->c, "running");
	p2a_rt_status s = p2a_launch(j->kernel, &l, &stats, &e);
	cli_progress_stop(p);
	if (s == P2A_RT_OK || s == P2A_RT_EFAULT)
		print_printed(j);
	if (s == P2A_RT_EFAULT || s == P2A_RT_ETIMEOUT) {
		print_fault(j, s);
		return CLI_FAULT;
	}
	if (s != P2A_RT_OK)
		return failed(j, &e);
	if (j->o->stats)
		print_stats(j, &stats);
	return CLI_DONE;
}

/* ---- Outputs --------------------------------------------------------------------------------- */

/* Fetches and stages every output; all of them appear, or none. */
static int
stage_outputs(const job *j, cli_output *out, size_t *n)
{
	for (size_t i = 0; i < j->nspecs; i++) {
		const spec *s = &j->specs[i];
		uint64_t addr;
		p2a_error e;
		if (!s->out)
			continue;
		void *bytes = arena_alloc(&j->c->A, (size_t)s->bytes + 1);
		memcpy(&addr, s->value, sizeof addr);
		if (p2a_mem_read(j->dev, bytes, addr, (size_t)s->bytes, &e) != P2A_RT_OK)
			return failed(j, &e);
		out[*n] = (cli_output){ .path = s->out, .data = bytes, .size = (size_t)s->bytes };
		if (!cli_stage(j->c, &out[*n]))
			return CLI_REFUSED;
		++*n;
	}
	return CLI_DONE;
}

static int
write_outputs(const job *j)
{
	cli_output *out = arena_array(&j->c->A, cli_output, j->nspecs + 1);
	size_t n = 0;
	int status = stage_outputs(j, out, &n);

	for (size_t i = 0; i < n; i++) {
		if (status)
			cli_drop(&out[i]);
		else if (!cli_commit(j->c, &out[i]))
			status = CLI_REFUSED;
	}
	return status;
}

/* ---- The command ----------------------------------------------------------------------------- */

static int
run_job(job *j)
{
	static int (*const steps[])(job *) = { parse_specs, read_inputs, open_device, find_kernel };
	int status = CLI_DONE;

	for (size_t i = 0; i < COUNT(steps) && !status; i++)
		status = steps[i](j);
	if (!status)
		status = check_params(j);
	if (!status)
		status = make_buffers(j);
	if (!status)
		status = launch(j);
	return status ? status : write_outputs(j);
}

static int
run(cli *c, int argc, char **argv)
{
	options o = { .device = NOT_GIVEN, .check = NOT_GIVEN, .grid = { { 1, 1, 1 } },
		      .block = { { 1, 1, 1 } } };
	cli_list rest = { 0 };
	int status = cli_parse(c, &cli_run, argc, argv, &o, &rest);

	if (status >= 0)
		return status;
	if (rest.n != 2)
		return cli_misuse(c, &cli_run, rest.n < 2 ? "an input and a kernel are needed"
							  : "one input and one kernel, not more");
	if (o.target && cli_check_target(c, &cli_run, o.target))
		return CLI_USAGE;
	job j = { .c = c, .o = &o, .input = rest.a[0], .name = rest.a[1] };
	status = run_job(&j);
	p2a_device_close(j.dev);
	return status;
}

const cli_command cli_run = {
	.name = "run",
	.usage = "[OPTION]... INPUT KERNEL",
	.summary = "run a kernel of a PTX file or a code object",
	.text = "Runs one kernel on an emulated AMD chip, or on an AMD GPU through HIP. INPUT is PTX (- is\n"
		"standard input), or a code object of any compiler. Every parameter takes one --arg, in order:\n"
		"  u8|s8|u16|s16|u32|s32|u64|s64|b8|b16|b32|b64:VALUE   decimal, or 0x\n"
		"  f32|f64:VALUE      decimal, or 0x and the bits\n"
		"  in:FILE            a buffer with the file's bytes; passes its address\n"
		"  out:BYTES:FILE     a buffer of zeros, written to FILE after the kernel\n"
		"  inout:FILE:FILE2   FILE's bytes in, written to FILE2 after\n"
		"  zero:BYTES         a buffer of zeros\n"
		"  bytes:FILE         a parameter passed by value, such as a struct\n"
		"A fault is reported with kernel, workgroup, lane, address, instruction and source line; then\n"
		"the status is 3 and no output is written.",
	.example = "  p2a run --target=gfx90a --grid=4 --block=256 --arg=in:x.bin --arg=out:4096:y.bin \\\n"
		"      --arg=u32:1000 scale.ptx scale",
	.options = table,
	.run = run,
};
