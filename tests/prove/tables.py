"""tables.py -- reads translator/lower/bfi.def and translator/ir/gops.def for the proofs.
Needs nothing but the two files; leaves rows (op, name, need, text) and operations (types, meaning).
The grammar of both is written in their heads."""
import os
import re

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LOWER = os.path.join(ROOT, "translator", "lower")
BITS = {"B1": 1, "W": 32, "D": 64}


def width(op):
    return 64 if op.endswith("64") else 32


def operands(op):
    """Which of a, b, pos, len the operation has."""
    return {"bfi": "a b pos len", "bfe": "a pos len", "bms": "pos len", "sze": "a len"}[op[:3]].split()


class Row:
    """One line of bfi.def; need is a frozenset of flags."""

    def __init__(self, op, name, need, text):
        self.op, self.name, self.text = op, name, text
        self.need = frozenset(f for f in need.split("|") if f != "0")

    @property
    def width(self):
        return width(self.op)

    def __str__(self):
        return "%s %s" % (self.op, self.name)


def without_comments(text):
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def bfi_rows():
    text = without_comments(read("translator", "lower", "bfi.def"))
    found = re.findall(r'^BFI\(\s*(\w+),\s*(\w+),\s*([\w|]+),\s*"([^"]*)"\)', text, flags=re.M)
    if len(found) != len(re.findall(r"^BFI\(", text, flags=re.M)):
        raise SystemExit("bfi.def has rows that are not read")
    return [Row(*f) for f in found]


class Operation:
    """One line of gops.def: bits of its result, bits of its sources, and the eval column or None."""

    def __init__(self, result, sources, meaning):
        self.bits, self.sources, self.meaning = BITS.get(result), sources, meaning


def operations():
    """name -> Operation; those on wider or untyped values have sources None and take no part."""
    ops = {}
    text = without_comments(read("translator", "ir", "gops.def"))
    for name, result, sources, evaluation in re.findall(
            r"^G\((\w+),\s*(\w+),\s*S\d\(([\w,]*)\),\s*[\w|]+,\s*([EN]\(.*\))\)\s*$", text, flags=re.M):
        types = [BITS.get(t) for t in sources.split(",")] if sources else []
        ops[name] = Operation(result, types if None not in types else None,
                              evaluation[2:-1] if evaluation[0] == "E" else None)
    return ops
