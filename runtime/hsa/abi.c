/* abi.c -- demands that the structures of hsa_abi.h lie as hsa_abi.def says. Leaves no code. */
#include "hsa/hsa_abi.h"

#define STATUS(name, value, text)
#define CONST(name, value)
#define LATER(name, value)
#define FIELD(type, member, offset, size) \
	_Static_assert(offsetof(type, member) == (offset) && sizeof(((type *)0)->member) == (size), #type "." #member);
#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type);
#include "hsa/hsa_abi.def"
