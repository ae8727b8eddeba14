#!/usr/bin/env bash
# The installed package serves a program of somebody else: by CMake's find_package, by pkg-config, and headers alone
# compile as C and as C++.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=${P2A_BUILD:-$PWD/build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
say() { if [ "$1" = 0 ]; then echo "ok install: $2"; else echo "not ok install: $2: $(tail -n 3 "$work/log" | tr '\n' ' ')"; bad=1; fi; }
if grep -q '^P2A_SANITIZE:BOOL=ON' "$build/CMakeCache.txt"; then echo "skip install: a build with sanitizers is not meant to be installed"; exit 77; fi
cmake --install "$build" --prefix "$work/usr" >"$work/log" 2>&1
say $? "cmake --install"
if [ -e "$build/p2a-hsa/libhsa-runtime64.so.1" ]; then
	# shellcheck disable=SC2016  # for the shell that is run
	"$work/usr/bin/p2a" exec --target=gfx906 -- sh -c 'test -r "${LD_PRELOAD%% *}" && case $LD_PRELOAD in "$0"/*) ;; *) exit 1 ;; esac' "$work/usr" >"$work/log" 2>&1
	say $? "p2a exec finds its library"
fi
cat >"$work/main.c" <<'C'
#include <p2a.h>
#include <p2a_isa.h>
#include <p2a_rt.h>
#include <stdio.h>
#include <string.h>
int main(void)
{
	static const char ptx[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k() { ret; }\n";
	p2a_source s = { "k.ptx", ptx, strlen(ptx) };
	p2a_options o = { .size = sizeof o, .target = "gfx1100" };
	p2a_result *r = p2a_translate(&s, 1, &o);
	p2a_device *d;
	p2a_error e;
	int ok = r && r->status == P2A_OK && p2a_target_find("gfx90a") && p2a_device_open(NULL, &d, &e) == P2A_RT_OK;
	if (ok)
		p2a_device_close(d);
	p2a_result_free(r);
	return !ok;
}
C
mkdir "$work/c" && cat >"$work/c/CMakeLists.txt" <<'C'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(p2a 0.1 REQUIRED)
add_executable(user ../main.c)
target_link_libraries(user p2a::p2a_rt)
C
{ cmake -S "$work/c" -B "$work/cb" -DCMAKE_PREFIX_PATH="$work/usr" && cmake --build "$work/cb" && "$work/cb/user"; } >"$work/log" 2>&1
say $? "find_package(p2a), link, run"
pc=$(find "$work/usr" -name pkgconfig -type d)
# shellcheck disable=SC2046  # a list of flags
{ cc "$work/main.c" -o "$work/user" $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs p2a_rt) && "$work/user"; } >"$work/log" 2>&1
say $? "pkg-config, link, run"
foreign=$(find "$work/usr" -name '*.a' -exec nm -g --defined-only {} + 2>/dev/null | awk 'NF == 3 && $3 !~ /^p2a_/ { print $3 }' | head -n 3)
echo "$foreign" >"$work/log"
[ -z "$foreign" ]
say $? "only p2a_ names in the archives"
# What is written in another's program: the macros of each header, with numbers that are no constants.
macros() { # HEADER
	case $1 in
	p2a.h) echo 'const char *version = P2A_VERSION; unsigned none = P2A_O0;' ;;
	p2a_isa.h) cat <<-'C'
		p2a_opnd constant[] = { P2A_S(1), P2A_SN(2, 2), P2A_V(3), P2A_VN(4, 2), P2A_I(-5) };
		int reads(int n) { p2a_opnd o[] = { P2A_S(n), P2A_SN(n, n), P2A_V(n), P2A_VN(n, n), P2A_I(n) }; return o[n].kind; }
		C
		;;
	p2a_bfi.h) cat <<-'C'
		p2a_bfi_operand fixed[] = { P2A_BFI_V(1), P2A_BFI_S(2), P2A_BFI_V64(3), P2A_BFI_S64(4), P2A_BFI_IMM(5) };
		int asks(int n)
		{
			p2a_bfi_operand o[] = { P2A_BFI_V(n), P2A_BFI_S(n), P2A_BFI_V64(n), P2A_BFI_S64(n), P2A_BFI_IMM(n) };
			return o[n].kind;
		}
		C
		;;
	p2a_rt.h) echo 'const char *chip = P2A_DEFAULT_TARGET;' ;;
	esac
}
for h in "$work"/usr/include/*.h; do
	{ echo "#include \"$h\""; macros "$(basename "$h")"; } >"$work/h.c"
	[ "$(wc -l <"$work/h.c")" -gt 1 ]
	say $? "$(basename "$h"): its macros are tried"
	cc -std=c11 -Wall -Wextra -Wpedantic -Werror -I"$work/usr/include" -fsyntax-only "$work/h.c" >"$work/log" 2>&1
	say $? "$(basename "$h") as C11"
	for cxx in c++ clang++ clang++-19; do        # clang refuses narrowing that g++ lets pass
		command -v $cxx >/dev/null || continue
		cp "$work/h.c" "$work/h.cc"
		$cxx -std=c++11 -Wall -Wextra -Wpedantic -Wconversion -Werror -I"$work/usr/include" -fsyntax-only "$work/h.cc" >"$work/log" 2>&1
		say $? "$(basename "$h") as C++11, $cxx"
	done
done
exit $bad
