"""machine.py -- AMDGPU instructions, as LLVM spells them, on z3 terms: one lane that EXEC enables.
Needs z3; leaves registers. Written from AMD's ISA manuals (Vega, CDNA3, RDNA 1 to 4: "SOP2", "VOP2", "VOP3", "VOPC", "SDWA",
"VOPD" and the instructions' descriptions), not from the emulator. Unknown instructions, unknown modifiers and registers
that nobody wrote are errors, but for upper halves of pairs, which may hold anything."""
import re

import z3

OPERAND = re.compile(r"(v|s)(\d+)$|(v|s)\[(\d+):(\d+)\]$|(vcc|vcc_lo)$|(-?\d+)$|(0x[0-9a-f]+)$")
MODIFIER = re.compile(r"\b(dst_sel|dst_unused|src0_sel|src1_sel):(\w+)")
PARTS = {"BYTE_0": (7, 0), "BYTE_1": (15, 8), "BYTE_2": (23, 16), "BYTE_3": (31, 24),
         "WORD_0": (15, 0), "WORD_1": (31, 16)}

# Inline constants that are floats stand for their bits where an operand has 32.
INLINE_FLOATS = {"0.5": 0x3f000000, "-0.5": 0xbf000000, "1.0": 0x3f800000, "-1.0": 0xbf800000,
                 "2.0": 0x40000000, "-2.0": 0xc0000000, "4.0": 0x40800000, "-4.0": 0xc0800000}


class Wrong(Exception):
    """The text is no program that this model knows."""


def c32(n):
    return z3.BitVecVal(n, 32)


def low(x, bits):
    """The low bits of a count, in the width of x."""
    return x & z3.BitVecVal(2**bits - 1, x.size())


def widened(x, size):
    return z3.ZeroExt(size - x.size(), x) if x.size() < size else x


def shift(how, bits):
    """value, count -> value moved by the low bits of count."""
    return lambda x, n: how(x, widened(low(n, bits), x.size()))


def left(x, n):
    return x << n


def signed_right(x, n):
    return x >> n


def field_mask(width, offset, size, bits):
    one = z3.BitVecVal(1, size)
    return ((one << widened(low(width, bits), size)) - 1) << widened(low(offset, bits), size)


def signed_field(x, n, w):
    """w bits from bit n on, with the sign of the last of them, which is at most bit 31."""
    room = 32 - n
    left = z3.If(z3.ULT(w, room), room - w, c32(0))
    return z3.If(w == 0, c32(0), (x << left) >> (n + left))


def vector_bfe(x, offset, width):
    return z3.LShR(x, low(offset, 5)) & ((c32(1) << low(width, 5)) - 1)


def signed_low(x, width):
    """The low bits of x, extended by the highest of them; of a width of 32 and more all."""
    up = z3.If(z3.ULT(width, 32), 32 - width, c32(0))
    return z3.If(width == 0, c32(0), (x << up) >> up)


def vector_bfe_signed(x, offset, width):
    return signed_low(x >> low(offset, 5), low(width, 5))


def scalar_bfe_signed(x, s1):
    return signed_low(x >> low(s1, 5), low(z3.LShR(s1, 16), 7))


def scalar_bfe(x, s1):
    """Offset in bits 4:0, width in bits 22:16, of which a width of 32 and more takes all."""
    width = low(z3.LShR(s1, 16), 7)
    return z3.LShR(x, low(s1, 5)) & z3.If(z3.UGE(width, 32), c32(2**32 - 1), (c32(1) << width) - 1)


def perm(x, y, sel):
    """D.byte[i] = {x, y}.byte[sel.byte[i]]; 8..11 are signs, 12 is 0, above 0xff."""
    source, out = z3.Concat(x, y), []
    bytes_ = [z3.Extract(8 * k + 7, 8 * k, source) for k in range(8)]
    signs = [z3.Extract(16 * k + 15, 16 * k + 15, source) for k in range(4)]
    bytes_ += [z3.If(s == 1, z3.BitVecVal(255, 8), z3.BitVecVal(0, 8)) for s in signs]
    bytes_.append(z3.BitVecVal(0, 8))
    for i in range(4):
        s, value = z3.Extract(8 * i + 7, 8 * i, sel), z3.BitVecVal(255, 8)
        for k, b in enumerate(bytes_):
            value = z3.If(s == k, b, value)
        out.append(value)
    return z3.Concat(*reversed(out))


