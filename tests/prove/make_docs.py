#!/usr/bin/env python3
"""make_docs.py -- writes docs/bfi.md from bfi.def, bfi_proof.def, the data of searches and counts, and `p2a bfi`.
Needs p2a (P2A, or --p2a=PROGRAM); the prose is in bfi.md.in.

    make_docs.py           writes it
    make_docs.py --check   compares instead
"""
import argparse
import collections
import os
import re
import sys

import asktool
import compare_llvm
import make_proof
import tables

PATH = ("docs", "bfi.md")


def table(head, rows):
    return "".join("| %s |\n" % " | ".join(map(str, r)) for r in [head, ["---"] * len(head), *rows])


# ---- rows ----

def proofs():
    text = tables.without_comments(tables.read("translator", "lower", "bfi_proof.def"))
    return {(op, row): rest for op, row, *rest in re.findall(r"^PROOF\((\w+), (\w+), (\d), (\d), (-?\d+)\)", text, flags=re.M)}


def reach(search):
    """How far a search came."""
    n, last = int(search["none_to"]), int(search["ours"]) - 1
    if search["found"] not in ("none", "time"):
        return "found: " + search["found"]
    if n < 0:
        return "time (%s)" % search["set"]
    return "none to %d%s (%s)" % (n, "" if n >= last else " of %d, then time" % last, search["set"])


def minimality(row, least, found):
    mine = [s for s in found if (s["op"], s["row"]) == (row.op, row.name)]
    if least != "-1":
        half = make_proof.half_of(row)
        return "yes, %s%s" % (least, " (%s)" % mine[0]["set"] if mine else " (as %s)" % half[0].op if half else "")
    if mine and all(s["found"] == "none" for s in mine):
        return "among %s" % mine[0]["set"]
    return "not decided: " + "; ".join(map(reach, mine)) if mine else "not searched"


def yes(flag):
    return "yes" if flag == "1" else "no"


def rows_table():
    found, state = make_proof.searches(), proofs()
    out = []
    for op in dict.fromkeys(r.op for r in tables.bfi_rows()):
        out.append("**%s**\n\n" % op)
        lines = []
        for r in tables.bfi_rows():
            if r.op == op:
                exhaustive, smt, least = state[r.op, r.name]
                need = ", ".join(sorted(r.need)) or "nothing"
                lines.append([r.name, need, "`%s`" % r.text, yes(exhaustive), yes(smt), minimality(r, least, found)])
        out.append(table(["row", "needs", "sequence", "exhaustive", "all inputs", "minimal"], lines) + "\n")
    return "".join(out)


def searches_table():
    lines = []
    for s in make_proof.searches():
        what = "%s %s" % (s["op"], s["row"])
        programs = "{:,}".format(int(s["programs"]))
        lines.append([what, s["pos"], s["len"], s["set"], s["ours"], reach(s), programs, s["seconds"]])
    return table(["of", "pos", "len", "set", "the row costs", "result", "programs", "seconds"], lines)


# ---- costs ----

def weighed(valu, salu, valu64):
    return "%d + %d" % (valu + valu64, salu)


def zluda():
    found = {}
    for line in tables.read("tests", "data", "bfi_zluda_counts.tsv").splitlines():
        if not line.startswith(("#", "form\t")):
            form, chip, meaning, *counts = line.split("\t")
            valu, salu, valu64, branches = map(int, counts)
            found[form, chip, meaning] = weighed(valu, salu, valu64) + (", %d br" % branches if branches else "")
    return found


def form_name(form):
    o = dict(x[2:].split("=") for x in compare_llvm.options(form))
    return "%s %s, %s%s" % (o["type"], o["pos"], o["len"], ", a b uniform" if "a" in o else "")


def costs_table(lines):
    others, groups = zluda(), collections.OrderedDict()
    for x in lines:
        key = x.form, x.meaning, weighed(*x.ours), weighed(*x.llvm), others[x.form, x.chip, x.meaning]
        groups.setdefault(key, []).append((x.chip, compare_llvm.verdict(x)))
    rows = []
    for (form, meaning, ours, llvm, theirs), chips in groups.items():
        name = form_name(form) + (", nvidia" if meaning == "nvidia" else "")
        names = sorted((chip for chip, _ in chips), key=asktool.CHIPS.index)
        rows.append([name, " ".join(c[3:] for c in names), ours, llvm, theirs, chips[0][1]])
    return table(["form: pos, len", "gfx", "ours", "LLVM", "ZLUDA", "ours to LLVM"], rows)


def cheaper_lines(name, other):
    """In how many lines is a file of LLVM's counts cheaper than another?"""
    costs = [{x[:3]: compare_llvm.halves(x[3]) for x in compare_llvm.counts_of(f)} for f in (name, other)]
    return str(sum(costs[0][key] < costs[1][key] for key in costs[0]))


def document():
    lines = list(compare_llvm.lines(False))
    count = collections.Counter(compare_llvm.verdict(x) for x in lines)
    totals = "Of %d lines ours is cheaper than LLVM's in %d, the same in %d, dearer in %d." % (
        len(lines), count["better"], count["same"], count["worse"])
    files = "bfi_llvm_counts.tsv", "bfi_llvm_live.tsv"
    parts = {"@OLDER@": cheaper_lines(*files), "@NEWER@": cheaper_lines(*files[::-1]), "@ROWS@": rows_table(), "@SEARCHES@": searches_table(), "@TOTALS@": totals, "@COSTS@": costs_table(lines)}
    text = tables.read("tests", "prove", "bfi.md.in")
    for name, value in parts.items():
        text = text.replace(name, value)
    return text


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--check", action="store_true")
    asktool.add_option(p)
    args = p.parse_args()
    asktool.use(args)
    text, path = document(), os.path.join(tables.ROOT, *PATH)
    if args.check:
        same = os.path.exists(path) and text == tables.read(*PATH)
        print("ok docs/bfi.md is what its sources say" if same else "not ok docs/bfi.md is stale: run tests/prove/make_docs.py")
        return 0 if same else 1
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
