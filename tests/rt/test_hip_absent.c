/* test_hip_absent.c -- the HIP backend where there is no library, a wrong one, or no device.
 * Each must end with P2A_RT_ENODEVICE and words that help, never with a crash.
 * Needs runtime/hip.h's door for other library names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hip.h"

static int failures;

static void
check(int good, const char *name, const char *why)
{
	if (good)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %s\n", name, why);
	failures += !good;
}

static void
refused(const char *name, const char *const *libraries, const char *words)
{
	p2a_device_config c = { .size = sizeof c };
	p2a_error e = { .text = "no error" };
	void *dev = NULL;
	p2a_rt_status s = hip_open(libraries, &c, &dev, &e);

	check(s == P2A_RT_ENODEVICE && e.status == s && strstr(e.text, words) && !dev, name, e.text);
}

/* The installed library, if any: without a device file there is none it could drive. */
static void
installed(void)
{
	p2a_device_config c = { .size = sizeof c, .backend = "hip" };
	p2a_error e = { .text = "no error" };
	p2a_device *dev = NULL;

	if (!access("/dev/kfd", F_OK) || !access("/dev/dxg", F_OK)) {
		printf("skip no device: there may be one here\n");
		return;
	}
	check(p2a_device_count("hip") == 0, "no HIP device is counted", "there is one");
	p2a_rt_status s = p2a_device_open(&c, &dev, &e);
	check(s == P2A_RT_ENODEVICE && (strstr(e.text, "no ROCm device") || strstr(e.text, "no HIP library")),
	      "opening it says why", e.text);
	c = (p2a_device_config){ .size = sizeof c };
	s = p2a_device_open(&c, &dev, &e);
	check(s == P2A_RT_OK && !strcmp(p2a_device_backend(dev), "emu"), "auto falls back to the emulator", e.text);
	p2a_device_close(dev);
}

int
main(void)
{
	static const char *const none[] = { NULL };
	static const char *const missing[] = { "libamdhip64.so.nix", "/nix/libamdhip64.so", NULL };
	static const char *const wrong[] = { "libm.so.6", NULL };
	static const char *const broken[] = { "/proc/self/cmdline", NULL };

	refused("no name to try", none, "no HIP library");
	refused("no library", missing, "no HIP library");
	refused("a library that is not HIP", wrong, "lacks hipInit");
	refused("a file that is no library", broken, "no HIP library");
	installed();
	return failures != 0;
}
