/* test_abi.c -- the numbers and layouts of runtime/hsa/hsa_abi.def are those of AMD's headers.
 * Needs libhsa-runtime-dev; without it there is nothing to compare with. */
#include <stddef.h>
#include <stdio.h>

#if __has_include(<hsa/hsa_ven_amd_loader.h>)
#include <hsa/hsa.h>
#include <hsa/hsa_ext_amd.h>
#include <hsa/hsa_ext_image.h>
#include <hsa/hsa_ven_amd_loader.h>
#include <hsa/amd_hsa_queue.h>
#include <hsa/amd_hsa_signal.h>

static int bad, compared;

static void
compare(const char *name, long long ours, long long theirs)
{
	compared++;
	if (ours == theirs)
		return;
	printf("not ok %s: ours is %lld, AMD's %lld\n", name, ours, theirs);
	bad++;
}

int
main(void)
{
#define STATUS(name, value, text) compare(#name, value, (long long)name);
#define CONST(name, value) compare(#name, value, (long long)name);
#define LATER(name, value)
#define FIELD(type, member, offset, size) \
	compare(#type "." #member, offset, (long long)offsetof(type, member)); \
	compare("size of " #type "." #member, size, (long long)sizeof(((type *)0)->member));
#define SIZE(type, size) compare("size of " #type, size, (long long)sizeof(type));
#include "hsa/hsa_abi.def"
	if (!bad && compared > 200)
		printf("ok %d numbers and layouts are AMD's\n", compared);
	else if (!bad)
		printf("not ok abi: only %d comparisons\n", compared);
	return bad != 0;
}
#else
int
main(void)
{
	puts("skip abi: AMD's HSA headers (libhsa-runtime-dev) are not installed");
	return 77;
}
#endif
