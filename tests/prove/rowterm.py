"""rowterm.py -- a row of bfi.def as a z3 term, and its need as a z3 condition.
Needs z3 and tables.py; capitals stay symbolic: P and L are functions of pos and len, tied to them by the
condition that the flags state. Grammar and flags: head of translator/lower/bfi.def; written here from that
legend, not from the code that reads it in the translator."""
import re

import z3

import cexpr
import ptx

OPERATIONS = None
TOKEN = re.compile(r"\s*(-?0x[0-9a-f]+|-?\d+|[a-z_][a-z0-9_]*|[A-Z]|[(),=;])")
HELPERS = {"red": (32,), "byte": (32,), "cap": (32, 32), "gt": (32, 32), "eq": (32, 32),
           "bitsel64": (64, 64, 64), "any": ()}


def w64(n):
    return z3.BitVecVal(n, 64)


def umin(x, y):
    return z3.If(z3.ULT(x, y), x, y)


def ones(n):
    """2^n - 1 of 64 bits, for any n."""
    return z3.If(z3.ULT(n, w64(64)), (w64(1) << n) - 1, w64(2**64 - 1))


class Question:
    """Operands of one operation and what its flags and capitals say of them; numbers are of 64 bits."""

    def __init__(self, op, meaning, case=None):
        """`case` fixes the part of pos that counts: a number, or "out" for W and above (symbolic)."""
        self.op, self.meaning, self.w = op, meaning, ptx.width(op)
        self.a, self.b = z3.BitVecs("a b", self.w)
        self.pos, self.len = z3.BitVecs("pos len", 32)
        self.limits = []
        self.g = z3.BitVec("ones_of_a", 64)
        self.all_bits = ptx.all_bits(op, meaning)
        if "pos" not in ptx.operands(op):
            self.pos = z3.BitVecVal(0, 32)
        elif isinstance(case, int):
            number = z3.BitVecVal(case, 32)
            self.pos = number if self.all_bits else z3.Concat(z3.BitVec("pos_high", 24), z3.BitVecVal(case, 8))
        self.p = self.counts(self.pos)
        self.l = self.counts(self.len)
        if case == "out":
            self.limits.append(z3.UGE(self.p, self.w))

    def counts(self, x):
        """red(x), of 64 bits."""
        return z3.simplify(z3.ZeroExt(32, ptx.reduced(x, self.op, self.meaning)))

    @property
    def field(self):
        """Mask of the field, cut at the top."""
        return z3.If(z3.ULT(self.p, self.w), ones(umin(self.l, w64(self.w) - self.p)) << self.p, w64(0))

    def wide(self, x):
        return z3.ZeroExt(64 - self.w, x) if self.w < 64 else x

    def flag(self, name):
        """What a flag of `need` says; True for one that says nothing about values."""
        p, l, w = self.p, self.l, self.w
        within, end = z3.ULT(p, w), p + umin(l, w64(w))
        whole_bytes = z3.Or(l & 7 == 0, z3.UGT(end, w))
        meanings = {
            "PK": within, "P0": p == 0, "P1": z3.And(p != 0, within),
            "LK": l != 0, "L0": l == 0, "LFULL": z3.And(l != 0, z3.UGE(p + l, w)),
            "L32": z3.And(within, z3.ULE(umin(l, w64(w) - p), 32)),
            "L33": z3.Or(z3.Not(within), z3.UGT(umin(l, w64(w) - p), 32)),
            "MSB": z3.UGE(end, w),
            "INLO": z3.And(l != 0, z3.ULE(end, 32)), "INHI": z3.And(l != 0, z3.UGE(p, 32), within),
            "CROSS": z3.And(z3.ULT(p, 32), z3.UGT(end, 32)), "ONEHI": z3.And(z3.ULT(p, 32), end == 33),
            "BYTES": z3.And(within, p & 7 == 0, whole_bytes),
            "INHP": z3.And(z3.UGE(p, 32), z3.ULT(p, 64)), "SPLIT": z3.And(p != 0, z3.ULT(p, 32)), "LOW": z3.And(z3.ULE(p, 32), z3.ULE(p + l, 32)), "HIGH": z3.And(z3.UGE(p, 32), z3.ULT(p, 64)),
            "LN": z3.ULE(l, 32), "PLT": within, "LLT": z3.ULT(l, w),
            "PSOME": z3.And(p != 0, within), "PTOP": p == w - 1, "P6": z3.ULE(p, 6), "L1": l == 1, "C63": z3.And(z3.ULT(p, 64), z3.ULT(l, 64)),
            "LSOME": z3.And(l != 0, z3.ULE(l, w)), "LCAP": z3.Or(z3.ULT(l, w), p != 0),
            **self.value_flags(),
        }
        # Flags of where operands are say nothing about values.
        return z3.BoolVal(True) if name in ("UPL", "UL", "UALL", "UB", "UPA", "LFAR", "VEC", "PNUM", "ADD", "UP", "UA", "NB", "NK", "AK", "BK") else meanings[name]

    def value_flags(self):
        a, b, l, w = self.wide(self.a), self.wide(self.b), self.l, self.w
        all_bits = 2**w - 1

        def fits(n):
            ones_above = ~b & ~ones(self.p + n) & all_bits == 0 if self.op.startswith("bfi") else False
            return z3.Or(a & ~ones(n) == 0, z3.UGE(self.p + n, w), ones_above)
        return {
            "BZ": b & self.field == 0, "B1": ~b & self.field == 0, "BM": b == all_bits,
            "A0": a & ones(umin(l, w64(w))) == 0, "A1": ~a & ones(umin(l, w64(w))) == 0, "AM": a == all_bits,
            "AF": fits(l), "AFIT": fits(z3.If(l == 0, w64(1), l)), "ASHORT": z3.ULT(a, 2**(w - 1)),
            "KHIGH": z3.LShR((a << self.p ^ b) & self.field, 32) == 0,
            "A32": z3.ULT(a, 2**32), "A31": z3.ULT(a, 2**31), "AMASK": z3.And(a == ones(self.g), z3.ULT(self.g, w)),
        }

    def condition(self, row):
        return z3.And(*[self.flag(f) for f in sorted(row.need)], *self.limits)

    def capital(self, name, pos_known):
        """A number named by a capital: L is cut at the top bit, for which pos has to be constant."""
        w, p = w64(self.w), self.p if pos_known else w64(0)
        l = z3.If(z3.ULT(p, w), umin(self.l, w - p), self.l)
        mask = ones(l) << p
        return {"P": p, "L": l, "E": p + l, "M": z3.If(z3.ULT(p, 64), mask, w64(0)), "K": ones(l),
                "N": z3.If(z3.ULT(p, 64), w64(2**64 - 1) << p, w64(0)), "T": w64(32) - p, "H": p - 32,
                "F": p + l - 32, "J": l - 32, "G": self.g, "Q": umin(p, w - 1), "S": selector(p, l, 0), "X": selector(p, l, 1)}[name]


