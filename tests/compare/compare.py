#!/usr/bin/env python3
"""Our code against clang-19 -O3's, of the same source, by instructions executed in the emulator.

    tests/compare/compare.py [--p2a=PROGRAM] [--target=CHIP[,CHIP]...] [--dump=DIR] [--limit=MAX,MEAN] [KERNEL...]

Each kernel of kernels.list goes two ways: its PTX (by nvcc, committed) through `p2a run`, and its source through
clang-19 as HIP to a code object, which `p2a run` runs as well. Both get the same inputs, and their outputs must be
equal byte for byte. A line a kernel and chip: instructions of each, ratio (below 1: ours executes fewer). At the
end the greatest ratio and the geometric mean; with --limit the exit status is 1 if either is above.
The exit status is 1 as well where outputs differ, and 77 where clang-19 or ld.lld is missing.
"""
import json
import math
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CHIPS = ["gfx90a", "gfx1030", "gfx1100"]


def kernels():
    """Yields (name, grid, block, argument words) of kernels.list."""
    with open(os.path.join(HERE, "kernels.list")) as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                name, grid, block, args = (x.strip() for x in line.split("|"))
                yield name, grid, block, args.split()


def crc_table():
    for byte in range(256):
        c = byte
        for _ in range(8):
            c = c >> 1 ^ (0xEDB88320 if c & 1 else 0)
        yield struct.pack("<I", c)


def twiddles():
    for k in range(256):
        yield struct.pack("<ff", math.cos(math.pi * k / 256), -math.sin(math.pi * k / 256))


TABLES = {"crc": crc_table, "twiddle": twiddles}


def content(kind, size, rng):
    """The bytes of a buffer named rand:WORDS, float:WORDS or table:NAME."""
    if kind == "rand":
        return b"".join(struct.pack("<I", rng.getrandbits(32)) for _ in range(int(size)))
    if kind == "float":
        return b"".join(struct.pack("<f", rng.uniform(-1, 1)) for _ in range(int(size)))
    return b"".join(TABLES[size]())


def options(words, work, who, rng):
    """Options --arg of one program and the names of its outputs; the same random words for either program."""
    opts, outs = [], []
    for i, word in enumerate(words):
        kind, *rest = word.split(":")
        into = os.path.join(work, f"{i}.in")
        out = os.path.join(work, f"{i}.{who}")
        if kind == "out":
            opts.append(f"--arg=out:{rest[0]}:{out}")
            outs.append(out)
        elif kind in ("rand", "float", "table", "inout"):
            source = rest if kind == "inout" else [kind] + rest
            with open(into, "wb") as f:
                f.write(content(source[0], source[1], rng))
            opts.append(f"--arg=inout:{into}:{out}" if kind == "inout" else f"--arg=in:{into}")
            if kind == "inout":
                outs.append(out)
        else:
            opts.append(f"--arg={word}")
    return opts, outs


def run(p2a, chip, program, kernel, grid, block, opts):
    """Instructions executed, by kind, as `p2a run --stats` counts them."""
    done = subprocess.run(
        [p2a, "run", "--device=emu", f"--target={chip}", f"--grid={grid}", f"--block={block}", "--stats",
         *opts, program, kernel],
        capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{program}: {done.stderr.strip()}")
    return json.loads(done.stderr.strip().splitlines()[-1])["instructions"]


def clang(source, chip, out):
    subprocess.run(
        ["clang-19", "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-nogpuinc", "-nogpulib", "-O3",
         "-ffp-contract=off", f"--offload-arch={chip}", source, "-o", out], check=True)


def compare(p2a, chip, kernel, dump):
    """Ratio of one kernel on one chip, printed; None where outputs differ or a run failed."""
    name, grid, block, words = kernel
    counts, outputs = {}, {}
    with tempfile.TemporaryDirectory() as work:
        foreign = os.path.join(dump or work, f"{name}.{chip}.clang.hsaco")
        clang(os.path.join(HERE, name + ".cu"), chip, foreign)
        if dump:
            subprocess.run([p2a, "compile", f"--target={chip}", "--emit=hsaco", "-o",
                            os.path.join(dump, f"{name}.{chip}.p2a.hsaco"), os.path.join(HERE, name + ".ptx")],
                           check=True)
        for who, program in (("ours", os.path.join(HERE, name + ".ptx")), ("clang", foreign)):
            opts, outs = options(words, work, who, random.Random(name))
            try:
                counts[who] = run(p2a, chip, program, name, grid, block, opts)
            except RuntimeError as e:
                print(f"not ok compare {chip} {name}: {e}")
                return None
            outputs[who] = [open(o, "rb").read() for o in outs]
    if outputs["ours"] != outputs["clang"]:
        print(f"not ok compare {chip} {name}: the outputs of the two programs differ")
        return None
    ours, theirs = counts["ours"]["total"], counts["clang"]["total"]
    kinds = " ".join(f"{k} {counts['ours'][k]}/{counts['clang'][k]}" for k in counts["ours"] if k != "total")
    print(f"ok compare {chip} {name}: {ours} against {theirs}, {ours / theirs:.2f} ({kinds})")
    return ours / theirs


def main():
    p2a, chips, dump, limit, names = os.environ.get("P2A", "build/p2a"), CHIPS, None, None, []
    for word in sys.argv[1:]:
        option, _, value = word.partition("=")
        if option == "--p2a":
            p2a = value
        elif option == "--target":
            chips = value.split(",")
        elif option == "--dump":
            dump = value
            os.makedirs(dump, exist_ok=True)
        elif option == "--limit":
            limit = [float(x) for x in value.split(",")]
        elif word.startswith("-"):
            print(__doc__)
            return 0 if word == "--help" else 2
        else:
            names.append(word)
    if not shutil.which("clang-19") or not shutil.which("ld.lld-19"):
        print("skip compare: clang-19 and lld-19 are not installed")
        return 77
    ratios, failed = [], 0
    for chip in chips:
        of_chip = [compare(p2a, chip, k, dump) for k in kernels() if not names or k[0] in names]
        failed += of_chip.count(None)
        of_chip = [r for r in of_chip if r is not None]
        ratios += of_chip
        if of_chip:
            print(f"   {chip}: geometric mean {math.exp(sum(map(math.log, of_chip)) / len(of_chip)):.3f}, "
                  f"greatest {max(of_chip):.2f}")
    if not ratios:
        return 1
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print(f"   all: geometric mean {mean:.3f}, greatest {max(ratios):.2f}")
    if limit:
        within = max(ratios) <= limit[0] and mean <= limit[1]
        print(f"{'ok' if within else 'not ok'} compare: greatest at most {limit[0]}, mean at most {limit[1]}")
        failed += not within
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
