/* wave.h -- one wave whose registers the caller sets and reads: pieces of code from a register file to a register file,
 * without a kernel around them. Needs code that t.h built, each piece ended by s_endpgm; leaves the wave's registers. */
#ifndef TESTS_EMU_WAVE_H
#define TESTS_EMU_WAVE_H
#include "t.h"

#include "emu/machine.h"

typedef struct t_wave {
	t_run r;
	emu_launch_state launch;
	emu_thread thread;
	emu_group group;
	emu_wave *w;
	struct emu_watch *watch;
	uint64_t entry;
} t_wave;

bool t_wave_open(t_wave *, const t_code *);      /* reports what went wrong */
void t_wave_close(t_wave *);
/* Runs the piece that begins at that word of the code. watched: with the checks of EMU_CHECK_ALL; all registers count as
 * written. False: it faulted, r.r.fault says how. */
bool t_wave_run(t_wave *, size_t word, bool watched);
#endif
