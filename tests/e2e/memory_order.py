"""memory_order.py -- what orders memory, compared with LLVM's code for the same access.
usage: memory_order.py P2A LLC CHIP...
One kernel an access: a global and a shared store, the access (or fence, or barrier), a global store; as PTX and as LLVM IR, for every operation, order,
scope and space. Demanded: the same cache instructions in the same places, the same cache policy of the access itself, and
of the operations before and behind it at least those waited for that LLVM waits for. Prints `ok` or `not ok` lines."""
import re
import subprocess
import sys

SCOPES = {"cta": "workgroup", "gpu": "agent", "sys": ""}
SPACES = {"global": 1, "shared": 3, "": 0}
ORDERS = {"": "monotonic", "relaxed": "monotonic", "acquire": "acquire", "release": "release", "acq_rel": "acq_rel", "sc": "seq_cst"}
KINDS = {"ld": ("relaxed", "acquire"), "st": ("relaxed", "release"), "atom": ("", "relaxed", "acquire", "release", "acq_rel"),
         "red": ("", "relaxed", "release"), "cas": ("relaxed", "acquire", "release", "acq_rel"),
         "fence": ("acquire", "release", "acq_rel", "sc"), "open": ("acq_rel",), "proxy": ("release",), "part": ("acquire", "release"),
         "bar": ("sync",)}
FENCES = ("fence", "open", "proxy", "part")
PART = {"acquire": "sync_restrict::shared::cluster", "release": "sync_restrict::shared::cta"}


def cases():
    for kind, orders in KINDS.items():
        for order in orders:
            for scope in ("cta",) if kind == "bar" else ("gpu",) if kind == "part" else SCOPES:
                for space in SPACES if kind not in FENCES + ("bar",) else ("global",):
                    yield kind, order, scope, space


def ptx_of(name, kind, order, scope, space):
    dot, sem = "." + space if space else "", "." + order if order else ""
    op = {"ld": f"ld.{order}.{scope}{dot}.u32 %r1, [%x];",
          "st": f"st.{order}.{scope}{dot}.u32 [%x], %r1;",
          "atom": f"atom{sem}.{scope}{dot}.add.u32 %r1, [%x], %r1;",
          "red": f"red{sem}.{scope}{dot}.add.u32 [%x], %r1;",
          "cas": f"atom.{order}.{scope}{dot}.cas.b32 %r1, [%x], %r1, 7;",
          "fence": f"fence.{order}.{scope};",
          "open": f"fence.{scope};",
          "proxy": f"fence.proxy.tensormap::generic.{order}.{scope};",
          "part": f"fence.{order}.{PART.get(order, '')}.cluster;",
          "bar": "bar.sync 0;"}[kind]
    return (f".visible .entry {name}(.param .u64 p, .param .u64 q, .param .u32 n)\n{{ .reg .b64 %x, %y; .reg .b32 %r1;\n"
            f"ld.param.u64 %x, [p]; ld.param.u64 %y, [q]; ld.param.u32 %r1, [n];\n"
            f"st.global.u64 [%y+8], %x; st.global.u32 [%y], %r1; st.shared.u32 [room], %r1;\n{op}\nst.global.u32 [%y+16], %r1; ret; }}\n")


def ir_of(name, kind, order, scope, space):
    where = f'syncscope("{SCOPES[scope]}") ' if SCOPES[scope] else ""
    o, a = ORDERS.get(order, ""), SPACES[space]
    ptr = "ptr" if a == 0 else f"ptr addrspace({a})"
    op = {"ld": f"%v = load atomic i32, {ptr} %x {where}{o}, align 4",
          "st": f"store atomic i32 %n, {ptr} %x {where}{o}, align 4",
          "atom": f"%v = atomicrmw add {ptr} %x, i32 %n {where}{o}",
          "red": f"%u = atomicrmw add {ptr} %x, i32 %n {where}{o}",
          "cas": f"%c = cmpxchg {ptr} %x, i32 %n, i32 7 {where}{o} {'acquire' if o.startswith('acq') else 'monotonic'}\n"
                 f"%v = extractvalue {{ i32, i1 }} %c, 0",
          **{name: f"fence {where}{o}" for name in FENCES},
          "bar": f"fence {where}release\ncall void @llvm.amdgcn.s.barrier()\nfence {where}acquire"}[kind]
    used = "%v" if kind in ("ld", "atom", "cas") else "%n"
    return (f"define amdgpu_kernel void @{name}({ptr} %x, ptr addrspace(1) %y, i32 %n) #0 {{\n"
            f"%e = getelementptr i8, ptr addrspace(1) %y, i64 8\nstore {ptr} %x, ptr addrspace(1) %e\n"
            f"store i32 %n, ptr addrspace(1) %y\nstore i32 %n, ptr addrspace(3) @room\n{op}\n"
            f"%z = getelementptr i8, ptr addrspace(1) %y, i64 16\nstore i32 {used}, ptr addrspace(1) %z\nret void }}\n")


COUNTERS = {"vmcnt": "vm", "lgkmcnt": "lgkm", "loadcnt": "load", "storecnt": "store", "dscnt": "ds", "vscnt": "vs"}


def waits_of(text):
    """Counters and what they are to come down to."""
    got = {}
    for c, n in re.findall(r"\b(vmcnt|lgkmcnt)\((\d+)\)", text):
        got[COUNTERS[c]] = int(n)
    m = re.match(r"s_waitcnt_vscnt null, (\w+)", text) or re.match(r"s_wait_(\w+) (\w+)$", text)
    if m and text.startswith("s_waitcnt_vscnt"):
        got["vs"] = int(m[1], 0)
    elif m:
        n = int(m[2], 0)
        for c in m[1].split("_"):
            if c in COUNTERS:
                got[COUNTERS[c]] = n & 63
    return got


