/* client.c -- the libamdhip64 above this library: which chips it knows, and what it cannot launch. It would leave out a device that it
 * does not know without a word, and some of its calls crash then; so it is told, and the device not shown.
 * Needs nothing of the runtime; looks for names of chips in the library's constant data, as it is loaded. */
#define _GNU_SOURCE
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa/runtime.h"

typedef struct search {
	const char *path;            /* of the library; NULL: not there */
	const char *chip;
	bool found;
} search;

static int look(struct dl_phdr_info *o, size_t size, void *arg)
{
	search *s = arg;
	(void)size;
	if (!o->dlpi_name || !strstr(o->dlpi_name, "libamdhip64.so"))
		return 0;
	s->path = o->dlpi_name;
	for (int i = 0; i < o->dlpi_phnum && !s->found; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && (p->p_flags & PF_R) && !(p->p_flags & PF_W))
			s->found = memmem((const void *)(uintptr_t)(o->dlpi_addr + p->p_vaddr), p->p_memsz, s->chip, strlen(s->chip) + 1);
	}
	return 1;
}

static search look_for(const char *chip)
{
	search s = { .chip = chip };
	dl_iterate_phdr(look, &s);
	return s;
}

static size_t list_known(char *list, size_t size)
{
	size_t n = 0, at = 0;
	for (size_t i = 0; p2a_target_at(i); i++)
		if (look_for(p2a_target_at(i)->name).found) {
			int k = snprintf(list + at, size - at, "%s%s", n++ ? ", " : "", p2a_target_at(i)->name);
			at += k > 0 && (size_t)k < size - at ? (size_t)k : 0;
		}
	return n;
}

/* Where no name at all is found, names are not how this version is made: then it may know all of them. */
bool rt_client_knows(const char *chip)
{
	char list[512] = "";
	search s = look_for(chip);
	if (!s.path || s.found || !list_known(list, sizeof list))
		return true;
	rt_say("%s: %s does not know this chip: the device is left out. It knows %s", chip, s.path, list);
	return false;
}

/* The version is in the name of the file: libamdhip64.so.5.2.21153. */
static bool is_before_5_7(const char *path)
{
	char file[PATH_MAX];
	const char *v = realpath(path, file) ? strstr(file, "libamdhip64.so.") : NULL;
	unsigned major = 0, minor = 0;
	return v && sscanf(v, "libamdhip64.so.%u.%u", &major, &minor) == 2 && major == 5 && minor < 7;
}

/* HIP before 5.7 takes a kernel with a completion action for one that launches kernels itself, and crashes right after its launch.
 * LLVM before 16 asks for one only then. */
void rt_warn_of_kernels(const emu_object *o)
{
	search s = look_for("");
	for (size_t i = 0; i < emu_kernel_count(o); i++) {
		const emu_kernel *k = emu_kernel_at(o, i);
		for (size_t j = 0; j < k->nargs; j++)
			if (k->args[j].kind == EMU_ARG_COMPLETION_ACTION && s.path && is_before_5_7(s.path)) {
				rt_say("kernel %s crashes %s when it is launched: HIP before 5.7 cannot run code of LLVM 16 and later "
					"with printf, assert or unknown calls; compile it with LLVM 15, as hipcc 5.2 does", k->name, s.path);
				return;
			}
	}
}
