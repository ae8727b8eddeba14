#!/usr/bin/env bash
# bfi: the sequence of one bfi by what is known of its operands, as text and as JSON.
. "$(dirname "$0")/lib.sh"
bfi() { "$P2A" bfi "$@"; }

expect "bfi" 0 '' bfi --type=b32 --pos=8 --len=8 --target=gfx1100
is "prints the sequence" "$(grep -cE '^	v_' out | sed 's/^[1-9].*/some/')" some
is "its cost" "$(grep -cE '^row [a-z_]+: [0-9]+ VALU.*, [0-9]+ SALU, [0-9]+ bytes$' out)" 1
is "what the two are together" "$(grep -cE '^cost: [0-9]+(\.5)? \(VALU 1, 64-bit shift 2, SALU 0\.5\)$' out)" 1
is "and the proof's state" "$(grep -cE '^proof: exhaustive (yes|no), SMT (yes|no), minimal (proved|unknown)$' out)" 1

python3 - "$P2A" >why 2>&1 <<'END'
import json, os, subprocess, sys
fields = ["0", "8", "31", "32", "255", "0..31", "0..63", "3..7", "v", "s", "s0..31", "300"]
keys = ["target", "type", "semantics", "row", "valu", "salu", "valu64", "bytes", "asm", "proof", "result", "cost"]
n = 0
quick = bool(os.environ.get("P2A_TEST_QUICK"))
chips = ["gfx90a", "gfx1200"] if quick else ["gfx90a", "gfx1030", "gfx1100", "gfx1200"]
for chip in chips:
    for kind in "b32", "b64":
        for i, pos in enumerate(fields):
            more = [[], ["--a=s", "--b=s"], ["--semantics=nvidia"], ["--b-dies"]][i % 4]
            # The short run takes each length with a third of the positions.
            for length in fields[i % 3::3] if quick else fields:
                r = subprocess.run([sys.argv[1], "bfi", "--type=" + kind, "--pos=" + pos, "--len=" + length,
                                    "--target=" + chip, "--json", *more], capture_output=True, text=True)
                assert r.returncode == 0 and not r.stderr, (chip, kind, pos, length, more, r.stderr)
                j = json.loads(r.stdout)
                assert list(j) == keys, list(j)
                assert list(j["proof"]) == ["exhaustive", "smt", "minimal"], j
                work = [x for x in j["asm"] if not x.startswith(("s_nop", "s_wait"))]
                assert len(work) == j["valu"] + j["salu"] and j["valu64"] <= j["valu"], j
                assert j["bytes"] >= 4 * len(j["asm"]), j
                assert j["cost"] == j["valu"] + j["valu64"] + j["salu"] / 2, j
                text = subprocess.run([a for a in r.args if a != "--json"], capture_output=True, text=True).stdout
                assert float(text.split("\ncost: ")[1].split(" ")[0]) == j["cost"], (j, text)
                places = text.split("result: ")[1].split("\n")[0].replace("low ", "").replace("high ", "").split(", ")
                assert j["result"] == places and len(places) == (2 if kind == "b64" else 1), (j, text)
                assert j["semantics"] == ("nvidia" if more == ["--semantics=nvidia"] else "documented"), j
                n += 1
assert n == len(chips) * 2 * 144 // (3 if quick else 1)
END
is "every combination gives the JSON of the contract" "$(tail -n 1 why)" ''
is "a field of nothing costs nothing" "$(bfi --type=b32 --pos=3 --len=0 --target=gfx1100 --b-dies | grep -c ': 0 VALU, 0 SALU, 0 bytes')" 1
is "uniform operands take no vector instruction" "$(bfi --type=b32 --pos=s --len=s --a=s --b=s --target=gfx1030 | grep -c ': 0 VALU, ')" 1
is "a range makes it cheaper" "$(bfi --type=b32 --pos=0..31 --len=0..31 --target=gfx1030 | grep -c ': 3 VALU, 0 SALU')" 1
is "a change of registers costs nothing" "$(bfi --type=b64 --pos=32 --len=32 --target=gfx1100 | grep -c ': 0 VALU, 0 SALU, 0 bytes')" 1
is "and the result is where it stood" "$(bfi --type=b64 --pos=32 --len=32 --target=gfx1100 | grep -c '^result: low v2, high v0$')" 1
is "a byte in place" "$(bfi --type=b32 --pos=8 --len=8 --b-dies --target=gfx90a | grep -c 'v_mov_b32_sdwa v2, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE')" 1
is "both halves of a mask are a pair" "$(bfi --type=b64 --pos=v --len=7 --target=gfx1200 | grep -c ': 7 VALU (2 ')" 1
is "or one scalar instruction" "$(bfi --type=b64 --pos=s --len=7 --target=gfx900 | grep -c ': 3 VALU (1 .* 4 SALU, 44 bytes')" 1

