#!/usr/bin/env bash
# An output appears whole or not at all; what stood there before survives a failed run.
. "$(dirname "$0")/lib.sh"
cp "$kernels" k.ptx
echo 'not ptx' >bad.ptx

echo old >out.hsaco
expect "a failed run" 1 . "$P2A" compile --target=gfx1100 -o out.hsaco bad.ptx
is "leaves the old file alone" "$(cat out.hsaco)" old
mkdir clean && expect "another failed run" 1 . "$P2A" compile --target=gfx1100 -o clean/x bad.ptx
is "leaves no file at all" "$(ls -A clean)" ''
expect "a good run" 0 '' "$P2A" compile --target=gfx1100 -o clean/x k.ptx
is "leaves just the output" "$(ls -A clean)" x
is "with the permissions of a new file" "$(stat -c %a clean/x)" "$(umask | awk '{ printf "%o", 438 - (substr($1, length($1) - 1, 1) % 8) * 8 - substr($1, length($1)) % 8 }')"
chmod 600 clean/x
"$P2A" compile --target=gfx1100 -o clean/x k.ptx
is "or with those of the old one" "$(stat -c %a clean/x)" 600
ln -s real.hsaco link.hsaco && : >real.hsaco
"$P2A" compile --target=gfx1100 -o link.hsaco k.ptx
is "a symbolic link stays one" "$([ -L link.hsaco ] && cmp -s real.hsaco clean/x && echo yes)" yes
expect "no such folder" 1 "cannot write 'no/x'" "$P2A" compile --target=gfx1100 -o no/x k.ptx
expect "a folder as output" 1 "cannot write 'clean'" "$P2A" compile --target=gfx1100 -o clean k.ptx
expect "/dev/null" 0 '' "$P2A" compile --target=gfx1100 -o /dev/null k.ptx
is "is still a device" "$([ -c /dev/null ] && echo yes)" yes
expect "the input as output" 2 'is an input' "$P2A" compile --target=gfx1100 -o k.ptx k.ptx
is "is not overwritten" "$(cmp k.ptx "$kernels" && echo same)" same
if [ -w /dev/full ]; then
	expect "a full device" 1 'No space left' "$P2A" compile --target=gfx1100 -o /dev/full k.ptx
	"$P2A" compile --target=gfx1100 -o - k.ptx >/dev/full 2>err
	is "a full standard output" $? 1
	"$P2A" targets >/dev/full 2>err
	is "a list to a full device" "$?$(grep -c 'cannot write' err)" 11
fi
"$P2A" ops 2>err | head -n 1 >/dev/null
is "a closed pipe is no crash" "$([ "${PIPESTATUS[0]}" -le 1 ] && echo yes)" yes

words 1 2 3 4 >in.bin
echo old >y.out
expect "run: a wild store" 3 . "$P2A" run --device=emu --arg=inout:in.bin:y.out "$kernels" wild
is "run: a fault writes no output" "$(cat y.out)" old
expect "run: an output that cannot be written" 1 'cannot write' "$P2A" run --device=emu \
	--arg=inout:in.bin:no/y --arg=u32:1 --arg=u32:4 "$kernels" scale
expect "run: two outputs to one file" 2 "two buffers go to 'y'" "$P2A" run --device=emu \
	--arg=out:4:y --arg=out:4:y "$kernels" nothing
exit $bad
