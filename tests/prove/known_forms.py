"""known_forms.py -- bit fields of which something is known (a or b a constant or known in part, pos and len constant, in range,
uniform), and LLVM's IR for each in every way that we could think of.
Needs nothing; leaves forms and functions. What is known is told to LLVM by ranges of arguments and by llvm.assume, which cost
nothing, and by ways that leave out what need not be done; to p2a by the operands' facts.

A way is right for all operands that its condition admits. LLVM 19 makes wrong code of some: x & (-1 >> (32 - len)) becomes
v_bfe_u32 x, 0, len, which is 0 for len 32, and in llvm.amdgcn.ubfe(b, 0, pos) | a << pos the first is taken for b. refute.py finds
such answers out, where z3 is there."""
import collections

import llvm_forms
from llvm_forms import Function

# What is known of an operand: kind v (lanes differ), s (uniform), c (a constant, lo); lo..hi; bits that are zero, one.
Known = collections.namedtuple("Known", "name kind lo hi zero one")


def constant(x, name=None):
    return Known(name or (str(x) if x < 65536 else "%#x" % x), "c", x, x, 0, 0)


def ranged(lo, hi, kind="v"):
    return Known(("" if kind == "v" else kind) + "%d..%d" % (lo, hi), kind, lo, hi, 0, 0)


def nothing(kind, bits=32):
    return Known(kind, kind, 0, 2**bits - 1, 0, 0)


def bits_of(w, name, zero=0, one=0, kind="v"):
    return Known(name, kind, one, (2**w - 1) & ~zero, zero, one)


POSITIONS = {
    32: [constant(x) for x in (0, 5, 8, 16, 24, 31)] + [ranged(0, x) for x in (7, 15, 24, 31, 32)] +
        [nothing("v"), nothing("s"), ranged(0, 31, "s"), ranged(8, 24, "s")],
    64: [constant(x) for x in (0, 5, 16, 24, 31, 32, 40, 63)] +
        [ranged(*x) for x in ((0, 7), (0, 24), (0, 31), (8, 40), (32, 63), (0, 63), (0, 64))] +
        [nothing("v"), nothing("s"), ranged(0, 63, "s"), ranged(0, 24, "s"), ranged(32, 63, "s")],
}
LENGTHS = {
    32: [constant(x) for x in (1, 7, 8, 16, 32)] + [ranged(*x) for x in ((0, 15), (0, 31), (1, 31), (1, 32), (0, 32))] +
        [nothing("v"), nothing("s"), ranged(0, 31, "s"), ranged(1, 32, "s")],
    64: [constant(x) for x in (1, 8, 20, 32, 40, 64)] +
        [ranged(*x) for x in ((0, 15), (0, 31), (1, 32), (0, 63), (1, 63), (1, 64))] +
        [nothing("v"), nothing("s"), ranged(0, 63, "s"), ranged(0, 31, "s"), ranged(1, 64, "s")],
}


def values_of_a(w, length):
    """What a may be; what fits depends on the least length."""
    top = 2**w - 1
    yield from (nothing("v", w), nothing("s", w))
    yield from (constant(x) for x in (0, 1, 0xff, 21, 0x12345678))
    yield constant(top, "-1")
    yield bits_of(w, "8 bits", top & ~0xff)
    yield bits_of(w, "no low 4", 0xf)
    if 0 < length.lo < w:
        yield bits_of(w, "fits", top & ~(2**length.lo - 1))
        yield bits_of(w, "ones", 0, 2**min(length.hi, w) - 1)


def values_of_b(w, pos, length):
    top = 2**w - 1
    first, past = min(pos.lo, w), min(pos.hi + length.hi, w)
    field = (2**past - 1) & ~(2**first - 1)
    yield from (nothing("v", w), nothing("s", w))
    yield from (constant(x) for x in (0, 0xff, 0xfff, 0xff000000, 0x12345678))
    yield constant(top, "-1")
    yield bits_of(w, "no low 8", 0xff)
    yield bits_of(w, "8 bits", top & ~0xff)
    if 0 < field < top:
        yield bits_of(w, "no field", field)
        yield bits_of(w, "field of ones", 0, field)


