/* front.h -- what the files of the PTX front end share: tokens, word tables, the parser's state.
 * Only translator/ptx includes it; other rooms see ptx.h.
 * Manual: "Parallel Thread Execution ISA", chapter 4 (syntax). */
#ifndef PTX_FRONT_H
#define PTX_FRONT_H
#include "ptx/ptx.h"

/* A map from interned names to pointers. */
typedef struct ptr_map {
	struct ptr_slot { const void *key; void *value; } *slot;
	uint32_t n, nslots;
} ptr_map;
void ptr_map_init(ptr_map *, arena *);
void *ptr_map_get(const ptr_map *, const void *key);             /* NULL: absent */
void **ptr_map_at(ptr_map *, arena *, const void *key);          /* makes an empty one */

/* A word after a dot is a type or a modifier, never both. */
typedef struct dot_word {
	ptx_type type;          /* PTX_NOTYPE: not a type; PTX_OTHER_TYPE: mod says which */
	ptx_mod mod;            /* PTX_M_unknown with PTX_NOTYPE: no word of PTX */
} dot_word;

/* An opcode's text taken apart; one for each different text. */
typedef struct opcode {
	const char *text;
	ptx_op op;
	uint8_t ntypes, nmods;
	bool too_long;          /* more types or modifiers than ptx_inst holds */
	uint8_t type[PTX_MAX_TYPES];
	uint16_t mod[PTX_MAX_MODS];
	void *checked;          /* sema's */
} opcode;

typedef struct words {
	ptr_map ops;            /* interned "add" -> 1 + ptx_op */
	ptr_map dots;           /* interned "ftz" -> dot_word */
	ptr_map texts;          /* interned "add.ftz.f32" -> opcode */
} words;
void words_init(words *, arena *, intern *);
dot_word words_dot(const words *, intern *, const char *s, size_t n);
opcode *words_opcode(words *, arena *, intern *, const char *text);  /* text is interned */

typedef enum tok_kind {
	T_EOF = 0,              /* a character stands for itself */
	T_NAME = 256,           /* s: interned */
	T_DOT,                  /* .word; s: the word without the dot, interned */
	T_INT,                  /* val, uns */
	T_F32, T_F64,           /* val: bits */
	T_STRING,               /* the span holds the quotes */
	T_SHL, T_SHR, T_LE, T_GE, T_EQ, T_NE, T_ANDAND, T_OROR,
	T_BAD                   /* reported already */
} tok_kind;

typedef struct token {
	tok_kind kind;
	bool uns, line_start;   /* line_start: first of its line */
	uint32_t off, len;
	const char *s;
	uint64_t val;
} token;

typedef struct lexer {
	const char *src;
	uint32_t size, pos;
	uint32_t file;
	intern *names;
	diag_sink *diags;
	uint32_t nfaults;       /* syntax faults reported */
	bool open_comment;      /* reported */
} lexer;
void lex_init(lexer *, intern *, diag_sink *, uint32_t source);
void lex_next(lexer *, token *);
/* Is the next token, not read yet, a colon; a name? */
bool lex_at_colon(lexer *);
bool lex_at_name(lexer *);
/* Reads on from an opcode's first word t to all of its .words; leaves the lexer behind them. */
const char *lex_opcode(lexer *, arena *, const token *t);
/* May one more syntax fault be reported? Counts it. */
bool lex_may_fault(lexer *);
diag_loc lex_loc(const lexer *, uint32_t off, uint32_t len);
const char *token_text(arena *, const lexer *, const token *);   /* for messages, quoted */
/* A decimal number's bits as a double, correctly rounded; n digits, '.', 'e', sign. */
uint64_t decimal_bits(const char *s, size_t n);

enum { PTX_MAX_DEPTH = 200, PTX_MAX_SYNTAX_FAULTS = 2000 };

typedef struct parser {
	ptx_module *m;
	arena *A;
	lexer lx;
	token t;                /* the current token */
	uint32_t end;           /* where the token before it ended */
	bool stuck;             /* a fault was reported in this statement; skip to its end */
	bool said_no_target;
	uint32_t open;          /* braces opened in this statement */
	unsigned depth;
	ptx_func *func;         /* whose body or head is being read */
	uint32_t body, body_end;        /* a body's begin, 0 outside; behind its last brace, once a fault stands in it */
	words *w;
	VEC(ptx_operand) ops;   /* a stack: operands of what is being read */
} parser;

/* parse.c */
void advance(parser *);
static inline bool is_punct(const parser *P, int c) { return (int)P->t.kind == c; }
bool is_dot(const parser *, const char *word);
bool is_warp_size(const parser *);       /* WARP_SZ, a constant and never a name */
bool accept(parser *, int c);
bool accept_dot(parser *, const char *word);
bool expect(parser *, int c, const char *what);
bool may_fault(parser *);                /* for reports with formats of their own */
void fault_here(parser *, const char *expected);
void fault_span(parser *, enum diag_id, uint32_t off, uint32_t len, const char *text);
const char *expect_name(parser *, const char *what);             /* NULL: reported */
bool expect_string(parser *, const char *what);
bool expect_count(parser *, uint64_t limit, const char *what, uint64_t *val);
bool end_statement(parser *);            /* was the statement whole? */
void recover(parser *);
diag_loc span_from(const parser *, uint32_t off);                /* to the last token read */
const char *text_from(const parser *, uint32_t off);
bool enter(parser *);                    /* one level deeper, or a report */
void leave(parser *);
void parse_pragma(parser *);

