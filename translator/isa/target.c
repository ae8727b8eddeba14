/* target.c -- chips by name.
 * Needs targets.def; leaves constants: one for every chip and setting of its features.
 * Manuals: "Target Features" of LLVM's AMDGPU guide. */
#include "isa/isa.h"

#include <string.h>

/* A chip in its nine settings: xnack any, on, off by sramecc any, on, off. */
enum { NSETTINGS = 9 };
#define SET(n, x, s, ...) { .name = n, __VA_ARGS__, .xnack = x, .sramecc = s }
static const p2a_target targets[][NSETTINGS] = {
#define TARGET(n, ...) { \
	SET(n, 0, 0, __VA_ARGS__), SET(n, 0, 1, __VA_ARGS__), SET(n, 0, -1, __VA_ARGS__), \
	SET(n, 1, 0, __VA_ARGS__), SET(n, 1, 1, __VA_ARGS__), SET(n, 1, -1, __VA_ARGS__), \
	SET(n, -1, 0, __VA_ARGS__), SET(n, -1, 1, __VA_ARGS__), SET(n, -1, -1, __VA_ARGS__) },
#include "isa/targets.def"
};
enum { NTARGETS = sizeof targets / sizeof *targets };

const p2a_target *
p2a_target_at(size_t index)
{
	return index < NTARGETS ? &targets[index][0] : NULL;
}

bool
isa_is_target(const p2a_target *t)
{
	uintptr_t at = (uintptr_t)t - (uintptr_t)targets;

	return at < sizeof targets && at % sizeof **targets == 0;
}

const char *
p2a_target_name(const p2a_target *t)
{
	return t ? t->name : NULL;
}

/* ":name+" or ":name-" at *s, not given before: +1 or -1; 0 otherwise. */
static int
feature(const char **s, const char *name, int before)
{
	size_t n = strlen(name);

	if (before || **s != ':' || strncmp(*s + 1, name, n))
		return 0;
	if ((*s)[1 + n] != '+' && (*s)[1 + n] != '-')
		return 0;
	*s += n + 2;
	return (*s)[-1] == '+' ? 1 : -1;
}

static int
setting(int on)
{
	return on < 0 ? 2 : on;
}

const p2a_target *
p2a_target_find(const char *id)
{
	size_t n = id ? strcspn(id, ":") : 0;

	for (size_t k = 0; id && k < NTARGETS; k++) {
		const p2a_target *t = &targets[k][0];
		const char *s = id + n;
		int xnack = 0, sramecc = 0;

		if (strlen(t->name) != n || strncmp(t->name, id, n))
			continue;
		while (*s) {
			const char *at = s;

			xnack += t->has_xnack ? feature(&s, "xnack", xnack) : 0;
			sramecc += t->has_sramecc ? feature(&s, "sramecc", sramecc) : 0;
			if (s == at)
				return NULL;
		}
		return &targets[k][setting(xnack) * 3 + setting(sramecc)];
	}
	return NULL;
}