class Form:
    """One question. `known`: are pos and len below the width? llvm_forms.py's ways ask that."""

    def __init__(self, op, a, b, pos, length):
        self.op, self.a, self.b, self.p, self.l = op, a, b, pos, length
        self.w = int(op[1:])
        self.is_bfi = op[0] == "b"
        self.all_bits, self.kind = False, ""
        self.p_most, self.l_most = [min(x.hi, 255) if x.hi < 256 else 255 for x in (pos, length)]
        self.l_least = length.lo if length.hi < 256 else 0
        self.known = self.p_most < self.w and self.l_most < self.w
        self.pos = pos.lo if pos.kind == "c" else None
        self.len = length.lo if length.kind == "c" else None
        named = {"a": a, "b": b, "c": pos, "d": length} if self.is_bfi else {"a": a, "c": pos, "d": length}
        self.operands = named

    def __str__(self):
        parts = [self.a.name, self.b.name, self.p.name, self.l.name] if self.is_bfi else [self.a.name, self.p.name, self.l.name]
        return "%s %s" % (self.op, ", ".join(parts))

    def question(self, chip, meaning="documented"):
        return " ".join([chip, self.op, meaning] + [spelled(x) for x in (self.a, self.b, self.p, self.l)])


def spelled(x):
    """As gen_costs.c reads it."""
    if x.kind == "c":
        return "#%#x" % x.lo
    bounds = "%d..%d" % (x.lo, x.hi) if x.hi < 256 and not (x.zero or x.one) else ""
    return x.kind + bounds + ("~%#x" % x.zero if x.zero else "") + ("|%#x" % x.one if x.one else "")


def pairs(w, pos, length):
    """(a, b): each a beside a few b, each b beside a few a."""
    every_a, every_b = list(values_of_a(w, length)), list(values_of_b(w, pos, length))
    for a in every_a:
        for b in every_b:
            if b.name in ("v", "0", "-1") or a.name in ("v", "-1", "1", "fits", "0"):
                yield a, b


def forms(ops):
    for op in ops:
        w = int(op[1:])
        for pos in POSITIONS[w]:
            for length in LENGTHS[w]:
                if op[0] == "b":
                    for a, b in pairs(w, pos, length):
                        yield Form(op, a, b, pos, length)
                    continue
                for a in values_of_a(w, length):
                    if a.name in ("v", "s", "8 bits", "0x12345678", "-1", "no low 4"):
                        yield Form(op, a, a, pos, length)


class Told(Function):
    """IR of one function, told what is known."""

    def __init__(self, name, form):
        super().__init__(name, form)
        for key, k in form.operands.items():
            if k.kind != "c" and (k.zero or k.one):
                self.assume("%" + key, k.zero | k.one, k.one, "i%d" % form.w)

    def assume(self, name, mask, bits, t):
        x = self.op("and %s %s, %d" % (t, name, mask))
        self.lines.append("  call void @llvm.assume(i1 %s)" % self.op("icmp eq %s %s, %d" % (t, x, bits)))

    def value(self, key):
        k = self.form.operands[key]
        return str(k.lo) if k.kind == "c" else "%" + key

    def number(self, key):
        """pos or len as it counts."""
        k = self.form.operands[key]
        if k.kind == "c":
            return str(k.lo)
        return "%" + key if k.hi < 256 else self.bin("and", "%" + key, 255, "i32")

    def shift(self, name, x, n, t=None):
        """By a count that may be too large: what comes out then does not matter."""
        t = t or self.type
        k = self.form.operands["c" if n == self.p else "d" if n == self.l else "a"] if n in (self.p, self.l) else None
        if k is None or k.hi >= int(t[1:]):
            n = self.bin("and", n, int(t[1:]) - 1, "i32")
        return self.bin(name, x, self.wide(n, t), t)

    def start(self):
        self.p, self.l = self.number("c"), self.number("d")
        return self.p, self.l

    def argument(self, key, k):
        bound = "range(i32 %d, %d) " % (k.lo, k.hi + 1) if k.hi < 256 and key in "cd" else ""
        return "%s %s%s%%%s" % (self.type if key in "ab" else "i32", "inreg " if k.kind == "s" else "", bound, key)

    def text(self, result):
        f, t = self.form, self.type
        args = ", ".join(self.argument(key, k) for key, k in f.operands.items() if k.kind != "c")
        # Uniform ones too: the move to a vector register is not counted, and scalar results of an intrinsic make llc stop.
        if f.w == 32:
            ret, whole = self.op("bitcast i32 %s to float" % result), "float"
        else:
            x = [self.op("trunc i64 %s to i32" % y) for y in (result, self.bin("lshr", result, 32))]
            x, whole = [self.op("bitcast i32 %s to float" % y) for y in x], "{ float, float }"
            ret = self.op("insertvalue %s poison, float %s, 0" % (whole, x[0]))
            ret = self.op("insertvalue %s %s, float %s, 1" % (whole, ret, x[1]))
        return "define amdgpu_ps %s @%s(%s) {\nentry:\n%s\n  ret %s %s\n}\n" % (
            whole, self.name, args, "\n".join(self.lines), whole, ret)


