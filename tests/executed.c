/* executed.c -- which instructions of which chip the emulator came to, for tests/emu/executed.py.
 * Needs to be linked with --wrap=emu_unload, so that it sees every code object before it goes; P2A_EXECUTED in the
 * environment names the file to append to, without it nothing is done. A line is
 *	CHIP tab ROW OF isa/ops.def tab NAME ON THAT CHIP tab ENCODING (0 plain, 1 SDWA, 2 DPP, 3 half of a pair)
 * once for each that differs in a program. What is decoded was reached: emu/decode.c. */
#include <stdio.h>
#include <stdlib.h>

#include "emu/object.h"

void __real_emu_unload(emu_object *);
void __wrap_emu_unload(emu_object *);

enum { CHIPS = 32, PLAIN = 0, SDWA, DPP, PAIR };
static uint8_t seen[CHIPS][ISA_NOPS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void write_all(void)
{
	FILE *f = fopen(getenv("P2A_EXECUTED"), "ab");
	static char line[1 << 22];
	size_t n = 0;
	for (size_t chip = 0; chip < CHIPS && p2a_target_at(chip); chip++)
		for (unsigned op = 0; op < ISA_NOPS; op++)
			for (unsigned enc = 0; enc < 4; enc++)
				if (seen[chip][op] >> enc & 1 && n < sizeof line - 128)
					n += (size_t)sprintf(line + n, "%s\t%s\t%s\t%u\n", p2a_target_name(p2a_target_at(chip)),
						isa_table[op].name, p2a_op_name(p2a_target_at(chip), op), enc);
	/* in one piece: several programs may write */
	if (!f || setvbuf(f, NULL, _IONBF, 0) || fwrite(line, 1, n, f) != n)
		fprintf(stderr, "executed.c: cannot write %s\n", getenv("P2A_EXECUTED"));
	if (f)
		fclose(f);
}

static void note(uint8_t *row, const emu_in *in, unsigned pair)
{
	row[in->op] |= (uint8_t)(1u << (pair ? PAIR : in->slow & S_SDWA ? SDWA : in->slow & S_DPP ? DPP : PLAIN));
}

static void note_object(const emu_object *o)
{
	size_t chip = 0;
	while (p2a_target_at(chip)->mach != o->dev->target.mach)
		chip++;
	for (size_t c = 0; c < o->ncode; c++)
		for (const emu_in *in = o->code[c].in; in < o->code[c].in + o->code[c].size / 4; in++) {
			if (!in->fn || in->fn == h_unknown)
				continue;
			note(seen[chip], in, in->second != NULL);
			if (in->second)
				note(seen[chip], in->second, 1);
		}
}

void __wrap_emu_unload(emu_object *o)
{
	static bool asked;
	if (o && getenv("P2A_EXECUTED")) {
		pthread_mutex_lock(&lock);
		if (!asked)
			atexit(write_all);
		asked = true;
		note_object(o);
		pthread_mutex_unlock(&lock);
	}
	__real_emu_unload(o);
}
