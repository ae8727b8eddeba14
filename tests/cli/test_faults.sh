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
# What device code calls and we define has no line of the user's: its faults stand at the call.
cat >failed.ptx <<'END'
.version 8.0
.target sm_75
.address_size 64
.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);
.global .b8 text[2] = {33, 0};
.visible .entry k()
{
	.reg .b64 d;
	.param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c;
	cvta.global.u64 d, text;
	st.param.b64 [m], d; st.param.b64 [f], d; st.param.b32 [l], 3; st.param.b64 [n], d; st.param.b64 [c], 1;
	call.uni __assertfail, (m, f, l, n, c);
	ret;
}
END
expect "a failed assertion" 3 '^p2a run: fault: ' "$P2A" run --device=emu failed.ptx k
is "faults at the call" "$(grep -cE '^  source +failed.ptx:12$' err)" 1
{ sed 3q failed.ptx; echo '.file 1 "user.cu"'; sed -e 1,3d -e '/call.uni/i .loc 1 77 5' failed.ptx; } >lines.ptx
expect "a failed assertion of a file with lines" 3 '^p2a run: fault: ' "$P2A" run --device=emu lines.ptx k
is "faults at the user's line" "$(grep -cE '^  source +user.cu:77$' err)" 1
# A full stack and a call to nowhere are told from a trap of the program's own. A frame holds 256 bytes at least, and 16 KiB is the stack.
cat >deep.ptx <<'END'
.version 8.0
.target sm_75
.address_size 64
.func (.param .b32 r) down(.param .b32 n)
{
	.local .align 16 .b8 room[256];
	.reg .b32 x<3>; .reg .pred p; .reg .b64 d;
	ld.param.u32 x0, [n];
	cvta.local.u64 d, room;
	st.volatile.u32 [d], x0;
	setp.eq.u32 p, x0, 0;
	mov.u32 x1, 0;
	@p bra DONE;
	sub.u32 x1, x0, 1;
	{
	.param .b32 a; .param .b32 b;
	st.param.b32 [a], x1;
	call.uni (b), down, (a);
	ld.param.b32 x1, [b];
	}
	ld.volatile.u32 x2, [d];
	add.u32 x1, x1, x2;
DONE:	st.param.b32 [r], x1;
	ret;
}
.visible .entry recurse(.param .u64 out, .param .u32 n)
{
	.reg .b64 d; .reg .b32 x;
	ld.param.u64 d, [out];
	ld.param.u32 x, [n];
	{
	.param .b32 a; .param .b32 b;
	st.param.b32 [a], x;
	call.uni (b), down, (a);
	ld.param.b32 x, [b];
	}
	st.global.u32 [d], x;
	ret;
}
.visible .entry room(.param .u64 out, .param .u32 n)
{
	.reg .b64 d, p, x;
	ld.param.u64 d, [out];
	ld.param.u32 x, [n];
	alloca.u64 p, x;
	st.global.u64 [d], p;
	ret;
}
.visible .entry nowhere(.param .u64 out, .param .u64 f)
{
	.reg .b64 d; .reg .b32 x;
	proto: .callprototype (.param .b32 _) _ (.param .b32 _);
	ld.param.u64 d, [f];
	{
	.param .b32 a; .param .b32 b;
	st.param.b32 [a], 0;
	call (b), d, (a), proto;
	ld.param.b32 x, [b];
	}
	ld.param.u64 d, [out];
	st.global.u32 [d], x;
	ret;
}
.visible .entry own() { trap; }
END
full='^p2a run: fault: the stack of a lane is full .recursion or alloca.: p2a compile --stack=BYTES gives it more$'
for chip in gfx90a gfx1030 gfx1200; do
	deep() { "$P2A" run --device=emu --target=$chip "$@"; }
	expect "$chip: calls 20 deep have room" 0 '' deep --arg=out:4:sum --arg=u32:20 deep.ptx recurse
	is "$chip: and their sum" "$(od -An -tu4 sum | tr -d ' ')" 210
	expect "$chip: calls 65 deep have not" 3 "$full" deep --arg=zero:4 --arg=u32:65 deep.ptx recurse
	expect "$chip: unless the stack is larger" 0 '' deep --stack=20000 --arg=out:4:sum --arg=u32:65 deep.ptx recurse
	is "$chip: and their sum" "$(od -An -tu4 sum | tr -d ' ')" 2145
	expect "$chip: alloca of 1,000 bytes" 0 '' deep --arg=zero:8 --arg=u32:1000 deep.ptx room
	expect "$chip: alloca of 16,400 bytes" 3 "$full" deep --arg=zero:8 --arg=u32:16400 deep.ptx room
	expect "$chip: nor in a stack of 16,401" 3 "$full" deep --stack=16401 --arg=zero:8 --arg=u32:16420 deep.ptx room
	expect "$chip: but in one of 17,000" 0 '' deep --stack=17000 --arg=zero:8 --arg=u32:16400 deep.ptx room
	expect "$chip: a call to no function" 3 '^p2a run: fault: a call to an address that is of no function' deep --arg=zero:4 --arg=u64:64 deep.ptx nowhere
	expect "$chip: a trap of the program's own" 3 '^p2a run: fault: trap 2$' deep deep.ptx own
done
expect "a stack beyond 2 MiB is none" 2 'a stack of 2097153 bytes: the most is 2097152' "$P2A" compile --target=gfx1201 --stack=2097153 -o deep.hsaco deep.ptx
expect "one beyond the chip's private memory is its kernel's fault" 1 "E0404" "$P2A" compile --target=gfx90a --stack=200000 --entry=room -o deep.hsaco deep.ptx
expect "a large one" 0 '' "$P2A" compile --target=gfx1201 --stack=1000000 --entry=room -o deep.hsaco deep.ptx
expect "holds as much" 0 '' "$P2A" run --device=emu --arg=zero:8 --arg=u32:999000 deep.hsaco room
# Workgroups that wait for each other: as many as the chip holds at once may. gfx1103 has 6 units of 4 SIMDs for 16 waves each, and
# a workgroup of 1,024 has 32 waves: 12. 40,000 bytes of LDS of 131,072 a unit leave room for 3 small workgroups each: 18.
meet() { "$P2A" run --device=emu --target=gfx1103 --arg=zero:4 "$@" "$kernels" meet; }
expect "12 workgroups of 1,024 wait for each other" 0 '' meet --grid=12 --block=1024 --arg=u32:12
expect "the 13th has no room" 3 'fault: endless wait: gfx1103 holds 12 workgroups .* 1 of 13 have not begun' meet --grid=13 --block=1024 --arg=u32:13
expect "but it begins when others end" 0 '' meet --grid=13 --block=1024 --arg=u32:12
expect "18 workgroups with 40,000 bytes of LDS" 0 '' meet --grid=18 --block=32 --shared=40000 --arg=u32:18
expect "19 of them do not fit" 3 'holds 18 workgroups' meet --grid=19 --block=32 --shared=40000 --arg=u32:19
expect "a timeout says that there is no more room" 3 'timeout: .*within 0.2 seconds; 12 of its 13 workgroups are under way' \
	meet --grid=13 --block=1024 --timeout=0.2 --arg=u32:13
expect "not where there is" 3 'timeout: .*within 0.2 seconds$' meet --grid=12 --block=1024 --timeout=0.2 --arg=u32:13
exit $bad