# ---- 2^len - 1 ----

def ones_below(f, l):
    return str(2**min(int(l), f.form.w) - 1)


def ones_minus(f, l):
    return f.bin("sub", f.bin("shl", 1, f.wide(l)), 1)


def ones_not(f, l):
    return f.bin("xor", f.bin("shl", -1, f.wide(l)), -1)


def ones_down(f, l):
    return f.bin("lshr", -1, f.wide(f.bin("sub", f.form.w, l, "i32")))


def ones_chosen(f, l):
    return f.select(f.above(l, f.form.w - 1), "-1", f.bin("xor", f.shift("shl", "-1", l), "-1"))


def ones_of_64(f, l):
    k = f.bin("shl", "-1", f.wide(f.call("umin", l, 63), "i64"), "i64")
    return f.op("trunc i64 %s to i32" % f.bin("xor", k, "-1", "i64"))


ONES = [
    (ones_below, lambda f: f.len is not None),
    (ones_minus, lambda f: f.len is None and f.l_most < f.w),
    (ones_not, lambda f: f.len is None and f.l_most < f.w),
    (ones_down, lambda f: f.len is None and f.l_least > 0 and f.l_most <= f.w),
    (ones_chosen, lambda f: f.len is None and f.l_most >= f.w),
    (ones_of_64, lambda f: f.len is None and f.l_most >= f.w == 32),
]


# ---- a shift by pos that leaves nothing of what moves out ----

def moved(f, name, x, p):
    if f.form.p_most < f.form.w:
        return f.bin(name, x, f.wide(p))
    return f.select(f.above(p, f.form.w - 1), "0", f.shift(name, x, p))


def moved_64(f, name, x, p):
    """Of 32 bits in 64."""
    y = f.bin(name, f.op("zext i32 %s to i64" % x), f.wide(f.call("umin", p, 63), "i64"), "i64")
    return f.op("trunc i64 %s to i32" % y)


MOVES = [(moved, lambda f: True), (moved_64, lambda f: f.w == 32 and f.p_most >= 32)]


# ---- the field's mask ----

def mask_of_ones(ones, move):
    return lambda f, p, l: move(f, "shl", ones(f, l), p)


def mask_to_top(f, p, l):
    return moved(f, "shl", "-1", p)


# Of the ways of llvm_forms.py those that are the cheapest somewhere and no other way here.
TAKEN = ("constant", "plain", "short_of_the_top", "of_length", "by_64", "by_right_shift")


def masks(form):
    for name, applies in llvm_forms.MASKS:
        if name.__name__ in TAKEN and applies(form) and (form.kind != "F1") and not (form.pos is not None and form.len is not None and name is not llvm_forms.constant):
            yield name
    if form.pos is not None and form.len is not None:
        return
    for ones, fits in ONES:
        for move, may in MOVES:
            if fits(form) and may(form):
                yield mask_of_ones(ones, move)
    if form.l_least >= form.w:
        yield mask_to_top


# ---- a's bits that count, unmoved ----

def cut_by(ones):
    return lambda f, a, l: f.bin("and", a, ones(f, l))


def cut_field(f, a, l):
    return f.op("call i32 @llvm.amdgcn.ubfe.i32(i32 %s, i32 0, i32 %s)" % (a, l))


def cut_field_or_all(f, a, l):
    return f.select(f.above(l, 31), a, cut_field(f, a, l))


def cut_nothing(f, a, l):
    return a


def fits(form):
    """Is a below 2^len?"""
    return form.l_least >= form.w or form.a.hi < 2**form.l_least


def cuts(form):
    if fits(form):
        yield cut_nothing
        return
    if form.pos is not None and form.len is not None and form.pos + form.len >= form.w:
        yield cut_nothing
    yield from (cut_by(ones) for ones, applies in ONES if applies(form))
    if form.w == 32 and form.len is None:
        yield cut_field if form.l_most < 32 else cut_field_or_all


# ---- bfi ----

def field_of(form):
    first, past = min(form.p.lo, form.w), min(form.p_most + form.l_most, form.w)
    return (2**past - 1) & ~(2**first - 1) if past > first else 0


def by_mask(mask, join):
    def way(f):
        p, l = f.start()
        m = mask(f, p, l)
        t = f.bin("shl", f.value("a"), f.wide(p)) if f.form.p_most < f.form.w else f.shift("shl", f.value("a"), p)
        return join(f, m, t, f.value("b"))
    return way


