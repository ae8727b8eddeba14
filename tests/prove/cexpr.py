"""cexpr.py -- the eval column of gops.def as z3 terms: C expressions over uint64_t a, b, c, d.
Needs z3; leaves a 64-bit term. Signedness follows C: S32() and (int64_t) make a signed operand, which
matters to >> and to comparisons of two signed ones."""
import re

import z3

TOKEN = re.compile(r"\s*(0x[0-9a-fA-F]+(?:ull)?|\d+(?:ull)?|[A-Za-z_]\w*(?:->\w+)?|<<|>>|<=|>=|==|!=|[-+*&|^~!?:<>(),])")
LEVELS = [["|"], ["^"], ["&"], ["==", "!="], ["<", ">", "<=", ">="], ["<<", ">>"], ["+", "-"], ["*"]]
CASTS = {"uint64_t", "uint32_t", "int64_t"}


def number(n):
    return z3.BitVecVal(n, 64)


class Value:
    """A term and whether C sees it as signed. Truth values become 0 and 1."""

    def __init__(self, term, signed=False):
        self.term = z3.If(term, number(1), number(0)) if z3.is_bool(term) else term
        self.signed = signed

    def truth(self):
        return self.term != 0


def sign_extended(x, bits):
    """sext32(x, n): the low n bits of x as a number, n variable and at least 1."""
    count = number(64) - bits
    return (x << count) >> count


def perm32(high, low, selector):
    """v_perm_b32: selector bytes 0..3 take from low, 4..7 from high, 12 gives 0, above 0xff; 8..11 a sign."""
    source = z3.Concat(z3.Extract(31, 0, high), z3.Extract(31, 0, low))
    out = []
    for k in range(4):
        s = z3.Extract(8 * k + 7, 8 * k, selector)
        byte = z3.If(s == 12, z3.BitVecVal(0, 8), z3.BitVecVal(255, 8))
        for i, bit in enumerate((15, 31, 47, 63)):
            byte = z3.If(s == 8 + i, z3.If(z3.Extract(bit, bit, source) == 1, z3.BitVecVal(255, 8),
                                           z3.BitVecVal(0, 8)), byte)
        for i in range(8):
            byte = z3.If(s == i, z3.Extract(8 * i + 7, 8 * i, source), byte)
        out.insert(0, byte)
    return z3.ZeroExt(32, z3.Concat(*out))


def leading_zeros(x):
    r = number(32)
    for k in range(32):
        r = z3.If(z3.Extract(k, k, x) == 1, number(31 - k), r)
    return r


CALLS = {
    "S32": lambda x: Value(z3.SignExt(32, z3.Extract(31, 0, x.term)), True),
    "MIN": lambda x, y: Value(z3.If(z3.ULT(x.term, y.term), x.term, y.term)),
    "sext32": lambda x, n: Value(sign_extended(x.term, n.term)),
    "clz32": lambda x: Value(leading_zeros(x.term)),
    "perm32": lambda x, y, s: Value(perm32(x.term, y.term, s.term)),
}


class Parser:
    def __init__(self, text, names):
        self.tokens, self.names = TOKEN.findall(text), names

    def next(self):
        return self.tokens.pop(0)

    def take(self, token):
        if not self.tokens or self.tokens[0] != token:
            return False
        self.next()
        return True

    def conditional(self):
        c = self.binary(0)
        if not self.take("?"):
            return c
        yes = self.conditional()
        self.take(":")
        no = self.conditional()
        return Value(z3.If(c.truth(), yes.term, no.term), yes.signed and no.signed)

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        x = self.binary(level + 1)
        while self.tokens and self.tokens[0] in LEVELS[level]:
            x = apply(self.next(), x, self.binary(level + 1))
        return x

    def unary(self):
        if self.take("~"):
            return Value(~self.unary().term)
        if self.take("!"):
            return Value(self.unary().term == 0)
        if self.take("-"):
            return Value(-self.unary().term, True)
        return self.primary()

    def primary(self):
        t = self.next()
        if t == "(" and self.tokens[0] in CASTS:
            kind = self.next()
            self.take(")")
            x = self.unary().term
            return Value(x & number(0xffffffff) if kind == "uint32_t" else x, kind == "int64_t")
        if t == "(":
            x = self.conditional()
            self.take(")")
            return x
        if t[0].isdigit():
            return Value(number(int(t.replace("ull", ""), 0)), "ull" not in t)
        if not self.take("("):
            return Value(self.names[t])
        return CALLS[t](*self.arguments())

    def arguments(self):
        args = [self.conditional()]
        while self.take(","):
            args.append(self.conditional())
        self.take(")")
        return args


def apply(op, x, y):
    a, b, signed = x.term, y.term, x.signed and y.signed
    if op == ">>":
        return Value(a >> b if x.signed else z3.LShR(a, b), x.signed)
    if op == "<<":
        return Value(a << b, x.signed)
    if op in ("<", ">", "<=", ">="):
        less = (lambda p, q: p < q) if signed else z3.ULT
        return Value({"<": less(a, b), ">": less(b, a), "<=": z3.Not(less(b, a)), ">=": z3.Not(less(a, b))}[op])
    if op in ("==", "!="):
        return Value(a == b if op == "==" else a != b)
    return Value({"|": a | b, "^": a ^ b, "&": a & b, "+": a + b, "-": a - b, "*": a * b}[op], signed)


def evaluate(text, sources):
    """The meaning `text` on the given terms (a, b, c, d), each extended to 64 bits."""
    wide = [z3.ZeroExt(64 - s.size(), s) if s.size() < 64 else s for s in sources]
    return Parser(text, dict(zip("abcd", wide))).conditional().term