def selector(p, l, dword):
    """v_perm_b32's: byte i of that dword comes from b (i) or, within the field, from a's low dword (4 + i - P / 8)."""
    first, past, at = z3.LShR(p, 3), z3.LShR(p + l, 3), 4 * dword
    out = [z3.If(z3.And(z3.ULE(first, at + i), z3.ULT(at + i, past)), w64(4 + at + i) - first, w64(i)) for i in range(4)]
    return sum((b << 8 * i for i, b in enumerate(out)), w64(0))


CONSTANT_POS = {"PK", "P0", "P1", "INHP", "SPLIT", "L32", "L33", "MSB", "INLO", "INHI", "CROSS", "ONEHI", "BYTES", "PTOP"}


class Text:
    """Reads the text of a row: assignments, the last to r."""

    def __init__(self, row, question, text=None):
        self.q, self.row = question, row
        self.tokens = TOKEN.findall(row.text if text is None else text)
        self.letters = {"a": question.a, "b": question.b, "c": question.pos, "d": question.len}
        self.pos_known = bool(row.need & CONSTANT_POS) or "pos" not in ptx.operands(row.op)
        for letter, name in zip("abcd", ("a", "b", "pos", "len")):
            if name not in ptx.operands(row.op):
                del self.letters[letter]

    def result(self):
        while self.tokens:
            name = self.tokens.pop(0)
            self.expect("=")
            self.letters[name] = self.expression(self.q.w if name == "r" else 32)
            if self.tokens:
                self.expect(";")
        return self.letters["r"]

    def expect(self, token):
        if not self.tokens or self.tokens.pop(0) != token:
            raise ValueError("%s: '%s' expected in its text" % (self.row, token))

    def expression(self, bits):
        t = self.tokens.pop(0)
        if t[0] == "-" or t[0].isdigit():
            return z3.BitVecVal(int(t, 0), bits)
        if t.isupper():
            return z3.Extract(bits - 1, 0, self.q.capital(t, self.pos_known))
        if not self.tokens or self.tokens[0] != "(":
            return self.letters[t]
        return self.call(t)

    def arguments(self, types):
        args = []
        self.expect("(")
        for k, bits in enumerate(types):
            if k:
                self.expect(",")
            x = self.expression(bits)
            if (z3.is_bool(x) and bits != 1) or (z3.is_bv(x) and x.size() != bits):
                raise ValueError("%s: an argument is not of %d bits" % (self.row, bits))
            args.append(x)
        self.expect(")")
        return args

    def call(self, name):
        if name in HELPERS:
            return self.helper(name, self.arguments(HELPERS[name]))
        op = OPERATIONS[name]
        args = self.arguments(op.sources)
        if name.startswith("ptx_"):
            return nested(name[4:], self.q.meaning, args)
        args = [z3.If(x, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) if z3.is_bool(x) else x for x in args]
        value = cexpr.evaluate(op.meaning, args)
        return value != 0 if op.bits == 1 else z3.Extract(op.bits - 1, 0, value)

    def helper(self, name, x):
        if name == "any":
            return z3.FreshConst(z3.BitVecSort(32), "any")
        if name == "red":
            return ptx.reduced(x[0], self.row.op, self.q.meaning)
        if name == "byte":
            return umin(x[0], z3.BitVecVal(255, 32)) if self.q.all_bits else x[0] & 255
        if name == "cap":
            return umin(x[0], x[1])
        if name == "gt":
            return z3.UGT(x[0], x[1])
        if name == "eq":
            return x[0] == x[1]
        return (x[0] & x[1]) | (~x[0] & x[2])


def nested(op, meaning, args):
    """A bit field inside a row is what the manual says; its own rows are proved by themselves."""
    if op.startswith("bfi"):
        return ptx.definition(op, meaning, *args)
    if op == "bmsk":
        return ptx.definition(op, meaning, None, None, *args)
    return ptx.definition(op, meaning, args[0], None, *args[1:])
