#!/usr/bin/env bash
# A kernel that faults ends the run with status 3 and says where: kernel, workgroup, lane, address,
# instruction and the line of the PTX.
. "$(dirname "$0")/lib.sh"
line=$(grep -n '\[%rd2\], %r1' "$kernels" | cut -d: -f1)
for chip in gfx90a gfx1030 gfx1100 gfx1200; do
	expect "$chip: a store outside every buffer" 3 '^p2a run: fault: ' "$P2A" run --device=emu --target=$chip \
		--grid=2 --block=2 --arg=zero:64 "$kernels" wild
	is "$chip: kernel" "$(grep -cE '^  kernel +wild$' err)" 1
	is "$chip: workgroup" "$(grep -cE '^  workgroup +[01],0,0 wave 0$' err)" 1
	is "$chip: lane" "$(grep -cE '^  lane +[0-9]+, work-item [0-9]+,0,0$' err)" 1
	is "$chip: address" "$(grep -cE '^  address +0x[0-9a-f]+$' err)" 1
	is "$chip: instruction" "$(grep -cE '^  instruction +(global|flat)_store_' err)" 1
	is "$chip: source line" "$(grep -cE "^  source +.*kernels.ptx:$line\$" err)" 1
done
start=$SECONDS
expect "a grid of short workgroups ends at --timeout" 3 '^p2a run: timeout: ' "$P2A" run --device=emu --grid=2147483647 --timeout=0.5 "$kernels" nothing
expect "an endless kernel ends at --timeout" 3 '^p2a run: timeout: ' "$P2A" run --device=emu --timeout=0.5 --arg=zero:4 "$kernels" endless
is "soon" "$([ $((SECONDS - start)) -le 10 ] && echo yes)" yes
is "and says in which kernel" "$(grep -cE '^  kernel +endless$' err)" 1
exit $bad
