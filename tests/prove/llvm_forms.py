"""llvm_forms.py -- bfi written in LLVM's IR in every way that we could think of, and what llc 19 makes of it.
Needs llc-19; leaves the cheapest count for each form, chip and meaning of tests/data/bfi_llvm_counts.tsv. Operands are
arguments of a shader function: `inreg` ones are uniform, results in VGPRs are floats. Not counted: waits, the end of the
function, and moves from register to register, which a caller would not need."""
import collections
import re
import shutil
import subprocess

LLC = "llc-19"
SHIFT64 = re.compile(r"v_(lshl|lshr|ashr)rev_[bi]64")
COPY = re.compile(r"(v_mov_b32_e32 v\d+, [vs]\d+|v_dual_mov_b32 v\d+, v\d+ :: v_dual_mov_b32 v\d+, v\d+|"
                  r"s_mov_b32 s\d+, s\d+|s_mov_b64 s\[\d+:\d+\], s\[\d+:\d+\])$")
FREE = ("s_waitcnt", "s_wait_", "s_nop", "s_delay_alu", "s_endpgm", "s_setpc", "s_clause", "s_set_gpr")


def installed():
    return shutil.which(LLC) is not None


class Form:
    """b64_F2_p5_v: type; which of a, b, pos, len are uniform; constants; are pos and len below the width?"""

    def __init__(self, name, meaning):
        kind, self.kind, *rest = name.split("_")
        self.w = int(kind[1:])
        self.all_bits = meaning == "nvidia" and self.w == 64
        self.known = self.kind in ("F5", "F6k", "F7k")
        self.uniform = self.kind[1] in "67"
        self.scalar = self.kind[1] == "7"
        self.pos = int(rest[0].lstrip("p")) if self.kind in ("F1", "F2") else None
        self.len = int(rest[1].lstrip("l")) if self.kind in ("F1", "F3") else None


class Function:
    """IR of one function, an instruction a call."""

    def __init__(self, name, form):
        self.name, self.form, self.lines, self.n = name, form, [], 0
        self.type = "i%d" % form.w

    def op(self, text):
        self.n += 1
        self.lines.append("  %%t%d = %s" % (self.n, text))
        return "%%t%d" % self.n

    def bin(self, name, x, y, t=None):
        return self.op("%s %s %s, %s" % (name, t or self.type, x, y))

    def call(self, name, x, y, t="i32"):
        return self.op("call {0} @llvm.{1}.{0}({0} {2}, {0} {3})".format(t, name, x, y))

    def above(self, x, n):
        return self.op("icmp ugt i32 %s, %s" % (x, n))

    def select(self, c, x, y, t=None):
        return self.op("select i1 %s, %s %s, %s %s" % (c, t or self.type, x, t or self.type, y))

    def wide(self, x, t=None):
        """A count in the width of what it shifts."""
        return self.op("zext i32 %s to i64" % x) if (t or self.type) == "i64" else x

    def operand(self, name, constant):
        """pos or len as it counts."""
        if constant is not None:
            return str(constant)
        return "%" + name if self.form.all_bits or self.form.known else self.bin("and", "%" + name, 255, "i32")

    def shift(self, name, x, n, t=None):
        """By a count that may be too large: what comes out then does not matter."""
        t = t or self.type
        n = n if self.form.known else self.bin("and", n, int(t[1:]) - 1, "i32")
        return self.bin(name, x, self.wide(n, t), t)

    def text(self, result):
        f, t = self.form, self.type
        bound = "range(i32 0, %d) " % f.w if f.known else ""
        ab, cd = "inreg " if f.scalar else "", "inreg " if f.uniform else ""
        args = "%s %s%%a, %s %s%%b, i32 %s%s%%c, i32 %s%s%%d" % (t, ab, t, ab, cd, bound, cd, bound)
        n, part = f.w // 32, "i32" if f.scalar else "float"
        whole = part if n == 1 else "<2 x %s>" % part
        ret = result if whole == t else self.op("bitcast %s %s to %s" % (t, result, whole))
        if n == 2:
            # Two results of their own, so that each may stay where it is.
            x, y = [self.op("extractelement %s %s, i32 %d" % (whole, ret, k)) for k in (0, 1)]
            whole = "{ %s, %s }" % (part, part)
            ret = self.op("insertvalue %s poison, %s %s, 0" % (whole, part, x))
            ret = self.op("insertvalue %s %s, %s %s, 1" % (whole, ret, part, y))
        return "define amdgpu_ps %s @%s(%s) {\nentry:\n%s\n  ret %s %s\n}\n" % (
            whole, self.name, args, "\n".join(self.lines), whole, ret)


