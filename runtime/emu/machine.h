/* machine.h -- the running machine, for the files of this room: waves, workgroups, decoded
 * instructions.
 * A wave's registers are arrays of lanes; an instruction is a struct with its operands resolved.
 * Vega ISA manual chapter 3 "Kernel State", RDNA3 chapter 3 "Wave State". */
#ifndef EMU_MACHINE_H
#define EMU_MACHINE_H
#include <pthread.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include "emu/emu.h"
#include "isa/isa.h"

/* The scalar file: one array, the same indices on every family. VCC follows s105 as it does in the
 * encodings, so that s[104:107] reads it. */
enum {
	R_VCC = 106, R_EXEC = 108, R_M0 = 110, R_FLAT_SCRATCH = 112, R_XNACK_MASK = 114,
	R_SHARED_BASE = 116, R_SHARED_LIMIT = 118, R_PRIVATE_BASE = 120, R_PRIVATE_LIMIT = 122,
	R_SCC = 124,            /* two words: as a 64-bit source it is zero-extended */
	R_ZERO = 126,           /* what `null` reads as: 16 words, always 0 */
	R_DUMP = 142,           /* where writes to `null` go: 16 words */
	R_TTMP = 158,           /* ttmp0..ttmp15 */
	R_COUNT = 176,
	EMU_SGPRS = 106,        /* s0..s105; above them only named registers */
	EMU_VGPRS = 512,        /* with the accumulation registers */
	EMU_ACC = 256,          /* a0; wherever a kernel's descriptor puts them, code says only their number */
	EMU_LANES = 64, EMU_CLASSES = 7
};

#define EMU_VSKIP (1u << 28)     /* of MODE on gfx9: vector instructions are skipped */
#define EMU_GARBAGE 0xbadc0de5u  /* what registers hold that nothing has set */

/* Apertures of the flat address space, and where the private segment's swizzled memory pretends
 * to be. */
#define EMU_SHARED_APERTURE  ((uint64_t)1 << 48)
#define EMU_PRIVATE_APERTURE ((uint64_t)2 << 48)
#define EMU_SCRATCH_BASE     ((uint64_t)3 << 40)
#define EMU_SCRATCH_BYTES    ((uint64_t)1 << 36)

typedef struct emu_wave emu_wave;
typedef struct emu_in emu_in;
typedef struct emu_vx emu_vx;
/* next instruction; NULL: wave stops */
typedef const emu_in *(*emu_fn)(emu_wave *, const emu_in *);
/* all lanes of one vector operation */
typedef void (*emu_vfn)(emu_vx *);

enum { O_NONE, O_VGPR, O_SCALAR, O_CONST, O_VCCZ, O_EXECZ };

typedef struct emu_opd {
	uint8_t kind;                /* O_* */
	uint8_t width;               /* dwords */
	uint8_t mods, sel;           /* of p2a_opnd */
	uint8_t type;                /* isa_type */
	uint32_t reg;                /* VGPR number, EMU_ACC + AGPR number, or index into the scalar file */
	uint64_t imm;
	/* O_CONST of a vector instruction: 64 low, then 64 high dwords */
	const uint32_t *lanes;
} emu_opd;

/* One decoded instruction; one stands for every dword of code, so jumps into the middle work
 * too. */
struct emu_in {
	emu_fn fn;                   /* NULL: not decoded yet; written last, with release order */
	emu_vfn vfn;                 /* vector instructions: the operation itself */
	const emu_in *next, *target;
	emu_opd dst, out, src[3], cin; /* out: lane mask written; cin: lane mask read */
	int32_t offset, offset1;
	uint16_t op, vmax, smax, amax;  /* vmax, smax, amax: registers that it needs allocated */
	uint8_t cls;                 /* 0..6: valu salu vmem smem lds branch other */
	uint8_t slow;                /* S_*: sources or results need modifiers */
	uint8_t flt;                 /* F_*: depends on the mode register */
	uint8_t size;                /* memory: bytes an element */
	uint8_t aop;                 /* memory: enum emu_atomic */
	uint8_t clamp;               /* integer result saturates */
	uint16_t flags;              /* M_* */
	const p2a_inst *inst;        /* where `slow`; owned by the object */
	emu_in *second;              /* of a pair (VOPD); owned by the object. NULL: none */
};

