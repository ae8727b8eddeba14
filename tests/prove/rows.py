#!/usr/bin/env python3
"""rows.py -- proves every row of bfi.def equal to PTX's definition, for all a, b, pos, len that its need allows.
Needs z3; reads the row's text and the meaning of its operations from the tables that the translator is built
from. All 32 bits of pos and len are symbolic, and so are the capitals. PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk).

    rows.py               proves all rows, both meanings; then that wrong rows are found out
    rows.py --row=NAME    only rows of that name
    rows.py --quick       only 32-bit rows, and no wrong ones
    rows.py --json=FILE   writes what was proved (make_proof.py reads it)
"""
import argparse
import json
import multiprocessing
import re
import sys
import time

try:
    import z3
except ModuleNotFoundError:
    sys.exit("rows.py: this Python has no z3 (package python3-z3)")

import ptx
import rowterm
import tables

WHOLE_MS, PART_MS = 4000, 120000     # for all positions at once; for one position


def refute(row, meaning, case, limit_ms):
    """'proved', 'unknown', or a counterexample as text."""
    q = rowterm.Question(row.op, meaning, case)
    want = ptx.definition(row.op, meaning, q.a, q.b, q.pos, q.len)
    s = z3.SolverFor("QF_BV")
    s.set("timeout", limit_ms)
    s.add(q.condition(row), rowterm.Text(row, q).result() != want)
    r = s.check()
    if r == z3.unsat:
        return "proved"
    if r == z3.unknown:
        return "unknown"
    m = s.model()
    return ", ".join("%s = %#x" % (d.name(), m[d].as_long()) for d in sorted(m.decls(), key=str))


def applies(row, meaning):
    """Is there any operand that the row's need allows? A row proved over nothing would prove nothing."""
    q = rowterm.Question(row.op, meaning)
    s = z3.Solver()
    s.add(q.condition(row))
    return s.check() == z3.sat


def prove(task):
    """All positions at once, and where that takes too long each by itself."""
    row, meaning = task
    start = time.time()
    if not applies(row, meaning):
        return row, meaning, "its need allows no operands", time.time() - start, "whole"
    verdict, how = refute(row, meaning, None, WHOLE_MS), "whole"
    if verdict == "unknown":
        how = "by position"
        for case in [*range(ptx.width(row.op)), "out"]:
            verdict = refute(row, meaning, case, PART_MS)
            if verdict != "proved":
                verdict = "pos %s: %s" % (case, verdict)
                break
    return row, meaning, verdict, time.time() - start, how


def meanings_of(row):
    """Only .b64 forms have both; rows of bmsk are those of a bfi too."""
    return ptx.MEANINGS if row.width == 64 else (ptx.MEANINGS[0], ptx.BYTES) if row.op == "bmsk" else ptx.MEANINGS[:1]


# ---- wrong rows ----

MUTATIONS = [
    (r"63\)", "62)"), (r"31\)", "30)"), (r"31\)", "32)"), (r"\bP\b", "E"), (r"\bK\b", "M"), (r"\bM\b", "K"), (r"\bN\b", "P"),
    (r"shl32\(a", "lshr32(a"), (r"ashr", "lshr"), (r"bitsel32\((\w+), (\w+), (\w+)\)", r"bitsel32(\1, \3, \2)"),
    (r"cap\(red\((\w)\), \d+\)", r"red(\1)"), (r"red\((\w)\)", r"\1"), (r"gt\(", "eq("), (r"\bd\b", "c"), (r"\bH\b", "P"),
    (r"\bF\b", "L"), (r"\bQ\b", "L"), (r"\bJ\b", "L"), (r"r = a$", "r = b"), (r"r = b$", "r = a"), (r"r = 0$", "r = a"), (r"r = -1$", "r = 0"),
    (r"\bS\b", "0x3020100"), (r"\bK\b", "E"), (r"shl64\(a", "lshr64(a"),
    (r"bitsel64\((\w+), (\w+), (\w+)\)", r"bitsel64(\1, \3, \2)"), (r"or32\((\w), (\w)\)", r"xor32(\1, 0)"),
    (r"shl(32|64)\(-1", r"lshr\1(-1"), (r"and32\(a", "or32(a"), (r"bfe_s32\(a, 0", "bfe_u32(a, 0"),
]


