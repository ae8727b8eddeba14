#!/usr/bin/env python3
"""compare_llvm.py -- `p2a bfi` beside LLVM 19, for every form and chip in tests/data/bfi_llvm_counts.tsv. LLVM's is the cheaper of
that file's, whose ways to write bfi are not kept, and of tests/data/bfi_llvm_live.tsv.
Needs p2a (P2A, or --p2a=PROGRAM); --live needs llc-19. Exits with 1 where ours is dearer.

    compare_llvm.py           against the files: a total a chip, and every line where ours is dearer
    compare_llvm.py --all     every line
    compare_llvm.py --live    against what llc makes now of the formulations in llvm_forms.py
    compare_llvm.py --record > tests/data/bfi_llvm_live.tsv      what that is
    compare_llvm.py --tsv     form, chip, meaning, ours, LLVM's as a table
    compare_llvm.py --zluda > tests/data/bfi_zluda_counts.tsv    what LLVM makes of bfi as ZLUDA's library writes it

Cost in halves of a vector instruction, as translator/lower/bfi_cost.c has it: VALU 2, 64-bit VALU shift 4, SALU 1. Bytes
break ties between rows of ours; LLVM's are not in the file, so equal costs are `same`. A register that only has
another name costs nothing on either side."""
import argparse
import collections
import sys

import asktool
import llvm_forms

Cost = collections.namedtuple("Cost", "valu salu valu64")
Line = collections.namedtuple("Line", "form chip meaning ours llvm")


def halves(c):
    return 2 * c.valu + 2 * c.valu64 + c.salu


def halves_of(code):
    """What lines of assembly cost."""
    return halves(Cost(*llvm_forms.count(code)))


def judged(ours, theirs):
    """Of two costs in halves."""
    return "worse" if ours > theirs else "better" if ours < theirs else "same"


def verdict(line):
    return judged(halves(line.ours), halves(line.llvm))


def options(form):
    """b64_F2_p5_v -> the options of `p2a bfi`; forms: head of the data file."""
    kind, name, *rest = form.split("_")
    msb = 31 if kind == "b32" else 63
    top = "0..%d" % msb
    uniform = ["--a=s", "--b=s"]
    pos, length, more = {
        "F1": lambda: (rest[0], rest[1], []),
        "F2": lambda: (rest[0][1:], "v", []),
        "F3": lambda: ("v", rest[1][1:], []),
        "F4": lambda: ("v", "v", []), "F5": lambda: (top, top, []),
        "F6": lambda: ("s", "s", []), "F6k": lambda: ("s" + top, "s" + top, []),
        "F7": lambda: ("s", "s", uniform), "F7k": lambda: ("s" + top, "s" + top, uniform),
    }[name]()
    return ["--type=" + kind, "--pos=" + pos, "--len=" + length, *more]


def counts_of(name):
    """(form, chip, meaning, LLVM's cost) of a file; chips that p2a has not are left out."""
    for line in asktool.read("tests", "data", name).splitlines():
        if line.startswith("#") or line.startswith("form\t"):
            continue
        form, chip, meaning, *numbers = line.split("\t")
        if chip in asktool.CHIPS:
            yield form, chip, meaning, Cost(*map(int, numbers))


def recorded():
    """The same: the least of both files."""
    live = {x[:3]: x[3] for x in counts_of("bfi_llvm_live.tsv")}
    for *key, cost in counts_of("bfi_llvm_counts.tsv"):
        yield *key, min(cost, live[tuple(key)], key=halves)


def forms():
    return [x[:3] for x in counts_of("bfi_llvm_counts.tsv")]


def live_counts():
    return llvm_forms.fewest(forms(), lambda c: halves(Cost(*c)))


def lines(live):
    now = live_counts() if live else {}
    for form, chip, meaning, cost in recorded():
        cost = Cost(*now.get((form, chip, meaning), cost))
        a = asktool.ask(*options(form), "--target=" + chip, "--semantics=" + meaning)
        yield Line(form, chip, meaning, Cost(a.valu, a.salu, a.valu64), cost)


def show(c):
    return "%d + %d" % (c.valu, c.salu) + (" (%d of 64 bits)" % c.valu64 if c.valu64 else "")


def report(all_lines, every):
    totals = collections.defaultdict(collections.Counter)
    for x in all_lines:
        v = verdict(x)
        totals[x.chip][v] += 1
        totals["all chips"][v] += 1
        if every or v == "worse":
            print("%-6s %s %s %s: ours %s, LLVM %s" % (v, x.form, x.chip, x.meaning, show(x.ours), show(x.llvm)))
    for chip, t in sorted(totals.items()):
        print("%s: better %d, same %d, worse %d" % (chip, t["better"], t["same"], t["worse"]))
    return totals["all chips"]["worse"]


def zluda():
    print("# What LLVM 19 makes of bfi as ZLUDA's library writes it, called with what each form knows.")
    print("# Made by tests/prove/compare_llvm.py --zluda.")
    print("form\ttarget\tmeaning\tvalu\tsalu\tvalu64\tbranches")
    for key, counts in llvm_forms.with_branches(forms()).items():
        print("\t".join(map(str, [*key, *counts])))
    return 0


def record():
    print("# The least that llc 19 makes of the ways to write each bfi in tests/prove/llvm_forms.py; columns as in bfi_llvm_counts.tsv.")
    print("# Made by tests/prove/compare_llvm.py --record.")
    print("form\ttarget\tmeaning\tvalu\tsalu\tvalu64")
    found = live_counts()
    for key in forms():
        print("\t".join(map(str, [*key, *found[key]])))
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in "--all", "--live", "--tsv", "--zluda", "--record":
        p.add_argument(name, action="store_true")
    asktool.add_option(p)
    args = p.parse_args()
    asktool.use(args)
    if (args.live or args.zluda or args.record) and not llvm_forms.installed():
        print("skip comparison with llc: llc-19 is not installed")
        return 77
    if args.zluda:
        return zluda()
    if args.record:
        return record()
    found = list(lines(args.live))
    if args.tsv:
        print("form\tchip\tmeaning\tvalu\tsalu\tvalu64\tllvm_valu\tllvm_salu\tllvm_valu64")
        for x in found:
            print("\t".join(map(str, [x.form, x.chip, x.meaning, *x.ours, *x.llvm])))
        return 0
    return 1 if report(found, args.all) else 0


if __name__ == "__main__":
    sys.exit(main())
