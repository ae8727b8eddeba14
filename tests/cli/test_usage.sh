#!/usr/bin/env bash
# A wrong call is status 2 with a message and the usage line; help is status 0 on standard output.
. "$(dirname "$0")/lib.sh"

"$P2A" --version >out 2>err
is "version prints a number" "$(grep -cE '^p2a [0-9]+\.[0-9]+\.[0-9]+$' out)" 1
expect "no command is usage" 2 'usage: p2a COMMAND' "$P2A"
expect "unknown command" 2 "unknown command 'frobnicate'" "$P2A" frobnicate
for command in compile run bfi exec dis targets ops ptx-forms help; do
	"$P2A" help $command >out 2>err
	is "help $command is status 0 and silent on standard error" "$?$(cat err)" 0
	is "help $command has an example" "$(grep -c '^example:' out)" 1
	"$P2A" $command --help >out2 2>err
	is "$command --help says the same" "$(cmp out out2 && echo same)" same
	expect "$command: unknown option" 2 "p2a $command: unknown option '--bogus'" "$P2A" $command --bogus
	is "$command: unknown option shows the usage" "$(grep -c "^usage: p2a $command" err)" 1
done
"$P2A" --help >out
for command in compile run bfi exec dis targets ops ptx-forms; do
	is "--help lists $command" "$(grep -c "^  $command " out)" 1
done
expect "help of an unknown command" 2 "no command 'x'" "$P2A" help x

expect "compile: no input" 2 'which file' "$P2A" compile --target=gfx1100
expect "compile: no target" 2 '--target is required' "$P2A" compile x.ptx
expect "compile: unknown target" 2 "unknown target 'gfx1'" "$P2A" compile --target=gfx1 "$kernels"
expect "compile: unknown feature" 2 "unknown target 'gfx1100:xnack\\+'" "$P2A" compile --target=gfx1100:xnack+ "$kernels"
expect "compile: word out of the list" 2 "'--emit' takes hsaco\\|asm\\|ir\\|ptx, not 'exe'" "$P2A" compile --emit=exe
expect "compile: missing value" 2 "'-o' needs a value" "$P2A" compile -o
expect "compile: empty value" 2 "'-o' takes FILE" "$P2A" compile --target=gfx1100 -o '' "$kernels"
expect "compile: a flag takes no value" 2 "'--keep-going' takes no value" "$P2A" compile --keep-going=yes
expect "compile: standard input by two names" 1 'can be read once' bash -c "echo x | \"$P2A\" compile --target=gfx1100 -o x - /dev/stdin"
expect "compile: -o without a file" 2 "needs a value" "$P2A" compile --target=gfx1100 -o -- x.ptx
expect "compile: standard input twice" 2 'can be read once' "$P2A" compile --target=gfx1100 -o x - -
expect "compile: -O9" 2 "unknown option '-O9'" "$P2A" compile -O9
expect "run: no kernel" 2 'an input and a kernel' "$P2A" run "$kernels"
expect "run: too many names" 2 'not more' "$P2A" run "$kernels" a b
expect "run: unknown device" 2 "takes emu\\|hip" "$P2A" run --device=cuda "$kernels" nothing
for grid in 0 1,0 1,2,3,4 x -1 1, , 4294967296; do
	expect "run: --grid=$grid" 2 "'--grid' takes X" "$P2A" run --grid=$grid "$kernels" nothing
done
for t in 0 -1 nan inf 1s; do
	expect "run: --timeout=$t" 2 "'--timeout' takes SECONDS" "$P2A" run --timeout=$t "$kernels" nothing
done
# A bad value is told what it may be.
expect "run: what --grid may be" 2 "X\[,Y\[,Z\]\], numbers from 1 to 4294967295, not '0'" "$P2A" run --grid=0 "$kernels" nothing
expect "run: what --shared may be" 2 "BYTES, a number from 0 to 4294967295, not '-1'" "$P2A" run --shared=-1 "$kernels" nothing
expect "run: what --timeout may be" 2 "SECONDS, a number above 0, not '0'" "$P2A" run --timeout=0 "$kernels" nothing
expect "run: what out may be" 2 "expected out:BYTES:FILE, BYTES a number from 0 to 1099511627776" "$P2A" run --arg=out:x:f "$kernels" wild
expect "run: what u8 may be" 2 "expected u8:VALUE, a number from 0 to 255, or 0x and at most 2 digits" "$P2A" run --arg=u8:256 "$kernels" wild
expect "run: what s64 may be" 2 "from -9223372036854775808 to 9223372036854775807, or 0x and at most 16 digits" "$P2A" run --arg=s64:x "$kernels" wild
expect "run: what f32 may be" 2 "expected f32:VALUE, a decimal number, or 0x and at most 8 digits" "$P2A" run --arg=f32:x "$kernels" wild
expect "bfi: a range upside down" 2 "LO..HI \(LO not above HI\)" "$P2A" bfi --type=b32 --pos=5..3 --len=1 --target=gfx1100
expect "compile: a pass that is none" 2 "^p2a compile: unknown pass 'zzz' to dump: it is all, lower, ssa, .*, emit$" "$P2A" compile --target=gfx1100 --dump=zzz -o x "$kernels"
expect "compile: a feature without a sign" 2 "behind gfx90a may stand :xnack\+, :xnack-, :sramecc" "$P2A" compile --target=gfx90a:xnack "$kernels"
expect "compile: a chip without features" 2 "behind gfx1100 nothing may stand" "$P2A" compile --target=gfx1100:xnack+ "$kernels"
expect "run: a kernel that is not there" 1 "no kernel 'nix' in this program: it has 'scale', .*'nothing' \[E0501\]" "$P2A" run "$kernels" nix
expect "dis: no file" 2 'which file' "$P2A" dis
expect "dis: two files" 2 'one file' "$P2A" dis a b
expect "targets: no operands" 2 'not expected' "$P2A" targets x
expect "exec: no target" 2 'target is required' "$P2A" exec -- true
expect "exec: no program" 2 'which program' "$P2A" exec --target=gfx90a
expect "exec: unknown target in a list" 2 "unknown target 'gfx1'" "$P2A" exec --target=gfx90a,gfx1 -- true
expect "exec: too many devices" 2 'more than 8 devices' "$P2A" exec --target="$(printf 'gfx900,%.0s' 1 2 3 4 5 6 7 8)gfx900" -- true
exit $bad