enum { S_MODS = 1, S_POST = 2, S_SDWA = 4, S_DPP = 8, S_HALF = 16 /* a 16-bit result leaves the rest */, S_BYTE = 32 /* a byte does */ };
/* What a floating-point row needs of the mode register. */
enum {
	F_ROUND32 = 1, F_ROUND64 = 2, F_NEAREST = 4,   /* the host's rounding while it runs */
	F_IN32 = 8, F_IN16_64 = 16, F_OUT32 = 32, F_OUT16_64 = 64, /* denormals read and written */
	F_32 = F_ROUND32 | F_IN32 | F_OUT32, F_64 = F_ROUND64 | F_IN16_64 | F_OUT16_64,
	F_16 = F_NEAREST | F_IN16_64 | F_OUT16_64, F_TRANS = F_NEAREST,
	F_MIX = F_32 | F_IN16_64, F_MIXH = F_ROUND32 | F_IN32 | F_IN16_64 | F_OUT16_64
};
enum {
	M_SIGNED = 1,
	M_D16 = 2,
	M_HI = 4,
	M_STORE = 8,
	M_RTN = 16,
	M_TWO = 32,
	M_ST64 = 64,
	M_FLAT = 128,
	M_SCRATCH = 256,
	M_BUFFER = 512,              /* cin: the scalar offset */
	M_TID = 1024                 /* the lane's number is added to the address, in dwords */
};

/* Arguments of one vector operation. Pointers are lane arrays; a 64-bit value has its high dwords
 * at the second pointer. */
struct emu_vx {
	uint32_t *d, *dh;
	const uint32_t *a, *ah, *b, *bh, *c, *ch;
	const uint32_t *m;           /* ~0 for an enabled lane, else 0 */
	uint32_t n;                  /* lanes: 32 or 64 */
	uint32_t full;               /* every lane is enabled */
	uint32_t keep;               /* bits of d that a 16-bit result leaves: 0xffff0000 or 0 */
	/* MODE.IEEE; the instruction's clamp bit, for integer saturation */
	uint32_t ieee, clamp;
	/* return approximations at the edge of what the manual allows */
	uint32_t rough;
	uint32_t sgn;                /* bit k: source k is signed (v_dot4_i32_iu8) */
	uint32_t ovfl;               /* MODE.FP16_OVFL: what does not fit becomes the greatest number */
	uint32_t round16_64;         /* MODE's rounding for f16, f64 (the host's own is set too) */
	uint64_t exec, cin, cout;    /* lane masks: enabled, carry in, carry out */
};

typedef enum emu_state { W_READY, W_BARRIER, W_DONE, W_FAULT } emu_state;
typedef struct emu_buffer {
	uint64_t lo, hi;
	uint64_t host;               /* to be added to a device address: 0 but for aliases */
	bool writable, code;
} emu_buffer;

/* An immutable, sorted list of live buffers; replaced whole when one comes or goes. */
typedef struct emu_table {
	struct emu_table *old;       /* the one before, until no launch runs that could hold it */
	size_t n;
	emu_buffer b[];
} emu_table;

typedef struct emu_code {        /* an executable segment */
	uint64_t addr;
	size_t size;
	emu_in *in;                  /* size / 4 of them */
	emu_object *object;
} emu_code;

typedef struct emu_launch_state emu_launch_state;
typedef struct emu_group {
	struct emu_group *next, *prev;   /* of those that its host thread has under way: a ring */
	emu_wave *wave;
	uint32_t nwaves;
	uint32_t id[3];
	uint32_t size[3];            /* work-items: less than the block at the grid's end */
	uint64_t index;              /* linear, in dispatch order */
	uint8_t *lds;
	uint8_t *written;            /* EMU_CHECK_ALL: 1 for each byte of LDS that was; else NULL */
	uint32_t lds_size;
	uint32_t phase;              /* how often the barrier opened */
	uint32_t idle;               /* turns in a row in which all that its waves did was to look whether others have done something */
	uint32_t patience;           /* so often a wave looks before it gives way */
	uint64_t mark;               /* a hash of its state, 0: none yet; to find out whether it ever changes */
	bool recurs;                 /* its state was that again */
} emu_group;

