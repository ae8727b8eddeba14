#!/usr/bin/env python3
"""compare_prmt.py -- what a prmt with a constant selector becomes in a kernel, beside what llc 19 makes of the same bytes.
Needs p2a (P2A, or --p2a=PROGRAM) and llc-19. Exits with 1 where ours is dearer.

    compare_prmt.py              a sample of the 65,536 selectors, with all of the simple ones
    compare_prmt.py --all        all of them, some minutes
    compare_prmt.py --list       every selector where the two differ

a and b differ between lanes, are one register, or b is 0. LLVM: the cheaper of llvm.amdgcn.perm (where no sign is spread) and
of bytes put together by shifts and ors; a program that says sign extension otherwise may get less. Cost in halves of a vector instruction: VALU 2, SALU 1, as compare_llvm.py has it;
equal costs differ in bytes at most. PTX ISA 9.7.9.7."""
import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

import asktool
import llvm_forms
from compare_llvm import halves_of, judged

CHIPS = ("gfx90a", "gfx1100")
SHAPES = {"a, b": ("%r2", "%r3"), "a, a": ("%r2", "%r2"), "a, 0": ("%r2", "0")}
# Identities, turns, reversals, halves and bytes with zeros or signs above them.
SIMPLE = [0x3210, 0x7654, 0x4321, 0x5432, 0x6543, 0x0321, 0x1032, 0x2103, 0x0123, 0x2301, 0x5410, 0x7632, 0x1076, 0x3254, 0x4440,
          0x4441, 0x4410, 0x4432, 0x4100, 0x0000, 0x3333, 0x8880, 0x9910, 0x9991, 0xaaa2, 0xbbb3, 0xbb32, 0xb321, 0xaa21, 0xa210,
          0xba98, 0xfedc, 0x8888, 0xbbbb, 0xfff7, 0xff76, 0xf765]
WITHOUT_CONSTANT = {"a, b": {0x4321: "v_alignbit_b32", 0x6543: "v_alignbit_b32", 0x8880: "v_bfe_i32", 0xbb32: "v_ashrrev_i32"},
                    "a, a": {0x0321: "v_alignbit_b32", 0x2103: "v_alignbit_b32"},
                    "a, 0": {0x4321: "v_lshrrev_b32", 0x4421: "v_bfe_u32", 0x2104: "v_lshlrev_b32"}}
AT_ONCE = 1024
HEAD = ".version 8.0\n.target sm_80\n.address_size 64\n"
BEGIN = """.visible .entry k%d(.param .u64 p) {
.reg .b64 %%rd<4>; .reg .b32 %%r<20>;
ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 16; add.u64 %%rd1, %%rd1, %%rd2;
ld.global.v2.b32 {%%r2, %%r3}, [%%rd1];
"""


def kernels(shape, selectors):
    """Two for each selector: one that stores a as it is, one that stores the bytes."""
    a, b = SHAPES[shape]
    end = "st.global.b32 [%%rd1+8], %s; st.global.b32 [%%rd1+12], %%r3; ret;\n}\n"
    return HEAD + BEGIN % 0 + end % a + "".join(
        BEGIN % (k + 1) + "prmt.b32 %%r9, %s, %s, 0x%x;\n" % (a, b, s) + end % "%r9" for k, s in enumerate(selectors))


