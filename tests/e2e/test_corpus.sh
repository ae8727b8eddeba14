#!/usr/bin/env bash
# What tests/corpus/corpus.py counts, on modules made for it; and that the PTX of the examples and of tests/corpus/cuda
# translates whole, for every kind of chip. P2A: the program. P2A_TEST_QUICK: one wave64 and one wave32 chip.
set -u
cd "$(dirname "$0")/../.." || exit 1
export P2A=${P2A:-$PWD/build/p2a}
targets=
[ -n "${P2A_TEST_QUICK:-}" ] && targets=gfx90a,gfx1100
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
verdict() { # NAME STATUS DETAILS
	if [ "$2" = 0 ]; then echo "ok $1"; else echo "not ok $1: $3"; bad=1; fi
}

head='.version 8.0 .target sm_80 .address_size 64'
cat >"$work/some.ptx" <<END
$head
// .visible .entry in_a_comment() { ret; }
.func callee() { .reg .b32 %r<9>; .reg .b64 %rd; movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2; ret; }
.visible .entry calls_it()
{
	call callee;
	ret;
}
.visible .entry whole(.param .u64 p)
{
	ret;
}
.visible .entry two()
{
	.reg .b32 %r<9>; .reg .b64 %rd;
	mbarrier.inval.b64 [%rd];
	movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;
	ret;
}
END
printf '%s\n.visible .entry broken() { frob; }\n' "$head" >"$work/broken.ptx"
ln -s nowhere "$work/gone.ptx"
mkfifo "$work/pipe.ptx"
got=$(tests/corpus/corpus.py --targets=gfx90a,gfx1100 --where "$work" | sed "s|$work/||g; s/: [bm][a-z]* [a-z]* .*  /  /")
want='modules   4, 1 parse
kernels   4

target   kernels translated
gfx90a         1   25.0 %
gfx1100        1   25.0 %

blocked by
kernels  alone  modules
      2      1        1  movmatrix.sync.aligned.m8n8.trans.b16  some.ptx:3
      1      0        1  mbarrier.inval.b64  some.ptx:16
does not parse: broken.ptx:2: unknown instruction '"'frob'"'
does not parse: gone.ptx:0: cannot be read: no file
does not parse: pipe.ptx:0: cannot be read: no file'
[ "$got" = "$want" ]
verdict 'corpus.py counts modules, kernels and what blocks them' $? "$(diff <(echo "$want") <(echo "$got") | head -n 5 | tr '\n' ' ')"
! tests/corpus/corpus.py --targets=gfx90a --least=100 "$work/some.ptx" >/dev/null && tests/corpus/corpus.py --targets=gfx90a --least=33 "$work/some.ptx" >/dev/null
verdict 'corpus.py ends with 1 below --least' $? 'another status'

for folder in examples tests/corpus/cuda tests/compare; do
	out=$(tests/corpus/corpus.py --targets="$targets" --least=100 --where "$folder" 2>&1)
	verdict "$folder translates whole for every chip" $? "$(tail -n 5 <<<"$out" | tr '\n' ' ')"
done
exit $bad
