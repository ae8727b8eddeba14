#!/usr/bin/env bash
# Code objects of ours are loaded and frozen by AMD's own HSA runtime (libhsa-runtime64-1), on a stand-in driver library below it (kmt/),
# and it finds in them what our loader finds: kernels, variables, sizes, and in memory the same descriptors, code and values, relocations
# applied. Objects that are wrong get the same status from both.
. "$(dirname "$0")/../cli/lib.sh"
kmt=$here/../hsa/kmt root=$here/../..
ours=$(dirname "$P2A")/p2a-hsa cc=${CC:-cc}
[ -e "$ours/libhsa-runtime64.so.1" ] || { echo "skip conformance: not built on this system"; exit 77; }
for h in hsakmt.h hsa/hsa.h; do
	echo "#include <$h>" | "$cc" -fsyntax-only -x c - 2>/dev/null || { echo "skip conformance: no $h (libhsakmt-dev, libhsa-runtime-dev)"; exit 77; }
done
mkdir amd
sanitize=
nm -D "$ours/libhsa-runtime64.so.1" 2>/dev/null | grep -q __asan_init && sanitize=-fsanitize=address,undefined
# shellcheck disable=SC2086  # no option or one
"$cc" -w -shared -fPIC -fvisibility=hidden -Wl,-soname,libhsakmt.so.1 -Wl,--version-script="$kmt/kmt.map" -o amd/libhsakmt.so.1 "$kmt/kmt.c" "$kmt/queue.c" "$kmt/rest.c" -lpthread &&
	"$cc" -std=c11 -Wall -Wextra -I"$root/runtime" -o conform-amd "$kmt/conform.c" -l:libhsa-runtime64.so.1 &&
	"$cc" -std=c11 $sanitize -D_DEFAULT_SOURCE -I"$root/runtime" -o conform-ours "$kmt/conform.c" "$ours/libhsa-runtime64.so.1" ||
	{ not_ok "build" "the compiler says no"; exit 1; }
by_amd() { KMT_CHIP=$version LD_LIBRARY_PATH=amd timeout 60 ./conform-amd "$1" 2>/dev/null | sort; }
by_ours() { P2A_DEVICES=$chip LD_LIBRARY_PATH=$ours timeout 60 ./conform-ours "$1" 2>/dev/null | sort; }

while read -r chip version; do
	for ptx in "$here/../hsa/hip/kernels.ptx" "$kernels" "$root/examples/insert/insert.ptx"; do
		for v in 4 5; do
			"$P2A" compile --target=$chip --code-object=$v -o o "$ptx"
			by_amd o >want
			is "$chip $(basename "$ptx") version $v loads and is frozen" "$(grep -E '^(status|frozen)' want | tr '\n' ' ')" 'frozen 0x0 status 0x0 '
			is "and has the same in it" "$(by_ours o)" "$(cat want)"
		done
	done
done <<'END'
gfx900 9.0.0
gfx906 9.0.6
gfx908 9.0.8
gfx90a 9.0.10
gfx1010 10.1.0
gfx1030 10.3.0
END

# One byte of the ELF header changed. Not here: objects that are cut off (AMD's loader dies of them), unlinked ones (it takes them),
# version 3 (it reads other flags then); test_loader.c has them.
chip=gfx90a version=9.0.10
"$P2A" compile --target=$chip -o good "$kernels"
while read -r offset byte what; do
	cp good o
	# shellcheck disable=SC2059  # an escape sequence, on purpose
	printf "\\x$byte" | dd of=o bs=1 seek="$offset" conv=notrunc status=none
	is "the same status: $what" "$(by_ours o | grep status)" "$(by_amd o | grep status)"
done <<'END'
0 00 no ELF file
4 01 32 bits
7 00 another operating system
8 09 version 11
18 3e another machine
48 2c another chip
48 ee an unknown chip
49 07 xnack on
49 0e xnack off, sramecc on
49 08 sramecc off
END
exit $bad
