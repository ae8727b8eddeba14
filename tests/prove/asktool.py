"""asktool.py -- asks `p2a bfi` for a sequence and reads its answer.
Needs the program (P2A in the environment, or an option); leaves instructions, cost, proof and where the result is.
The text form of the answer is read: JSON does not say where the result stands. docs/cli.md."""
import collections
import os
import re
import subprocess

from tables import ROOT, operands, read  # noqa: F401  (read is for those who ask)

CHIPS = ("gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx1010", "gfx1030",
         "gfx1100", "gfx1150", "gfx1200", "gfx1201")
Answer = collections.namedtuple("Answer", "code result row valu valu64 salu bytes exhaustive smt minimal")
program = os.environ.get("P2A", os.path.join(ROOT, "build", "p2a"))

ROW = re.compile(r"row (\w+): (\d+) VALU(?: \((\d+) of them 64-bit shifts\))?, (\d+) SALU, (\d+) bytes$")
PROOF = re.compile(r"proof: exhaustive (\w+), SMT (\w+), minimal (\w+)$")


def add_option(parser):
    parser.add_argument("--p2a", help="the program")


def use(args):
    global program
    program = args.p2a or program


def parse(text):
    lines = text.splitlines()
    code = [x.strip() for x in lines if x.startswith("\t")]
    result, counts, _, proof = [x for x in lines if not x.startswith("\t")]
    result = [x.split(" ")[-1] for x in result.split(",")]
    row, valu, valu64, salu, size = ROW.match(counts).groups()
    return Answer(code, result, row, int(valu), int(valu64 or 0), int(salu), int(size), *PROOF.match(proof).groups())


def form(op, pos, length):
    """The options that name the operation (of bfi.def), and its pos and len as far as it has them."""
    name, _, kind = op.partition("_")
    name, kind = ("bfi", "b" + op[3:]) if name.startswith("bfi") else (name, kind or "b32")
    return ["--op=" + name, "--type=" + kind, *(["--pos=" + pos] if "pos" in operands(op) else []), "--len=" + length]


def ask(*options):
    r = subprocess.run([program, "bfi", *options], capture_output=True, text=True, check=False)
    if r.returncode:
        raise SystemExit("not ok p2a bfi %s: %s" % (" ".join(options), r.stderr.strip()))
    return parse(r.stdout)