def code(chip, shape, selectors):
    """Lines of each kernel, the one without a prmt first; loads of arguments left out."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "prmt.ptx")
        with open(path, "w", encoding="ascii") as f:
            f.write(kernels(shape, selectors))
        r = subprocess.run([asktool.program, "compile", "--target=" + chip, "--emit=asm", "-o", "-", path], capture_output=True,
                           text=True, check=False)
    if r.returncode:
        raise SystemExit("not ok p2a compile: " + r.stderr[:500])
    lines, name = collections.defaultdict(list), None
    for line in r.stdout.splitlines():
        m = re.match(r"k(\d+):", line)
        name = int(m[1]) if m else None if line.startswith(".Lend") else name
        if name is not None and not line.strip().startswith("s_load"):
            lines[name].append(line)
    # A pair is its two halves.
    return [[h.strip() for x in lines[k] for h in x.split(" :: ")] for k in range(len(selectors) + 1)]


def ours(chip, shape, selectors):
    found = [halves_of(x) for x in code(chip, shape, selectors)]
    return [x - found[0] for x in found[1:]]


def shortest():
    """Selectors that one instruction without a constant makes."""
    bad = 0
    for chip in CHIPS:
        for shape, wanted in WITHOUT_CONSTANT.items():
            for (selector, name), lines in zip(wanted.items(), code(chip, shape, list(wanted))[1:]):
                if not any(x.startswith(name) for x in lines) or any("perm_b32" in x for x in lines):
                    print("not ok %s prmt %s, 0x%04x is no %s: %s" % (chip, shape, selector, name, "; ".join(lines)))
                    bad += 1
    return bad


def functions(index, shape, selector):
    """Texts of LLVM's IR."""
    other = {"a, b": "%b", "a, a": "%a", "a, 0": "0"}[shape]
    nibbles = [selector >> 4 * k & 15 for k in range(4)]
    head, end = "define amdgpu_ps float @f%d_%d_0(i32 %%a, i32 %%b) {\n", "  %%f = bitcast i32 %s to float\n  ret float %%f\n}\n"
    if max(nibbles) < 8:
        sel = sum(n << 8 * k for k, n in enumerate(nibbles))
        yield head % (index, 0) + "  %%r = call i32 @llvm.amdgcn.perm(i32 %s, i32 %%a, i32 %d)\n" % (other, sel) + end % "%r"
    lines, last = [], "0"
    for k, n in enumerate(nibbles):
        x, at = ("%a", other)[n >> 2 & 1], n & 3
        lines += ["  %%s%d = shl i32 %s, %d" % (k, x, 24 - 8 * at),
                  "  %%t%d = %s i32 %%s%d, %d" % (k, "ashr" if n & 8 else "lshr", k, 31 if n & 8 else 24),
                  "  %%u%d = and i32 %%t%d, 255" % (k, k), "  %%v%d = shl i32 %%u%d, %d" % (k, k, 8 * k),
                  "  %%w%d = or i32 %s, %%v%d" % (k, last, k)]
        last = "%%w%d" % k
    yield head % (index, 1) + "\n".join(lines) + "\n" + end % last


def theirs(chip, shape, selectors):
    best = [10**9] * len(selectors)
    module = "declare i32 @llvm.amdgcn.perm(i32, i32, i32)\n" + "".join(t for k, s in enumerate(selectors) for t in functions(k, shape, s))
    for name, lines in llvm_forms.compiled(module, chip).items():
        k = int(name[1:].split("_")[0])
        best[k] = min(best[k], halves_of(lines))
    return best


def compare(chip, shape, selectors, listed):
    totals = collections.Counter()
    for at in range(0, len(selectors), AT_ONCE):
        part = selectors[at:at + AT_ONCE]
        for s, x, y in zip(part, ours(chip, shape, part), theirs(chip, shape, part)):
            verdict = judged(x, y)
            totals[verdict] += 1
            if verdict == "worse" or (listed and x != y):
                print("%-6s %s prmt %s, 0x%04x: ours %d halves, LLVM %d" % (verdict, chip, shape, s, x, y))
    return totals


def main():
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    p.add_argument("--all", action="store_true")
    p.add_argument("--list", action="store_true")
    asktool.add_option(p)
    args = p.parse_args()
    asktool.use(args)
    if not llvm_forms.installed():
        print("skip comparison of prmt with llc: llc-19 is not installed")
        return 77
    selectors = sorted(set(range(65536)) if args.all else {*SIMPLE, *range(0, 65536, 331)})
    every = collections.Counter()
    for chip in CHIPS:
        for shape in SHAPES:
            t = compare(chip, shape, selectors, args.list)
            every += t
            print("%s %s: better %d, same %d, worse %d" % (chip, shape, t["better"], t["same"], t["worse"]), flush=True)
    bad = shortest()
    print("all chips: better %d, same %d, worse %d" % (every["better"], every["same"], every["worse"]))
    return 1 if every["worse"] or bad else 0


if __name__ == "__main__":
    sys.exit(main())
