#!/usr/bin/env python3
"""How much of a corpus of PTX p2a translates, and what blocks the rest.

    corpus.py [--p2a=PROGRAM] [--targets=gfx90a,gfx1100] [--least=PERCENT] [--jobs=N] [--where] FOLDER_OR_FILE...

Each .ptx file (of a folder: all below it) is a program of its own and is translated with --keep-going for each target; without
--targets for one chip of each kind that `p2a targets` lists. Printed: how many modules parse, how many kernels translate for
each chip, and what blocked the others, most kernels first:

    kernels   different kernels in which it stands, or in a function that they call; over all chips
    alone     those of them that nothing else blocks: what they would gain
    modules   files with such kernels

Kernels of modules that do not parse count as not translated; those modules are named at the end. --where adds the first place of each. Exit status 0: at least PERCENT (default 0) of the kernels translate for every chip and
all modules parse; 1: not; 2: a wrong call. Needs only the program.
"""
import argparse
import bisect
import collections
import concurrent.futures
import os
import re
import subprocess
import sys

DIAGNOSTIC = re.compile(r"^(.*?):(?:(\d+):\d+:)? (error|warning|note): (.*) \[E(\d{4})\]$")
LEFT_OUT = re.compile(r"^kernel '([^']*)' left out")
CALLS = re.compile(r"(?:calls|may call|through a register) ((?:'[^']*'(?:, )?)+)")
PLAIN_WARNINGS = 216, 217, 312          # of what is translated; others are faults of kernels that are left out
SKIPPED_TEXT = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"", re.S)
# A function with a body; its list of results may stand before the name.
FUNCTION = re.compile(r"\.(entry|func)\b\s*(?:\.noreturn\s*)?(?:\([^()]*\)\s*)?([A-Za-z_$%][\w$%]*)([^{};]*)([{;])", re.S)


class Module:
    """What of a file's text matters: its functions with the lines that they take."""

    def __init__(self, path):
        self.path, self.unread, text = path, None, ""
        try:
            if not os.path.isfile(path):        # a link to nowhere; a pipe, which nobody writes
                raise OSError(0, "no file")
            with open(path, "rb") as f:
                text = f.read().decode("latin-1")
        except OSError as e:
            self.unread = "%s:0: cannot be read: %s" % (path, e.strerror)
        text = SKIPPED_TEXT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)
        newlines = [m.start() for m in re.finditer("\n", text)]
        self.kernels, self.span, at = [], [], 0
        while True:
            m = FUNCTION.search(text, at)
            if not m:
                break
            at = m.end()
            if m[4] == ";":
                continue
            end = self.body_end(text, at)
            self.span.append((bisect.bisect_left(newlines, m.start()) + 1, bisect.bisect_left(newlines, end) + 1, m[2]))
            if m[1] == "entry":
                self.kernels.append(m[2])
            at = end

    @staticmethod
    def body_end(text, at):
        depth = 1
        for m in re.compile(r"[{}]").finditer(text, at):
            depth += 1 if m[0] == "{" else -1
            if not depth:
                return m.end()
        return len(text)

    def function_at(self, line):
        """The function whose text holds a line; where several share it, all of them; [] outside of all."""
        return [name for first, last, name in self.span if first <= line <= last]


def cause(number, text):
    """A diagnostic as a line of the ranking: names of functions and variables go, instructions stay."""
    m = re.match(r"'([^']*)' is not supported(.*)$", text)
    if m and number in (301, 304):
        return m[1] + m[2]
    if number == 203 or text.startswith("the special register"):
        return text
    return re.sub(r"'[^']*'", "'...'", text)


