#!/usr/bin/env bash
# Diagnostics: FILE:LINE:COL: error: TEXT [E0123], the source line, a caret; all of them; counts behind.
. "$(dirname "$0")/lib.sh"
head='.version 7.0
.target sm_70
.address_size 64'

cat >bad.ptx <<END
$head
.visible .entry k()
{
	.reg .b32 %r<4>;
	mov.u32 %r1, %r9;
	wgmma.commit_group.sync.aligned;
	mov.u32 %r2, 1;
	wgmma.commit_group.sync.aligned;
	wgmma.fence.sync.aligned;
	nosuch.u32 %r1, %r2;
	ret;
}
END
expect "refused" 1 . "$P2A" compile --target=gfx1100 -o bad.hsaco bad.ptx
is "every diagnostic has the form" "$(grep ': error: ' err | grep -cvE '^bad\.ptx:[0-9]+:[0-9]+: error: .+ \[E[0-9]{4}\]$')" 0
for line in 7 8 10 11 12; do
	is "line $line is reported" "$(grep -c "^bad.ptx:$line:" err)" 1
done
is "the source line follows" "$(grep -A1 '^bad.ptx:7:' err | tail -n 1)" '        mov.u32 %r1, %r9;'
is "then a caret" "$(grep -A2 '^bad.ptx:7:' err | tail -n 1 | grep -cE '^ *\^~*$')" 1
is "the caret stands under the operand" \
	"$(grep -A2 '^bad.ptx:7:' err | tail -n 1 | sed 's/\^.*//' | wc -c)" 22
is "no output after a refusal" "$(ls bad.hsaco 2>/dev/null)" ''
is "counts come last, most frequent first" "$(sed -n '/^not supported:/,$p' err | sed -n 2p | tr -s ' ')" ' 2 wgmma.commit_group.sync.aligned'
is "in the order of the file" "$(sed -nE 's/^bad.ptx:([0-9]+):.*/\1/p' err | sort -nc 2>&1)" ''
is "standard output stays empty" "$(wc -c <out)" 0
expect "from standard input the file is <stdin>" 1 '^<stdin>:7:' bash -c "\"$P2A\" compile --target=gfx1100 - <bad.ptx"

cat >two.ptx <<END
$head
.visible .entry good() { ret; }
.visible .entry bad()
{
	wgmma.commit_group.sync.aligned;
	ret;
}
END
expect "without --keep-going" 1 'E03' "$P2A" compile --target=gfx1100 -o two.hsaco two.ptx
expect "--keep-going leaves the kernel out" 0 "warning: kernel 'bad' left out" "$P2A" compile --keep-going --target=gfx1100 -v -o two.hsaco two.ptx
is "what is left out is no error" "$(grep -c 'error:' err)" 0
is "but a warning with its place" "$(grep -c '^two.ptx:7:.*: warning: .*wgmma' err)" 1
is "and keeps the good one" "$(grep -c ' good$' err)" 1
sed '/good/d' two.ptx >none.ptx
expect "--keep-going with no kernel left" 1 'E0311' "$P2A" compile --keep-going --target=gfx1100 -o none.hsaco none.ptx
is "writes nothing" "$(ls none.hsaco 2>/dev/null)" ''

