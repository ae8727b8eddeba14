/* rest.c -- what a runtime that only loads code objects never calls; without the headers, so that no prototypes are needed. */
#define MISSING(name) __attribute__((visibility("default"))) int name(void); int name(void) { return 10; /* not implemented */ }
MISSING(hsaKmtAllocQueueGWS)
MISSING(hsaKmtDestroyQueue)
MISSING(hsaKmtRegisterGraphicsHandleToNodes)
MISSING(hsaKmtRegisterSharedHandle)
MISSING(hsaKmtRegisterSharedHandleToNodes)
MISSING(hsaKmtSVMGetAttr)
MISSING(hsaKmtSVMSetAttr)
MISSING(hsaKmtSetQueueCUMask)
MISSING(hsaKmtSetXNACKMode)
MISSING(hsaKmtShareMemory)
MISSING(hsaKmtUpdateQueue)
