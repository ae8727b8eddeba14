/* regalloc.h -- what the files of register allocation share. Nobody else includes it.
 *
 *	liveness.c          when each dword of each value is needed
 *	regalloc_same.c     which values have the same content, so that they may share a register
 *	regalloc.c          the rounds; bundles; which register
 *	regalloc_join.c     values tied by copies become one bundle
 *	spill.c             values that found no register go to slots
 *	regalloc_expand.c   slots, copies and the scratch prologue as instructions
 *	regalloc_check.c    proof of the result by simulation
 *
 * A unit is one dword of one value. Position 2k is where instruction k reads, 2k+1 where it writes.
 * A lane sees only the writes that it makes, so units in VGPRs live along logical edges; SGPRs are
 * written by whoever comes by, so they live along linear edges.
 * Value 0 stands for VCC where instructions name it or imply it.
 * Until the check is done, ir_inst.phi of every instruction of the input holds the operands it had. */
#ifndef PASS_REGALLOC_H
#define PASS_REGALLOC_H
#include "pass/pass.h"

enum { RA_S, RA_V, RA_NBANK };
enum { RA_VCC = 106, RA_NSGPR = 108, RA_NVGPR = 512 };  /* SGPR numbers 106 and 107 are VCC everywhere */
enum { RA_NONE = UINT32_MAX };
enum { RA_MAX_ACCESS = P2A_MAX_ARGS + 2 };

/* What an instruction does to a value. */
typedef struct ra_access {
	uint32_t val;
	uint8_t first, n;        /* dwords */
	bool read, write;
	bool early;              /* written while the sources are still read */
	int8_t arg;              /* operand; -1 implied */
} ra_access;
unsigned ra_accesses(const ir_func *, const ir_inst *, ra_access out[RA_MAX_ACCESS]);
int ra_sreg_vcc(const p2a_opnd *, unsigned *n);         /* first dword inside VCC, or -1 */

/* ---- liveness ---- */

typedef struct ra_seg { uint32_t from, to; } ra_seg;    /* half-open */
typedef struct ra_segs { ra_seg *a; uint32_t n, cap; } ra_segs; /* ascending, disjoint, not touching */

/* Data flow of the units of one bank that cross block borders: bit rows, one a block. */
typedef struct ra_plane {
	uint32_t nbits, words;
	uint32_t *unit;          /* of a bit */
	uint64_t *rows;          /* all of the following */
	size_t cap;              /* words of each that rows has room for */
	uint64_t *use, *def, *in, *out;
	uint64_t *rin, *rout;    /* some definition may reach */
} ra_plane;

typedef struct ra_live {
	uint32_t nvals, nunits, ninsts;
	uint32_t *base;          /* value -> its first unit; base[nvals] == nunits */
	uint32_t *bit;           /* unit -> bit of its bank's plane, or RA_NONE */
	ra_plane plane[RA_NBANK];
	uint32_t *from, *to;     /* block -> positions */
	ra_segs *segs;           /* by unit */
	uint32_t *root;          /* by unit: the unit whose content it always has while both are alive; itself */
	float *cost;             /* by value: accesses, weighted by loop depth */
	uint32_t *naccess;       /* by value */
	bool *good_in_vcc;       /* by value: a lane mask that VALU instructions write or read */
} ra_live;
/* old: its rows may be overwritten, or NULL. Values from ninput on are temporaries of spill code. */
ra_live *ra_liveness(ir_func *, const ra_live *old, uint32_t ninput);
float ra_freq(const ir_block *);
void ra_same(ir_func *, ra_live *, uint32_t ninput); /* sets root */
bool ra_is_tie(const ir_func *, const ir_inst *); /* a copy between values of one bank */
static inline unsigned ra_bank(const ir_func *f, uint32_t val)
{ return val && f->vals.a[val].bank == IR_BANK_V ? RA_V : RA_S; }
static inline bool ra_bit(const uint64_t *row, uint32_t b) { return row[b >> 6] >> (b & 63) & 1; }

bool ra_overlap(const ra_segs *, const ra_segs *);
void ra_unite(arena *, ra_segs *into, const ra_segs *);

/* ---- allocation ---- */

typedef struct ra_bundle {
	ra_segs *dw;             /* by dword: when it is needed */
	uint32_t first;          /* member values, linked by next_val */
	uint32_t start, area;    /* first position; positions * dwords */
	float cost;
	int16_t reg, pin;        /* -1: none yet; must be there */
	uint8_t bank, width;
	uint8_t align, phase;    /* reg % align == phase */
	bool gone;               /* went into another one */
	bool fixed;              /* may not be spilled */
	bool spilled;
	bool in_vcc;             /* VCC is welcome */
} ra_bundle;

typedef struct ra_taken { uint32_t from, to, bundle; } ra_taken;
typedef struct ra_union { ra_taken *a; uint32_t n, cap; } ra_union;

/* Where a spilled value lives. */
typedef struct ra_home {
	uint32_t slot;           /* first dword in its bank's slots; RA_NONE: in a register */
	const ir_inst *remat;    /* not NULL: made again by this instead */
	bool temp;               /* a temporary of spill code: never spilled (single) or without stores (shared) */
	bool single;
} ra_home;

typedef struct ra {
	ir_func *f;
	const p2a_target *t;
	arena *A;
	ra_live *live;
	VEC(ra_home) homes;      /* by value */
	ra_bundle *bundles;
	uint32_t nbundles;
	uint32_t *bundle_of;     /* by value; RA_NONE */
	uint8_t *offset;         /* of a value inside its bundle, dwords */
	uint32_t *next_val;
	struct ra_tie { ir_inst *copy; uint32_t next[2]; } *ties; /* lists by value; side 0 result, 1 source */
	uint32_t nties, *tie_of; /* tie_of[val]: 2 * tie + side, or RA_NONE */
	ra_union *taken[RA_NBANK];
	uint32_t *seen, stamp;   /* by bundle */
	uint32_t limit[RA_NBANK], used[RA_NBANK];
	uint32_t slots[RA_NBANK];
	uint32_t nspilled[RA_NBANK]; /* values */
	uint32_t lane_vgprs;     /* VGPRs whose lanes hold SGPR slots */
	bool need_base, need_lane_scratch, need_branch_pair;
	bool vcc_used, shift64;
	/* registers of the spill code, after allocation */
	uint32_t base_sgpr, save_sgpr, lane_vgpr, lane_temp;
	uint32_t scratch_vslot, scratch_sslot; /* bytes */
} ra;

void ra_join(ra *);
void ra_spill(ra *);                     /* code for every bundle that is marked spilled */
void ra_expand(ra *);
void ra_spill_regs(ra *);                /* which registers the spill code of all slots needs */
const char *ra_check(ra *, const ra_live *original); /* NULL, or what is wrong */
void ra_internal(const ra *, const ir_inst *, const char *what);
#endif