/* How a group's turn ended: it has ended or was given up; its waves wait for something outside; its time was over. */
typedef enum emu_turn { EMU_OVER, EMU_WAITS, EMU_MOVES } emu_turn;

typedef struct emu_thread {      /* one host thread of a launch */
	emu_launch_state *launch;
	emu_group *now;              /* whose turn it is; NULL: none is under way */
	emu_group *spare;            /* memory of groups that ended */
	uint32_t under_way, waiting; /* groups; those of them that have waited for some turns */
	uint32_t quantum;            /* rounds of its waves that a group may take in one turn */
	uint32_t rests;              /* turns since all began to wait */
	uint32_t recurring;          /* groups whose state recurs */
	uint32_t seen;               /* launch->moves when all began to wait */
	double since;                /* when that was */
	bool proved;                 /* told the launch that all recur */
	const emu_table *table;
	emu_buffer hit;              /* last buffer that an access fell in */
	uint64_t count[EMU_CLASSES];
	uint64_t lane_ops, waves, groups;
	int round;                   /* what fesetround was last told */
} emu_thread;

struct emu_wave {
	uint32_t s[R_COUNT];
	uint32_t lanes, shift;       /* shift: log2(lanes) */
	uint32_t mode;               /* MODE register: emu_set_mode */
	uint32_t flush;              /* F_* of denormals that MODE does not keep */
	int round32, round64;        /* MODE's rounding as fesetround takes it */
	uint32_t active;             /* enabled lanes of mask_exec */
	uint32_t nvgpr, nsgpr, nagpr;   /* allocated */
	uint64_t lane_mask;          /* bits of existing lanes */
	uint64_t mask_exec;          /* EXEC that mask[] was made from */
	emu_vx x;                    /* arguments of vector operations: what lasts is set once */
	uint32_t *v;                 /* VGPR r, lane l: v[(r << shift) + l] */
	uint8_t *scratch;            /* lane l: scratch + l * scratch_stride */
	uint32_t scratch_size, scratch_stride;
	uint64_t scratch_init;       /* what FLAT_SCRATCH must hold; 0: set by hardware */
	emu_state state;
	uint32_t index;              /* in the workgroup */
	uint32_t polls;              /* looks at memory that others may change, since it last changed some itself */
	bool gives_way;              /* there were so many that its slice ended, or it waits in gws.c */
	bool queued, flag;           /* it does, and that of the barrier when it came */
	uint32_t phase;              /* barrier phase that it waits to see pass */
	uint32_t signalled;
	const emu_in *pc;
	const emu_code *code;
	emu_thread *thread;
	emu_group *group;
	struct emu_watch *watch;     /* EMU_CHECK_ALL */
	alignas(64) uint32_t mask[EMU_LANES];
	alignas(64) uint32_t tmp[3][2][EMU_LANES];   /* sources that had to be made up */
	alignas(64) uint32_t res[2][EMU_LANES];      /* a result before its modifiers */
	alignas(64) uint32_t second[EMU_LANES];      /* that of a pair's second half */
};

typedef struct emu_running {     /* a launch under way */
	struct emu_running *next;
	uint64_t epoch;
} emu_running;
typedef struct emu_block {       /* memory that emu_alloc gave out */
	struct emu_block *next;
	uint64_t addr;
	void *raw;                   /* as the host's allocator gave it */
	size_t size;                 /* of raw */
} emu_block;
enum { EMU_QUARANTINE = 256 };   /* freed blocks and images whose addresses stay unused */

/* A barrier between workgroups: how many waves it waits for before the one that opens it; turns when it opens. */
typedef struct emu_sync { uint32_t counter; bool flag; } emu_sync;
enum { EMU_SYNCS = 64 };

