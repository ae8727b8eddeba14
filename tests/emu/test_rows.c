/* test_rows.c -- every instruction of isa/ops.def has semantics, and vector operations for all
 * three host instruction sets. Looks inside the emulator's tables.
 * A row that is added to ops.def without semantics fails here, by name. */
#include "emu/machine.h"
#include "t.h"

int main(void)
{
	unsigned without = 0;
	for (unsigned op = 0; op < ISA_NOPS; op++) {
		const emu_sem *s = &emu_sem_table[op];
		const char *name = isa_table[op].name;
		bool vector = s->fn == h_valu || s->fn == h_cmp || s->fn == h_cmpx;
		if (!s->fn) {
			t_bad("semantics: %s has none", name);
			without++;
		} else if (vector && !emu_cold[op] &&
			!(emu_hot_base[op] && emu_hot_avx2[op] && emu_hot_avx512[op])) {
			t_bad("semantics: %s has no vector operation", name);
			without++;
		}
	}
	if (!without)
		t_ok("semantics of all %d instructions", (int)ISA_NOPS);
	return t_end();
}
