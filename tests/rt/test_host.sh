#!/usr/bin/env bash
# A host program as a user writes it: public headers only, the two libraries, one compiler line.
. "$(dirname "$0")/../cli/lib.sh"
root=$(cd "$here/../.." && pwd)
P2A_BUILD=${P2A_BUILD:-$(dirname "$P2A")}
cc=${CC:-cc}
command -v "$cc" >/dev/null || { echo "skip host program: no compiler"; exit 77; }
sanitize=
nm "$P2A_BUILD/libp2a_rt.a" 2>/dev/null | grep -q __asan_init && sanitize=-fsanitize=address,undefined
# shellcheck disable=SC2086  # no option or one
"$cc" -std=c11 -Wall -Wextra -Werror $sanitize -I"$root/runtime/include" -I"$root/translator/include" \
	"$root/examples/bfi_host.c" -o host "$P2A_BUILD/libp2a_rt.a" "$P2A_BUILD/libp2a.a" -lelf -lpthread -lm -ldl 2>cc.err
is "the example compiles" "$(head -n 1 cc.err)" ''
expect "and runs" 0 '' ./host "$root/examples/bit_set_clear/bit_set_clear.ptx"
is "and agrees with the CPU" "$(grep -c '^0 of 1000 words differ' out)" 1
expect "a missing file is told" 1 'nix.ptx' ./host nix.ptx

# The headers are C++ too.
if command -v g++ >/dev/null; then
	printf '#include "p2a_rt.h"\n#include "p2a_isa.h"\nint main() { return p2a_device_count("none"); }\n' >h.cc
	is "the headers are C++" "$(g++ -std=c++11 -Wall -Wextra -pedantic -fsyntax-only -I"$root/runtime/include" -I"$root/translator/include" h.cc 2>&1 | head -n 1)" ''
fi
exit $bad
