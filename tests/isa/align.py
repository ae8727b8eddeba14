#!/usr/bin/env python3
"""align.py [--check] -- writes the rows of isa/ops.def in columns, each run of rows for itself; --check: says which are not."""
import os
import sys

DEF = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../translator/isa/ops.def")


def cells(row):
    """The arguments of OP(...): split at the commas that stand in no other parentheses."""
    out, depth = [""], 0
    for c in row[len("OP("):-1]:
        depth += {"(": 1, ")": -1}.get(c, 0)
        if c == "," and not depth:
            out.append("")
        else:
            out[-1] += c
    return [c.strip() for c in out]


def aligned(rows):
    table = [cells(r) for r in rows]
    width = [max(len(r[k]) for r in table) + 2 for k in range(len(table[0]) - 1)]
    return ["OP(" + "".join((c + ",").ljust(w) for c, w in zip(r, width)) + r[-1] + ")" for r in table]


def main():
    old = open(DEF).read().split("\n")
    new, at = [], 0
    while at < len(old):
        end = at
        while end < len(old) and old[end].startswith("OP("):
            end += 1
        new += aligned(old[at:end]) if end > at else [old[at]]
        at = max(end, at + 1)
    if sys.argv[1:] != ["--check"]:
        open(DEF, "w").write("\n".join(new))
        return 0
    off = [n for n, (a, b) in enumerate(zip(old, new), 1) if a != b]
    print("not ok columns: lines %s of ops.def" % off if off else "ok columns")
    return 1 if off else 0


sys.exit(main())