class Outcome:
    """One file for one target."""

    def __init__(self, module, target, program):
        self.module, self.target = module, target
        if module.unread:
            self.left_out, self.parses, self.refusal, self.translated, self.blocked = set(), False, module.unread, 0, {}
            return
        run = subprocess.run([program, "compile", "--keep-going", "--target=" + target, "-o", os.devnull, module.path],
                             stdin=subprocess.DEVNULL, capture_output=True)
        self.left_out, self.parses, self.refusal = set(), True, None
        self.calls = {}                         # of a kernel that is left out: the functions that are at fault
        found = []                              # (number, text, line)
        for line in run.stderr.decode("latin-1").split("\n"):
            m = DIAGNOSTIC.match(line)
            if not m:
                continue
            number, text = int(m[5]), m[4]
            if number == 310:
                kernel = LEFT_OUT.match(text)[1]
                self.left_out.add(kernel)
                self.calls[kernel] = [name for names in CALLS.findall(text) for name in re.findall(r"'([^']*)'", names)]
            elif number not in PLAIN_WARNINGS and number != 311:
                found.append((number, text, int(m[2] or 0)))
                if number < 300 and self.parses:
                    self.parses, self.refusal = False, "%s:%s: %s" % (module.path, m[2] or 0, text)
        if run.returncode not in (0, 1):
            found.append((901, "the program ended with status %d" % run.returncode, 0))
        if run.returncode != 0:
            self.left_out = set(module.kernels)
        self.translated = len(module.kernels) - len(self.left_out & set(module.kernels))
        self.blocked = self.blame(found)

    def blame(self, found):
        """kernel -> {cause: line}. What stands in no function blocks all."""
        of = collections.defaultdict(dict)
        for number, text, line in found:
            for name in self.module.function_at(line) or [None]:
                of[name].setdefault(cause(number, text), line)
        blocked = {}
        for kernel in self.left_out:
            causes = {}
            for name in [kernel, None, *self.calls.get(kernel, [])]:
                causes.update(of[name])
            blocked[kernel] = causes or {"(no message)": 0}
        return blocked


def ptx_files(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, below, names in os.walk(path):
                below.sort()
                yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(".ptx"))
        elif os.path.exists(path):
            yield path
        else:
            sys.exit("corpus.py: no file or folder '%s'" % path)


def one_of_each_kind(program):
    """Chips that differ in more than their name: `p2a targets` gives family, wave and features."""
    rows = subprocess.run([program, "targets"], capture_output=True, text=True, check=True).stdout.split("\n")[1:]
    same = {"gfx1101": "gfx1100", "gfx1102": "gfx1100", "gfx1103": "gfx1100", "gfx1151": "gfx1150", "gfx1201": "gfx1200"}
    return [r.split()[0] for r in rows if r.strip() and r.split()[0] not in same]


def rank(outcomes):
    kernels, alone, files, place = (collections.defaultdict(set) for _ in range(4))
    for o in outcomes:
        for kernel, causes in o.blocked.items() if o.parses else ():
            for c, line in causes.items():
                kernels[c].add((o.module.path, kernel))
                files[c].add(o.module.path)
                place[c].add((o.module.path, line))
                if len(causes) == 1:
                    alone[c].add((o.module.path, kernel))
    order = sorted(kernels, key=lambda c: (-len(kernels[c]), -len(alone[c]), c))
    return [(len(kernels[c]), len(alone[c]), len(files[c]), c, min(place[c])) for c in order]


def report(modules, targets, outcomes, where):
    total = sum(len(m.kernels) for m in modules)
    refused = sorted({o.refusal for o in outcomes if not o.parses})
    least = 100.0
    parse = len({o.module.path for o in outcomes if o.parses})
    print("modules   %d, %d parse" % (len(modules), parse))
    print("kernels   %d" % total)
    print("\ntarget   kernels translated")
    for t in targets:
        n = sum(o.translated for o in outcomes if o.target == t)
        percent = 100.0 * n / total if total else 0.0
        least = min(least, percent)
        print("%-8s %7d  %5.1f %%" % (t, n, percent))
    rows = rank(outcomes)
    if rows:
        print("\nblocked by\nkernels  alone  modules")
    for k, a, f, c, (path, line) in rows:
        print("%7d %6d %8d  %s%s" % (k, a, f, c, "  %s:%d" % (path, line) if where else ""))
    for text in refused:
        print("does not parse: %s" % text)
    return least, not refused


def main():
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--p2a", default=os.environ.get("P2A") or os.path.join(root, "build", "p2a"))
    p.add_argument("--targets", default="")
    p.add_argument("--least", type=float, default=0.0)
    p.add_argument("--jobs", type=int, default=os.cpu_count())
    p.add_argument("--where", action="store_true")
    p.add_argument("paths", nargs="+", metavar="FOLDER_OR_FILE")
    a = p.parse_args()
    if not os.access(a.p2a, os.X_OK):
        p.error("no program at %s: build it first, or give --p2a" % a.p2a)
    targets = a.targets.split(",") if a.targets else one_of_each_kind(a.p2a)
    modules = [Module(path) for path in ptx_files(a.paths)]
    if not modules:
        p.error("no .ptx file there")
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        outcomes = list(pool.map(lambda x: Outcome(x[0], x[1], a.p2a), [(m, t) for m in modules for t in targets]))
    least, parse = report(modules, targets, outcomes, a.where)
    sys.exit(0 if least >= a.least and parse else 1)


if __name__ == "__main__":
    main()
