#!/usr/bin/env bash
# A room includes only headers of rooms to its left: base isa ptx ir lower pass obj api | emu rt cli.
set -u
cd "$(dirname "$0")/.." || exit 1
bad=0
check() { # ROOM ALLOWED...
	local room=$1 files line dir
	shift
	case $room in
	api) files=$(ls translator/*.c 2>/dev/null) ;;
	rt) files=$(ls runtime/*.c runtime/*.h 2>/dev/null) ;;
	emu | cli | hsa) files=$(ls runtime/"$room"/* 2>/dev/null) ;;
	*) files=$(ls translator/"$room"/* 2>/dev/null) ;;
	esac
	for f in $files; do
		while read -r line; do
			dir=${line%%/*}
			[[ " $room $* " == *" $dir "* ]] || { echo "not ok layers: $f includes \"$line\""; bad=1; }
		done < <(sed -n 's/^#[[:space:]]*include "\([a-z]*\/[^"]*\)".*/\1/p' "$f")
	done
}
check base
check isa base
check ptx base
check ir base isa
check lower base isa ptx ir
check pass base isa ir lower
check obj base isa ir
check api base isa ptx ir lower pass obj
check emu base isa
check rt base isa emu
check hsa base isa emu
check cli base isa emu rt ptx lower
for f in $(grep -rlE '#[[:space:]]*include <(libelf|gelf)\.h>' translator runtime 2>/dev/null); do
	[ "$f" = translator/obj/elf.c ] || { echo "not ok layers: $f includes libelf"; bad=1; }
done
[ $bad = 0 ] && echo "ok layers"
exit $bad
