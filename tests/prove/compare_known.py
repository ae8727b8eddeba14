#!/usr/bin/env python3
"""compare_known.py -- bit fields of which something is known beside LLVM 19: the forms of known_forms.py, live.
Needs llc-19, opt-19 and build/tests/prove_gen_costs (P2A_BUILD). Exits with 1 where ours is dearer.

    compare_known.py                     every form on seven chips; hours of one core, so choose
    compare_known.py --sample=N          every N-th form
    compare_known.py --sample=N --turn   every N-th, on one of the chips in turn; which ones bfi.def's text decides: others after each change
    compare_known.py --op=b32 --chip=gfx90a --a=1 --b=v --pos=0..31 --len=1     by the names that are printed
    compare_known.py --show              with the code of both where ours is dearer
    compare_known.py --all               every line, not only where ours is dearer

Costs as in compare_llvm.py, by the same rule for both: a move between vector registers is none, nor one between scalar ones, nor what
only sets a result to a constant or to a scalar register; a scalar register or a constant moved for another instruction is one. LLVM's
64-bit shifts of an argument of 32 bits, beside which any register is the other half, are counted with a move: it may be the last register. The two of a pair (VOPD) count as they would alone, for what stands around decides what is paired."""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import zlib

import asktool
import known_forms
import llvm_forms
import refute
from compare_llvm import Cost, halves, judged, show

CHIPS = ("gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1201")
OPS = ("b32", "u32", "s32", "b64", "u64", "s64")
CODE = re.compile(r"\s+[vs]_")
OPT = "opt-19"
BATCH = 4000              # functions in a call of llc
PASSES = "instcombine<no-verify-fixpoint>,early-cse,gvn,instcombine<no-verify-fixpoint>"
MOVE = re.compile(r"(v)_mov_b32_e32 v(\d+), ([^v].*)|(s)_mov_b32 s(\d+), ([^s].*)")


def is_read(kind, register, lines):
    """Does anything after it read that register?"""
    for line in lines:
        for m in re.finditer(kind + r"(\d+)\b|" + kind + r"\[(\d+):(\d+)\]", line.partition(" ")[2].partition(",")[2]):
            first, last = (m[1], m[1]) if m[1] else (m[2], m[3])
            if int(first) <= register <= int(last):
                return True
    return False


def half_pairs(form, code):
    """Of a field of 32 bits: 64-bit shifts that read an argument and the register behind it."""
    args, written, n = sum(k.kind == "v" for k in form.operands.values()), set(), 0
    for line in code:
        m = re.match(r"v_l?[sa]h[lr]+rev_[bi]64\S* v\[\d+:\d+\], [^,]+, v\[(\d+):(\d+)\]$", line)
        n += form.w == 32 and bool(m) and int(m[1]) < args and not {int(m[1]), int(m[2])} & written
        d = re.match(r"v_\S+ v(?:(\d+)|\[(\d+):(\d+)\])", line)
        if d:
            written |= {int(d[1])} if d[1] else {int(d[2]), int(d[3])}
    return n


def of_form(form, code):
    """LLVM's cost. What is uniform has to come to a scalar register again (v_readfirstlane_b32)."""
    c = counted(code)
    back = c.valu and all(k.kind != "v" for k in form.operands.values())
    return c._replace(valu=c.valu + half_pairs(form, code) + bool(back))


def singles(lines):
    """Without comments; pairs as the two instructions that they are."""
    for line in lines:
        for half in line.split(";")[0].strip().split(" :: "):
            yield re.sub(r"^v_dual_(\w+)", r"v_\1_e32", half)


def counted(lines):
    lines = list(singles(lines))
    kept, moves = [], 0
    for k, line in enumerate(lines):
        m = MOVE.match(line)
        if not m:
            kept.append(line)
        elif is_read(m[1] or m[4], int(m[2] or m[5]), lines[k + 1:]):
            kept.append(line)
            moves += bool(m[1]) and m[3][0] == "s"     # a copy to llvm_forms.count()
    valu, salu, valu64 = llvm_forms.count(kept)
    return Cost(valu + moves, salu, valu64)


def optimised(module):
    r = subprocess.run([OPT, "-mtriple=amdgcn--amdpal", "-S", "-passes=" + PASSES, "-o", "-"], input=module, capture_output=True,
                       text=True, check=False)
    if r.returncode:
        raise SystemExit("not ok %s: %s" % (OPT, r.stderr[:2000]))
    return r.stdout


