#!/usr/bin/env python3
"""printed.py -- the instructions that `p2a bfi` prints, against PTX's definition: for each answer, the assembly text is read back
into z3 terms (machine.py) and its result compared over all operands that the question allows.
Needs z3 and p2a (P2A, or --p2a=PROGRAM). PTX ISA 9.7.1.19 to 9.7.1.22.

    printed.py             a sample: every chip, operation, meaning and kind of operand; then wrong programs, which must be found out
    printed.py --quick     two chips of it, no wrong programs
    printed.py --all       every combination of the forms below; --op=NAME (bfi, bmsk, ...) only those of that operation
    printed.py --chip=ID   that chip only
    printed.py --part=K/N  of the programs each N-th, from the K-th (0 to N - 1) on; no wrong programs
    printed.py --done=FILE what is proved is appended to FILE, and what stands there is not proved again

A program that is printed for several questions, of which one allows all operands that another does, is proved for the wider one.
"""
import argparse
import collections
import hashlib
import itertools
import os
import multiprocessing
import re
import sys

try:
    import z3
except ModuleNotFoundError:
    sys.exit("printed.py: this Python has no z3 (package python3-z3)")

import asktool
import machine
import ptx

# pos, len: as in `p2a bfi`; constants at the ends, bytes, halves, straddling; each way of being known.
CONSTANTS = ["0", "1", "5", "8", "16", "20", "24", "31", "32", "33", "40", "56", "63", "64", "255", "256", "300"]
KNOWN = ["0..31", "0..63", "1..31", "3..7", "0..32", "1..200", "v", "s0..31", "s0..63", "s3..7", "s1..200", "s"]
KINDS = ("bfi32", "bfi64", "bmsk", "szext_u32", "szext_s32")
SHAPES = [(), ("--a=s",), ("--b=s",), ("--a=s", "--b=s"), ("--b-dies",), ("--a=s", "--b-dies")]
SAMPLE = [("0", "8"), ("8", "8"), ("16", "16"), ("5", "7"), ("31", "31"), ("20", "20"), ("40", "10"), ("31", "5"), ("32", "32"),
          ("0", "v"), ("5", "v"), ("24", "v"), ("40", "v"), ("v", "1"), ("v", "8"), ("v", "40"), ("v", "255"),
          ("v", "v"), ("0..31", "0..31"), ("0..63", "0..63"), ("0..31", "v"), ("v", "0..31"),
          ("s", "s"), ("s", "7"), ("5", "s"), ("s0..31", "s0..31"), ("v", "s")]
Question = collections.namedtuple("Question", "kind pos len meaning shape")
WHOLE_MS, PART_MS = 3000, 120000


def options(q, chip):
    return [*asktool.form(q.kind, q.pos, q.len), "--semantics=" + q.meaning, "--target=" + chip, *q.shape]


def shape_of(kind, shape):
    """What of a shape the operation has."""
    return tuple(x for x in shape if x[2] in ptx.operands(kind))


def questions(everything, op):
    """Only .b64 has two meanings. In the sample each pair of pos and len has one shape. What the operation has not is left out."""
    fields = CONSTANTS + KNOWN
    pairs = itertools.product(fields, fields) if everything else SAMPLE
    asked = set()
    for k, (pos, length) in enumerate(pairs):
        for shape in SHAPES if everything else [SHAPES[k % len(SHAPES)]]:
            for kind in KINDS:
                for meaning in ptx.MEANINGS if ptx.width(kind) == 64 else ptx.MEANINGS[:1]:
                    q = Question(kind, pos if "pos" in ptx.operands(kind) else "0", length, meaning, shape_of(kind, shape))
                    if q not in asked and kind.startswith(op):
                        asked.add(q)
                        yield q


# ---- one program ----

class Operand:
    """pos or len: a term of 32 bits, and what is known of it."""

    def __init__(self, name, text):
        self.uniform = text[0] == "s"
        self.low, _, self.high = text.lstrip("s").partition("..") if text not in ("v", "s") else ("0", "", "0xffffffff")
        self.low, self.high = int(self.low, 0), int(self.high or self.low, 0)
        self.constant = self.low == self.high
        self.term = z3.BitVecVal(self.low, 32) if self.constant else z3.BitVec(name, 32)

    def bounds(self):
        return [] if self.constant else [z3.UGE(self.term, self.low), z3.ULE(self.term, self.high)]


WANTED = {}


class Case:
    """What stands in the registers that `p2a bfi` names, and what should come out."""

    def __init__(self, q):
        self.q, self.bits = q, ptx.width(q.kind)
        self.a, self.b = z3.BitVecs("a b", self.bits)
        self.pos, self.len = Operand("pos", q.pos), Operand("len", q.len)
        self.op = q.kind

    def machine(self):
        m = machine.Machine()
        for name, number, x in ("a", 0, self.a), ("b", 2, self.b):
            if name in ptx.operands(self.op):
                m.put("s" if "--%s=s" % name in self.q.shape else "v", number, x)
        for number, x in ((4, self.pos), (5, self.len)):
            if not x.constant:
                m.put("s" if x.uniform else "v", number, x.term)
        return m

    def want(self):
        key = self.op, self.q.meaning, self.q.pos, self.q.len
        if key not in WANTED:
            WANTED[key] = z3.simplify(ptx.definition(self.op, self.q.meaning, self.a, self.b, self.pos.term, self.len.term))
        return WANTED[key]

    def parts(self):
        """The values of pos one by one, as conditions; those from the width on together."""
        p = ptx.reduced(self.pos.term, self.op, self.q.meaning)
        for k in range(self.bits):
            yield p, k
        yield p, None