expect "bfe" 0 '' bfi --op=bfe --type=u32 --pos=8 --len=8 --target=gfx1100
is "is one instruction" "$(cat out)" "	v_bfe_u32 v6, v0, 8, 8
result: v6
row field: 1 VALU, 0 SALU, 8 bytes
cost: 1 (VALU 1, 64-bit shift 2, SALU 0.5)
proof: exhaustive yes, SMT yes, minimal proved"
for t in u32 s32 u64 s64; do
	is "bfe.$t as JSON" "$(bfi --op=bfe --type=$t --pos=v --len=0..63 --target=gfx942 --json | grep -c "^{\"target\":\"gfx942\",\"type\":\"$t\",\"semantics\":\"documented\",\"row\":\"[a-z_]*\",\"valu\":[1-9].*\"result\":\[\"v6\"")" 1
done
is "a uniform bfe takes no vector instruction" "$(bfi --op=bfe --type=s64 --pos=s --len=s --a=s --target=gfx1030 | grep -c ': 0 VALU, ')" 1
expect "bfe of a type of bfi" 2 'type=b32 is not of bfe' bfi --op=bfe --type=b32 --pos=1 --len=1 --target=gfx1100
expect "bfi of a type of bfe" 2 'type=u32 is not of bfi: add --op=bfe' bfi --type=u32 --pos=1 --len=1 --target=gfx1100
expect "bfe with b" 2 'bfe has no b' bfi --op=bfe --type=u32 --pos=1 --len=1 --b-dies --target=gfx1100
expect "bmsk" 0 '' bfi --op=bmsk --type=b32 --pos=0..31 --len=0..31 --target=gfx1100
is "is v_bfm_b32" "$(cat out)" "	v_bfm_b32 v6, v5, v4
result: v6
row short: 1 VALU, 0 SALU, 8 bytes
cost: 1 (VALU 1, 64-bit shift 2, SALU 0.5)
proof: exhaustive yes, SMT yes, minimal proved"
expect "szext" 0 '' bfi --op=szext --type=s32 --len=0..31 --target=gfx90a
is "is v_bfe_i32" "$(head -n 2 out)" "	v_bfe_i32 v6, v0, 0, v5
result: v6"
is "a mask of numbers is a number" "$(bfi --op=bmsk --type=b32 --pos=4 --len=300 --target=gfx90a | head -n 1)" "result: -16"
is "all bits of a number count" "$(bfi --op=szext --type=u32 --len=256 --target=gfx90a | head -n 1)" "result: v0"
for t in "bmsk b32 --pos=v" "szext u32" "szext s32"; do
	set -- $t
	is "$1.$2 as JSON" "$(bfi --op=$1 --type=$2 ${3-} --len=v --target=gfx942 --json | grep -c "^{\"target\":\"gfx942\",\"type\":\"$2\",.*\"result\":\[\"v6\"\],\"cost\":[0-9.]*,\"op\":\"$1\"}$")" 1
	is "a uniform $1.$2 takes no vector instruction" "$(bfi --op=$1 --type=$2 ${3:+--pos=s} $([ $1 = szext ] && echo --a=s) --len=s --target=gfx1030 | grep -c ': 0 VALU, ')" 1