# ---- the field's mask, in several ways; each is right for all pos and len that its condition admits ----

def by_selects(f, p, l):
    n = f.bin("xor", f.shift("shl", "-1", l), "-1")
    n = f.select(f.above(l, f.form.w - 1), "-1", n)
    return f.select(f.above(p, f.form.w - 1), "0", f.shift("shl", n, p))


def by_least(f, p, l):
    w = f.form.w
    l = f.call("umin", l, f.call("usub.sat", w, p))
    n = f.shift("lshr", "-1", f.bin("sub", w, l, "i32"))
    return f.shift("shl", f.select(f.op("icmp eq i32 %s, 0" % l), "0", n), p)


def by_right_shift(f, p, l):
    w = f.form.w
    x = f.call("usub.sat", w, l)
    n = f.shift("shl", f.shift("lshr", "-1", x), p)
    return f.select(f.above(f.bin("or", x, p, "i32"), w - 1), "0", n)


def by_max(f, p, l):
    w = f.form.w
    x = f.call("usub.sat", w, l)
    n = f.shift("shl", f.shift("lshr", "-1", x), p)
    return f.select(f.above(f.call("umax", x, p), w - 1), "0", n)


def by_64(f, p, l):
    """Of a 32-bit field: the low half of a 64-bit one."""
    k = f.bin("shl", "-1", f.wide(f.call("umin", l, 63), "i64"), "i64")
    m = f.bin("shl", f.bin("xor", k, "-1", "i64"), f.wide(f.call("umin", p, 63), "i64"), "i64")
    return f.op("trunc i64 %s to i32" % m)


def by_high_half(f, p, l):
    l = f.call("umin", l, f.call("usub.sat", 32, p))
    n = f.bin("shl", 2**32 - 1, f.wide(l, "i64"), "i64")
    n = f.op("trunc i64 %s to i32" % f.bin("lshr", n, 32, "i64"))
    return f.shift("shl", n, p)


def plain(f, p, l):
    one = f.bin("shl", "1", f.wide(l))
    return f.bin("shl", f.bin("sub", one, "1"), f.wide(p))


def short_of_the_top(f, p, l):
    """pos >= 1: a length of W - 1 reaches the top."""
    n = f.bin("sub", f.bin("shl", "1", f.wide(f.call("umin", l, f.form.w - 1))), "1")
    return f.bin("shl", n, p)


def of_length(f, p, l):
    """A constant length: its mask moved."""
    n = str(2**min(int(l), f.form.w) - 1)
    if f.form.w == 32:
        m = f.bin("shl", n, f.wide(f.call("umin", p, 63), "i64"), "i64")
        return f.op("trunc i64 %s to i32" % m)
    return f.select(f.above(p, 63), "0", f.shift("shl", n, p))


def constant(f, p, l):
    w = f.form.w
    return str(((2**min(int(l), w) - 1) << int(p)) % 2**w)


MASKS = [
    (constant, lambda f: f.pos is not None and f.len is not None),
    (plain, lambda f: f.known),
    (short_of_the_top, lambda f: f.pos is not None and f.len is None and f.pos > 0),
    (of_length, lambda f: f.len is not None and f.pos is None),
    (by_64, lambda f: f.w == 32), (by_high_half, lambda f: f.w == 32),
    (by_selects, lambda f: True), (by_least, lambda f: True), (by_right_shift, lambda f: True), (by_max, lambda f: True),
]


def and_or(f, m, t):
    return f.bin("or", f.bin("and", m, t), f.bin("and", f.bin("xor", m, "-1"), "%b"))


def xor_and_xor(f, m, t):
    return f.bin("xor", "%b", f.bin("and", m, f.bin("xor", "%b", t)))


