#!/usr/bin/env bash
# run on the emulator: every kind of argument, PTX and code objects, statistics, refusals.
. "$(dirname "$0")/lib.sh"
run() { "$P2A" run --device=emu "$@"; }
words 1 2 3 4 5 6 7 8 >in.bin
words 3 7 11 15 19 23 27 31 >want.bin      # k = 3: 3x + i

expect "a kernel runs silently" 0 '' run --block=8 --arg=inout:in.bin:y --arg=u32:3 --arg=u32:8 "$kernels" scale
words 3 7 11 15 19 23 27 31 | cmp -s - y && ok "inout" || not_ok "inout" "$(hex y)"
is "the input file is as before" "$(hex in.bin)" "0100000002000000030000000400000005000000060000000700000008000000"
for chip in gfx90a gfx1030 gfx1100 gfx1200; do
	expect "on $chip" 0 '' run --target=$chip --grid=2 --block=4 --arg=inout:in.bin:y.$chip --arg=u32:3 --arg=u32:8 "$kernels" scale
	is "$chip computes the same" "$(hex y.$chip)" "$(hex want.bin)"
	"$P2A" compile --target=$chip -o k.$chip "$kernels"
	expect "a code object for $chip needs no --target" 0 '' run --block=8 --arg=inout:in.bin:z --arg=u32:3 --arg=u32:8 k.$chip scale
	is "and computes the same" "$(hex z)" "$(hex want.bin)"
done
expect "a code object on another chip" 1 'gfx90a' run --target=gfx1100 k.gfx90a nothing
run --block=8 --arg=inout:in.bin:- --arg=u32:3 --arg=u32:8 - scale <"$kernels" >y 2>err
is "PTX from standard input, output to standard output" "$(hex y)" "$(hex want.bin)"
expect "code object version 5" 0 '' run --code-object=5 --block=8 --arg=inout:in.bin:y --arg=u32:3 --arg=u32:8 "$kernels" scale
expect "-O0" 0 '' run -O0 --block=8 --arg=inout:in.bin:y0 --arg=u32:3 --arg=u32:8 "$kernels" scale
is "-O0 computes the same" "$(hex y0)" "$(hex want.bin)"
expect "--check=all" 0 '' run --check=all --block=8 --arg=inout:in.bin:y0 --arg=u32:3 --arg=u32:8 "$kernels" scale
expect "--check=none" 0 '' run --check=none --block=8 --arg=inout:in.bin:y0 --arg=u32:3 --arg=u32:8 "$kernels" scale
expect "a kernel without parameters" 0 '' run "$kernels" nothing

# types U8 U16 U32 U64 F32 F64 WANT: what arrives of each, in hexadecimal
types() {
	local want=$7
	run --arg=out:48:t --arg="$1" --arg="$2" --arg="$3" --arg="$4" --arg="$5" --arg="$6" "$kernels" types 2>err
	is "$1 $2 $3 $4 $5 $6" "$(hex t)" "$want"
}
types u8:255 u16:0x1234 u32:4294967295 u64:18446744073709551615 f32:1.5 f64:-2 \
	ff00000000000000"3412000000000000"ffffffff00000000ffffffffffffffff0000c03f00000000"00000000000000c0"
types s8:-128 s16:-1 s32:-2147483648 s64:-9223372036854775808 f32:0x7fc00001 f64:0x7ff8000000000001 \
	8000000000000000ffff0000000000000000008000000000"0000000000000080"0100c07f000000000100"00000000f87f"
types b8:-1 b16:65535 b32:0xdeadbeef b64:-2 f32:-inf f64:1e300 \
	ff00000000000000ffff000000000000efbeadde00000000feffffffffffffff000080ff000000009c7500883ce4377e
for spec in u8:256 u8:-1 s8:128 s8:-129 u16:65536 s16:40000 u32:4294967296 s32:2147483648 u64:18446744073709551616 \
	s64:-9223372036854775809 u32: u32:x u32:1.5 u32:0x u32:' 1' u32:1x f32:x f32: f32:0x1p3 f32:0x123456789 f64:1.0z b8:0x100 b8:-129; do
	expect "--arg=$spec is refused" 2 "--arg=$spec: expected" run --arg="$spec" "$kernels" nothing