def smaller(x, y):
    return z3.If(z3.ULT(x, y), x, y)


# name -> (dwords of the result, of each source, meaning of the sources in the order of the text)
VALU = {
    "mov_b32": (1, "1", lambda x: x), "not_b32": (1, "1", lambda x: ~x),
    "and_b32": (1, "11", lambda x, y: x & y), "or_b32": (1, "11", lambda x, y: x | y),
    "xor_b32": (1, "11", lambda x, y: x ^ y),
    "min_u32": (1, "11", smaller),
    "lshlrev_b32": (1, "11", lambda n, x: shift(left, 5)(x, n)),
    "lshrrev_b32": (1, "11", lambda n, x: shift(z3.LShR, 5)(x, n)),
    "ashrrev_i32": (1, "11", lambda n, x: shift(signed_right, 5)(x, n)),
    "lshlrev_b64": (2, "12", lambda n, x: shift(left, 6)(x, n)),
    "lshrrev_b64": (2, "12", lambda n, x: shift(z3.LShR, 6)(x, n)),
    # It moves by up to four. The manual names it without a description.
    "lshl_add_u64": (2, "212", lambda x, n, y: shift(left, 3)(x, n) + y),
    "bfm_b32": (1, "11", lambda w, o: field_mask(w, o, 32, 5)),
    "bfi_b32": (1, "111", lambda m, x, y: (m & x) | (~m & y)),
    "bfe_u32": (1, "111", vector_bfe), "bfe_i32": (1, "111", vector_bfe_signed),
    "perm_b32": (1, "111", perm),
    "alignbit_b32": (1, "111", lambda x, y, n: z3.Extract(31, 0, z3.LShR(z3.Concat(x, y), widened(low(n, 5), 64)))),
    "lshl_add_u32": (1, "111", lambda x, n, y: (x << low(n, 5)) + y),
    "bfe_i32": (1, "111", lambda x, n, w: signed_field(x, low(n, 5), low(w, 5))),
    "lshl_or_b32": (1, "111", lambda x, n, y: (x << low(n, 5)) | y),
    "and_or_b32": (1, "111", lambda x, y, z: (x & y) | z), "or3_b32": (1, "111", lambda x, y, z: x | y | z),
}
# The subtraction that clamps at 0 is the only one with a clamp.
for name in "sub_u32", "sub_nc_u32":
    VALU[name] = (1, "11", lambda x, y: x - y)
    VALU[name + " clamp"] = (1, "11", lambda x, y: z3.If(z3.ULT(x, y), c32(0), x - y))
COMPARE = {"lt": z3.ULT, "le": z3.ULE, "gt": z3.UGT, "ge": z3.UGE, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y}

SALU = {
    "mov": ("1", lambda x: x), "not": ("1", lambda x: ~x),
    "and": ("11", lambda x, y: x & y), "or": ("11", lambda x, y: x | y),
    "xor": ("11", lambda x, y: x ^ y), "andn2": ("11", lambda x, y: x & ~y), "and_not1": ("11", lambda x, y: x & ~y),
    "orn2": ("11", lambda x, y: x | ~y), "or_not1": ("11", lambda x, y: x | ~y),
}
SALU_SHIFT = {"lshl": left, "lshr": z3.LShR, "ashr": signed_right}
SALU_32 = {
    "movk_i32": ("1", lambda x: z3.SignExt(16, z3.Extract(15, 0, x))), "min_u32": ("11", smaller),
    "add_u32": ("11", lambda x, y: x + y), "add_co_u32": ("11", lambda x, y: x + y), "add_i32": ("11", lambda x, y: x + y),
    "sub_u32": ("11", lambda x, y: x - y), "sub_co_u32": ("11", lambda x, y: x - y),
    "bfe_u32": ("11", scalar_bfe), "bfe_i32": ("11", scalar_bfe_signed),
}


