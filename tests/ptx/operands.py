#!/usr/bin/env python3
"""Asks NVIDIA's assembler which operands each instruction takes: writes tests/ptx/operands.txt.

    tests/ptx/operands.py build >tests/ptx/operands.txt

For every instruction of `build/tests/ptx_gen_operands` each operand in turn is replaced by each candidate; ptxas (on
the PATH, for sm_100a) takes the whole or refuses it. A line of the file is an instruction and, for each operand, the
number of the set of candidates that it takes. The exceptions at the end of the file are kept as they are.
"""
import concurrent.futures
import re
import subprocess
import sys
import tempfile

CHIP = "sm_100a"
CANDIDATES = """
r0 ur0 sr0 f0 h0 uh0 sh0 fh0 fhh0 bb0 ub0 rd0 urd0 srd0 fd0 q0 p0 !p0 -r0 r0.b0 v2r v2r.x v4f v4f.y
%tid.x %tid %laneid %clock64 %clock %pm0_64 %envreg0 %is_explicit_cluster
5 -5 0x10 017 0b11 5U 256 -0x80000000 4294967296 0f3f800000 0d3ff0000000000000 1.0 -1.0 ~5 !1 (5+3) WARP_SZ
gv gv+4 ga[1] sv cv lv kp0 pa fn L1 ts (r0) (pa) rd0+4 r0+4
{r0,r1} {rd0,rd1} {h0,h1} {f0,f1} {r0,_} {r0,5} {h0,h1,h2,h3} {f0,f1,f2,f3} {r0,r1,r2,r3} {bb0,bb1,bb2,bb3} {%tid.x,%tid.y}
_ p0|p1 p0|_ _|p0 r0|p0
[rd0] [rd0+4] [rd0+-4] [sv] [sv+4] [gv] [gv+4] [cv] [lv] [kp0] [pa] [4] [0x1000] [f0] [fd0] [srd0] [q0]
""".split()
FAULT = re.compile(r"^ptxas \S*\.ptx, line (\d+); (error|fatal)\s*: (.*)", re.M)


def operands(text):
    """The operands of an instruction, which may be lists in brackets."""
    out, depth = [""], 0
    for c in text:
        depth += (c in "{[(") - (c in "}])")
        if c == "," and not depth:
            out.append("")
        else:
            out[-1] += c
    return [o.strip() for o in out]


def varied(inst):
    """For each operand the instruction's texts with each candidate in its place."""
    op, _, rest = inst.rstrip(";").partition(" ")
    ops = operands(rest) if rest else []
    return [["%s %s;" % (op, ", ".join(ops[:i] + [c] + ops[i + 1:])) for c in CANDIDATES] for i in range(len(ops))]


def taken(frame, insts):
    """Which of the instructions ptxas takes. It stops at the first syntax error, so what is refused is left out and
    the rest asked again until it takes everything."""
    verdict = [True] * len(insts)
    live = list(range(len(insts)))
    head, tail = frame
    while live:
        text = head + "ts: .branchtargets L1;\n" + "".join("{ %s }\n" % insts[i] for i in live) + tail
        first = head.count("\n") + 2
        with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
            f.write(text)
            f.flush()
            run = subprocess.run(["ptxas", "-O0", "-arch", CHIP, f.name, "-o", "/dev/null"], capture_output=True, text=True)
        if run.returncode == 0:
            break
        bad = set()
        for line, kind, words in FAULT.findall(run.stderr + run.stdout):
            if 0 <= int(line) - first < len(live):
                bad.add(live[int(line) - first])
            if kind == "fatal" or "Parsing" in words:
                break
        if not bad and len(live) == 1:
            bad = set(live)
        if not bad:                              # a fault without a place: each half by itself
            for part in (live[:len(live) // 2], live[len(live) // 2:]):
                for i, good in zip(part, taken(frame, [insts[i] for i in part])):
                    verdict[i] = good
            break
        for i in bad:
            verdict[i] = False
        live = [i for i in live if i not in bad]
    return verdict


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open("tests/ptx/frame.ptx", encoding="ascii") as f:
        frame = f.read().replace("%T", CHIP).split("%B")
    insts = subprocess.run([sys.argv[1] + "/tests/ptx_gen_operands"], capture_output=True, text=True, check=True).stdout.splitlines()
    good = [i for i, ok in zip(insts, taken(frame, insts)) if ok]

    def ask(inst):
        every = [text for texts in varied(inst) for text in texts]
        found = taken(frame, every)
        n = len(CANDIDATES)
        return inst, [tuple(c for c, ok in zip(CANDIDATES, found[i:i + n]) if ok) for i in range(0, len(every), n)]

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(ask, good))
    write(answers)


def write(answers):
    with open("tests/ptx/operands.txt", encoding="ascii") as f:
        exceptions = [line for line in f if line.startswith(("except", "# except"))]
    sets = {}
    for _, found in answers:
        for s in found:
            sets.setdefault(s, len(sets))
    print("# What NVIDIA's assembler 13.0 takes as each operand of each instruction, in the frame of frame.ptx for %s." % CHIP)
    print("# Made by tests/ptx/operands.py, which says how; read by tests/ptx/test_operands.c.")
    print("candidates " + " ".join(CANDIDATES))
    for s, number in sets.items():
        print("set %d %s" % (number, " ".join(s)))
    for inst, found in answers:
        print(inst, *[sets[s] for s in found])
    sys.stdout.writelines(exceptions)


if __name__ == "__main__":
    main()
