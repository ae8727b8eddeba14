/* test_refuse.c -- what must be refused, with the right error.
 * Needs tests/isa/refuse.txt (argument) for what text can say; the rest is built here.
 * Prints a line a test. */
#include "gen.h"

#include <stdio.h>
#include <string.h>

static const char *const error_name[] = {
	"OK", "UNKNOWN_OP", "NOT_HERE", "ARGS", "REGISTER", "CONSTANT", "CONST_BUS", "OFFSET",
	    "MODIFIER", "SHORT", "SYNTAX"
};

static int
check_text(char *line)
{
	char *chip = strtok(line, "\t"), *want = strtok(NULL, "\t"), *text = strtok(NULL, "\n");
	const p2a_target *t = chip ? p2a_target_find(chip) : NULL;
	p2a_inst i;
	int err;

	if (!t || !want || !text)
		return printf("# malformed line\n"), 1;
	err = p2a_parse(t, text, &i, NULL);
	if (!strcmp(error_name[-err], want))
		return 0;
	printf("# %s: %s: %s, want %s\n", chip, text, error_name[-err], want);
	return 1;
}

static int
refused_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[512];
	int bad = 0, n = 0;

	if (!f)
		return printf("not ok isa-refuse-text: cannot open %s\n", path), 1;
	for (; fgets(line, sizeof line, f); n++)
		if (*line != '#' && *line != '\n')
			bad += check_text(line);
	fclose(f);
	printf(bad ? "not ok isa-refuse-text: %d of %d\n" : "ok isa-refuse-text\n", bad, n);
	return bad != 0;
}

static int
expect(const char *what, int want, const p2a_inst *i)
{
	const p2a_target *t = p2a_target_find("gfx1030");
	int err = p2a_check(t, i);

	if (err == want)
		return 0;
	printf("# %s: %s, want %s\n", what, error_name[-err], error_name[-want]);
	return 1;
}

/* Structs that no text makes. */
static int
refused_structs(void)
{
	const p2a_inst add = { .op = OP_v_add_f32, .nargs = 3,
	    .arg = { P2A_V(0), P2A_V(1), P2A_V(2) } };
	int bad = expect("a legal instruction", 0, &add);
	p2a_inst i = add;

	i.op = ISA_NOPS;
	bad += expect("no such op", P2A_ISA_UNKNOWN_OP, &i);
	i = add, i.nargs = 2;
	bad += expect("too few operands", P2A_ISA_ARGS, &i);
	i = add, i.arg[1].kind = 16;
	bad += expect("a virtual register", P2A_ISA_ARGS, &i);
	i = add, i.arg[1].width = 2;
	bad += expect("wrong width", P2A_ISA_REGISTER, &i);
	i = add, i.arg[1].reg = UINT32_MAX;
	bad += expect("huge register", P2A_ISA_REGISTER, &i);
	i = add, i.enc = 77;
	bad += expect("no such encoding", P2A_ISA_NOT_HERE, &i);
	i = add, i.omod = 4;
	bad += expect("omod out of range", P2A_ISA_MODIFIER, &i);
	i = add, i.clamp = 2;
	bad += expect("clamp out of range", P2A_ISA_MODIFIER, &i);
	i = add, i.arg[1].mods = 0x80;
	bad += expect("unknown modifier", P2A_ISA_MODIFIER, &i);
	i = add, i.arg[1].sel = 1;
	bad += expect("sel without SDWA", P2A_ISA_MODIFIER, &i);
	i = add, i.dst_sel = 1;
	bad += expect("dst_sel without SDWA", P2A_ISA_MODIFIER, &i);
	i = add, i.dpp = 1;
	bad += expect("dpp control without DPP", P2A_ISA_MODIFIER, &i);
	i = add, i.cpol = 0x8000;
	bad += expect("unknown cache policy", P2A_ISA_MODIFIER, &i);
	i = add, i.offset1 = 1;
	bad += expect("second offset", P2A_ISA_OFFSET, &i);
	i = add, i.arg[0].mods = P2A_NEG;
	bad += expect("modifier on a result", P2A_ISA_MODIFIER, &i);
	i = (p2a_inst){ .op = OP_s_cbranch_scc0, .nargs = 1, .arg = { P2A_I(0x8000) } };
	bad += expect("branch too far", P2A_ISA_CONSTANT, &i);
	i = (p2a_inst){ .op = OP_s_nop, .nargs = 1, .arg = { P2A_I(0x12345) } };
	bad += expect("more than 16 bits", P2A_ISA_CONSTANT, &i);
	i = (p2a_inst){ .op = OP_s_mov_b32, .nargs = 2, .arg = { { .kind = P2A_K_SREG, .width = 1,
	    .reg = P2A_SCC }, P2A_S(0) } };
	bad += expect("a source as destination", P2A_ISA_REGISTER, &i);
	i = (p2a_inst){ .op = OP_s_mov_b64, .nargs = 2, .arg = { P2A_SN(0, 2),
	    { .kind = P2A_K_IMM, .imm = -17 } } };
	bad += expect("64-bit literal that would be zero-extended", P2A_ISA_CONSTANT, &i);
	i = (p2a_inst){ .op = OP_v_add_f64, .nargs = 3, .arg = { P2A_VN(0, 2),
	    { .kind = P2A_K_IMM, .imm = 0x3ff0000000000001 },
	                P2A_VN(2, 2) } };
	bad += expect("double with low bits", P2A_ISA_CONSTANT, &i);
	printf(bad ? "not ok isa-refuse-structs: %d\n" : "ok isa-refuse-structs\n", bad);
	return bad != 0;
}

