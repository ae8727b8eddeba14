/* hip.h -- the door through which tests open HIP from other libraries than the installed one.
 * Everything else goes through backend_hip of backend.h.
 * Manual: docs/testing.md. */
#ifndef RT_HIP_H
#define RT_HIP_H
#include "backend.h"

/* Names that dlopen tries in order, ended by NULL. */
extern const char *const hip_libraries[];
p2a_rt_status hip_open(const char *const *libraries, const p2a_device_config *, void **dev, p2a_error *);

/* P2A_RT_ENODEVICE and why, in words that help, from the device files in a folder ("/dev"). */
p2a_rt_status hip_no_device(const char *dev, p2a_error *err);

#endif
