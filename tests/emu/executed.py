#!/usr/bin/env python3
"""Which instructions of each family the tests made the emulator execute.

    executed.py [--all] GEN_LIST RECORD...

RECORD is what tests write when P2A_EXECUTED names a file (tests/executed.c); GEN_LIST the program of tests/isa/gen_list.c
(build/tests/isa_gen_list), which knows the rows of each chip. Prints for each family how many rows it has, how many were
executed, and the others; --all: on each chip by itself. The exit status says whether a row of a family was never executed."""
import re
import subprocess
import sys

CHIPS = "gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200".split()
# Rows that change nothing that a program sees: order, time, caches, hints, counters of tools.
SILENT = re.compile(r"s_(nop|sleep|sleep_var|setprio|sethalt|clause|delay_alu|inst_prefetch|icache_inv|wakeup|version|"
                    r"wait.*|prefetch.*|buffer_prefetch.*|dcache.*|gl1_inv|atc_probe.*|ttracedata.*|(in|de)cperflevel|"
                    r"singleuse_vdst|code_end|cbranch_cdbg.*|sendmsg|endpgm_saved|sendmsghalt)$|"
                    r"buffer_(wb|inv|gl).*|global_(inv|wb|wbinv)$|v_nop$|ds_nop$")


def family(chip):
    return "gfx9" if len(chip) == 6 else chip[:5]


def main():
    args = [a for a in sys.argv[1:] if a != "--all"]
    if len(args) < 2:
        sys.exit(__doc__)
    group = (lambda chip: chip) if "--all" in sys.argv else family
    rows, done = {}, {}
    for chip in CHIPS:
        text = subprocess.run([args[0], chip, "1", "1"], capture_output=True, text=True, check=True).stdout
        for line in text.splitlines():
            rows.setdefault(group(chip), set()).add(line.split("\t")[2])
    for record in args[1:]:
        for line in open(record):
            chip, row, *_ = line.split("\t")
            done.setdefault(group(chip), set()).add(row)
    bad = 0
    for g in rows:
        lacking = sorted(r for r in rows[g] - done.get(g, set()) if not SILENT.match(r))
        bad += len(lacking)
        print("%s: %d rows, %d executed, %d not: %s" % (g, len(rows[g]), len(rows[g] & done.get(g, set())), len(lacking),
                                                        " ".join(lacking)))
    return bad != 0


sys.exit(main())