struct emu_device {
	p2a_target target;
	emu_check check;
	double timeout;
	bool unaligned_lds, shared;
	unsigned threads, simd;
	uint64_t wave_memory;        /* bytes that a launch's waves may take of the host's */
	const emu_vfn *hot;          /* the host's widest vector operations */
	pthread_mutex_t lock;        /* guards what follows */
	emu_sync sync[EMU_SYNCS];
	pthread_cond_t idle;         /* a launch ended */
	emu_table *table;
	uint64_t epoch;              /* of the newest launch */
	emu_running *running;
	emu_object *objects;
	uint64_t memory, used;       /* bytes that buffers may have, and have */
	emu_block *blocks, *retired; /* retired: to be freed when no launch runs */
	void *buried[EMU_QUARANTINE];/* raw memory, freed but held; NULL: none */
	size_t next_buried;
};

struct emu_launch_state {
	emu_device *dev;
	const emu_code *code;
	const emu_in *entry;
	uint64_t entry_addr;
	const char *name;            /* of the kernel; "" unknown */
	uint64_t packet, kernel_object, kernarg, queue;
	uint32_t rsrc1, rsrc2, rsrc3, properties;
	uint32_t grid[3], block[3], groups[3];  /* work-items, work-items a group, groups */
	uint32_t lds, scratch, lanes, nvgpr, nsgpr, nagpr, max_waves;
	uint64_t ngroups;
	uint32_t most;               /* groups under way at once: what the chip holds, or the host has memory for */
	double deadline;             /* 0: none */
	atomic_uint_fast64_t next_group;
	atomic_uint_fast64_t stop_at;   /* groups from this index on are abandoned */
	atomic_uint_fast64_t stop_ms;   /* when the first fault was reported; 0: none */
	atomic_uint under_way, threads; /* groups; host threads */
	atomic_bool crowded;         /* another group wanted to begin, and had no room */
	atomic_uint moves;           /* grows whenever groups that waited go on */
	uint32_t proofs;             /* threads that know since moves changed that theirs never will */
	pthread_mutex_t lock;        /* guards status, fault and proofs */
	emu_status status;
	emu_fault *fault;
	emu_stats *stats;
};

/* decode.c */
/* fills it in; its handler, never NULL */
emu_fn emu_decode(const emu_code *, const emu_in *);
/* The instruction there, and its dwords: how many, or 0 if it is none. */
int emu_read(const emu_code *, const emu_in *, uint32_t w[P2A_MAX_DWORDS], p2a_inst *);
const emu_in *emu_in_at(const emu_code *, uint64_t addr);   /* NULL: outside */
const emu_code *emu_find_code(emu_device *, uint64_t addr);
static inline uint64_t emu_addr_of(const emu_code *c, const emu_in *in)
{
	return c->addr + 4 * (uint64_t)(in - c->in);
}

/* What each instruction of isa/ops.def does: sem.c. */
typedef struct emu_sem {
	emu_fn fn;                   /* NULL: the emulator lacks it */
	uint8_t flt, size, aop;
	uint16_t flags;
} emu_sem;
extern const emu_sem emu_sem_table[ISA_NOPS];
extern const emu_vfn emu_cold[ISA_NOPS];            /* vector operations compiled once */
extern const emu_vfn emu_hot_base[ISA_NOPS];        /* the same for three host instruction sets */
extern const emu_vfn emu_hot_avx2[ISA_NOPS];
extern const emu_vfn emu_hot_avx512[ISA_NOPS];

/* valu.c */
void emu_init_vx(emu_wave *, uint32_t keep, uint32_t rough);
const emu_in *h_valu(emu_wave *, const emu_in *);
const emu_in *h_valu_scalar(emu_wave *, const emu_in *);
const emu_in *h_dual(emu_wave *, const emu_in *);
const emu_in *h_cmp(emu_wave *, const emu_in *);
const emu_in *h_cmpx(emu_wave *, const emu_in *);
void emu_update_mask(emu_wave *);
/* lane.c */
const emu_in *h_readlane(emu_wave *, const emu_in *);
const emu_in *h_readfirstlane(emu_wave *, const emu_in *);
const emu_in *h_writelane(emu_wave *, const emu_in *);
const emu_in *h_permlane16(emu_wave *, const emu_in *);
const emu_in *h_permlanex16(emu_wave *, const emu_in *);
const emu_in *h_permlane16_var(emu_wave *, const emu_in *);
const emu_in *h_permlanex16_var(emu_wave *, const emu_in *);
const emu_in *h_mqsad(emu_wave *, const emu_in *);
const emu_in *h_unclear(emu_wave *, const emu_in *);
const emu_in *h_swap(emu_wave *, const emu_in *);
const emu_in *h_permlane64(emu_wave *, const emu_in *);
const emu_in *h_ds_swizzle(emu_wave *, const emu_in *);
const emu_in *h_ds_permute(emu_wave *, const emu_in *);
const emu_in *h_ds_bpermute(emu_wave *, const emu_in *);
/* A source through DPP; bits of *valid are cleared where the lane keeps its old result. */
void emu_dpp(
	const emu_wave *, const p2a_inst *, const uint32_t *src, uint32_t *out, uint64_t *valid);