def counter_of(op, text, chip):
    nine, twelve = chip.startswith("gfx9"), chip.startswith("gfx12")
    returns = "load" in op or (op.startswith(("global_atomic", "flat_atomic")) and
                               ("glc" in text or "sc0" in text or "TH_ATOMIC_RETURN" in text))
    memory = ("load" if returns else "store") if twelve else "vm" if nine or returns else "vs"
    lds = "ds" if twelve else "lgkm"
    return [lds] if op.startswith("ds_") else [memory, lds] if op.startswith("flat_") else [memory]


def role(line, seen):
    """What the access is to the kernel: E and G the global stores at 8 and 0, S the shared one, Z the last, X the access."""
    if line.startswith("global_store") and "X" in seen or line.endswith("offset:16"):
        return "Z"
    if line.startswith("global_store") and not ("E" in seen and "G" in seen):
        return "E" if "offset:8" in line else "G"
    return "S" if line.startswith("ds_write") and "S" not in seen else "X"


def walk(lines, chip):
    """Events: ('cache', text), ('X', 'Z' or 'barrier', text, the earlier accesses that are not done)."""
    events, issued, done, seen = [], {}, set(), set()

    def pending():
        return {k for c, q in issued.items() for k in q if (c, k) not in done}

    for line in lines:
        line = re.sub(r"\s+", " ", line.split(";")[0].split("//")[0]).strip()
        op = line.split(" ")[0]
        if op.startswith(("s_waitcnt", "s_wait_")):
            for c, n in waits_of(line).items():
                q = issued.get(c, [])
                done |= {(c, k) for k in q[:len(q) - n]}
        elif re.match(r"(buffer|global)_(wb|inv|gl)", op):
            events.append(("cache", line))
        elif op in ("s_barrier", "s_barrier_signal"):
            events.append(("barrier", "", pending()))
        elif re.match(r"(global|flat|ds)_", op):
            me = role(line, seen)
            seen.add(me)
            if me in "XZ":
                events.append((me, line, pending()))
            for c in counter_of(op, line, chip):
                issued.setdefault(c, []).append(me)
    return events


def policy(text):
    words = text.split(" ")
    return sorted(w for w in words if re.match(r"(glc|slc|dlc|sc0|sc1|nt)$|scope:|th:", w))


def complaint(ours, theirs, chip):
    a, b = walk(ours, chip), walk(theirs, chip)
    if [e[1] if e[0] == "cache" else e[0] for e in a] != [e[1] if e[0] == "cache" else e[0] for e in b]:
        return "other cache instructions"
    for x, y in zip(a, b):
        if x[0] != "cache" and policy(x[1]) != policy(y[1]):
            return "other cache policy"
        if x[0] != "cache" and not x[2] <= y[2]:
            return f"{''.join(sorted(x[2] - y[2]))} not waited for before {x[0]}"
    return None


def bodies(asm):
    """Instructions by kernel."""
    got, name = {}, None
    for line in asm.splitlines():
        m = re.match(r"(k_\w+):", line)
        if m:
            name = m[1]
            got[name] = []
        elif name and line.startswith("\t") and not line.strip().startswith((".", ";")):
            got[name].append(line)
            if "s_endpgm" in line:
                name = None
    return got


def main():
    p2a, llc, chips = sys.argv[1], sys.argv[2], sys.argv[3:]
    todo = [("k_" + "_".join(c), c) for c in cases()]
    ptx = ".version 8.7\n.target sm_90\n.address_size 64\n.shared .align 4 .u32 room;\n" + "".join(ptx_of(n, *c) for n, c in todo)
    ir = ('target triple = "amdgcn-amd-amdhsa"\ndeclare void @llvm.amdgcn.s.barrier()\n@room = internal addrspace(3) global i32 poison, align 4\n' +
          "".join(ir_of(n, *c) for n, c in todo) + 'attributes #0 = { "amdgpu-no-flat-scratch-init" }\n')
    bad = 0
    for chip in chips:
        ours = subprocess.run([p2a, "compile", f"--target={chip}", "--emit=asm", "-o", "-", "-"], input=ptx, text=True, capture_output=True)
        theirs = subprocess.run([llc, "-march=amdgcn", f"-mcpu={chip}", "-amdgpu-atomic-optimizer-strategy=None", "-o", "-", "-"], input=ir, text=True,
                                capture_output=True)
        if ours.returncode or theirs.returncode:
            print(f"not ok {chip}: {ours.stderr or theirs.stderr}")
            bad += 1
            continue
        a, b, wrong = bodies(ours.stdout), bodies(theirs.stdout), 0
        for name, case in todo:
            why = complaint(a[name], b[name], chip)
            if why:
                wrong += 1
                print(f"not ok {chip} {'.'.join(x for x in case if x)}: {why}")
                show = lambda e: "; ".join(x[1] + (" {" + "".join(sorted(x[2])) + "}" if len(x) > 2 else "") for x in walk(e, chip))
                print(f"#   ours   {show(a[name])}\n#   theirs {show(b[name])}")
        bad += wrong
        if not wrong:
            print(f"ok {chip}: {len(todo)} accesses")
    return bad != 0


sys.exit(main())