def result(m, texts):
    """The result's dwords, low first."""
    return z3.Concat(*reversed([m.get(t) for t in texts])) if len(texts) > 1 else m.get(texts[0])


def counted(m, answer):
    """Are the costs that it states those of the text?"""
    return (m.valu, m.valu64, m.salu) == (answer.valu, answer.valu64, answer.salu)


def solve(assumed, got, want, limit):
    s = z3.SolverFor("QF_BV")
    s.set("timeout", limit)
    s.add(*assumed, got != want)
    r = s.check()
    if r != z3.sat:
        return "right" if r == z3.unsat else "unknown"
    m = s.model()
    return ", ".join("%s = %#x" % (d.name(), m[d].as_long()) for d in sorted(m.decls(), key=str))


def by_position(case, got, want):
    assumed = case.pos.bounds() + case.len.bounds()
    for p, k in case.parts():
        if k is None:
            verdict = solve(assumed + [z3.UGE(p, case.bits)], got, want, PART_MS)
        else:
            # pos itself is put in, so that shifts by it are wires.
            value = z3.BitVecVal(k, 32)
            if p.eq(case.pos.term):
                at = [(case.pos.term, value)]
            else:
                at = [(case.pos.term, z3.Concat(z3.BitVec("pos_high", 24), z3.BitVecVal(k, 8)))]
            there, g, w = [z3.substitute(x, *at) for x in assumed], z3.substitute(got, *at), z3.substitute(want, *at)
            verdict = solve(there, g, w, PART_MS)
        if verdict != "right":
            return verdict
    return "right"


def judge(task):
    """'right', 'unknown', or why it is wrong: a counterexample, or what the model does not know."""
    q, answer = task
    case = Case(q)
    try:
        m = case.machine()
        for line in answer.code:
            m.run(line)
        if not counted(m, answer):
            return task, "it says %d, %d, %d VALU, 64-bit shifts, SALU; the text has %d, %d, %d" % (
                answer.valu, answer.valu64, answer.salu, m.valu, m.valu64, m.salu)
        got, want = z3.simplify(result(m, answer.result)), case.want()
    except machine.Wrong as e:
        return task, str(e)
    verdict = solve(case.pos.bounds() + case.len.bounds(), got, want, WHOLE_MS)
    if verdict == "unknown":
        if case.pos.constant:
            return task, verdict
        verdict = by_position(case, got, want)
    return task, verdict


# ---- wrong programs ----

WRONG = [
    (r"v_lshlrev_b32(\S*) (\w+), (\S+), (\S+)", r"v_lshrrev_b32\1 \2, \3, \4"),
    (r"v_bfi_b32 (\S+), (\S+), (\S+), (\S+)", r"v_bfi_b32 \1, \2, \4, \3"),
    (r"\b63\b", "62"), (r"\b31\b", "30"), (r"BYTE_0$", "BYTE_1"), (r"UNUSED_PRESERVE", "UNUSED_PAD"),
    (r" clamp", ""), (r"0xff\b", "0x7f"), (r"_ge_", "_lt_"), (r"s_lshl_b", "s_lshr_b"),
    (r"v_bfm_b32 (\S+), (\S+), (\S+)", r"v_bfm_b32 \1, \3, \2"),
    (r"v_perm_b32 (\S+), (\S+), (\S+), ", r"v_perm_b32 \1, \3, \2, "),
    (r"s_bfm_b64 (\S+), (\S+), (\S+)", r"s_bfm_b64 \1, \3, \2"),
    (r"v_lshl_or_b32 (\S+), (\S+), (\S+), (\S+)", r"v_lshl_or_b32 \1, \4, \3, \2"),
    (r"v_alignbit_b32 (\S+), (\S+), (\S+), ", r"v_alignbit_b32 \1, \3, \2, "),
    (r"v_lshlrev_b64(\S*) (\S+), (\S+), (\S+)$", r"v_lshrrev_b64\1 \2, \3, \4"),
]


def mutants(answer):
    """One per kind of fault, in the first instruction that can have it; the last but one that computes left out."""
    for pattern, replacement in WRONG:
        for k, line in enumerate(answer.code):
            changed = re.sub(pattern, replacement, line, count=1)
            if changed != line:
                yield pattern, answer._replace(code=answer.code[:k] + [changed] + answer.code[k + 1:])
                break
    work = [k for k, line in enumerate(answer.code) if not line.startswith(("s_nop", "s_wait"))]
    if len(work) > 1:
        yield "an instruction left out", answer._replace(code=answer.code[:work[-2]] + answer.code[work[-2] + 1:])


