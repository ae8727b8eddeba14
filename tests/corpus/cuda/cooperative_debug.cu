// arch: sm_90
// options: -Xcicc -O0
// Some of the same as a debugger wants it: every object in memory, every function called.
#define FEW
#include "cooperative.cu"