def scalar(name):
    """(dwords of the result, of each source, meaning)."""
    if name in SALU_32:
        return (1, *SALU_32[name])
    stem, _, kind = name.rpartition("_")
    size = 2 if kind in ("b64", "i64", "u64") else 1
    if stem in SALU_SHIFT:
        return size, "%d1" % size, shift(SALU_SHIFT[stem], 5 if size == 1 else 6)
    if stem == "bfm":
        return size, "11", lambda w, o: field_mask(w, o, 32 * size, 5 if size == 1 else 6)
    if stem in SALU:
        sources, meaning = SALU[stem]
        return size, sources.replace("1", str(size)), meaning
    raise Wrong("unknown instruction s_" + name)


class Machine:
    """Registers of one lane; put() before, run(), get() after. Counts what it ran."""

    def __init__(self):
        self.reg, self.vcc, self.scc = {}, None, None
        self.valu = self.valu64 = self.salu = 0

    def put(self, file, number, term):
        """A value of 32 or 64 bits into registers from `number` on."""
        for k in range(term.size() // 32):
            self.reg[file, number + k] = z3.Extract(32 * k + 31, 32 * k, term)

    def get(self, text, dwords=1):
        """The operand `text` as a term of that many dwords."""
        m = OPERAND.match(text)
        if not m:
            if dwords == 1 and text in INLINE_FLOATS:
                return c32(INLINE_FLOATS[text])
            raise Wrong("operand " + text)
        if m[1] or m[3]:
            file, first, last = m[1] or m[3], int(m[2] or m[4]), int(m[2] or m[5])
            if last - first + 1 != dwords:
                raise Wrong("%s where %d dwords are read" % (text, dwords))
            parts = [self.reg.get((file, k)) for k in range(first, last + 1)]
            # The upper half of a pair may be anything where the result does not depend on it.
            if dwords == 2 and parts[1] is None:
                parts[1] = z3.FreshConst(z3.BitVecSort(32), "anything")
            if None in parts:
                raise Wrong("%s is read before it is written" % text)
            return parts[0] if dwords == 1 else z3.Concat(*reversed(parts))
        if m[7] or m[8]:
            # A literal of 32 bits becomes 64 by zeros, as all 64-bit operations here are binary ones (a signed one's would be
            # extended by its sign); an inline constant by its sign.
            return z3.BitVecVal(int(m[7] or m[8], 0), 32 * dwords)
        raise Wrong(text + " as a number")

    def set(self, text, term):
        m = OPERAND.match(text)
        if not m or not (m[1] or m[3]) or int(m[5] or 0) - int(m[4] or 0) != (term.size() // 32 - 1):
            raise Wrong("%s as a result of %d bits" % (text, term.size()))
        self.put(m[1] or m[3], int(m[2] or m[4]), z3.simplify(term))

    # ---- an instruction ----

    def run(self, line):
        halves = [self.parsed(x) for x in line.split(" :: ")]
        if halves[0][0].startswith("v_"):
            self.valu += 1
            # Both halves of a pair read before either writes.
            for write in [self.vector(*h) for h in halves]:
                write()
        else:
            self.scalar(*halves[0])

    def parsed(self, text):
        """mnemonic, operands, modifiers"""
        mods = dict(MODIFIER.findall(text))
        text = MODIFIER.sub("", text)
        mnemonic, _, rest = text.strip().partition(" ")
        operands = [x.strip() for x in rest.split(",")]
        if operands[-1].endswith(" clamp"):
            operands[-1] = operands[-1][:-6].strip()
            mods["clamp"] = True
        return mnemonic, operands, mods

    def part(self, term, sel):
        if sel == "DWORD":
            return term
        high, lowest = PARTS[sel]
        return z3.ZeroExt(31 - high + lowest, z3.Extract(high, lowest, term))

    def sources(self, texts, dwords, mods):
        if len(texts) != len(dwords):
            raise Wrong("%d sources" % len(texts))
        terms = [self.get(t, int(n)) for t, n in zip(texts, dwords)]
        return [self.part(t, mods.get("src%d_sel" % k, "DWORD")) for k, t in enumerate(terms)]

    def vector(self, mnemonic, operands, mods):
        """A function that writes the result."""
        name = re.sub(r"^v_(dual_)?|_(e32|e64|sdwa)$", "", mnemonic)
        sdwa = mnemonic.endswith("_sdwa")
        if sdwa != bool(set(mods) - {"clamp"}):
            raise Wrong(mnemonic + " with modifiers, or without")
        if name.startswith("cmp_"):
            return self.compare(name, operands, mods)
        if name == "cndmask_b32":
            return self.cndmask(operands, mods)
        key = name + (" clamp" if "clamp" in mods else "")
        if key not in VALU:
            raise Wrong("unknown instruction v_" + key)
        dwords, sources, meaning = VALU[key]
        self.valu64 += name.endswith(("rev_b64", "rev_i64"))
        value = meaning(*self.sources(operands[1:], sources, mods))
        return lambda: self.set(operands[0], self.merged(operands[0], value, mods))

    def merged(self, dst, value, mods):
        """SDWA: a part of the result's register; the rest is kept, or zero."""
        sel = mods.get("dst_sel", "DWORD")
        if sel == "DWORD":
            return value
        high, lowest = PARTS[sel]
        mask = c32((2 << high) - (1 << lowest))
        if mods.get("dst_unused") not in ("UNUSED_PRESERVE", "UNUSED_PAD"):
            raise Wrong("dst_unused:%s" % mods.get("dst_unused"))
        rest = self.get(dst) if mods["dst_unused"] == "UNUSED_PRESERVE" else c32(0)
        return (rest & ~mask) | ((value << lowest) & mask)

    def compare(self, name, operands, mods):
        m = re.match(r"cmp_(\w\w)_u32$", name)
        if not m or operands[0] not in ("vcc", "vcc_lo"):
            raise Wrong("unknown comparison v_" + name)
        x, y = self.sources(operands[1:], "11", mods)
        value = COMPARE[m[1]](x, y)

        def write():
            self.vcc = value
        return write

    def lane_bit(self, text):
        """What a mask says of the lane, whichever of the wave's it is."""
        if text not in ("vcc", "vcc_lo"):
            mask = self.get(text, 2 if "[" in text else 1)
            lane = z3.BitVec("lane", mask.size())
            return z3.LShR(mask, low(lane, 5 if mask.size() == 32 else 6)) & 1 == 1
        if self.vcc is None:
            raise Wrong("VCC is read before it is written")
        return self.vcc

    def cndmask(self, operands, mods):
        """The pair's form does not name VCC."""
        condition = self.lane_bit(operands.pop() if len(operands) == 4 else "vcc")
        no, yes = self.sources(operands[1:], "11", mods)
        value = z3.If(condition, yes, no)
        return lambda: self.set(operands[0], value)

    def scalar(self, mnemonic, operands, mods):
        name = mnemonic[2:]
        if name in ("nop", "delay_alu", "wait_alu", "waitcnt_depctr"):
            return
        self.salu += 1
        if mods or not mnemonic.startswith("s_"):
            raise Wrong(mnemonic)
        m = re.match(r"cmp_(\w\w)_u32$", name)
        if m:
            self.scc = COMPARE[m[1].replace("lg", "ne")](*self.sources(operands, "11", {}))
        elif name.startswith("cselect_b"):
            self.cselect(operands, int(name[-2:]) // 32)
        else:
            self.result(name, operands)

    def cselect(self, operands, size):
        if self.scc is None:
            raise Wrong("SCC is read before it is written")
        if operands[0] in ("vcc", "vcc_lo"):
            if operands[1:] not in (["-1", "0"], ["0", "-1"]):
                raise Wrong("a lane mask that is not all ones or zero")
            self.vcc = self.scc if operands[1] == "-1" else z3.Not(self.scc)
            return
        yes, no = self.sources(operands[1:], [size, size], {})
        self.set(operands[0], z3.If(self.scc, yes, no))

    def result(self, name, operands):
        dwords, sources, meaning = scalar(name)
        value = meaning(*self.sources(operands[1:], sources, {}))
        # All others write SCC, to what nothing here reads.
        if not name.startswith(("mov", "bfm")):
            self.scc = None
        self.set(operands[0], value)
