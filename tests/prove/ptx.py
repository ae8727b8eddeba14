"""ptx.py -- what bfi, bfe, bmsk.clamp and szext.clamp compute, bit by bit as the manual says, as z3 terms.
Needs z3; leaves terms of the operation's width. PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi), 9.7.1.21 (szext), 9.7.1.22 (bmsk); the second
meaning (--semantics=nvidia) lets all 32 bits of pos and len count in .b64 forms, as NVIDIA's assembler does."""
import z3

from tables import operands, width

OPS = ("bfi32", "bfi64", "bfe_u32", "bfe_s32", "bfe_u64", "bfe_s64", "bmsk", "szext_u32", "szext_s32")
MEANINGS = ("documented", "nvidia")
BYTES = "bytes"        # of bmsk: 8 bits of pos and len count, as of a bfi of ones into zeros, whose rows these are


def all_bits(op, meaning):
    """Do all 32 bits of pos and len count, or the low 8?"""
    return (op.startswith(("bmsk", "szext")) and meaning != BYTES) or (meaning == "nvidia" and width(op) == 64)


def reduced(x, op, meaning):
    """The part of pos or len that counts."""
    return x if all_bits(op, meaning) else x & 0xff


def shifted(x, count, left):
    """x moved by a 32-bit count; nothing is left of it from its width on."""
    n = z3.ZeroExt(x.size() - 32, count) if x.size() > 32 else count
    return x << n if left else z3.LShR(x, n)


def bits(of):
    """The number with bit k = of(k), least significant first."""
    return z3.Concat(*reversed(of))


def bfi(a, b, pos, len, w):
    """for (i = 0; i < len && pos + i <= msb; i++) b[pos + i] = a[i]: bit k is a[k - pos] or b[k]."""
    moved = shifted(a, pos, True)
    inside = [z3.And(z3.ULE(pos, k), z3.ULT(k - pos, len)) for k in range(w)]
    return bits([z3.If(inside[k], z3.Extract(k, k, moved), z3.Extract(k, k, b)) for k in range(w)])


def sign(a, pos, len, w):
    """a[min(pos + len - 1, msb)], 0 for no length; the sum in 40 bits."""
    last = z3.ZeroExt(8, pos) + z3.ZeroExt(8, len) - 1
    at = z3.If(z3.ULT(last, w - 1), z3.Extract(31, 0, last), z3.BitVecVal(w - 1, 32))
    return z3.If(len == 0, z3.BitVecVal(0, 1), z3.Extract(0, 0, shifted(a, at, False)))


def bfe(a, pos, len, w, signed):
    """Bit k is a[pos + k] for k < len and pos + k <= msb, else the sign bit (unsigned: 0)."""
    moved = shifted(a, pos, False)
    rest = sign(a, pos, len, w) if signed else z3.BitVecVal(0, 1)
    inside = [z3.And(z3.UGT(len, k), z3.ULE(z3.ZeroExt(8, pos) + k, w - 1)) for k in range(w)]
    return bits([z3.If(inside[k], z3.Extract(k, k, moved), rest) for k in range(w)])


def bmsk(pos, len):
    """pos and len are 32 where they are more; bits pos to pos + len - 1 are set, as far as there are such."""
    clamp = lambda x: z3.If(z3.UGT(x, 32), z3.BitVecVal(32, 32), x)
    p, l = clamp(pos), clamp(len)
    return bits([z3.If(z3.And(z3.ULE(p, k), z3.ULT(k, p + l)), z3.BitVecVal(1, 1), z3.BitVecVal(0, 1)) for k in range(32)])


def szext(a, len, signed):
    """len is 32 where it is more; the low len bits of a, above them zeros, or copies of the highest of these bits."""
    n = z3.If(z3.UGT(len, 32), z3.BitVecVal(32, 32), len)
    fill = z3.BitVecVal(0, 1)
    for k in range(32 if signed else 0):
        fill = z3.If(n == k + 1, z3.Extract(k, k, a), fill)
    return bits([z3.If(z3.ULT(k, n), z3.Extract(k, k, a), fill) for k in range(32)])


def definition(op, meaning, a, b, pos, len):
    """The result of `op`; pos and len are the 32-bit operands as they stand in the register. What it has not may be None."""
    if op == "bmsk":
        return bmsk(reduced(pos, op, meaning), reduced(len, op, meaning))
    if op.startswith("szext"):
        return szext(a, len, "_s" in op)
    p, l, w = reduced(pos, op, meaning), reduced(len, op, meaning), width(op)
    return bfi(a, b, p, l, w) if op.startswith("bfi") else bfe(a, p, l, w, "_s" in op)