def mutants(row):
    """Rows with one thing wrong."""
    for pattern, replacement in MUTATIONS:
        text = re.sub(pattern, replacement, row.text, count=1)
        if text != row.text:
            yield tables.Row(row.op, row.name, "|".join(row.need) or "0", text)


def found_out(row):
    """How many mutants of a row have a counterexample, how many are proved to be right, and how many there are. A mutation may
    keep the meaning for all that the row is for, as taking a cap away where the operation takes the count modulo the width does."""
    all_of_them, caught, right = list(mutants(row)), 0, 0
    for m in all_of_them:
        try:
            verdict = refute(m, "documented", None, WHOLE_MS)
        except (ValueError, KeyError, z3.Z3Exception):
            verdict = "not a row any more"
        right += verdict == "proved"
        caught += verdict not in ("proved", "unknown")
    return row, caught, right, len(all_of_them)


# ---- the definition itself ----

def agrees_with_nvidia():
    """The definition against NVIDIA's assembler, which folds an instruction whose operands are constants."""
    n = 0
    for line in tables.read("tests", "data", "ptx_values.jsonl").splitlines():
        v = json.loads(line)
        op = v["op"].replace("bfi.b", "bfi").replace("bfe.", "bfe_").replace("szext.clamp.", "szext_")
        if op not in ptx.OPS:
            continue
        numbers = dict(zip(ptx.operands(op), [int(x, 0) for _, x in v["src"]]))
        a, b = [z3.BitVecVal(numbers.get(x, 0), ptx.width(op)) for x in "ab"]
        p, l = [z3.BitVecVal(numbers.get(x, 0), 32) for x in ("pos", "len")]
        got = z3.simplify(ptx.definition(op, "nvidia", a, b, p, l)).as_long()
        if got != int(v["result"], 0):
            print("not ok the definition of %s: %#x, not %s for %s" % (op, got, v["result"], v["src"]))
            return 1
        n += 1
    print("ok the definition gives the %d values that NVIDIA's assembler folds" % n, flush=True)
    return n < 1000


# ---- the command ----

def arguments():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--row")
    p.add_argument("--json")
    p.add_argument("--processes", type=int, default=2)
    p.add_argument("--quick", action="store_true")
    return p.parse_args()


def report_proofs(pool, rows):
    done, bad = {}, 0
    tasks = [(r, m) for r in rows for m in meanings_of(r)]
    for row, meaning, verdict, seconds, how in pool.imap(prove, sorted(tasks, key=lambda t: -t[0].width)):
        good = verdict == "proved"
        done.setdefault((row.op, row.name), []).append(good)
        bad += not good
        print("%s %s, %s%s (%.1f s, %s)" % ("ok" if good else "not ok", row, meaning,
              "" if good else ": " + verdict, seconds, how), flush=True)
    return done, bad


def report_mutants(pool, rows):
    """Every row that can be mutated has at least one wrong form that is found out."""
    bad = total = caught = right = 0
    for row, n, same, of in pool.imap(found_out, rows):
        total, caught, right = total + of, caught + n, right + same
        if not of or not n:
            print("not ok %s: no wrong form of it is found out (%d tried)" % (row, of), flush=True)
            bad += 1
    print("%s %d of %d rows with one thing changed have a counterexample, %d are proved to mean the same for all that the row is for, "
          "%d are not decided in %d s each" % ("not ok" if bad else "ok", caught, total, right, total - caught - right, WHOLE_MS // 1000), flush=True)
    return bad


def main():
    args = arguments()
    rowterm.OPERATIONS = tables.operations()
    rows = [r for r in tables.bfi_rows() if args.row in (None, r.name) and not (args.quick and r.width == 64)]
    bad = agrees_with_nvidia()
    with multiprocessing.Pool(args.processes) as pool:
        done, wrong = report_proofs(pool, rows)
        bad += wrong
        if not args.quick:
            bad += report_mutants(pool, rows)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as f:
            json.dump({"%s %s" % k: all(v) for k, v in done.items()}, f, indent=0)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
