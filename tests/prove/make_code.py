#!/usr/bin/env python3
"""make_code.py -- writes translator/lower/bfi_code.def: the texts of bfi.def as what bfi_text.c runs.
Needs bfi.def and bfi_ops.def. Grammar: head of bfi.def; codes: bfi_text.h.

    make_code.py            writes the file
    make_code.py --check    compares instead
"""
import os
import re
import sys

import tables

PATH = ("translator", "lower", "bfi_code.def")
HEAD = """/* bfi_code.def -- the texts of bfi.def, operands before operations; include with CODE() defined.
 * Written by tests/prove/make_code.py; tests/prove/test_docs.sh holds it against bfi.def.
 * CODE(op, row, codes of enum bfi_code in bfi_text.h, END not among them) */
"""
TOKEN = re.compile(r"\s*(-?0x[0-9a-f]+|-?\d+|[a-z_][a-z0-9_]*|[A-Z]|[(),=;])")
# Form, and which of a, b, pos and len are given.
NESTED = {"ptx_bfi32": (0, "abcd"), "ptx_bfe_u32": (1, "acd"), "ptx_bfe_s32": (2, "acd"), "ptx_bmsk": (3, "cd")}


def operations():
    """name -> dwords of each source."""
    text = tables.without_comments(tables.read("translator", "lower", "bfi_ops.def"))
    return {n: [int(d) for d in src] for n, src in re.findall(r'^BOP\((\w+),\s*\w+,\s*\d,\s*"(\d+)"', text, flags=re.M)}


class Reader:
    def __init__(self, row, ops):
        self.row, self.ops, self.out = row, ops, []
        self.tokens = TOKEN.findall(row.text)

    def fail(self, what):
        raise SystemExit("%s: %s" % (self.row, what))

    def expect(self, token):
        if not self.tokens or self.tokens.pop(0) != token:
            self.fail("'%s' expected" % token)

    def emit(self, *codes):
        self.out += codes

    def number(self, x, dwords):
        if 0 <= x <= 255:
            self.emit("BC_NUMBER", str(dwords), str(x))
        elif x == -1:
            self.emit("BC_ONES", str(dwords))
        elif x == 0xffffffff:
            self.emit("BC_LOW_ONES", str(dwords))
        else:
            self.fail("no code for the number %d" % x)

    def expression(self, dwords):
        t = self.tokens.pop(0)
        if t[0] == "-" or t[0].isdigit():
            self.number(int(t, 0), dwords)
        elif t.isupper():
            self.emit("BC_CAPITAL", str(dwords), "'%s'" % t)
        elif not self.tokens or self.tokens[0] != "(":
            self.emit("BC_LETTER", "'%s'" % t)
        else:
            self.call(t)

    def arguments(self, dwords):
        for k, d in enumerate(dwords):
            self.expect(",") if k else None
            self.expression(d)

    def call(self, name):
        self.expect("(")
        if name == "any":
            self.emit("BC_ANY")
        elif name in ("red", "byte"):
            self.arguments([1])
            self.emit("BC_RED" if name == "red" else "BC_BYTE")
        elif name == "cap":
            self.arguments([1])
            self.expect(",")
            self.emit("BC_CAP", self.tokens.pop(0))
        elif name in NESTED:
            form, given = NESTED[name]
            for letter in "abcd":
                if letter not in given:
                    self.number(0, 1)
                    continue
                if letter != given[0]:
                    self.expect(",")
                self.expression(1)
            self.emit("BC_FIELD", str(form))
        elif name in self.ops:
            self.arguments(self.ops[name])
            self.emit("BOP_" + name)
        else:
            self.fail("no operation %s" % name)
        self.expect(")")

    def codes(self):
        while self.tokens:
            letter = self.tokens.pop(0)
            self.expect("=")
            self.expression(self.row.width // 32 if letter == "r" else 1)
            self.emit("BC_SET", "'%s'" % letter)
            if self.tokens:
                self.expect(";")
        return ", ".join(self.out)


def table():
    ops = operations()
    rows = tables.bfi_rows()
    return HEAD + "".join("CODE(%s, %s, %s)\n" % (r.op, r.name, Reader(r, ops).codes()) for r in rows) + "#undef CODE\n"


def main():
    text = table()
    if sys.argv[1:] == ["--check"]:
        good = text == tables.read(*PATH)
        print("%s bfi_code.def is what bfi.def says%s" % ("ok" if good else "not ok", "" if good else ": run tests/prove/make_code.py"))
        return 0 if good else 1
    with open(os.path.join(tables.ROOT, *PATH), "w", encoding="utf-8") as f:
        f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