/* index.c */
const emu_in *h_v_movrels(emu_wave *, const emu_in *);
const emu_in *h_v_movrelsd(emu_wave *, const emu_in *);
const emu_in *h_v_movrelsd_2(emu_wave *, const emu_in *);
const emu_in *h_v_movreld(emu_wave *, const emu_in *);
const emu_in *h_v_swaprel(emu_wave *, const emu_in *);
const emu_in *h_s_movrels(emu_wave *, const emu_in *);
const emu_in *h_s_movreld(emu_wave *, const emu_in *);
const emu_in *h_s_movrelsd_2(emu_wave *, const emu_in *);
const emu_in *h_s_set_gpr_idx_on(emu_wave *, const emu_in *);
/* mem.c */
const emu_in *h_vmem(emu_wave *, const emu_in *);
const emu_in *h_vmem_poll(emu_wave *, const emu_in *);      /* of what others may change */
const emu_in *h_vmem_atomic(emu_wave *, const emu_in *);
/* smem.c */
const emu_in *h_smem(emu_wave *, const emu_in *);
const emu_in *h_smem_store(emu_wave *, const emu_in *);
const emu_in *h_smem_atomic(emu_wave *, const emu_in *);
const emu_in *h_smem_buffer(emu_wave *, const emu_in *);
const emu_in *h_smem_buffer_store(emu_wave *, const emu_in *);
const emu_in *h_smem_buffer_atomic(emu_wave *, const emu_in *);
const emu_in *h_time(emu_wave *, const emu_in *);
const emu_in *h_rtn(emu_wave *, const emu_in *);
const emu_in *h_waveid(emu_wave *, const emu_in *);
/* lds.c */
const emu_in *h_ds(emu_wave *, const emu_in *);
const emu_in *h_ds_addtid(emu_wave *, const emu_in *);
const emu_in *h_ds_atomic(emu_wave *, const emu_in *);
const emu_in *h_ds_condxchg(emu_wave *, const emu_in *);
const emu_in *h_ds_exchange2(emu_wave *, const emu_in *);
const emu_in *h_ds_append(emu_wave *, const emu_in *);
const emu_in *h_ds_src2(emu_wave *, const emu_in *);
/* gws.c: the handler if the dwords are an instruction of global wave sync, in's operands then filled in; else NULL */
emu_fn emu_decode_gws(const p2a_target *, const uint32_t w[2], emu_in *);
/* atomic.c */
typedef enum emu_atomic {
	A_NONE,
	A_SWAP,
	A_CMPSWAP,
	A_ADD,
	A_SUB,
	A_RSUB,
	A_SMIN,
	A_UMIN,
	A_SMAX,
	A_UMAX,
	A_AND,
	A_OR,
	A_XOR,
	A_INC,
	A_DEC,
	A_FADD,
	A_HADD, /* two halves */
	A_BADD, /* two bf16 */
	A_FMIN,
	A_CSUB,
	A_CONDSUB,
	A_FMAX,
	A_FCMPSWAP,
	A_MSKOR,
	A_WRAP
} emu_atomic;
/* flush: F_IN32 ... where an addition of floats loses denormals. Needs the host to round to nearest. */
uint64_t emu_atomic_do(
	emu_atomic, void *p, uint32_t size, uint64_t data, uint64_t compare, unsigned flush);