done
expect "szext with pos" 2 'szext has no pos' bfi --op=szext --type=u32 --pos=1 --len=1 --target=gfx1100
expect "bmsk without pos" 2 'are required' bfi --op=bmsk --type=b32 --len=1 --target=gfx1100
expect "bmsk with a" 2 'bmsk has no a' bfi --op=bmsk --type=b32 --pos=1 --len=1 --a=s --target=gfx1100
expect "szext of a type of bfe" 2 'type=s64 is not of szext' bfi --op=szext --type=s64 --len=1 --target=gfx1100
is "8 bits of a number count" "$(bfi --type=b32 --pos=300 --len=8 --target=gfx1100)" "$(bfi --type=b32 --pos=44 --len=8 --target=gfx1100)"

expect "an operand is missing" 2 'are required' bfi --type=b32 --pos=1 --target=gfx1100
expect "an unknown type" 2 "takes b32\\|b64" bfi --type=b16 --pos=1 --len=1 --target=gfx1100
expect "an unknown chip" 2 'unknown target' bfi --type=b32 --pos=1 --len=1 --target=gfx5
row() { bfi "$@" | sed -n 's/^row \([a-z_0-9]*\):.*/\1/p'; }
is "a constant a and b make a number" "$(bfi --type=b32 --pos=3 --len=4 --a=5 --b=6 --target=gfx1030 | head -n 1)" "result: 46"
is "of 64 bits too" "$(bfi --type=b64 --pos=36 --len=4 --a=5 --b=0x8000000000000006 --target=gfx1030 | head -n 1)" "result: low 6, high -2147483568"
is "a constant a needs no mask in a register" "$(row --type=b32 --pos=3 --len=4 --a=5 --target=gfx1030)" in_place
is "a field of zeros in b" "$(row --type=b32 --pos=0 --len=8 --a=0..255 --b=zero:0xff --target=gfx1030)" or_low
is "ones in a" "$(row --type=b32 --pos=v --len=0..8 --a=one:0xff --b=zero:0xffffffff --target=gfx1030)" "$(row --type=b32 --pos=v --len=0..8 --a=0xff --b=0 --target=gfx1030)"
is "bits of a uniform pos" "$(row --type=b32 --pos=s,zero:0xffffffe0 --len=0..31 --target=gfx1030)" "$(row --type=b32 --pos=s0..31 --len=0..31 --target=gfx1030)"
is "a number may be uniform or not, bounds and bits together" "$(bfi --type=b32 --pos=0 --len=8 --a=s0..7,zero:0xf0,one:1 --b=v,zero:0xff --target=gfx1030 | head -n 1)" "	v_or_b32_e32 v6, s0, v2"
is "of which a search says nothing" "$(bfi --type=b32 --pos=0 --len=8 --a=0..255 --b=zero:0xff --target=gfx1030 | grep -c 'minimal unknown')" 1
expect "contradicting bits" 2 'contradicts itself' bfi --type=b32 --pos=1 --len=1 --a=zero:3,one:1 --target=gfx1100
expect "a constant b that dies" 2 'b-dies is about' bfi --type=b32 --pos=1 --len=1 --b=4 --b-dies --target=gfx1100
expect "bmsk with a constant a" 2 'bmsk has no a' bfi --op=bmsk --type=b32 --pos=1 --len=1 --a=3 --target=gfx1100
expect "a of more than 32 bits" 2 'numbers from 0 to 4294967295' bfi --type=b32 --pos=1 --len=1 --a=4294967296 --target=gfx1100
for x in x s5 zero: zero:x one zero:1,v v,4 1,2 ,v v, zeros:1 zero:1..2 s,,one:1; do
	expect "--b=$x" 2 "b takes a number, LO..HI" bfi --type=b32 --pos=1 --len=1 --b=$x --target=gfx1100
done
for x in x -1 1.. ..2 5..4 s5 4294967296 1..2..3 vs; do
	expect "--pos=$x" 2 "pos takes a number, LO..HI" bfi --type=b32 --pos=$x --len=1 --target=gfx1100
done
exit $bad