def by_cut(cut, move, mask):
    """mask: what clears b's field; None: it is clear."""
    def way(f):
        p, l = f.start()
        t, b = move(f, "shl", cut(f, f.value("a"), l), p), f.value("b")
        return f.bin("or", t, f.bin("and", b, f.bin("xor", mask(f, p, l), -1)) if mask else b)
    return way


def and_or(f, m, t, b):
    return f.bin("or", f.bin("and", m, t), f.bin("and", f.bin("xor", m, "-1"), b))


def xor_and_xor(f, m, t, b):
    return f.bin("xor", b, f.bin("and", m, f.bin("xor", b, t)))


def keeps_b(f, m, t, b):
    return f.bin("or", f.bin("and", m, t), b)


def all_ones(f, m, t, b):
    return f.bin("or", m, b)


def all_zeros(f, m, t, b):
    return f.bin("and", f.bin("xor", m, -1), b)


def to_top(f):
    """The field ends at the top: b is cut below it."""
    p, _ = f.start()
    low = f.bin("and", f.value("b"), ones_minus(f, p))
    return f.bin("or", low, f.bin("shl", f.value("a"), p))


def halves(f, key):
    x = f.value(key)
    return [f.op("trunc i64 %s to i32" % y) for y in (x, f.bin("lshr", x, 32))]


def joined(f, lo, hi):
    x, y = f.op("zext i32 %s to i64" % lo), f.op("zext i32 %s to i64" % hi)
    return f.bin("or", x, f.bin("shl", y, 32))


def in_half(half, narrow, join):
    """A 64-bit field that stays in one half."""
    def way(f):
        p, l = f.start()
        x, y = halves(f, "a"), halves(f, "b")
        if half:
            p = f.bin("sub", p, 32, "i32")
        f.type = "i32"
        ones = ones_of_half(f, l, narrow)
        m, t = f.bin("shl", ones, p), f.bin("shl", x[0], p)
        y[half] = join(f, m, t, y[half])
        f.type = "i64"
        return joined(f, *y)
    return way


def ones_of_half(f, l, narrow):
    if l.isdigit():
        return str(2**min(int(l), 32) - 1)
    return f.bin("sub", f.bin("shl", 1, l), 1) if narrow else f.select(
        f.above(l, 31), "-1", f.bin("xor", f.bin("shl", -1, f.bin("and", l, 31, "i32")), -1))


def bfi_ways(form):
    field = field_of(form)
    clear = form.b.kind == "c" and not form.b.lo & field or not field & ~form.b.zero
    chosen = list(masks(form))
    joins = [and_or, xor_and_xor] + [keeps_b] * clear
    low = 2**min(form.l_most, form.w) - 1
    if form.a.kind == "c" and form.a.lo & low == low or low & ~form.a.one == 0:
        joins += [all_ones]
    if form.a.kind == "c" and not form.a.lo & low:
        joins += [all_zeros]
    yield from (by_mask(m, j) for m in chosen for j in joins)
    for cut in cuts(form):
        for move, applies in MOVES:
            if applies(form):
                yield from (by_cut(cut, move, m) for m in ([None] if clear else chosen[-4:]))
    if form.w == 32 and form.l_least >= 32 and form.p_most < 32:
        yield to_top
    if form.w == 64 and form.p_most + form.l_most <= 32:
        yield from (in_half(0, form.l_most < 32, j) for j in joins)
    if form.w == 64 and form.p.lo >= 32 and form.p_most < 64:
        yield from (in_half(1, form.l_most < 32, j) for j in joins)


# ---- bfe ----

def right(f):
    return "ashr" if f.form.op[0] == "s" else "lshr"


def start_at(f, a, p):
    """a >> pos, whatever pos."""
    w, most = f.form.w, f.form.p_most
    if most < w:
        return f.bin(right(f), a, f.wide(p))
    if f.form.op[0] == "s":
        return f.bin("ashr", a, f.wide(f.call("umin", p, w - 1)))
    return f.select(f.above(p, w - 1), "0", f.shift("lshr", a, p))


def instruction(f):
    p, l = f.start()
    name = "sbfe" if f.form.op[0] == "s" else "ubfe"
    return f.op("call i32 @llvm.amdgcn.%s.i32(i32 %s, i32 %s, i32 %s)" % (name, f.value("a"), p, l))


def instruction_here(f):
    """Moved first."""
    p, l = f.start()
    t = start_at(f, f.value("a"), p)
    name = "sbfe" if f.form.op[0] == "s" else "ubfe"
    x = f.op("call i32 @llvm.amdgcn.%s.i32(i32 %s, i32 0, i32 %s)" % (name, t, l))
    return x if f.form.l_most < 32 else f.select(f.above(l, 31), t, x)