def batches(wanted):
    """(module, forms by number)"""
    texts, forms, n = [], {}, 0
    for k, form in enumerate(wanted):
        for text in known_forms.functions("f%d" % k, form):
            texts.append(text)
            forms[k] = form
        if len(texts) >= BATCH:
            yield "".join(texts), forms
            texts, forms = [], {}
    if texts:
        yield "".join(texts), forms


def of_llvm(module, forms, chips):
    """(number, chip) -> costs and lines, the cheapest first"""
    found = collections.defaultdict(dict)
    for text in (module, optimised(module)):
        for chip in chips:
            for name, lines in llvm_forms.compiled(text, chip).items():
                code = tuple(x.split(";")[0].strip() for x in lines if CODE.match(x))
                k = int(name[1:].split("_")[0])
                found[k, chip].setdefault(code, of_form(forms[k], code))
    return {key: sorted(((c, code) for code, c in x.items()), key=lambda y: halves(y[0])) for key, x in found.items()}


def right(form, ours, theirs):
    """LLVM's cheapest; of those that are cheaper than ours the first that is not wrong."""
    for cost, code in theirs:
        if halves(cost) >= halves(ours) or not refute.is_wrong(form, code):
            return cost, code
    return theirs[-1]


def of_ours(questions):
    """(row, lines) of each"""
    build = os.environ.get("P2A_BUILD", os.path.join(asktool.ROOT, "build"))
    r = subprocess.run([os.path.join(build, "tests", "prove_gen_costs")], input="\n".join(questions) + "\n",
                       capture_output=True, text=True, check=False)
    if r.returncode:
        raise SystemExit("not ok " + r.stderr)
    for answer in r.stdout.split("\n\n")[:-1]:
        row, *lines = answer.splitlines()
        yield row, lines


def first_of(args):
    """Where the sample begins."""
    return zlib.crc32(asktool.read("translator", "lower", "bfi.def").encode()) % args.sample if args.turn else args.first


def parts(args):
    """(forms, chips)"""
    chips, wanted = args.chip.split(","), chosen(args)
    return [(wanted[k::len(chips)], [c]) for k, c in enumerate(chips)] if args.turn else [(wanted, chips)]


def chosen(args):
    wanted = [f for f in known_forms.forms(args.op.split(","))
              if args.a in (None, f.a.name) and args.b in (None, f.b.name) and args.pos in (None, f.p.name) and args.len in (None, f.l.name)]
    return wanted[first_of(args)::args.sample]


def report(form, chip, row, ours, text, cost, lines, code):
    print("%s %s: ours %s (%s), LLVM %s" % (form, chip, show(ours), row, show(cost)))
    if code:
        print("\n".join("        " + x for x in text))
        print("    LLVM\n" + "\n".join("        " + x.split(";")[0].strip() for x in lines), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name in "a", "b", "pos", "len":
        p.add_argument("--" + name)
    p.add_argument("--op", default=",".join(OPS))
    p.add_argument("--chip", default=",".join(CHIPS))
    p.add_argument("--sample", type=int, default=1)
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--turn", action="store_true")
    p.add_argument("--show", action="store_true")
    p.add_argument("--all", action="store_true")
    args = p.parse_args()
    if not (llvm_forms.installed() and shutil.which(OPT)):
        print("skip comparison with llc: llc-19 or opt-19 is not installed")
        return 77
    totals = collections.defaultdict(collections.Counter)
    for module, forms, chips in ((*x, chips) for wanted, chips in parts(args) for x in batches(wanted)):
        theirs = of_llvm(module, forms, chips)
        for (k, chip), (row, text) in zip(theirs, of_ours([forms[k].question(chip) for k, chip in theirs])):
            ours = counted(text)
            cost, lines = right(forms[k], ours, theirs[k, chip])
            v = judged(halves(ours), halves(cost))
            totals[forms[k].op][v] += 1
            if v == "worse" or args.all:
                print(v, end=" ")
                report(forms[k], chip, row, ours, text, cost, lines, args.show)
    for op, t in totals.items():
        print("%s: better %d, same %d, worse %d" % (op, t["better"], t["same"], t["worse"]))
    t = sum(totals.values(), collections.Counter())
    print("all chips: better %d, same %d, worse %d" % (t["better"], t["same"], t["worse"]))
    return 1 if t["worse"] else 0


if __name__ == "__main__":
    sys.exit(main())