done
for spec in x x:1 in: out:4 out:x:f out:4: inout:a inout::b inout:a: zero:x zero:4:f bytes: u32; do
	expect "--arg=$spec is refused" 2 "--arg=$spec: expected" run --arg=$spec "$kernels" nothing
done

words 10 20 30 >struct.bin
expect "bytes: a struct by value" 0 '' run --arg=out:4:sum --arg=bytes:struct.bin "$kernels" by_value
is "its sum" "$(hex sum)" 3c000000
expect "a struct of another size" 2 "has 4 bytes: parameter" run --arg=out:4:sum --arg=u32:1 "$kernels" by_value
expect "zero: scratch" 0 '' run --arg=zero:64 --arg=u32:1 --arg=u32:4 "$kernels" scale
expect "in:" 0 '' run --arg=in:in.bin --arg=u32:1 --arg=u32:4 "$kernels" scale
: >empty.bin
expect "an empty buffer" 0 '' run --arg=inout:empty.bin:e --arg=u32:1 --arg=u32:0 "$kernels" scale
is "comes out empty" "$(wc -c <e)" 0
expect "more memory than there is" 3 "no memory for a buffer of 1099511627776 bytes: the emulated device has [0-9]* .half of this computer.s., 0 are in use" run --arg=out:1099511627776:e --arg=u32:1 --arg=u32:0 "$kernels" scale
expect "a missing input" 1 "cannot read 'nix.bin'" run --arg=in:nix.bin --arg=u32:1 --arg=u32:4 "$kernels" scale
expect "dynamic shared memory" 0 '' run --block=4 --shared=16 --arg=out:16:n "$kernels" neighbour
is "neighbours" "$(hex n)" 01000000000000000300000002000000
expect "too much shared memory" 2 'bytes of shared memory' run --shared=70000 --arg=out:16:n "$kernels" neighbour

expect "too few arguments" 2 "too few arguments: kernel 'scale' has 3 parameters, 1 given" run --arg=zero:4 "$kernels" scale
expect "too many arguments" 2 "too many arguments: kernel 'nothing' has 0 parameters, 1 given" run --arg=u32:4 "$kernels" nothing
expect "an argument of another size" 2 "argument 2, 'u64:3', has 8 bytes: parameter .* has 4" run --arg=zero:4 --arg=u64:3 --arg=u32:1 "$kernels" scale
expect "no such kernel in PTX" 1 'nix' run "$kernels" nix
expect "no such kernel in a code object" 1 "no kernel 'nix'" run k.gfx90a nix
is "lists those there are" "$(grep -c '	scale$' err)" 1
expect "a workgroup of 2000" 2 '1024' run --block=2000 "$kernels" nothing
expect "a grid of 2^32 work-items" 2 '2\^32' run --grid=4194304 --block=1024 "$kernels" nothing
echo 'hello' >text
expect "an input that is neither" 1 . run text k
head -c 100 k.gfx90a >cut
# A buffer of no bytes has an address that nothing may touch.
expect "no byte of an empty buffer" 3 'behind a buffer of 0 bytes' run --check=memory --arg=out:0:empty.bin "$kernels" wild
expect "an empty buffer that nobody touches" 0 '' run --arg=out:0:empty.bin --arg=u32:1 --arg=u32:0 "$kernels" scale
is "is an empty file" "$(wc -c <empty.bin)" 0
expect "half a code object" 1 . run cut scale

run --stats --grid=2 --block=64 --arg=zero:512 --arg=u32:1 --arg=u32:128 "$kernels" scale 2>stats
json "--stats is JSON" stats
python3 - >why 2>&1 <<'END'
import json
s = json.load(open("stats"))
assert list(s) == ["kernel", "device", "target", "waves", "instructions", "lane_ops", "seconds"], list(s)
i = s["instructions"]
assert list(i) == ["valu", "salu", "vmem", "smem", "lds", "branch", "other", "total"], list(i)
assert i["total"] == sum(v for k, v in i.items() if k != "total"), i
assert s["kernel"] == "scale" and s["device"] == "emu" and s["target"] == "gfx1100", s
assert s["waves"] == 4 and s["lane_ops"] > 0 and i["vmem"] == 8, s
END
is "--stats counts" "$(tail -n 1 why)" ''
expect "hip without a device is status 3" 3 'ROCm device|HIP library' env HIP_VISIBLE_DEVICES= "$P2A" run --device=hip "$kernels" nothing
exit $bad
