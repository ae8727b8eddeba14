/* valu_table.h -- after valu_loops.h and its rows: the same rows as entries of a table by
 * operation.
 * Needs the functions k_*; to be included between the braces' definition and the .def files.
 * isa/ops.def names the operations. */
#undef V1
#undef V2
#undef V3
#undef VH3
#undef PK2
#undef PK3
#undef PF2
#undef PF3
#undef VI2
#undef VI3
#undef VO2
#undef VO3
#undef VB2
#undef CMP
#define V1(id, ...) [OP_##id] = k_##id,
#define V2 V1
#define V3 V1
#define VH3 V1
#define PK2 V1
#define PK3 V1
#define PF2 V1
#define PF3 V1
#define VI2 V1
#define VI3 V1
#define VO2 V1
#define VO3 V1
#define VB2 V1
#define CMP(name, ...) [OP_v_cmp_##name] = k_cmp_##name, [OP_v_cmpx_##name] = k_cmp_##name,
