/* test_hip_absent.c -- the HIP backend where there is no library, a wrong one, or no device.
 * Each must end with P2A_RT_ENODEVICE and words that help, never with a crash.
 * Needs runtime/hip.h's door for other library names. */
#define _DEFAULT_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "hip.h"

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

/* ---- Device files that a user may not open -- */

static void
file(const char *folder, const char *name, mode_t mode)
{
	char path[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *f = fopen(path, "w");
	if (f)
		fclose(f);
	chmod(path, mode);
}

static void
says(const char *name, const char *folder, const char *words)
{
	p2a_error e = { .text = "no error" };
	p2a_rt_status s = hip_no_device(folder, &e);

	check(s == P2A_RT_ENODEVICE && e.status == s && strstr(e.text, words), name, e.text);
}

/* In a child without root's rights, to whom no file is closed. */
static int
nodes(void)
{
	char folder[] = "/tmp/p2a-dev-XXXXXX", dri[64];

	if (getuid() == 0 && (setgid(65534) || setuid(65534))) {
		printf("skip device files: root's rights cannot be dropped here\n");
		return 0;
	}
	if (!mkdtemp(folder))
		return 1;
	snprintf(dri, sizeof dri, "%s/dri", folder);
	says("no device file", folder, "there is no");
	file(folder, "kfd", 0);
	says("a device file without permission", folder, "kfd; add the user to the groups 'render'");
	file(folder, "kfd", 0600);
	says("a driver without a GPU", folder, "finds no GPU that it supports");
	mkdir(dri, 0700);
	file(dri, "card0", 0);
	says("no render node", folder, "finds no GPU that it supports");
	file(dri, "renderD128", 0);
	says("a render node without permission", folder, "dri/renderD128; add the user to the group 'render'");
	file(dri, "renderD129", 0600);
	says("one render node of two", folder, "HIP_VISIBLE_DEVICES");
	for (const char *const *name = (const char *const[]){ "dri/card0", "dri/renderD128", "dri/renderD129", "kfd", NULL }; *name; name++) {
		char path[256];
		snprintf(path, sizeof path, "%s/%s", folder, *name);
		unlink(path);
	}
	rmdir(dri);
	rmdir(folder);
	return failures;
}

static void
device_files(void)
{
	int status = 1;

	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		failures = 0;
		status = nodes();
		fflush(stdout);
		_exit(status != 0);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0)
		status = 1;
	failures += status != 0;
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
	device_files();
	return failures != 0;
}