def self_test(pool, tasks):
    """Each kind of fault is found out in some program. (In some it changes nothing: a cap of 62 where 40 is enough.)"""
    wanted, tried = collections.Counter(), []
    for q, answer in tasks:
        for name, m in mutants(answer):
            if wanted[name] < 3:
                wanted[name] += 1
                tried.append((name, (q, m)))
    seen = collections.Counter()
    for (name, _), (_, verdict) in zip(tried, pool.imap(judge, [t for _, t in tried])):
        seen[name] += verdict not in ("right", "unknown")
    missed = [n for n in wanted if not seen[n]]
    for name in missed:
        print("not ok a wrong program is taken for a right one: %s" % name)
    if not missed:
        print("ok %d of %d wrong programs are found out, some of each of %d kinds" % (
            sum(seen.values()), len(tried), len(wanted)))
    return len(missed)


# ---- the command ----

def place(x):
    """Where the program finds pos or len: a number is in the program."""
    return x.low if x.constant else "s" if x.uniform else "v"


def same_program(q, answer):
    """Equal for answers that print the same program, with the operands in the same places."""
    return (q.kind, q.meaning, "--a=s" in q.shape, "--b=s" in q.shape, place(Operand("pos", q.pos)),
            place(Operand("len", q.len)), tuple(answer.code), tuple(answer.result), answer.valu, answer.valu64, answer.salu)


def within(q, other):
    """Does `other` allow all operands that q does?"""
    return all(o.low <= x.low and x.high <= o.high for x, o in
               [(Operand("", q.pos), Operand("", other.pos)), (Operand("", q.len), Operand("", other.len))])


def programs(chip, args, known):
    """The chip's programs with their widest questions, but for those that `known` has, to which they are added; answers."""
    n, groups = 0, collections.OrderedDict()
    for q in questions(args.all, args.op):
        answer = asktool.ask(*options(q, chip))
        n += 1
        key = same_program(q, answer)
        asked = groups.setdefault(key, [])
        if not any(within(q, k) for k, _, _ in known.get(key, []) + asked):
            groups[key] = [k for k in asked if not within(k[0], q)] + [(q, answer, chip)]
    for key, tasks in groups.items():
        known.setdefault(key, []).extend(tasks)
    return [t for tasks in groups.values() for t in tasks], n


class Done:
    """The file of what is proved: a line each, a digest of question and program."""

    def __init__(self, path):
        self.file, self.keys = None, set()
        if path:
            if os.path.exists(path):
                with open(path, encoding="ascii") as f:
                    self.keys = set(f.read().split())
            self.file = open(path, "a", encoding="ascii")

    def key(self, q, answer):
        return hashlib.sha256(repr((q, answer.code, answer.result, answer.valu, answer.valu64, answer.salu)).encode()).hexdigest()

    def has(self, q, answer):
        return self.key(q, answer) in self.keys

    def add(self, q, answer):
        if self.file:
            self.file.write(self.key(q, answer) + "\n")
            self.file.flush()


def report(pool, tasks, done):
    bad = 0
    chips = {(q, tuple(a.code)): chip for q, a, chip in tasks}
    left = [(q, a) for q, a, _ in tasks if not done.has(q, a)]
    for (q, answer), verdict in pool.imap_unordered(judge, left, chunksize=4):
        if verdict == "right":
            done.add(q, answer)
            continue
        bad += 1
        asked = " ".join(options(q, chips[q, tuple(answer.code)]))
        print("not ok p2a bfi %s: %s\n\t%s" % (asked, verdict, "\n\t".join(answer.code)), flush=True)
    return bad


def seconds():
    """Processor time, of those that were waited for too."""
    t = os.times()
    return t.user + t.system + t.children_user + t.children_system


def part(text):
    """K/N"""
    k, n = map(int, text.split("/"))
    if not 0 <= k < n:
        raise ValueError(text)
    return k, n


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--all", action="store_true")
    p.add_argument("--quick", action="store_true")
    p.add_argument("--chip", choices=asktool.CHIPS)
    p.add_argument("--processes", type=int, default=2)
    p.add_argument("--part", type=part, default=(0, 1))
    p.add_argument("--done")
    p.add_argument("--op", default="")
    asktool.add_option(p)
    args = p.parse_args()
    asktool.use(args)
    start, (first, step) = seconds(), args.part
    chips = [args.chip] if args.chip else ("gfx90a", "gfx1100") if args.quick else asktool.CHIPS
    done, known, tasks, answers, bad = Done(args.done), {}, [], 0, 0
    with multiprocessing.Pool(args.processes) as pool:
        for chip in chips:
            more, n = programs(chip, args, known)
            more = more[first::step]
            if args.all:
                print("# %s: %d answers, %d programs that no chip before had" % (chip, n, len(more)), flush=True)
            bad += report(pool, more, done)
            tasks += more
            answers += n
        bad += 0 if args.quick or args.op or step > 1 else self_test(pool, [(q, a) for q, a, _ in tasks])
    print("%s %d answers, %d different programs: what they compute is what PTX says (%.0f s of processor time)" % (
        "not ok" if bad else "ok", answers, len(tasks), seconds() - start), flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
