#!/usr/bin/env python3
"""missing.py GEN_ASSEMBLE [CHIP...] -- which instructions llvm-mc 19 knows and isa/ops.def does not.

GEN_ASSEMBLE is the program of gen_assemble.c (build/tests/isa_gen_assemble). Every opcode of every format is given to the
outside disassembler with several operands; what it makes of them is read by our assembler. Printed for each chip: how many
mnemonics there are, how many of them we have, and the names of the others. Left out are matrix instructions, images,
exports, interpolation, typed buffers, global wave sync and ray tracing."""
import re
import struct
import subprocess
import sys

OUTSIDE = re.compile(r"mfma|wmma|smfmac|swmmac|^image_|^exp|interp|lds_direct|lds_param|^tbuffer|_format_|^ds_gws|"
                     r"ordered|^s_rfe|bvh|_gs_reg|v_illegal|_lds_|_tr_b|_block")
CHIPS = "gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1150 gfx1200".split()


def words(chip):
    """Instructions as lists of dwords: small even registers in every field."""
    family = 9 if chip.startswith("gfx9") else int(chip[3:5])
    null = 0x7d if family == 10 else 0x7c
    vop3, vop3p = (0xd0000000, 0xd3800000) if family == 9 else (0xd4000000, 0xcc000000)
    v = lambda n: n | 256
    for op in range(0x60):
        yield 0x80000000 | op << 23 | 6 << 16 | 4 << 8 | 2, 5
    for op in range(32):
        yield 0xb0000000 | op << 23 | 4 << 16 | 1, 5
        yield 0xb0000000 | op << 23 | null << 16 | 1,
    for op in range(256):
        yield 0xbe800000 | 6 << 16 | op << 8 | 2,
    for op in range(128):
        yield 0xbf000000 | op << 16 | 4 << 8 | 2,
        yield 0xbf800000 | op << 16 | 1,
        yield 0xbf800000 | op << 16,
    for op in range(256):
        if op < 64:
            yield op << 25 | 6 << 17 | 4 << 9 | v(2), 5
        yield 0x7e000000 | 6 << 17 | op << 9 | v(2),
        yield 0x7e000000 | 6 << 17 | op << 9 | 2,
        yield 0x7c000000 | op << 17 | 4 << 9 | v(2),
    for op in range(1024):
        for sdst in (0, 6 << 8):
            for high in (v(4) << 9 | v(6) << 18, v(4) << 9, 0, 4 << 9 | 6 << 18, v(4) << 9 | 4 << 18):
                yield vop3 | op << 16 | sdst | 6, v(2) | high
    for op in range(128):
        for hi in ((0, 0), (1 << 14, 3 << 27)):
            for third in (0, v(6) << 18):
                yield vop3p | op << 16 | hi[0] | 6, v(2) | v(4) << 9 | third | hi[1]
    yield from memory(family, null)


def memory(family, null):
    for op in range(64 if family == 12 else 256):
        scalar = (0xc0000000 if family == 9 else 0xf4000000) | op << (13 if family == 12 else 18) | 4 << 6
        yield scalar | (1 << 17 if family == 9 else 0) | 2, (0 if family == 9 else null << 25) | 16
        yield scalar, 0
    for op in range(256):
        for regs in (2 | 4 << 8 | 6 << 16 | 8 << 24, 2 | 4 << 8 | 8 << 24, 2 | 8 << 24, 2 | 4 << 8 | 6 << 16, 2 | 4 << 8, 2,
                     8 << 24, 0):
            yield (0xd8000000 | op << (17 if family == 9 else 18)) & 0xffffffff, regs
    for op in range(256 if family == 12 else 128):
        for segment in range(3):
            for returns, data in ((0, 0), (0, 4), (1, 4)):
                result = 8 if returns or not data else 0
                if family == 12:
                    yield (0xec000000 | segment << 24 | op << 14 | null,
                           result | returns << 20 | data << 23 | (segment == 1) << 17, 2)
                    continue
                off = 0x7f if family == 9 and segment else 0 if family == 9 else null
                place = segment << (16 if family == 11 else 14) | returns << (14 if family == 11 else 16)
                yield (0xdc000000 | place | op << 18,
                       2 | data << 8 | off << 16 | (family == 11 and segment == 1) << 23 | result << 24)
    for op in range(128 if family == 9 else 256):
        for returns in (0, 1):
            if family == 12:
                yield 0xc4000000 | op << 14 | 4, 6 | returns << 20 | 4 << 9 | 1 << 23 | 1 << 30, 2
            else:
                yield (0xe0000000 | op << 18 | (0x1000 if family < 11 else 0) | returns << 14,
                       2 | 4 << 8 | 1 << 16 | 4 << 24 | (1 << 22 if family == 11 else 0))


def run(command, text):
    return subprocess.run(command, input=text, capture_output=True, text=True).stdout.splitlines()


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for chip in sys.argv[2:] or CHIPS:
        lines = "".join(" ".join("0x%02x" % b for b in struct.pack("<%dI" % len(w), *w)) + "\n" for w in words(chip))
        texts = [t.strip() for t in run(["llvm-mc-19", "-triple=amdgcn", "-mcpu=" + chip, "-disassemble"], lines)]
        texts = [t for t in texts if t and not t.startswith(".")]
        ours = run([sys.argv[1], chip], "\n".join(texts) + "\n")
        known, others = set(), {}
        for text, bytes_ in zip(texts, ours):
            name = re.sub(r"(_e32|_e64|_sdwa|(_e64)?_dpp)$", "", text.split()[0])
            if OUTSIDE.search(name):
                continue
            # a name that we have, with an operand that only the disassembler writes
            if bytes_.startswith("error -1 "):
                others.setdefault(name, text)
            else:
                known.add(name)
        lacking = sorted(set(others) - known)
        print("%s: %d mnemonics, %d here, %d not: %s" % (chip, len(known) + len(lacking), len(known), len(lacking),
                                                          " ".join(lacking)))


main()
