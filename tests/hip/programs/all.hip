/* All programs in one: all PROGRAM..., or without a name each in turn; all --list. Built once for all, because reading
 * HIP's headers costs more than the programs. */
#include "check.h"
#include <hip/hip_cooperative_groups.h>   // not inside a program's namespace

#define P(name) namespace name {
#define main program
P(vector_add)
#include "vector_add.hip"
} P(streams)
#include "streams.hip"
} P(events)
#include "events.hip"
} P(managed)
#include "managed.hip"
} P(graphs)
#include "graphs.hip"
} P(atomics)
#include "atomics.hip"
} P(async_copies)
#include "async_copies.hip"
} P(pinned)
#include "pinned.hip"
} P(copies2d)
#include "copies2d.hip"
} P(pitched)
#include "pitched.hip"
} P(memsets)
#include "memsets.hip"
} P(properties)
#include "properties.hip"
} P(occupancy)
#include "occupancy.hip"
} P(symbols)
#include "symbols.hip"
} P(callbacks)
#include "callbacks.hip"
} P(devices)
#include "devices.hip"
} P(errors)
#include "errors.hip"
} P(large_grid)
#include "large_grid.hip"
} P(shared_memory)
#include "shared_memory.hip"
} P(warps)
#include "warps.hip"
} P(threads)
#include "threads.hip"
} P(cooperative)
#include "cooperative.hip"
}
#undef main

static const struct { const char *name; int (*run)(); } programs[] = {
#define ROW(name) { #name, name::program },
	ROW(vector_add) ROW(streams) ROW(events) ROW(managed) ROW(graphs) ROW(atomics) ROW(async_copies) ROW(pinned)
	ROW(copies2d) ROW(pitched) ROW(memsets) ROW(properties) ROW(occupancy) ROW(symbols) ROW(callbacks) ROW(devices) ROW(errors)
	ROW(large_grid) ROW(shared_memory) ROW(warps) ROW(threads) ROW(cooperative)
};

int main(int argc, char **argv)
{
	int bad = 0;
	if (argc == 2 && !strcmp(argv[1], "--list")) {
		for (auto &p : programs)
			puts(p.name);
		return 0;
	}
	for (auto &p : programs) {
		bool wanted = argc == 1;
		for (int i = 1; i < argc; i++)
			wanted |= !strcmp(argv[i], p.name);
		if (!wanted)
			continue;
		failed_facts = 0;
		int wrong = p.run();
		printf(wrong ? "wrong %s\n" : "right %s\n", p.name);
		fflush(stdout);
		bad |= wrong;
	}
	return bad;
}
