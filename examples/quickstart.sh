#!/bin/sh
# From a fresh Debian 12 to PTX running on four AMD chips: installs what is missing, builds p2a,
# translates one file, then runs every example and compares it with its CPU reference.
# Needs root or sudo for packages only. Leaves build/ (one that is there keeps its options), and a table; exit status 1
# on a difference.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
build=$root/build
chips='gfx90a gfx1030 gfx1100 gfx1200'

step()
{
	printf '\n== %s\n' "$*"
}

have()
{
	command -v "$1" >/dev/null 2>&1
}

# What the build needs and this machine lacks, by Debian's names.
missing_packages()
{
	have gcc || have cc || echo gcc libc6-dev
	have cmake || echo cmake
	have make || have ninja || echo make
	have pkg-config || echo pkg-config
	[ -f /usr/include/libelf.h ] || pkg-config --exists libelf 2>/dev/null || echo libelf-dev
}

install_missing()
{
	packages=$(missing_packages | tr '\n' ' ')
	[ -n "$packages" ] || { echo "nothing is missing"; return; }
	echo "missing: $packages"
	if [ "$(id -u)" = 0 ]; then
		sudo=''
	elif have sudo; then
		sudo=sudo
	else
		echo "run this as root once:  apt-get install $packages" >&2
		exit 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	$sudo apt-get update -qq
	# shellcheck disable=SC2086  # a list of words
	$sudo apt-get install -y -qq --no-install-recommends $packages
}

build_program()
{
	options='-DCMAKE_BUILD_TYPE=Release -DP2A_TESTS=OFF'
	have make || options="$options -GNinja"
	[ ! -f "$build/CMakeCache.txt" ] || options=''
	# shellcheck disable=SC2086  # a list of words
	cmake -S "$root" -B "$build" $options
	cmake --build "$build" --parallel "$(nproc)"
}

show_translation()
{
	grep -h 'bfi\.' "$here/rgba_pack/rgba_pack.ptx"
	for chip in $chips; do
		"$build/p2a" compile --target="$chip" -o "$work/rgba_pack.$chip.hsaco" \
			"$here/rgba_pack/rgba_pack.ptx"
		"$build/p2a" compile --target="$chip" --emit=asm -o "$work/rgba_pack.$chip.s" \
			"$here/rgba_pack/rgba_pack.ptx"
		printf '%-8s %6d bytes of code object; the fields are placed by: %s\n' "$chip" \
			"$(wc -c <"$work/rgba_pack.$chip.hsaco")" \
			"$(grep -oE 'v_[a-z0-9_]*(bfi|perm|lshl_or|and_or|or3|sdwa)[a-z0-9_]*' \
				"$work/rgba_pack.$chip.s" | tr '\n' ' ')"
	done
}

# One cell of the table: the PTX of both compilers must agree with the reference.
cell()
{
	if P2A=$build/p2a sh "$here/run_example.sh" --work="$work" --target="$2" "$1" \
		>>"$work/log" 2>&1; then
		printf ' %-8s' same
	else
		printf ' %-8s' DIFFERS
		differing=$((differing + 1))
	fi
}

run_all()
{
	printf '%-18s' example
	for chip in $chips; do
		printf ' %-8s' "$chip"
	done
	printf '\n'
	names=$(sed '/^#/d; s/ *|.*//' "$here/examples.list")
	for name in $names; do
		printf '%-18s' "$name"
		for chip in $chips; do
			cell "$name" "$chip"
		done
		printf '\n'
	done
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' HUP INT TERM
differing=0

step "packages"
install_missing
step "build"
build_program
step "translate rgba_pack.ptx, whose bfi instructions are"
show_translation
step "run every example (PTX of nvcc and of clang) on the emulator, against the CPU reference"
run_all
if [ $differing != 0 ]; then
	grep -v '^PASS' "$work/log" | tail -n 40
	echo "$differing runs differ from the reference"
	exit 1
fi
echo "$(grep -c '^PASS' "$work/log") runs, all the same as the CPU reference, byte for byte"
