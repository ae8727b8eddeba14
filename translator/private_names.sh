#!/bin/sh
# Gives every global name of the installed archives that is not public (p2a_*) the prefix p2a_private_, in all
# archives alike, so that none of them can take the place of a function of the program that links them.
# Usage: private_names.sh NM OBJCOPY ARCHIVE...
set -eu
nm=$1 objcopy=$2
shift 2
map=$(mktemp)
trap 'rm -f "$map"' EXIT
for a in "$@"; do
	"$nm" -g --defined-only "$a" | awk 'NF == 3 && $3 !~ /^p2a_/ { print $3, "p2a_private_" $3 }'
done | sort -u >"$map"
for a in "$@"; do
	"$objcopy" --redefine-syms="$map" "$a"
done
