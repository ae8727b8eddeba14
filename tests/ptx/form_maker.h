/* form_maker.h -- makes instructions from rows of forms.def, for the frame of frame.ptx.
 * Each alternative of each modifier appears once, optional ones otherwise left out. */
#ifndef FORM_MAKER_H
#define FORM_MAKER_H
#include "ptx_test.h"

enum { MAX_ITEMS = 24 };

/* One modifier of a row, with its alternatives. */
typedef struct item {
	char alt[40][40];
	int n;
	bool optional;
} item;

typedef struct form {
	char op[32];
	item item[MAX_ITEMS];
	int n;
	bool open;              /* "...": not to be made */
	const char *operands;
} form;
void read_form(const char *pattern, form *);
/* Calls fn with each instruction; returns how many; 0 for open rows, old ones and calls. */
int each_instruction(uint16_t row, void (*fn)(const char *inst, uint16_t row, void *), void *);
/* The instruction in a scope of its own in the frame, for sm_100a; malloc'd. */
char *framed_inst(const char *inst);
#endif