/* parse_head.c */
void parse_version(parser *);
void parse_target(parser *);
void parse_address_size(parser *);

/* parse_decl.c */
bool at_space(const parser *);
uint32_t natural_align(const ptx_symbol *);
ptx_symbol *new_symbol(parser *, ptx_symkind, const char *name, diag_loc);
/* Declarations and their semicolon; pushes the symbols. */
typedef VEC(ptx_symbol *) symbol_list;
void parse_decl(parser *, uint8_t linkage, symbol_list *);
void parse_params(parser *, symbol_list *);

/* parse_func.c */
void bound_body(parser *);               /* at a fault in a body: it is read no further than to its last brace */
ptx_func *parse_func(parser *, uint8_t linkage, uint32_t off);
ptx_symbol *parse_proto(parser *, const char *label, diag_loc);
void parse_attribute(parser *, const char **text);

/* parse_init.c */
void parse_initializer(parser *, ptx_symbol *);

/* parse_body.c */
ptx_stmt *parse_body(parser *);
void parse_loc(parser *, ptx_stmt *);

/* parse_debug.c */
void parse_section(parser *);
bool at_dwarf_line(parser *);
void parse_dwarf_line(parser *);

/* parse_inst.c */
void parse_inst(parser *, ptx_stmt *);

/* parse_expr.c */
typedef struct constant {
	tok_kind kind;          /* T_INT, T_F32, T_F64; T_BAD: reported */
	bool uns;
	uint64_t val;
} constant;
constant parse_constant(parser *);
double constant_double(const constant *);

/* By form: which modules may use it, 0 all; the modifier that it stands for. */
enum { BEFORE_1_4 = 1, BEFORE_3_2 = 2 };
typedef struct form_past { uint8_t until; uint16_t implied; } form_past;
extern const form_past ptx_form_past[];

/* Selectors of video instructions: none; one byte or half; two halves
 * or four bytes of two registers; which halves or bytes of one, from above. */
typedef enum slot_sel { SEL_NONE, SEL_PART, SEL_HALVES, SEL_BYTES, SEL_MASK2, SEL_MASK4 } slot_sel;

/* What a form wants of one operand; forms.def has the classes. */
typedef enum slot_kind { SLOT_DEST, SLOT_VALUE, SLOT_MEM, SLOT_ADDR, SLOT_SRC, SLOT_PACK, SLOT_UNPACK,
	SLOT_LABEL, SLOT_FUNC, SLOT_TARGETS, SLOT_LIST, SLOT_IMM, SLOT_ANY } slot_kind;
enum { SL_OPT = 1, SL_NEG = 2, SL_SINK = 4, SL_PAIR = 8, SL_PAIR_OPT = 16, SL_WIDER = 32,
	SL_SREG = 64, SL_NARROW = 128 /* a register may have 32 bits for 64 */ };
typedef struct slot {
	uint8_t kind, type, flags;
	uint8_t lanes;                  /* of a vector; 1 */
	uint8_t mask;                   /* a constant lies in 0..mask; SLOT_IMM: is one of its bits; 0: any */
	bool warps;                     /* a constant is a multiple of 32 */
	bool global;                    /* memory: of .global, whatever the instruction says */
	uint8_t sel;                    /* slot_sel: the selector of bytes or halves that it takes */
	bool minus;                     /* -r */
	bool zero;                      /* an integer constant that is 0 */
} slot;
enum { MAX_SLOTS = 8 };
/* One form that an opcode's text fits. */
typedef struct shape {
	uint16_t form;
	uint8_t n, least;               /* operands at most, at least */
	bool open;                      /* any number more */
	slot slot[MAX_SLOTS];
} shape;
/* All of them; if none, why: the fault, the word, and what was missing. */
typedef struct shapes {
	VEC(shape) list;
	enum diag_id fault;
	uint32_t at, len;               /* the word in the opcode's text, with its dot */
	const char *missing;
} shapes;

typedef struct binding binding;
typedef struct sema {
	ptx_module *m;
	arena *A;
	words w;
	uint8_t past;           /* BEFORE_*: rows of forms.def that this module may use */
	bool flushes;           /* its target knows no subnormals of f32 */
	ptr_map bound;          /* name -> innermost binding */
	ptr_map ranges;         /* "%r" -> innermost binding of %r<n> */
	ptr_map sregs;          /* "%tid.x" -> 1 + ptx_sreg */
	VEC(binding *) scopes;  /* what each open scope declares, newest first */
	uint32_t range_depth;   /* no scope deeper than this declares %r<n> */
	bool demotes;           /* .target map_f64_to_f32: instructions of f64 compute in f32 */
	ptx_func *func;
	bool heading;           /* declaring its parameters */
	ptx_stmt *stmt;
	bool bad;               /* a fault was reported on this instruction */
} sema;

/* sema_scope.c */
void scope_open(sema *);
void scope_close(sema *);
void scope_declare(sema *, ptx_symbol *);
ptx_symbol *scope_find(sema *, const char *name);

/* sema_form.c */
const shapes *sema_shapes(sema *, opcode *);

/* sema_inst.c */
void sema_inst(sema *, ptx_stmt *);
bool sema_resolve(sema *, ptx_operand *, enum diag_id unknown);
void sema_count(sema *);        /* one more fault of the function at work, or of the module */
#endif
