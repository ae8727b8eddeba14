#!/usr/bin/env bash
# What compile writes where: default names, standard input and output, several inputs, the -v table.
. "$(dirname "$0")/lib.sh"
cp "$kernels" k.ptx
is_elf() { [ "$(head -c 4 "$1" 2>/dev/null | od -An -tx1 | tr -d ' ')" = 7f454c46 ]; }

expect "compile is silent" 0 '' "$P2A" compile --target=gfx1100 k.ptx
is "default name is the input's with .hsaco" "$(is_elf k.hsaco && echo elf)" elf
expect "--emit=asm" 0 '' "$P2A" compile --target=gfx1100 --emit=asm k.ptx
is "default name of assembly ends in .s" "$(grep -c amdgcn_target k.s)" 1
expect "value as a word of its own" 0 '' "$P2A" compile --target gfx1100 -o a.hsaco k.ptx
is "the same bytes again" "$(cmp a.hsaco k.hsaco && echo same)" same
expect "value attached to -o" 0 '' "$P2A" compile --target=gfx1100 -ob.hsaco k.ptx
is "-oFILE is -o FILE" "$(cmp b.hsaco k.hsaco && echo same)" same
"$P2A" compile --target=gfx1100 -o - k.ptx | cmp - k.hsaco
is "-o - writes to standard output" "${PIPESTATUS[*]}" "0 0"
"$P2A" compile --target=gfx1100 -o - - <k.ptx >stdin.hsaco
is "- reads standard input" "$?$(is_elf stdin.hsaco && echo elf)" 0elf
"$P2A" compile --target=gfx1100 - <k.ptx >stdin2.hsaco
is "standard input goes to standard output" "$(cmp stdin.hsaco stdin2.hsaco && echo same)" same
cp k.ptx name.without
expect "a name without .ptx" 0 '' "$P2A" compile --target=gfx1100 name.without
is "gets .hsaco behind it" "$(is_elf name.without.hsaco && echo elf)" elf
mkdir sub && cp k.ptx sub/k.ptx
expect "an input in a folder" 0 '' "$P2A" compile --target=gfx1100 sub/k.ptx
is "its output stands beside it" "$(is_elf sub/k.hsaco && echo elf)" elf
for emit in ir ptx; do
	expect "--emit=$emit" 0 '' "$P2A" compile --target=gfx1100 --emit=$emit k.ptx
	is "--emit=$emit goes to standard output" "$(grep -c scale out | sed 's/^[1-9].*/some/')" some
done
"$P2A" compile --target=gfx1100 --emit=ptx k.ptx >back.ptx
expect "what --emit=ptx prints translates" 0 '' "$P2A" compile --target=gfx1100 -o back.hsaco back.ptx

expect "--dump=all" 0 . "$P2A" compile --target=gfx1100 --dump=all -o d.hsaco k.ptx
is "the dump goes to standard error" "$(grep -q . err && [ ! -s out ] && echo yes)" yes
is "a dump changes nothing" "$(cmp d.hsaco k.hsaco && echo same)" same
expect "an unknown pass is refused" 2 . "$P2A" compile --target=gfx1100 --dump=nosuchpass -o e.hsaco k.ptx

expect "-v" 0 'vgprs' "$P2A" compile --target=gfx1100 -v k.ptx
is "-v has a row a kernel" "$(wc -l <err)" 9
is "-v names the kernels" "$(awk 'NR > 1 { print $NF }' err | sort | tr '\n' ' ')" \
	"by_value endless meet neighbour nothing scale types wild "
expect "--entry" 0 'vgprs' "$P2A" compile --target=gfx1100 -v --entry=scale --entry wild -o e.hsaco k.ptx
is "--entry leaves the others out" "$(awk 'NR > 1 { print $NF }' err | sort | tr '\n' ' ')" "scale wild "
expect "--entry of no kernel" 1 'E0501' "$P2A" compile --target=gfx1100 --entry=nix -o e2.hsaco k.ptx
is "and no output" "$(ls e2.hsaco 2>/dev/null)" ''

"$P2A" compile --target=gfx1100 --code-object=5 -o v5.hsaco k.ptx
is "--code-object=4 is the default" "$(od -An -tu1 -j8 -N1 k.hsaco | tr -d ' ')" 2
is "--code-object=5" "$(od -An -tu1 -j8 -N1 v5.hsaco | tr -d ' ')" 3
for o in -O0 -O1 -O2; do
	expect "$o" 0 '' "$P2A" compile --target=gfx1100 $o -o o.hsaco k.ptx
done
is "-O2 is the default" "$(cmp o.hsaco k.hsaco && echo same)" same

cat >a.ptx <<'END'
.version 7.0
.target sm_70
.address_size 64
.visible .entry first() { ret; }
END
sed 's/first/second/' a.ptx >b.ptx
expect "two inputs" 0 'first' "$P2A" compile --target=gfx1100 -v -o ab.hsaco a.ptx b.ptx
is "are one program" "$(grep -c second err)" 1
expect "the same kernel twice" 1 'E0503' "$P2A" compile --target=gfx1100 -o aa.hsaco a.ptx a.ptx
for chip in gfx90a gfx1030 gfx1200 gfx90a:xnack- gfx90a:sramecc+:xnack-; do
	expect "target $chip" 0 '' "$P2A" compile --target=$chip -o chip.hsaco k.ptx
done

# The host finds variables by name that nvcc has written without .visible, unless several files have one.
sed 's/^.visible/.global .u32 own;\n.visible/' a.ptx >own.ptx
sed 's/first/second/; s/^.visible/.const .u32 alone;\n.visible/' own.ptx >own2.ptx
globals() { "$P2A" compile --target=gfx1100 --emit=asm -o - "$@" | grep -c 'globl \(own\|alone\)$'; }
is "a variable without .visible is found by name" "$(globals own.ptx)" 1
is "one that two files have is not" "$(globals own.ptx own2.ptx)" 1

# .maxnreg and .minnctapersm bound the registers; the first column of -v is vector registers.
sha=$here/../compare/sha256.ptx
vgprs() { "$P2A" compile --target="$1" -v -o sha.hsaco "$2" 2>&1 | awk '/sha256$/ { print $1 }'; }
free=$(vgprs gfx90a "$sha")
sed 's/^)$/) .maxnreg 26/' "$sha" >few.ptx
sed 's/^)$/) .maxntid 1024 .minnctapersm 2/' "$sha" >two.ptx
is ".maxnreg bounds the registers" "$(( free > 26 && $(vgprs gfx90a few.ptx) <= 26 ))" 1
is ".minnctapersm bounds the registers" "$(( $(vgprs gfx900 two.ptx) <= 32 ))" 1
is "the registers that blocks of 1024 leave" "$(( $(vgprs gfx900 "$sha") <= 64 ))" 1
exit $bad
