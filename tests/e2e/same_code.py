"""Compares code and descriptors of our object with the assembler's (see test_asm.sh).

Reads a.text b.text a.kd b.kd and relocs in the folder given. Words of b.text that the assembler left to
the linker must be the same set of places on both sides of nothing else; in a.kd the entry offset (8 bytes
at 16) is an address, a relocation in the assembler's object, and is left out.
"""
import re
import sys

folder = sys.argv[1]


def read(name):
    with open(f"{folder}/{name}", "rb") as f:
        return f.read()


def relocated():
    section, places = "", {".rela.text": set(), ".rela.rodata": set()}
    with open(f"{folder}/relocs", encoding="utf-8") as f:
        for line in f:
            m = re.match(r"Relocation section '(\S+)'", line)
            if m:
                section = m[1]
            m = re.match(r"([0-9a-f]{16})\s", line)
            if m and section in places:
                places[section].add(int(m[1], 16))
    return places


def compare(what, a, b, skip):
    if len(a) < len(b):
        sys.exit(print(f"{what}: {len(a)} bytes, the assembler makes {len(b)}") or 1)
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y and i not in skip:
            print(f"{what}: byte {i:#x} is {x:#04x}, the assembler makes {y:#04x}")
            sys.exit(1)


places = relocated()
compare("code", read("a.text"), read("b.text"), {p + k for p in places[".rela.text"] for k in range(4)})
kernels = read("b.kd")
entries = {p + k for p in places[".rela.rodata"] for k in range(8)}
compare("descriptors and constants", read("a.kd"), kernels, entries)