def functions(index, form):
    """All that apply; each is its own function."""
    for (k, (mask, applies)), (j, join) in ((x, y) for x in enumerate(MASKS) for y in enumerate((and_or, xor_and_xor))):
        if not applies(form) or (form.kind == "F1" and mask is not constant):
            continue
        f = Function("f%d_%d_%d" % (index, k, j), form)
        p, l = f.operand("c", form.pos), f.operand("d", form.len)
        m = mask(f, p, l)
        t = f.bin("shl", "%a", p) if form.pos is not None else f.shift("shl", "%a", p)
        yield f.text(join(f, m, t))


# ---- what llc makes of them ----

def count(lines):
    """(valu, salu, valu64)"""
    valu = salu = valu64 = 0
    for line in lines:
        line = line.split(";")[0].strip()
        if line.startswith("v_") and not COPY.match(line):
            valu += 1
            valu64 += bool(SHIFT64.match(line))
        elif line.startswith("s_") and not line.startswith(FREE) and not COPY.match(line):
            salu += 1
    return valu, salu, valu64


def tool(program, module, chip, *options):
    command = [program, "-mtriple=amdgcn--amdpal", "-mcpu=" + chip, "-O3", "-o", "-", *options]
    r = subprocess.run(command, input=module, capture_output=True, text=True, check=False)
    if r.returncode:
        raise SystemExit("not ok %s: %s" % (program, r.stderr[:500]))
    return r.stdout


def compiled(module, chip):
    """function -> its lines"""
    bodies, name = collections.defaultdict(list), None
    for line in tool(LLC, module, chip).splitlines():
        m = re.match(r"(f\d+_\d+_\d+):", line)
        if m or line.startswith(".Lfunc_end"):
            name = m and m[1]
        elif name:
            bodies[name].append(line)
    return bodies


def fewest(wanted, key):
    """wanted: (form, chip, meaning); leaves the cheapest count for each, by `key`."""
    pairs = list(dict.fromkeys((form, meaning) for form, _, meaning in wanted))
    module = "".join(text for k, (form, meaning) in enumerate(pairs) for text in functions(k, Form(form, meaning)))
    best = {}
    for chip in dict.fromkeys(chip for _, chip, _ in wanted):
        for name, lines in compiled(module, chip).items():
            form, meaning = pairs[int(name[1:].split("_")[0])]
            c = count(lines)
            old = best.setdefault((form, chip, meaning), c)
            if key(c) < key(old):
                best[form, chip, meaning] = c
    return best


# ---- the usual way: leave early where pos is out of the word, take all ones for a long length ----

def by_branches(f):
    """bfi as ZLUDA's library does it (vosen/ZLUDA, ptx/lib/zluda_ptx_impl.cpp)."""
    w, t = f.form.w, f.type
    p, l = f.operand("c", f.form.pos), f.operand("d", f.form.len)
    far = f.above(p, w - 1)
    f.lines += ["  br i1 %s, label %%end, label %%near" % far, "near:"]
    far = f.above(l, w - 1)
    f.lines += ["  br i1 %s, label %%long, label %%short" % far, "long:"]
    m1 = f.bin("shl", "-1", f.wide(p))
    f.lines += ["  br label %join", "short:"]
    m2 = f.bin("shl", f.bin("sub", f.bin("shl", "1", f.wide(l)), "1"), f.wide(p))
    f.lines += ["  br label %join", "join:"]
    m = f.op("phi %s [ %s, %%long ], [ %s, %%short ]" % (t, m1, m2))
    r = and_or(f, m, f.bin("shl", "%a", f.wide(p)))
    f.lines += ["  br label %end", "end:"]
    return f.text(f.op("phi %s [ %%b, %%entry ], [ %s, %%join ]" % (t, r)))


def with_branches(wanted):
    """(form, chip, meaning) -> (valu, salu, valu64, branches); branches are not among salu."""
    pairs = list(dict.fromkeys((form, meaning) for form, _, meaning in wanted))
    functions_ = [by_branches(Function("f%d_0_0" % k, Form(*pair))) for k, pair in enumerate(pairs)]
    module = tool("opt-19", "".join(functions_), "gfx900", "-S")
    found = {}
    for chip in dict.fromkeys(chip for _, chip, _ in wanted):
        for name, lines in compiled(module, chip).items():
            form, meaning = pairs[int(name[1:].split("_")[0])]
            branches = sum(line.strip().startswith(("s_cbranch", "s_branch")) for line in lines)
            valu, salu, valu64 = count(lines)
            found[form, chip, meaning] = valu, salu - branches, valu64, branches
    return found
