#!/bin/sh
# Runs examples with `p2a run` and compares what they write with the CPU reference, byte for byte.
# Needs a C compiler, and the program in $P2A (default: build/p2a of this project).
# Leaves one line a run, PASS or FAIL; exit status 1 if any failed, 2 for a wrong call.
set -eu

usage()
{
	cat >&2 <<-END
	usage: run_example.sh [--ptx=nvcc|clang] [--device=emu|hip] [--work=DIR] [OPTION OF p2a run]... NAME...
	NAME is a name in examples.list, or a folder (morton/), or "all".
	Without --ptx, the PTX of both compilers runs.
	P2A and CC in the environment name other programs than build/p2a and cc.
	example: run_example.sh --target=gfx90a morton2 tree_ptr64
	END
	exit 2
}

here=$(cd "$(dirname "$0")" && pwd)
P2A=${P2A:-$here/../build/p2a}
CC=${CC:-cc}
compilers='nvcc clang'
work='' options='' device=emu target=default names='' failed=0

for word; do
	case $word in
	--help) usage ;;
	--ptx=*) compilers=${word#*=} ;;
	--work=*) work=${word#*=} ;;
	--device=*) device=${word#*=} ;;
	--target=*) target=${word#*=} options="$options $word" ;;
	-*) options="$options $word" ;;
	*) names="$names $word" ;;
	esac
done
[ -n "$names" ] || usage
[ -x "$P2A" ] || { echo "no program at $P2A: build it first, or set P2A" >&2; exit 2; }
P2A=$(cd "$(dirname "$P2A")" && pwd)/${P2A##*/}

if [ -z "$work" ]; then
	work=$(mktemp -d)
	trap 'rm -rf "$work"' EXIT
	trap 'exit 130' HUP INT TERM
fi

# Inputs and expected outputs of a folder: made once, in the folder's own part of $work.
make_reference()
{
	mkdir -p "$work/$1"
	[ -f "$work/$1/made" ] &&
		[ -z "$(find "$here/reference.h" "$here/$1/reference.c" \
			-newer "$work/$1/made")" ] &&
		return
	"$CC" -std=c11 -O1 -ffp-contract=off -o "$work/$1/reference" "$here/$1/reference.c" -lm
	(cd "$work/$1" && ./reference && : >made) ||
		{ echo "$1/reference failed" >&2; exit 1; }
}

# In the work folder: run a kernel, then compare. Outputs of an earlier run must not count.
# shellcheck disable=SC2086  # options and outputs are lists of words without blanks
run_and_compare()
{
	ptx=$1 kernel=$2 grid=$3 block=$4 shared=$5 args=$6 outputs=$7
	set --
	for arg in $args; do
		set -- "$@" "--arg=$arg"
	done
	rm -f $outputs
	"$P2A" run --device="$device" $options --grid="$grid" --block="$block" --shared="$shared" "$@" \
		"$ptx" "$kernel" || return 1
	for output in $outputs; do
		cmp "$output" "${output%.out}.ref" || return 1
	done
}

run_record()
{
	make_reference "$2"
	for compiler in $compilers; do
		case $compiler in
		nvcc) ptx=$here/$2/$2.ptx ;;
		*) ptx=$here/$2/$2.$compiler.ptx ;;
		esac
		[ -f "$ptx" ] || continue
		verdict=PASS
		(cd "$work/$2" && run_and_compare "$ptx" "$3" "$4" "$5" "$6" "$7" "$8") \
			</dev/null || verdict=FAIL failed=1
		printf '%s  %-18s %-6s %s\n' "$verdict" "$1" "$compiler" "$target"
	done
}

list=$(sed '/^#/d; s/ *| */|/g' "$here/examples.list")
for wanted in $names; do
	found=0
	while IFS='|' read -r name folder kernel grid block shared args outputs; do
		case $wanted in all | "$name" | "$folder/") ;; *) continue ;; esac
		found=1
		run_record "$name" "$folder" "$kernel" "$grid" "$block" "$shared" "$args" \
			"$outputs"
	done <<-END
	$list
	END
	[ $found = 1 ] || { echo "no example named $wanted in examples.list" >&2; exit 2; }
done
exit $failed
