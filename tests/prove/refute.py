"""refute.py -- is the code that a compiler made of a bit field right? Where z3 is there, a counterexample is looked for.
Needs machine.py; leaves True (it is wrong) or False (it is right, or not decided, or has an instruction that machine.py knows not)."""
import re

try:
    import z3

    import machine
    import ptx
except ModuleNotFoundError:
    z3 = None

LIMIT_MS = 3000
OPS = {"b32": "bfi32", "b64": "bfi64", "u32": "bfe_u32", "s32": "bfe_s32", "u64": "bfe_u64", "s64": "bfe_s64"}
INSTRUCTION = re.compile(r"[vs]_(?!endpgm|waitcnt|wait_|nop|delay_alu|clause|setpc)")


def conditions(x, k):
    """What is known of an operand."""
    if k.kind == "c":
        return [x == k.lo]
    return [z3.UGE(x, k.lo), z3.ULE(x, k.hi), x & k.zero == 0, ~x & k.one == 0]


def operands(form, m):
    """Terms by name; arguments go to registers in their order, uniform ones to scalar ones."""
    terms, assumed, at = {}, [], {"v": 0, "s": 0}
    for key, k in form.operands.items():
        x = terms[key] = z3.BitVec(key, form.w if key in "ab" else 32)
        assumed += conditions(x, k)
        if k.kind != "c":
            m.put(k.kind, at[k.kind], x)
            at[k.kind] += x.size() // 32
    return terms, assumed


def is_wrong(form, lines):
    if z3 is None:
        return False
    m = machine.Machine()
    terms, assumed = operands(form, m)
    try:
        for line in lines:
            line = line.split(";")[0].strip()
            if INSTRUCTION.match(line):
                m.run(line)
        got = m.get("v0") if form.w == 32 else m.get("v[0:1]", 2)
    except (machine.Wrong, z3.Z3Exception):
        return False
    s = z3.SolverFor("QF_BV")
    s.set("timeout", LIMIT_MS)
    s.add(*assumed, got != ptx.definition(OPS[form.op], "documented", terms["a"], terms.get("b"), terms["c"], terms["d"]))
    return s.check() == z3.sat