/* run.c */
emu_turn emu_run_group(emu_thread *, emu_group *);
/* The wave looked at memory that others may change, in the instruction before `next`: that, or NULL where it gives way. */
const emu_in *emu_poll(emu_wave *, const emu_in *next, uint32_t looks);
const emu_in *h_poll(emu_wave *, const emu_in *);
const emu_in *h_sleep(emu_wave *, const emu_in *);
void emu_set_mode(emu_wave *, uint32_t mode);
const emu_in *emu_fault_at(emu_wave *, const emu_in *, int lane, uint64_t addr, const char *fmt,
	...) __attribute__((format(printf, 5, 6))); /* returns NULL */
const emu_in *h_unknown(emu_wave *, const emu_in *);
const emu_in *h_outside(emu_wave *, const emu_in *);
const emu_in *h_odd_pair(emu_wave *, const emu_in *);
double emu_now(void);
/* watch.c */
struct emu_watch *emu_watch_new(const emu_wave *);
void emu_watch_free(struct emu_watch *);
void emu_watch_reset(emu_wave *);
bool emu_watch_step(emu_wave *, const emu_in *);    /* false: faulted */
/* launch.c */
void emu_init_wave(emu_wave *, uint32_t items);     /* registers as the hardware presets them */
void emu_out_of_memory(emu_launch_state *);         /* ends the launch */
/* resident.c */
void emu_hold(emu_launch_state *);                  /* how many groups at once: needs the descriptor read */
void emu_serve(emu_thread *);                       /* runs groups until none is left */
bool emu_is_crowded(emu_launch_state *);            /* groups have not begun, for which there was no room */
void emu_free_thread(emu_thread *);


/* memory.c */
const emu_table *emu_table_of(emu_device *);
bool emu_table_find(const emu_table *, uint64_t addr, emu_buffer *);
/* the last that begins there or before */
bool emu_table_below(const emu_table *, uint64_t addr, emu_buffer *);
emu_status emu_table_add(emu_device *, emu_buffer);
emu_status emu_table_remove(emu_device *, uint64_t addr);
void emu_drop_tables(emu_device *);                 /* lock held */
void emu_retire(emu_device *, uint64_t addr);
void emu_bury(emu_device *, void *raw, size_t);     /* lock held; of malloc; NULL is fine */
void emu_enter(emu_device *, emu_running *);
void emu_leave(emu_device *, emu_running *);
emu_status emu_error_set(emu_error *, emu_status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));      /* returns the status */

/* Reading scalar operands. */
static inline uint64_t emu_exec(const emu_wave *w)
{
	return ((uint64_t)w->s[R_EXEC + 1] << 32 | w->s[R_EXEC]) & w->lane_mask;
}
static inline uint64_t emu_vcc(const emu_wave *w)
{
	return ((uint64_t)w->s[R_VCC + 1] << 32 | w->s[R_VCC]) & w->lane_mask;
}
uint64_t emu_special(const emu_wave *, const emu_opd *);
static inline uint32_t emu_rs32(const emu_wave *w, const emu_opd *o)
{
	if (o->kind == O_SCALAR)
		return w->s[o->reg];
	return o->kind == O_CONST ? (uint32_t)o->imm : (uint32_t)emu_special(w, o);
}
static inline uint64_t emu_rs64(const emu_wave *w, const emu_opd *o)
{
	if (o->kind == O_SCALAR)
		return (uint64_t)w->s[o->reg + 1] << 32 | w->s[o->reg];
	return o->kind == O_CONST ? o->imm : emu_special(w, o);
}
static inline void emu_ws64(emu_wave *w, const emu_opd *o, uint64_t x)
{
	w->s[o->reg] = (uint32_t)x;
	w->s[o->reg + 1] = (uint32_t)(x >> 32);
}
/* A lane mask: one dword in wave32, two in wave64. */
static inline uint64_t emu_rmask(const emu_wave *w, const emu_opd *o)
{
	return w->lanes == 32 ? emu_rs32(w, o) : emu_rs64(w, o);
}
static inline void emu_wmask(emu_wave *w, const emu_opd *o, uint64_t x)
{
	w->s[o->reg] = (uint32_t)x;
	if (w->lanes == 64)
		w->s[o->reg + 1] = (uint32_t)(x >> 32);
}
static inline uint32_t *emu_vgpr(emu_wave *w, uint32_t r) { return w->v + ((size_t)r << w->shift); }
#endif