# A fault of syntax costs its kernel alone, as long as its braces say where it ends.
cat >torn.ptx <<END
$head
.visible .entry first() { ret; }
.visible .entry torn()
{
	.reg .b32 %r<4>;
	mov.u32 %r1, ;
	fancy.new.op %r1, {%r2, @, [%r3}; // }
	{ add.u32 %r1, %r2 %r3 }
	.pragma "}";
}
.visible .entry last() { ret; }
END
expect "a fault of syntax" 1 '^torn.ptx:8:15: error: .*E0102' "$P2A" compile --target=gfx1100 -o torn.hsaco torn.ptx
expect "and --keep-going" 0 "warning: kernel 'torn' left out" "$P2A" compile --keep-going --target=gfx1100 -v -o torn.hsaco torn.ptx
is "keeps the kernels around it" "$(grep -cE ' (first|last)$' err)" 2
sed 's/%r2 %r3 }/%r2 %r3/' torn.ptx >open.ptx
expect "where a brace is missing nothing is sure" 1 'E0102' "$P2A" compile --keep-going --target=gfx1100 -o open.hsaco open.ptx
sed 's/%r2 %r3 }/%r2 %r3 }}/' torn.ptx >close.ptx
expect "nor where one is too many" 1 'E0102' "$P2A" compile --keep-going --target=gfx1100 -o open.hsaco close.ptx
sed 's/"}"/"}/' torn.ptx >quote.ptx
expect "nor behind an open string" 1 'E0105' "$P2A" compile --keep-going --target=gfx1100 -o open.hsaco quote.ptx
sed 's/\/\/ }/\/* }/' torn.ptx >comment.ptx
expect "nor in an open comment" 1 'E0105' "$P2A" compile --keep-going --target=gfx1100 -o open.hsaco comment.ptx
sed 's/^.visible .entry last()/.visible .entry last( ,/' torn.ptx >top.ptx
expect "nor where a kernel's head is at fault" 1 'E0102' "$P2A" compile --keep-going --target=gfx1100 -o open.hsaco top.ptx
is "and nothing is written" "$(ls open.hsaco 2>/dev/null)" ''

# A function that fails is told of once, where it stands, however many call it; what is not defined is no instruction.
cat >called.ptx <<END
$head
.extern .func nix();
.func helper();
.visible .entry first() { call helper; ret; }
.visible .entry second() { call nix; call helper; ret; }
.func helper()
{
	.reg .b32 %r<2>;
	movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;
	ret;
}
END
expect "a call of what cannot be translated" 1 '^called.ptx:11:2: error: .movmatrix' "$P2A" compile --target=gfx1100 -o l.hsaco called.ptx
is "is no message of its own" "$(grep -c ': error: ' err)" 2
is "what is not defined is told with its name" "$(grep -c "^called.ptx:7:28: error: no file of the program defines 'nix' \[E0507\]" err)" 1
is "only instructions are counted" "$(sed -n '/^not supported:/,$p' err | tr -s ' ' | tr '\n' '|')" 'not supported:| 1 movmatrix.sync.aligned.m8n8.trans.b16|'

# A forgotten comma, and a line that begins with a register: what is no word is no instruction either.
cat >comma.ptx <<END
$head
.visible .entry k(.param .u64 out)
{
	.reg .b64 %d<4>;
	ld.param.u64 %d1 [out];
	%d2;
	ret;
}
END
expect "a comma before an address is missed" 1 "^comma.ptx:7:[0-9]*: error: .*a ',' is missing before the" "$P2A" compile --target=gfx1100 -o l.hsaco comma.ptx
is "a register is not counted as an instruction" "$(grep -c '^not supported' err)" 0

# One fault, one message.
cat >twice.ptx <<END
$head
.visible .global .u32 g;
.visible .global .u32 g;
.visible .entry k() { ret; }
.visible .entry k() { ret; }
END
expect "a name that one file defines twice" 1 "^twice.ptx:7:17: error: 'k' is declared twice in this scope .E0202." "$P2A" compile --target=gfx1100 -o l.hsaco twice.ptx
is "is told of once" "$(grep -c ': error: ' err)" 2
cat >narrow.ptx <<'END'
.version 8.0
.target sm_75
.address_size 32
.global .u32 g;
.visible .entry k(.param .u32 p)
{
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [p];
	cvta.to.global.u32 %r1, %r1;
	mov.u32 %r2, g;
	ld.global.u32 %r3, [%r1];
	ret;
}
END
expect "addresses of 32 bits" 1 "^narrow.ptx:3:15: error: directive '.address_size 32' is not supported: addresses have 64 bits; compile with -m64" \
	"$P2A" compile --target=gfx1100 -o l.hsaco narrow.ptx
is "are told of once" "$(grep -c ': error: ' err)" 1
sed -i '/address_size/d' narrow.ptx
expect "and without that line where they stand" 1 "^narrow.ptx:8:2: error: 'cvta.to.global.u32' is not supported: addresses have 64 bits; compile with -m64" \
	"$P2A" compile --target=gfx1100 -o l.hsaco narrow.ptx

# Long lines are clipped around the place; other bytes than text do not reach the terminal.
{ echo "$head"; printf '.visible .entry k() { .reg .b32 %%r<4>; '; for i in $(seq 400); do printf 'mov.u32 %%r1, %d; ' "$i"; done
	echo 'mov.u32 %r1, %r9; ret; }'; } >long.ptx
expect "one very long line" 1 '^long.ptx:4:' "$P2A" compile --target=gfx1100 -o l.hsaco long.ptx
is "is clipped" "$(awk 'length > 120' err | wc -l)" 0
is "to where the fault is" "$(grep -c 'mov.u32 %r1, %r9' err)" 1
{ echo "$head"; printf '.visible .entry k() { \033[31m\001 }\n'; } >esc.ptx
expect "control bytes" 1 '^esc.ptx:4:' "$P2A" compile --target=gfx1100 -o l.hsaco esc.ptx
is "are not echoed" "$(tr -d '\n\t\40-\176\200-\377' <err | wc -c)" 0

# Whatever is handed in, the answer is a status, never a signal.
: >empty.ptx
expect "empty file" 1 . "$P2A" compile --target=gfx1100 -o x.hsaco empty.ptx
head -c 4096 /dev/urandom >noise.ptx
expect "noise" 1 . "$P2A" compile --target=gfx1100 -o x.hsaco noise.ptx
head -c 1000000 /dev/zero >zero.ptx
expect "a million zero bytes" 1 . "$P2A" compile --target=gfx1100 -o x.hsaco zero.ptx
expect "a folder" 1 "cannot read '.*': Is a directory" "$P2A" compile --target=gfx1100 -o x.hsaco "$work"
expect "a missing file" 1 "cannot read 'nix.ptx': No such file" "$P2A" compile --target=gfx1100 -o x.hsaco nix.ptx
truncate -s 2G huge.ptx
expect "more than 1 GiB" 1 'more than 1 GiB' "$P2A" compile --target=gfx1100 -o x.hsaco huge.ptx
rm huge.ptx
if [ "$(id -u)" != 0 ]; then
	cp two.ptx locked.ptx && chmod 0 locked.ptx
	expect "an unreadable file" 1 'Permission denied' "$P2A" compile --target=gfx1100 -o x.hsaco locked.ptx
fi
for n in 1 40 200 400; do
	head -c $n "$kernels" >cut.ptx
	expect "cut after $n bytes" 1 . "$P2A" compile --target=gfx1100 -o x.hsaco cut.ptx
done
is "none of them wrote a file" "$(ls x.hsaco 2>/dev/null)" ''

# What is no PTX text gets one line.
{ printf '\357\273\277'; cat two.ptx; } >bom.ptx
printf '\177ELF\002\001\001\0\0\0\0' >elf.ptx
iconv -f ASCII -t UTF-16 two.ptx >utf16.ptx 2>/dev/null || printf '\377\376.\0v\0' >utf16.ptx
head -c 400 /dev/zero >zeros.ptx
for f in bom elf utf16 zeros; do
	expect "$f is no text" 1 "^$f.ptx:1:1: error: .*\\[E0101\\]" "$P2A" compile --target=gfx1100 -o l.hsaco $f.ptx
	is "$f gets one line" "$(wc -l <err)" 1
done
cat >b128.ptx <<END
$head
.visible .entry k() { .reg .b128 %q; ret; }
END
expect ".b128 before PTX 8.3" 1 'b128 needs PTX 8.3' "$P2A" compile --target=gfx1100 -o l.hsaco b128.ptx
exit $bad
