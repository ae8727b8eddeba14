#!/usr/bin/env python3
"""compare_kin.py -- `p2a bfi --op=bmsk` and `--op=szext` beside what llc 19 makes of several ways to write them.
Needs p2a (P2A, or --p2a=PROGRAM) and llc-19. Exits with 1 where ours is dearer; --list prints every form where the two differ.

Cost in halves of a vector instruction, as compare_llvm.py has it; moves from register to register count on neither side."""
import argparse
import collections
import itertools
import sys

import asktool
import llvm_forms
from compare_llvm import halves_of, judged

CHIPS = ("gfx900", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1200")
# pos and len as `p2a bfi` takes them.
FIELDS = ("v", "0..31", "0..32", "0..63", "0..255", "1..31", "1..32", "8..31", "s", "s0..31", "s1..32", "s0..255", "0", "5", "8", "32")


# Of these a dword of a 64-bit shift is the result. `p2a bfi` moves it to its register, for which another row may be chosen; LLVM's
# side counts no move. They are left out.
HALVES = [("0..32", "5"), ("0..32", "8"), ("0..63", "5"), ("0..63", "8"), ("1..32", "5"), ("1..32", "8"), ("0", "0..32")]


class Operand:
    def __init__(self, name, text):
        self.constant = text.isdigit()
        self.value = text if self.constant else "%" + name
        low, _, high = text.lstrip("s").partition("..")
        self.low, self.top = (int(low), int(high or low)) if low not in ("", "v") else (0, 2**32 - 1)
        bound = "range(i32 %d, %d) " % (self.low, self.top + 1) if "." in text else ""
        self.argument = None if self.constant else "i32 %s%s%%%s" % (bound, "inreg " if text[0] == "s" else "", name)


class Function:
    """IR of one function, an instruction a call."""

    def __init__(self):
        self.lines = []

    def op(self, text):
        self.lines.append("  %%t%d = %s" % (len(self.lines), text))
        return "%%t%d" % (len(self.lines) - 1)

    def bin(self, name, x, y, t="i32"):
        return self.op("%s %s %s, %s" % (name, t, x, y))

    def call(self, name, x, y):
        return self.op("call i32 @llvm.%s.i32(i32 %s, i32 %s)" % (name, x, y))

    def wide(self, x):
        return self.op("zext i32 %s to i64" % self.call("umin", x, 63))

    def low(self, x):
        return self.op("trunc i64 %s to i32" % x)

    def where(self, x, most, yes, no):
        """yes where x is above most."""
        return self.op("select i1 %s, i32 %s, i32 %s" % (self.op("icmp ugt i32 %s, %d" % (x, most)), yes, no))

    def shift(self, name, x, n):
        return self.bin(name, x, self.bin("and", n, 31))

    def text(self, name, result, operands):
        arguments = ", ".join(o.argument for o in operands if o.argument)
        return "define amdgpu_ps float @%s(%s) {\n%s\n  %%r = bitcast i32 %s to float\n  ret float %%r\n}\n" % (
            name, arguments, "\n".join(self.lines), result)


# ---- masks of a pos p and a len l; each is right for all that its condition admits ----

def by_selects(f, p, l):
    n = f.where(l, 31, -1, f.bin("xor", f.shift("shl", -1, l), -1))
    return f.where(p, 31, 0, f.shift("shl", n, p))


def by_64(f, p, l):
    n = f.bin("xor", f.bin("shl", -1, f.wide(l), "i64"), -1, "i64")
    return f.low(f.bin("shl", n, f.wide(p), "i64"))


def by_right_shift(f, p, l):
    x = f.call("usub.sat", 32, l)
    n = f.shift("shl", f.shift("lshr", -1, x), p)
    return f.where(f.bin("or", x, p), 31, 0, n)


def by_high_half(f, p, l):
    n = f.bin("shl", 2**32 - 1, f.wide(f.call("umin", l, f.call("usub.sat", 32, p))), "i64")
    return f.shift("shl", f.low(f.bin("lshr", n, 32, "i64")), p)


def plain(f, p, l):
    return f.bin("shl", f.bin("sub", f.bin("shl", 1, l), 1), p)


def short_of_the_top(f, p, l):
    return plain(f, p, f.call("umin", l, 31))


MASKS = [(m, lambda p, l: True) for m in (by_selects, by_64, by_right_shift, by_high_half)] + [
    (plain, lambda p, l: p.top < 32 and l.top < 32), (short_of_the_top, lambda p, l: p.low and p.top < 32)]


# ---- extensions of the low l bits of a ----

def by_shifts(signed):
    def write(f, a, l):
        n = f.bin("sub", 32, l)
        x = f.shift("ashr" if signed else "lshr", f.shift("shl", a, n), n)
        return f.where(l, 31, a, f.where(l, 0, x, 0))
    return write


def field(f, a, l, signed):
    return f.op("call i32 @llvm.amdgcn.%sbfe.i32(i32 %s, i32 0, i32 %s)" % ("s" if signed else "u", a, l))


def by_field(signed):
    return lambda f, a, l: f.where(l, 31, a, field(f, a, l, signed))


def by_field_alone(signed):
    return lambda f, a, l: field(f, a, l, signed)


def by_mask(f, a, l):
    return f.bin("and", a, f.bin("xor", f.low(f.bin("shl", -1, f.wide(l), "i64")), -1))


def forms():
    """(name, options of `p2a bfi`, operands, ways to write it)"""
    for pos, length in itertools.product(FIELDS, FIELDS):
        p, l = Operand("p", pos), Operand("l", length)
        if not (p.constant and l.constant) and (pos, length) not in HALVES:
            yield "bmsk", asktool.form("bmsk", pos, length), (p, l), [m for m, admits in MASKS if admits(p, l)]
    for signed, a, length in itertools.product((0, 1), "vs", FIELDS):
        l = Operand("l", length)
        ways = [by_shifts(signed), by_field(signed)] + ([] if signed else [by_mask]) + ([by_field_alone(signed)] if l.top < 32 else [])
        options = [*asktool.form("szext_s32" if signed else "szext_u32", "", length), "--a=" + a]
        yield "szext", options, (Operand("a", a), l), ways


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--list", action="store_true")
    asktool.add_option(parser)
    args = parser.parse_args()
    asktool.use(args)
    if not llvm_forms.installed():
        print("skip comparison of bmsk and szext with llc: llc-19 is not installed")
        return 77
    asked, module, totals = list(forms()), [], collections.Counter()
    for k, (_, _, operands, ways) in enumerate(asked):
        for j, way in enumerate(ways):
            f = Function()
            module.append(f.text("f%d_%d_0" % (k, j), way(f, *[o.value for o in operands]), operands))
    for chip in CHIPS:
        best = {}
        for name, lines in llvm_forms.compiled("".join(module), chip).items():
            k, c = int(name[1:].split("_")[0]), halves_of(lines)
            best[k] = min(best.get(k, c), c)
        for k, (_, options, _, _) in enumerate(asked):
            answer = asktool.ask(*options, "--target=" + chip)
            ours = halves_of([half for line in answer.code for half in line.split(" :: ")])
            verdict = judged(ours, best[k])
            totals[verdict] += 1
            if verdict == "worse" or (args.list and verdict != "same"):
                print("%-6s %s %s: ours %d halves, LLVM %d" % (verdict, chip, " ".join(options), ours, best[k]))
    print("all chips: better %d, same %d, worse %d" % (totals["better"], totals["same"], totals["worse"]))
    return 1 if totals["worse"] else 0


if __name__ == "__main__":
    sys.exit(main())
