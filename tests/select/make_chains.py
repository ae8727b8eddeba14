#!/usr/bin/env python3
"""make_chains.py -- how many instructions LLVM makes of the chains of chains.txt, for test_pack.c.
Usage: tests/select/make_chains.py > tests/data/pack_chains.tsv     needs opt-19 and llc-19
Each expression becomes a function whose words arrive in VGPRs (u..x: SGPRs) and whose bytes, bits and
lane numbers are loaded from LDS, so that their range is known; results are
wanted in a VGPR, those of s_* in an SGPR. Only v_* and s_* that compute are counted."""
import ast, os, re, subprocess, sys

CHIPS = ["gfx900", "gfx90a", "gfx1030", "gfx1100"]
OPS = {ast.BitOr: "or", ast.BitAnd: "and", ast.BitXor: "xor", ast.Add: "add", ast.LShift: "shl", ast.RShift: "lshr"}
KNOWN = {**{c: 256 for c in "ABCD"}, **{c: 2 for c in "PQRS"}, "L": 32}

class Writer:
    def __init__(self):
        self.lines, self.args, self.vals = [], [], {}

    def add(self, text):
        name = f"%t{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        return name

    def name(self, c):
        if c in self.vals:
            return self.vals[c]
        if c in KNOWN:
            self.args.append(f"ptr addrspace(3) %p{c}")
            b = self.add(f"load i8, ptr addrspace(3) %p{c}" + ("" if KNOWN[c] == 256 else f", !range !{{i8 0, i8 {KNOWN[c]}}}"))
            self.vals[c] = self.add(f"zext i8 {b} to i32")
        else:
            self.args.append(f"i32 {'inreg ' if c in 'uvwx' else ''}%{c}")
            self.vals[c] = f"%{c}"
        return self.vals[c]

    def two(self, op, x, y):
        return self.add(f"{op} i32 {x}, {y}")

    def value(self, e):
        if isinstance(e, ast.Constant):
            return str(e.value)
        if isinstance(e, ast.Name):
            return self.name(e.id)
        if isinstance(e, ast.BinOp):
            return self.two(OPS[type(e.op)], self.value(e.left), self.value(e.right))
        a, b, pos, length = e.args
        mask = ((1 << length.value) - 1 << pos.value) & 0xffffffff
        x, y = self.value(a), self.value(b)
        x = self.two("and", self.two("shl", x, pos.value), mask)
        return self.two("or", self.two("and", y, ~mask & 0xffffffff), x)

def module(text, scalar):
    w = Writer()
    r = w.value(ast.parse(text, mode="eval").body)
    w.lines += [f"ret i32 {r}"] if scalar else [f"%r = bitcast i32 {r} to float", "ret float %r"]
    return f"define amdgpu_ps {'i32' if scalar else 'float'} @f({', '.join(w.args)}) {{\n" + "\n".join(w.lines) + "\n}\n"

def count(ir, chip):
    opt = subprocess.run(["opt-19", "-S", "-O2", "-mtriple=amdgcn--"], input=ir, capture_output=True, text=True, check=True).stdout
    asm = subprocess.run(["llc-19", "-O3", "-mtriple=amdgcn--", f"-mcpu={chip}"], input=opt, capture_output=True, text=True, check=True).stdout
    ops = re.findall(r"^\t([vs]_\w+)", asm, re.M)
    ops = [o for o in ops if not re.match(r"s_(waitcnt|endpgm|delay_alu|nop|clause|code_end|setpc)", o)]
    return sum(o[0] == "v" for o in ops), sum(o[0] == "s" for o in ops)

def main():
    print("# LLVM 19: VALU and SALU instructions for each chain of tests/select/chains.txt. tests/select/make_chains.py")
    print("# chain\t" + "\t".join(CHIPS))
    for line in open(os.path.join(os.path.dirname(__file__), "chains.txt")):
        if not line.startswith("#"):
            name, text = line.rstrip("\n").split("\t")
            print(name + "\t" + "\t".join("%d+%d" % count(module(text, name.startswith("s_")), c) for c in CHIPS), flush=True)

main()
