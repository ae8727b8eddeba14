#!/bin/sh
# test_random.sh [GEN_LIST GEN_ASSEMBLE [REPEATS [SEED]]] -- random legal instructions against an outside
# assembler and disassembler. The programs are those of gen_list.c and gen_assemble.c. For every chip: the
# assembler must make our bytes of our text, and its disassembly of our bytes must assemble to them again
# with our assembler.
P2A_BUILD=${P2A_BUILD:-build}
list=${1:-$P2A_BUILD/tests/isa_gen_list} assemble=${2:-$P2A_BUILD/tests/isa_gen_assemble}
repeats=${3:-${P2A_TEST_QUICK:-2}} seed=${4:-1}
chips="gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200 gfx1201"
[ -z "${P2A_TEST_QUICK:-}" ] || chips="gfx900 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1200"
mc=${LLVM_MC:-llvm-mc-19}
version=$("$mc" --version 2>/dev/null | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
[ "${version:-0}" -ge 19 ] || { echo "skip isa-random: no llvm-mc of version 19 or newer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

for chip in $chips; do
	"$list" $chip $seed $repeats > "$work/ours"
	cut -f1 "$work/ours" > "$work/text"
	cut -f2 "$work/ours" > "$work/hex"
	n=$(wc -l < "$work/text")
	"$mc" -triple=amdgcn -mcpu=$chip -show-encoding "$work/text" 2> "$work/err" |
		sed -n 's/^.*; encoding: \[\(.*\)\]$/\1/p' | sed 's/0x//g; s/,//g' > "$work/llvm"
	rejected=$(grep -c 'error:' "$work/err")
	differ=$(diff "$work/hex" "$work/llvm" | grep -c '^<')
	[ "$rejected" -eq 0 ] || grep -A1 'error:' "$work/err" | head -6 | sed 's/^/# /'
	[ "$differ" -eq 0 ] || paste "$work/text" "$work/hex" "$work/llvm" | awk -F'\t' '$2 != $3' | head -3 | sed 's/^/# /'

	sed 's/../0x& /g' "$work/hex" | "$mc" -triple=amdgcn -mcpu=$chip -disassemble 2> "$work/err" |
		sed '/^[[:space:]]*\.text/d; /^[[:space:]]*$/d; s/^[[:space:]]*//' > "$work/dis"
	undecoded=$(grep -c 'warning:' "$work/err")
	"$assemble" $chip < "$work/dis" > "$work/again"
	# Names for numbers that p2a_parse does not know, and comments, are the disassembler's own; so is
	# `|v42, vcc_lo|` for an absolute second source of v_cndmask_b32_dpp, which its assembler refuses too.
	paste "$work/hex" "$work/again" "$work/dis" |
		awk -F'\t' -v chip=$chip '$1 != $2 && !(chip ~ /^gfx12/ && $3 ~ /^s_waitcnt /) && $3 !~ /UC_VERSION|sendmsg\(|depctr_|instid|HW_REG_|swizzle\(|v_cmpx?_[a-z0-9_]*[0-9] .*(row_mask|dpp8:)|, vcc(_lo)?[|]/' > "$work/unread"
	unread=$(wc -l < "$work/unread")
	[ "$unread" -eq 0 ] || head -3 "$work/unread" | sed 's/^/# /'
	if [ "$n" -gt 0 ] && [ "$rejected$differ$undecoded$unread" = 0000 ]; then
		echo "ok isa-random-$chip ($n instructions, seed $seed)"
	else
		echo "not ok isa-random-$chip: $n instructions, seed $seed: $rejected rejected, $differ differ," \
			"$undecoded not disassembled, $unread read back differently"
		status=1
	fi
done
exit $status
