#!/usr/bin/env bash
# targets, ops and ptx-forms: text for people, JSON for scripts, from the tables themselves.
. "$(dirname "$0")/lib.sh"
for list in targets ops ptx-forms "ops --target=gfx90a" "ops --target=gfx1200"; do
	# shellcheck disable=SC2086  # a command and its option
	"$P2A" $list >text 2>err
	is "$list" "$?$(cat err)" 0
	# shellcheck disable=SC2086
	"$P2A" $list --json >list.json 2>err
	is "$list --json" "$?$(cat err)" 0
	json "$list --json is JSON" list.json
done
for chip in gfx900 gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1200 gfx1201; do
	is "targets has $chip" "$("$P2A" targets | grep -c "^$chip ")" 1
done
is "ops --target prints that chip's names" "$("$P2A" ops --target=gfx1100 | grep -c '^s_and_not1_b32 ')" 1
is "and not the others'" "$("$P2A" ops --target=gfx1100 | grep -c '^s_andn2_b32 ')" 0
is "ops names what a family renames" "$("$P2A" ops | grep '^s_andn2_b32 ' | grep -c '(s_and_not1_b32)')" 1
is "ops says what pairs" "$("$P2A" ops --target=gfx1200 | grep -c '^v_max_num_f32 .* dual-xy$')" 1
is "and on which side" "$("$P2A" ops | grep -c '^v_and_b32 .* dual-y$')" 1
is "not where there are no pairs" "$("$P2A" ops --target=gfx1030 | grep -c dual-)" 0
is "ptx-forms knows bfi" "$("$P2A" ptx-forms | grep -cE '^yes .* bfi\.')" 1
"$P2A" ptx-forms --json | python3 -c 'import json, sys
forms = json.load(sys.stdin)
assert all(set(f) == {"form", "section", "translated"} for f in forms)
print(len(forms), sum(f["translated"] for f in forms))' >counts 2>err
is "the JSON and the text count alike" "$("$P2A" ptx-forms | tail -n 1 | awk '{ print $3, $1 }')" "$(cat counts)"
exit $bad
