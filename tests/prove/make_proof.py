#!/usr/bin/env python3
"""make_proof.py -- writes translator/lower/bfi_proof.def: what is proved of each row of bfi.def.
Needs the proofs' result (rows.py --json=FILE) and the searches' (tests/data/bfi_search.tsv).

    tests/prove/rows.py --json=proved.json && tests/prove/make_proof.py --proved=proved.json
    make_proof.py --check [--proved=FILE]     compares instead of writing; without FILE the smt column is not compared
"""
import argparse
import json
import os
import re
import sys

import tables

PATH = ("translator", "lower", "bfi_proof.def")
HEAD = """/* bfi_proof.def -- what is proved of each row of bfi.def; include with PROOF() defined.
 * Written by tests/prove/make_proof.py.
 * PROOF(op, row, exhaustive, smt, least)
 *   exhaustive  1: tests/select/test_bfi.c runs it over all positions and lengths (and demands that this says so)
 *   smt         1: tests/prove/rows.py has a solver prove it over all inputs, in every meaning
 *   least       what the row costs on operands that differ between lanes (VALU 1, 64-bit shift 2), where a search over
 *               the integer vector instructions found nothing cheaper that serves all that the row is for
 *               (tests/data/bfi_search.tsv; its sets of instructions: tests/prove/search_ops.def); -1: not known
 * Tests hold this against a fresh run (tests/prove). */
"""


def searches():
    """Lines of bfi_search.tsv as dicts."""
    lines = tables.read("tests", "data", "bfi_search.tsv").splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, x.split("\t"))) for x in lines[1:]]


def is_nothing(row):
    """A row that only renames registers or gives a constant: nothing is cheaper."""
    return re.fullmatch(r"r = \w", row.text) is not None


def exhausted(search):
    """Everything cheaper than the row was tried, with more than the smallest set of instructions."""
    return search["found"] == "none" and int(search["none_to"]) == int(search["ours"]) - 1 and search["set"] != "CORE"


HALF = re.compile(r"(?:x = |r = pack64\()ptx_(bfi32|bfe_u32)\(\w+\(a\), (?:\w+\(b\), )?(\w), ([^;]*)\)(?:; r = pack64\((?:x, hi32\(b\)|lo32\([ab]\), x)|, 0)\)$")


def half_of(row):
    """A 64-bit row of which one dword is a 32-bit field of operands' dwords, the other a register or 0: it costs what the
    field costs, and nothing cheaper makes that dword. The 32-bit rows that this may be where a and b differ between lanes."""
    m = HALF.match(row.text)
    if not m:
        return []
    op, pos, length = m.groups()
    rows = [r for r in tables.bfi_rows() if r.op == op and not is_nothing(r)]
    if length == "byte(d)":
        return [r for r in rows if r.name in ("low_len", "pos_len")]
    fixed = [r for r in rows if r.need & {"LK", "BYTES"} and r.need & {"PK", "P0", "BYTES"} and not r.need & {"UA", "UB"}]
    return [r for r in fixed if pos != "0" or r.need & {"P0", "BYTES"}]


def least(row, found):
    if is_nothing(row):
        return 0
    halves = [least(r, found) for r in half_of(row)]
    costs = [int(s["ours"]) for s in found if (s["op"], s["row"]) == (row.op, row.name) and exhausted(s)]
    return max(halves) if halves and min(halves) >= 0 else max(costs, default=-1)


def recorded():
    """(op, row) -> its smt column, as the file has it."""
    text = tables.without_comments(tables.read(*PATH))
    return {(op, row): smt == "1" for op, row, smt in re.findall(r"^PROOF\((\w+), (\w+), \d, (\d),", text, flags=re.M)}


def table(proved):
    found = searches()
    lines = []
    for r in tables.bfi_rows():
        smt = proved.get((r.op, r.name), False)
        lines.append("PROOF(%s, %s, 1, %d, %d)\n" % (r.op, r.name, smt, least(r, found)))
    return HEAD + "".join(lines) + "#undef PROOF\n"


def unproved(proved):
    return ["%s %s" % (r.op, r.name) for r in tables.bfi_rows() if not proved.get((r.op, r.name))]


def check(text, proved):
    left = unproved(proved)
    for name in left:
        print("not ok %s is not proved" % name)
    if text != tables.read(*PATH):
        print("not ok bfi_proof.def is not what its sources say: run tests/prove/make_proof.py")
        return 1
    if not left:
        print("ok bfi_proof.def says what was proved and searched, of %d rows" % len(proved))
    return 1 if left else 0


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--proved")
    p.add_argument("--check", action="store_true")
    args = p.parse_args()
    proved = recorded()
    if args.proved:
        with open(args.proved, encoding="utf-8") as f:
            proved = {tuple(k.split()): v for k, v in json.load(f).items()}
    text = table(proved)
    if args.check:
        return check(text, proved)
    with open(os.path.join(tables.ROOT, *PATH), "w", encoding="utf-8") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