def instruction_if_near(f):
    p, l = f.start()
    name = "sbfe" if f.form.op[0] == "s" else "ubfe"
    if f.form.op[0] == "s":
        p = f.call("umin", p, 31)
    x = f.op("call i32 @llvm.amdgcn.%s.i32(i32 %s, i32 %s, i32 %s)" % (name, f.value("a"), p, l))
    return x if f.form.op[0] == "s" else f.select(f.above(p, 31), "0", x)


def shifted(f):
    p, _ = f.start()
    return start_at(f, f.value("a"), p)


def anded(ones):
    def way(f):
        p, l = f.start()
        return f.bin("and", start_at(f, f.value("a"), p), ones(f, l))
    return way


def both_shifts(f):
    """Down, up and down again; len from 1 to W."""
    p, l = f.start()
    n = f.wide(f.bin("sub", f.form.w, l, "i32"))
    return f.bin(right(f), f.bin("shl", start_at(f, f.value("a"), p), n), n)


def two_shifts(f):
    """Up and down, pos and len constants of a field inside."""
    p, l = f.start()
    n = f.form.w - int(p) - int(l)
    return f.bin(right(f), f.bin("shl", f.value("a"), n), f.form.w - int(l))


def truncated(f):
    p, l = f.start()
    x = f.op("trunc %s %s to i%s" % (f.type, start_at(f, f.value("a"), p), l))
    return f.op("%s i%s %s to %s" % ("sext" if f.form.op[0] == "s" else "zext", l, x, f.type))


def chosen_ends(f):
    """All cases by selects, signed."""
    p, l = f.start()
    t = start_at(f, f.value("a"), p)
    w = f.form.w
    n = f.wide(f.bin("and", f.bin("sub", w, l, "i32"), w - 1, "i32"))
    x = f.bin(right(f), f.bin("shl", t, n), n)
    x = f.select(f.op("icmp eq i32 %s, 0" % l), "0", x) if f.form.l_least == 0 else x
    return f.select(f.above(l, w - 1), t, x) if f.form.l_most >= w else x


def half_field(f):
    """64 bits, at most 32 of which are wanted: of the low half of what is moved."""
    p, l = f.start()
    t = f.op("trunc i64 %s to i32" % start_at(f, f.value("a"), p))
    name = "sbfe" if f.form.op[0] == "s" else "ubfe"
    x = f.op("call i32 @llvm.amdgcn.%s.i32(i32 %s, i32 0, i32 %s)" % (name, t, l))
    return f.op("%s i32 %s to i64" % ("sext" if name == "sbfe" else "zext", x))


def high_field(f):
    """64 bits, of the high half."""
    p, l = f.start()
    p = f.bin("sub", p, 32, "i32")
    name = "sbfe" if f.form.op[0] == "s" else "ubfe"
    hi = halves(f, "a")[1]
    x = f.bin("ashr" if name == "sbfe" else "lshr", hi, p, "i32")
    y = f.op("call i32 @llvm.amdgcn.%s.i32(i32 %s, i32 0, i32 %s)" % (name, x, l))
    if f.form.l_most >= 32:
        y = x if f.form.l_least >= 32 else f.select(f.above(l, 31), x, y, "i32")
    return f.op("%s i32 %s to i64" % ("sext" if name == "sbfe" else "zext", y))


def bfe_ways(form):
    w, signed = form.w, form.op[0] == "s"
    if w == 32 and form.l_most < 32:
        yield instruction if form.p_most < 32 else instruction_if_near
    if w == 32:
        yield instruction_here
    if form.l_least >= w:
        yield shifted
    if not signed:
        yield from (anded(ones) for ones, applies in ONES if applies(form))
    if form.l_least > 0 and form.l_most <= w:
        yield both_shifts
    if form.pos is not None and form.len is not None and form.pos + form.len <= w:
        yield two_shifts
    if form.len is not None and 0 < form.len < w:
        yield truncated
    yield chosen_ends
    if w == 64 and form.l_most < 32:
        yield half_field
    if w == 64 and form.p.lo >= 32 and form.p_most < 64:
        yield high_field


def functions(name, form):
    """Functions of all ways, without those that are the same."""
    texts = []
    for k, way in enumerate(bfi_ways(form) if form.is_bfi else bfe_ways(form)):
        f = Told("%s_%d_0" % (name, k), form)
        texts.append((way, f))
    seen = set()
    for way, f in texts:
        text = f.text(way(f))
        body = text.split("(", 1)[1]
        if body not in seen:
            seen.add(body)
            yield text
