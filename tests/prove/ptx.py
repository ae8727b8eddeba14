"""ptx.py -- what bfi and bfe compute, bit by bit as the manual's loops say, as z3 terms.
Needs z3; leaves terms of the operation's width. PTX ISA 9.7.1.19 (bfe), 9.7.1.20 (bfi); the second
meaning (--semantics=nvidia) lets all 32 bits of pos and len count in .b64 forms, as NVIDIA's assembler does."""
import z3

OPS = ("bfi32", "bfi64", "bfe_u32", "bfe_s32", "bfe_u64", "bfe_s64")
MEANINGS = ("documented", "nvidia")


def width(op):
    return 64 if op.endswith("64") else 32


def reduced(x, op, meaning):
    """The part of pos or len that counts."""
    return x if meaning == "nvidia" and width(op) == 64 else x & 0xff


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


def definition(op, meaning, a, b, pos, len):
    """The result of `op`; pos and len are the 32-bit operands as they stand in the register."""
    p, l, w = reduced(pos, op, meaning), reduced(len, op, meaning), width(op)
    return bfi(a, b, p, l, w) if op.startswith("bfi") else bfe(a, p, l, w, "_s" in op)
