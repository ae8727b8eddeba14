#!/usr/bin/env python3
"""agree.py -- docs/bfi.md and `p2a bfi` say the same of each row: whether it is minimal, proved and run.
Needs p2a (P2A, or --p2a=PROGRAM) and the document; asks until every row was answered that a question of the command can reach.
--quick: every seventh question, and no demand for rows."""
import argparse
import itertools
import os
import re
import sys

import asktool
import tables

FIELDS = ["0", "5", "8", "16", "20", "32", "40", "63", "64", "255", "0..31", "0..63", "1..31", "1..32", "32..63", "v", "s"]
ABOUT_VALUES = {"BZ", "B1", "BM", "A0", "A1", "AM", "AF", "AFIT", "AK", "AMASK", "ASHORT", "BK", "SPLIT"}
CHIPS = ("gfx942", "gfx1100")
MORE = ["0..32", "s0..31", "s1..32"]
OPS = ("bfi32", "bfi64", "bmsk", "szext_u32", "szext_s32")
# What only a kernel takes, or a uniform operation with a vector result.
ELSEWHERE = ("full_select", "low_shift")


def documented():
    """(op, row) -> (exhaustive, all inputs, cost up to which it is minimal or None)"""
    rows, op = {}, None
    for line in tables.read("docs", "bfi.md").splitlines():
        heading = re.match(r"\*\*(\w+)\*\*$", line)
        op = heading.group(1) if heading else None if line.startswith("## ") else op
        cells = [c.strip() for c in line.strip("|").split("|")]
        if op and len(cells) == 6 and cells[0] not in ("row", "---"):
            minimal = re.match(r"yes, (\d+)", cells[5])
            rows[op, cells[0]] = cells[3], cells[4], int(minimal.group(1)) if minimal else None
    return rows


def is_searched(op, options):
    """Are pos and len constants, all below the width, or all that count?"""
    width = 64 if op.endswith("64") else 32
    asked = [o.split("=")[1] for o in options if o.startswith(("--pos=", "--len="))]
    return all(".." not in x or x.lstrip("s") == "0..%d" % (width - 1) or (x.lstrip("s").startswith("0..") and int(x.split("..")[1]) >= 255)
               for x in asked)


def disagreement(answer, row, searched):
    exhaustive, smt, least = row
    if (answer.exhaustive, answer.smt) != (exhaustive, smt):
        return "exhaustive %s, SMT %s; the document: %s, %s" % (answer.exhaustive, answer.smt, exhaustive, smt)
    cost = answer.valu + answer.valu64
    may = not answer.code or (searched and least is not None and cost <= least)
    must = not answer.code or (may and not answer.salu)
    if answer.minimal == "proved" and not may or answer.minimal != "proved" and must:
        return "minimal %s at cost %d; the document: %s" % (answer.minimal, cost, "to %d" % least if least is not None else "not known")
    return None


def questions():
    """(operation, options): each with a and b in lanes, of .b64 both uniform too, of .b32 and szext one of them."""
    for op in OPS:
        fields = FIELDS if op == "bfi64" else FIELDS + MORE
        for pos, length, chip in itertools.product(fields if "pos" in tables.operands(op) else [None], fields, CHIPS):
            options = [*asktool.form(op, pos, length), "--target=" + chip]
            yield op, options
            if op == "bfi64":
                yield op, [*options, "--a=s", "--b=s"]
            if op == "bfi32":
                yield op, [*options, "--a=s"]
                yield op, [*options, "--b=s"]
            if op.startswith("szext"):
                yield op, [*options, "--a=s"]


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asktool.add_option(p)
    p.add_argument("--quick", action="store_true")
    args = p.parse_args()
    asktool.use(args)
    step = 7 if args.quick else 1
    rows, met, bad = documented(), set(), 0
    for op, options in itertools.islice(questions(), 0, None, step):
        answer = asktool.ask(*options)
        met.add((op, answer.row))
        why = disagreement(answer, rows[op, answer.row], is_searched(op, options))
        if why:
            print("not ok p2a bfi %s: row %s, %s" % (" ".join(options), answer.row, why))
            bad += 1
    # What a or b holds cannot be said on the command line.
    for r in tables.bfi_rows():
        if not args.quick and r.op in OPS and not r.need & ABOUT_VALUES and r.name not in ELSEWHERE and (r.op, r.name) not in met:
            print("not ok no question is answered by row %s" % r)
            bad += 1
    if not bad:
        print("ok docs/bfi.md and p2a bfi say the same of %d rows" % len(met))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
