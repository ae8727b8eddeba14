"""emit_asm.py -- `--emit=asm` beside `--emit=hsaco`: code, descriptors, metadata; and LLVM's readers on every object.
usage: emit_asm.py P2A CHIP PTX...
llvm-mc 19 assembles each text. Its object has the bytes of ours but for the words that it leaves to the linker: distances to
variables in the code, entry offsets in the descriptors. llvm-readelf 19 gives the places of those, the sections and the
metadata of both, llvm-objdump 19 reads our code whole and names source lines. Readers are asked once for all objects of a
chip. On gfx1100 code object version 5 is compared too. Prints `ok` or `not ok` lines."""
import os
import re
import subprocess
import sys
import tempfile

RELOCATION = re.compile(r"Relocation section '(\S+)'|([0-9a-f]{16})\s")
SECTION = re.compile(r"\s*\[ *\d+\] (\.\S+)\s+\S+\s+[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+) ")
METADATA = re.compile(r"^amdhsa\.kernels.*?^\.\.\.", re.M | re.S)


class Wrong(Exception):
    pass


def run(*command):
    """What it prints; that and its complaints are latin-1, for an object may hold anything."""
    r = subprocess.run(command, capture_output=True, encoding="latin-1")
    return r.stdout, r.stderr.strip()


def ask(*command):
    out, err = run(*command)
    if err:
        raise Wrong("%s: %s" % (os.path.basename(command[0]), " ".join(err.splitlines()[:2])))
    return out


class Object:
    """One object file: its bytes, and what llvm-readelf says of it."""

    def __init__(self, path, said):
        with open(path, "rb") as f:
            self.bytes = f.read()
        self.sections = {m[1]: (int(m[2], 16), int(m[3], 16)) for m in map(SECTION.match, said.splitlines()) if m}
        found = METADATA.search(said)
        self.metadata = found[0] if found else None
        self.relocated, section = {}, None
        for m in filter(None, map(RELOCATION.match, said.splitlines())):
            if m[1]:
                section = self.relocated.setdefault(m[1], set())
            elif section is not None:
                section.add(int(m[2], 16))

    def part(self, name):
        at, size = self.sections.get(name, (0, 0))
        return self.bytes[at:at + size]


def compare(what, section, width, ours, theirs):
    """Where the assembler's object has a relocation in the section, `width` bytes are the linker's."""
    a, b = ours.part(section), theirs.part(section)
    skip = {p + k for p in theirs.relocated.get(".rela" + section, ()) for k in range(width)}
    if len(a) < len(b):
        raise Wrong("%s: %d bytes, the assembler makes %d" % (what, len(a), len(b)))
    for i in range(len(b)):
        if a[i] != b[i] and i not in skip:
            raise Wrong("%s: byte %#x is %#04x, the assembler makes %#04x" % (what, i, a[i], b[i]))


def make(p2a, chip, ptx, version, stem):
    """stem.hsaco by p2a, stem.o by llvm-mc from p2a's text."""
    common = [p2a, "compile", "--target=" + chip, "--code-object=" + version]
    for more in (["-o", stem + ".hsaco"], ["--emit=asm", "-o", stem + ".s"]):
        out, err = run(*common, *more, ptx)
        if not os.path.exists(more[-1]):
            raise Wrong("p2a: " + (err.splitlines() or ["no output"])[0])
    ask("llvm-mc-19", "-triple=amdgcn-amd-amdhsa", "-mcpu=" + chip, "-filetype=obj", stem + ".s", "-o", stem + ".o")


def by_file(text, heading, names):
    """A reader's text on several files, cut where it names the next."""
    cut = re.split(heading, text, flags=re.M)
    if cut[1::2] != names:
        raise Wrong("a reader was given %d files and names %d" % (len(names), len(cut) // 2))
    return dict(zip(names, cut[2::2]))


def judge(stem, said, code):
    ours, theirs = (Object(stem + end, said[stem + end]) for end in (".hsaco", ".o"))
    if not theirs.part(".text"):
        raise Wrong("the assembler's object has no code")
    compare("code", ".text", 4, ours, theirs)
    compare("descriptors and constants", ".rodata", 8, ours, theirs)
    if not ours.metadata:
        raise Wrong("llvm-readelf reads no metadata")
    if ours.metadata != theirs.metadata:
        raise Wrong("metadata differs")
    if "<unknown>" in code:
        raise Wrong("llvm-objdump reads an unknown instruction")
    if not re.search(r"\.(ptx|cu|cuh):[0-9]", code):
        raise Wrong("no source lines")


def main(p2a, chip, programs):
    wrong, stems = {}, {}
    with tempfile.TemporaryDirectory() as work:
        for ptx in programs:
            for version in ("4", "5") if chip == "gfx1100" else ("4",):
                stem = "%s/%s.%s.V%s" % (work, os.path.basename(ptx)[:-4], chip, version)
                try:
                    make(p2a, chip, ptx, version, stem)
                    stems[stem] = ptx
                except Wrong as w:
                    wrong[ptx] = "V%s: %s" % (version, w)
        objects = [s + ".hsaco" for s in stems]
        both = objects + [s + ".o" for s in stems]
        try:
            ask("llvm-readelf-19", "--all", *objects)
            said = by_file(ask("llvm-readelf-19", "--wide", "--sections", "--relocs", "--notes", *both), r"^File: (.*)$", both)
            code = by_file(ask("llvm-objdump-19", "-d", "-l", *objects), r"^(\S+):\tfile format elf64-amdgpu$", objects)
        except Wrong as w:
            sys.exit(print("not ok asm %s: %s" % (chip, w)) or 1)
        for stem, ptx in stems.items():
            try:
                judge(stem, said, code[stem + ".hsaco"])
            except Wrong as w:
                wrong[ptx] = "%s: %s" % (os.path.basename(stem), w)
    for ptx in programs:
        name = "asm %s %s" % (os.path.basename(ptx), chip)
        print("not ok %s: %s" % (name, wrong[ptx]) if ptx in wrong else "ok " + name)
    return 1 if wrong or not programs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