/* What no text of a pair can say. */
static int
refused_pairs(void)
{
	const p2a_target *t = p2a_target_find("gfx1100");
	const p2a_inst pair = { .op = OP_v_mov_b32, .op_y = OP_v_add_f32, .enc = P2A_ENC_DUAL, .nargs = 5,
	    .arg = { P2A_V(0), P2A_V(3), P2A_V(1), P2A_V(2), P2A_V(5) } };
	p2a_inst i = pair;
	int bad = p2a_check(t, &i) != 0;

	i.op_y = ISA_NOPS;
	bad += p2a_check(t, &i) != P2A_ISA_UNKNOWN_OP;
	i = pair, i.op = OP_s_mov_b32;
	bad += p2a_check(t, &i) != P2A_ISA_NOT_HERE;
	i = pair, i.nargs = 6;
	bad += p2a_check(t, &i) != P2A_ISA_ARGS;
	i = pair, i.clamp = 1;
	bad += p2a_check(t, &i) != P2A_ISA_MODIFIER;
	i = pair, i.offset = 4;
	bad += p2a_check(t, &i) != P2A_ISA_OFFSET;
	i = pair, i.dpp_mask = 1;
	bad += p2a_check(t, &i) != P2A_ISA_MODIFIER;
	i = (p2a_inst){ .op = OP_v_mov_b32, .op_y = OP_v_add_f32, .nargs = 2, .arg = { P2A_V(0), P2A_V(1) } };
	bad += p2a_check(t, &i) != P2A_ISA_MODIFIER;
	printf(bad ? "not ok isa-refuse-pairs: %d\n" : "ok isa-refuse-pairs\n", bad);
	return bad != 0;
}

static int
refused_bytes(void)
{
	const p2a_target *t = p2a_target_find("gfx900");
	static const uint32_t load[2] = { 0xdc508000, 0x017f0002 },
	    literal[2] = { 0xbe8000ff, 0x12345678 };
	p2a_inst i;
	int bad = 0;

	bad += p2a_decode(t, load, 0, &i) != P2A_ISA_SHORT;
	bad += p2a_decode(t, load, 1, &i) != P2A_ISA_SHORT;
	bad += p2a_decode(t, load, 2, &i) != 2;
	bad += p2a_decode(t, literal, 1, &i) != P2A_ISA_SHORT;
	bad += p2a_decode(t, literal, 2, &i) != 2;
	printf(bad ? "not ok isa-refuse-bytes: %d\n" : "ok isa-refuse-bytes\n", bad);
	return bad != 0;
}

int
main(int argc, char **argv)
{
	return refused_text(argc > 1 ? argv[1] :
	    "tests/isa/refuse.txt") + refused_structs() + refused_pairs() + refused_bytes() != 0;
}
