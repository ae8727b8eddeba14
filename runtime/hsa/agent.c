/* agent.c -- agents, instruction sets, caches: what the host and the emulated devices say of themselves.
 * Needs P2A_DEVICES and chips.def; leaves rt.agent with an emulated device each.
 * HSA Runtime Programmer's Reference Manual 2.3, 2.8; what libamdhip64 asks for. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hsa/runtime.h"

static const rt_chip chips[] = {
#define CHIP(...) { __VA_ARGS__ },
#include "hsa/chips.def"
};
enum { LDS_BYTES = 65536, MAX_GROUP = 1024, QUEUE_MIN = 64, QUEUE_MAX = 131072 };
#define MEMORY_BYTES ((size_t)16 << 30)
#define SCRATCH_LIMIT ((uint64_t)4 << 30)

/* ---- Opening --------------------------------------------------------------------------------- */

static void add_pool(rt_agent *a, rt_pool_kind kind, uint32_t flags)
{
	uint32_t segment = kind == RT_LDS ? HSA_REGION_SEGMENT_GROUP : HSA_REGION_SEGMENT_GLOBAL;
	a->pool[a->npools++] = (rt_pool){ a, kind, segment, flags, kind == RT_LDS ? LDS_BYTES : MEMORY_BYTES };
}

static void open_host(rt_agent *a)
{
	*a = (rt_agent){ .chip = { .name = "CPU", .product = "CPU", .mhz = 1000, .mem_mhz = 1000, .mem_bits = 64 } };
	add_pool(a, RT_HOST_FINE, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED | HSA_REGION_GLOBAL_FLAG_KERNARG);
	add_pool(a, RT_HOST_COARSE, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
}

static const rt_chip *find_chip(const char *name)
{
	for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
		if (!strcmp(chips[i].name, name))
			return &chips[i];
	return NULL;
}

/* The full name of a device's instruction set: features that the id leaves open are as most systems have them. */
static void name_isa(rt_agent *a)
{
	const p2a_target *t = a->target;
	size_t n = (size_t)snprintf(a->isa, sizeof a->isa, "amdgcn-amd-amdhsa--%s", t->name);
	if (t->has_sramecc && n < sizeof a->isa)
		n += (size_t)snprintf(a->isa + n, sizeof a->isa - n, ":sramecc%c", t->sramecc < 0 ? '-' : '+');
	if (t->has_xnack && n < sizeof a->isa)
		snprintf(a->isa + n, sizeof a->isa - n, ":xnack%c", t->xnack > 0 ? '+' : '-');
}

/* ---- The environment -------------------------------------------------------------------------- */

typedef struct settings { emu_check check; double timeout; unsigned threads; } settings;

/* A number of 0 or more; not set or empty: 0. */
static bool read_number(const char *name, double most, double *out)
{
	const char *text = getenv(name);
	char *end = NULL;
	*out = text && *text ? strtod(text, &end) : 0;
	if (!end || (end != text && !*end && *out >= 0 && *out <= most))
		return true;
	rt_say("%s: '%s' is not a number from 0 to %g", name, text, most);
	return false;
}

/* Which of the words; not set or empty: the first. -1, and a line said: none. */
static int read_word(const char *name, const char *const *word, int n)
{
	const char *text = getenv(name);
	if (!text || !*text)
		return 0;
	for (int i = 0; i < n; i++)
		if (!strcmp(text, word[i]))
			return i;
	rt_say("%s: '%s' is not known; '%s' is", name, text, word[0]);
	return -1;
}

static bool read_settings(settings *s)
{
	static const char *const check_word[] = { "memory", "none", "all" }, *const mode_word[] = { "abort", "error" };
	static const emu_check level[] = { EMU_CHECK_MEMORY, EMU_CHECK_NONE, EMU_CHECK_ALL };
	double threads, lose;
	int check = read_word("P2A_CHECK", check_word, 3), mode = read_word("P2A_ON_FAULT", mode_word, 2);
	if (check < 0 || mode < 0 || !read_number("P2A_TIMEOUT", 1e18, &s->timeout) ||
		!read_number("P2A_THREADS", 1e6, &threads) || !read_number("P2A_LOSE_AFTER", 4e9, &lose))
		return false;
	s->check = level[check];
	s->threads = (unsigned)threads;
	rt.lose_after = (uint32_t)lose;
	rt.soft_faults = mode == 1;
	return true;
}

static hsa_status_t open_device(rt_agent *a, const char *id, uint32_t index, const settings *set)
{
	const p2a_target *t = p2a_target_find(id);
	const rt_chip *chip = t ? find_chip(t->name) : NULL;
	emu_error err = { "" };
	if (!chip) {
		rt_say("P2A_DEVICES: unknown device '%s'; p2a targets lists what there is", id);
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	}
	*a = (rt_agent){ .index = index, .target = t, .chip = *chip };
	name_isa(a);
	emu_config c = { .size = sizeof c, .target = strstr(a->isa, "gfx"), .check = set->check,
		.timeout = set->timeout, .threads = set->threads, .unaligned_lds = true,
		.shared = true };
	if (emu_create(&c, &a->dev, &err) != EMU_OK) {
		rt_say("%s: %s", id, err.text);
		return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
	}
	add_pool(a, RT_VRAM, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
	add_pool(a, RT_VRAM_FINE, HSA_REGION_GLOBAL_FLAG_FINE_GRAINED);
	add_pool(a, RT_LDS, 0);
	return RT_OK;
}

hsa_status_t rt_open_agents(void)
{
	const char *list = getenv("P2A_DEVICES");
	settings set;
	rt.fault = 0;
	if (!read_settings(&set))
		return HSA_STATUS_ERROR_INVALID_ARGUMENT;
	list = list && *list ? list : "gfx90a";
	open_host(&rt.agent[0]);
	rt.nagents = 1;
	while (*list) {
		size_t n = strcspn(list, ",");
		char id[RT_NAME];
		snprintf(id, sizeof id, "%.*s", (int)n, list);
		hsa_status_t s = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
		if (rt.nagents == RT_MAX_AGENTS)
			rt_say("P2A_DEVICES: more than %d devices", RT_MAX_DEVICES);
		else
			s = open_device(&rt.agent[rt.nagents], id, rt.nagents, &set);
		if (s != RT_OK) {
			rt_close_agents();
			return s;
		}
		/* libamdhip64 5.2 frees what it has not allocated when it leaves a device out; so it is not shown one. */
		if (rt_client_knows(rt.agent[rt.nagents].chip.name))
			rt.nagents++;
		else
			emu_destroy(rt.agent[rt.nagents].dev);
		list += n + (list[n] == ',');
	}
	if (rt.nagents > 1)
		return RT_OK;
	rt_close_agents();
	return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

void rt_close_agents(void)
{
	for (uint32_t i = 0; i < rt.nagents; i++)
		emu_destroy(rt.agent[i].dev);
	rt.nagents = 0;
}

rt_agent *rt_agent_of(hsa_agent_t a)
{
	for (uint32_t i = 0; i < rt.nagents; i++)
		if (a.handle == (uint64_t)(uintptr_t)&rt.agent[i])
			return &rt.agent[i];
	return NULL;
}

rt_agent *rt_gpu_of(hsa_agent_t a)
{
	rt_agent *g = rt_agent_of(a);
	return g && g->target ? g : NULL;
}

static uint64_t handle_of(const void *p) { return (uint64_t)(uintptr_t)p; }

hsa_status_t hsa_iterate_agents(hsa_status_t (*call)(hsa_agent_t, void *), void *data)
{
	hsa_status_t s = RT_OK;
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!call)
		return RT_BAD;
	for (uint32_t i = 0; i < rt.nagents && s == RT_OK; i++)
		s = call((hsa_agent_t){ handle_of(&rt.agent[i]) }, data);
	return s;
}

/* ---- Facts ----------------------------------------------------------------------------------- */

static void put16(void *to, uint16_t x) { memcpy(to, &x, sizeof x); }
static void put32(void *to, uint32_t x) { memcpy(to, &x, sizeof x); }
static void put64(void *to, uint64_t x) { memcpy(to, &x, sizeof x); }

static void put_limits(void *to, uint16_t dim)
{
	for (size_t i = 0; i < 3; i++)
		put16((uint8_t *)to + 2 * i, dim);
}

/* gfx940 and its like have no image instructions. */
static bool has_images(const rt_agent *a)
{
	return a->target && !a->target->sc_bits;
}

static hsa_status_t standard_info(const rt_agent *a, uint32_t attribute, void *v)
{
	bool gpu = a->target;
	switch (attribute) {
	case HSA_AGENT_INFO_NAME: rt_strlcpy(v, a->chip.name, 64); break;
	case HSA_AGENT_INFO_VENDOR_NAME: rt_strlcpy(v, gpu ? "AMD" : "CPU", 64); break;
	case HSA_AGENT_INFO_FEATURE: put32(v, gpu ? HSA_AGENT_FEATURE_KERNEL_DISPATCH : 0); break;
	case HSA_AGENT_INFO_MACHINE_MODEL: put32(v, HSA_MACHINE_MODEL_LARGE); break;
	case HSA_AGENT_INFO_PROFILE: put32(v, gpu ? HSA_PROFILE_BASE : HSA_PROFILE_FULL); break;
	case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE: put32(v, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR); break;
	case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES: put32(v, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR); break;
	case HSA_AGENT_INFO_FAST_F16_OPERATION: *(bool *)v = gpu; break;
	case HSA_AGENT_INFO_WAVEFRONT_SIZE: put32(v, gpu ? a->target->wave : 0); break;
	case HSA_AGENT_INFO_WORKGROUP_MAX_DIM: put_limits(v, gpu ? MAX_GROUP : 0); break;
	case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE: put32(v, gpu ? MAX_GROUP : 0); break;
	case HSA_AGENT_INFO_GRID_MAX_DIM: memset(v, gpu ? 0xff : 0, sizeof(hsa_dim3_t)); break;
	case HSA_AGENT_INFO_GRID_MAX_SIZE: put32(v, gpu ? UINT32_MAX : 0); break;
	case HSA_AGENT_INFO_FBARRIER_MAX_SIZE: put32(v, gpu ? 32 : 0); break;
	case HSA_AGENT_INFO_QUEUES_MAX: put32(v, gpu ? 128 : 0); break;
	case HSA_AGENT_INFO_QUEUE_MIN_SIZE: put32(v, gpu ? QUEUE_MIN : 0); break;
	case HSA_AGENT_INFO_QUEUE_MAX_SIZE: put32(v, gpu ? QUEUE_MAX : 0); break;
	case HSA_AGENT_INFO_QUEUE_TYPE: put32(v, HSA_QUEUE_TYPE_MULTI); break;
	case HSA_AGENT_INFO_NODE: put32(v, a->index); break;
	case HSA_AGENT_INFO_DEVICE: put32(v, gpu ? HSA_DEVICE_TYPE_GPU : HSA_DEVICE_TYPE_CPU); break;
	case HSA_AGENT_INFO_CACHE_SIZE:
		memset(v, 0, 4 * sizeof(uint32_t));
		put32(v, gpu ? 16384 : 32768);
		put32((uint8_t *)v + 4, a->chip.l2_kib * 1024);
		break;
	case HSA_AGENT_INFO_ISA: put64(v, gpu ? handle_of(a) : 0); break;
	case HSA_AGENT_INFO_EXTENSIONS:
		memset(v, 0, 128);
		if (has_images(a))
			*(uint8_t *)v |= 1 << HSA_EXTENSION_IMAGES;
		break;
	case HSA_AGENT_INFO_VERSION_MAJOR: put16(v, 1); break;
	case HSA_AGENT_INFO_VERSION_MINOR: put16(v, 1); break;
	default: return RT_BAD;
	}
	return RT_OK;
}

/* "GPU-" and a number, which is the same in every run. */
static void put_uuid(const rt_agent *a, char *to)
{
	char text[32];
	if (a->target)
		snprintf(text, sizeof text, "GPU-%08x%08x", a->chip.pci_id, a->index);
	else
		snprintf(text, sizeof text, "CPU-XX");
	memcpy(to, text, strlen(text) + 1);
}

/* hsa_amd_clock_counters_t: the device's counter, the processor's, the system's, and the frequency of the last. */
static void put_clocks(uint8_t *to)
{
	uint64_t ns = rt_now();
	put64(to, ns / 10);             /* 100 MHz, as HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY says */
	put64(to + 8, ns);
	put64(to + 16, ns);
	put64(to + 24, 1000000000);
}

static hsa_status_t amd_info(const rt_agent *a, uint32_t attribute, void *v)
{
	const rt_chip *c = &a->chip;
	bool gpu = a->target;
	switch (attribute) {
	case HSA_AMD_AGENT_INFO_CHIP_ID: put32(v, c->pci_id); break;
	case HSA_AMD_AGENT_INFO_CACHELINE_SIZE: put32(v, gpu && a->target->family != ISA_GFX9 ? 128 : 64); break;
	case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
	case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT: put32(v, gpu ? a->target->cus : 1); break;
	case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY: put32(v, c->mhz); break;
	case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID: put32(v, a->index); break;
	case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS: put32(v, 0); break;
	case HSA_AMD_AGENT_INFO_BDFID: put32(v, a->index << 8); break;
	case HSA_AMD_AGENT_INFO_MEMORY_WIDTH: put32(v, c->mem_bits); break;
	case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY: put32(v, c->mem_mhz); break;
	case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
		rt_strlcpy(v, c->product, 64);
		if (gpu)
			snprintf(v, 64, "%s (emulated)", c->product);
		break;
	case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU: put32(v, gpu ? a->target->family == ISA_GFX9 ? 40 : 32 : 0); break;
	case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU: put32(v, gpu ? a->target->family == ISA_GFX9 ? 4 : 2 : 0); break;
	case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES: put32(v, c->engines); break;
	case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE: put32(v, gpu ? 1 : 0); break;
	case HSA_AMD_AGENT_INFO_HDP_FLUSH: memset(v, 0, sizeof(hsa_amd_hdp_flush_t)); break;
	case HSA_AMD_AGENT_INFO_DOMAIN: put32(v, 0); break;
	/* Their barriers are those of gfx9 and gfx10: emu/gws.c. */
	case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES: *(bool *)v = gpu && a->target->family <= ISA_GFX10; break;
	case HSA_AMD_AGENT_INFO_UUID: put_uuid(a, v); break;
	case HSA_AMD_AGENT_INFO_ASIC_REVISION: put32(v, 0); break;
	case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS: *(bool *)v = false; break;
	case HSA_AMD_AGENT_INFO_MEMORY_AVAIL: put64(v, rt_memory_left(a)); break;
	case HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY: put64(v, 100000000); break;
	case HSA_AMD_AGENT_INFO_ASIC_FAMILY_ID: put32(v, 0); break;
	case HSA_AMD_AGENT_INFO_UCODE_VERSION: put32(v, 0); break;
	case HSA_AMD_AGENT_INFO_SDMA_UCODE_VERSION: put32(v, 0); break;
	case HSA_AMD_AGENT_INFO_NUM_SDMA_ENG: put32(v, gpu ? 2 : 0); break;
	case HSA_AMD_AGENT_INFO_NUM_SDMA_XGMI_ENG: put32(v, 0); break;
	case HSA_AMD_AGENT_INFO_IOMMU_SUPPORT: *(bool *)v = false; break;
	case HSA_AMD_AGENT_INFO_NUM_XCC: put32(v, gpu ? 1 : 0); break;
	case HSA_AMD_AGENT_INFO_DRIVER_UID: put32(v, a->index); break;
	case HSA_AMD_AGENT_INFO_NEAREST_CPU: put64(v, handle_of(&rt.agent[0])); break;
	case HSA_AMD_AGENT_INFO_MEMORY_PROPERTIES: memset(v, 0, 8); break;
	case HSA_AMD_AGENT_INFO_AQL_EXTENSIONS: memset(v, 0, 8); break;
	case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX:
	case HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT: put64(v, gpu ? SCRATCH_LIMIT : 0); break;
	case HSA_AMD_AGENT_INFO_CLOCK_COUNTERS: put_clocks(v); break;
	default: return RT_BAD;
	}
	return RT_OK;
}

/* HIP before 6 has pitched memory on devices with images only. So a device says that it has them, none larger than 0 elements: pitches
 * and copies of rows and boxes work, arrays and textures are refused by libamdhip64. AMD's runtime writes words of 32 bits here, whatever
 * its header says. */
static hsa_status_t image_info(const rt_agent *a, uint32_t attribute, void *v)
{
	if (!has_images(a))
		return RT_BAD;
	switch (attribute) {
	case HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_1DA_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_1DB_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_ARRAY_MAX_LAYERS: put32(v, 0); break;
	case HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_2DA_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_2DDEPTH_MAX_ELEMENTS:
	case HSA_EXT_AGENT_INFO_IMAGE_2DADEPTH_MAX_ELEMENTS: put64(v, 0); break;
	case HSA_EXT_AGENT_INFO_IMAGE_3D_MAX_ELEMENTS: memset(v, 0, 3 * sizeof(uint32_t)); break;
	case HSA_EXT_AGENT_INFO_MAX_IMAGE_RD_HANDLES: put32(v, 128); break;
	case HSA_EXT_AGENT_INFO_MAX_IMAGE_RORW_HANDLES: put32(v, 64); break;
	case HSA_EXT_AGENT_INFO_MAX_SAMPLER_HANDLERS: put32(v, 16); break;
	case HSA_EXT_AGENT_INFO_IMAGE_LINEAR_ROW_PITCH_ALIGNMENT: put32(v, 256); break;
	default: return RT_BAD;
	}
	return RT_OK;
}

hsa_status_t hsa_agent_get_info(hsa_agent_t agent, uint32_t attribute, void *value)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	const rt_agent *a = rt_agent_of(agent);
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!value)
		return RT_BAD;
	if (attribute >= HSA_EXT_AGENT_INFO_IMAGE_1D_MAX_ELEMENTS && attribute < HSA_AMD_AGENT_INFO_CHIP_ID)
		return image_info(a, attribute, value);
	return attribute < HSA_AMD_AGENT_INFO_CHIP_ID ? standard_info(a, attribute, value) : amd_info(a, attribute, value);
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t a, uint32_t profile, uint16_t *mask)
{
	(void)profile;
	if (!mask)
		return RT_BAD;
	*mask = 0;
	return rt_agent_of(a) ? RT_OK : HSA_STATUS_ERROR_INVALID_AGENT;
}

/* ---- Caches: level 1 and 2; a handle is the agent's with the level in its low bits ------------ */

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent, hsa_status_t (*call)(hsa_cache_t, void *), void *data)
{
	const rt_agent *a = rt_agent_of(agent);
	hsa_status_t s = RT_OK;
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!call)
		return RT_BAD;
	for (uint64_t level = 1; level <= 2 && s == RT_OK; level++)
		s = call((hsa_cache_t){ agent.handle | level }, data);
	return s;
}

hsa_status_t hsa_cache_get_info(hsa_cache_t cache, uint32_t attribute, void *value)
{
	const rt_agent *a = rt_agent_of((hsa_agent_t){ cache.handle & ~(uint64_t)3 });
	uint64_t level = cache.handle & 3;
	if (!a || !level || level > 2)
		return HSA_STATUS_ERROR_INVALID_CACHE;
	if (!value)
		return RT_BAD;
	switch (attribute) {
	case HSA_CACHE_INFO_NAME_LENGTH: put32(value, 2); return RT_OK;
	case HSA_CACHE_INFO_NAME: memcpy(value, level == 1 ? "L1" : "L2", 3); return RT_OK;
	case HSA_CACHE_INFO_LEVEL: *(uint8_t *)value = (uint8_t)level; return RT_OK;
	case HSA_CACHE_INFO_SIZE: put32(value, level == 1 ? 16384 : a->chip.l2_kib * 1024); return RT_OK;
	default: return RT_BAD;
	}
}

/* ---- Instruction sets: one a device; its handle is the device's ------------------------------- */

static const rt_agent *agent_of_isa(hsa_isa_t isa)
{
	return rt_gpu_of((hsa_agent_t){ isa.handle });
}

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t agent, hsa_status_t (*call)(hsa_isa_t, void *), void *data)
{
	const rt_agent *a = rt_agent_of(agent);
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!call)
		return RT_BAD;
	return a->target ? call((hsa_isa_t){ agent.handle }, data) : RT_OK;
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t isa, uint32_t attribute, void *v)
{
	const rt_agent *a = agent_of_isa(isa);
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!a)
		return HSA_STATUS_ERROR_INVALID_ISA;
	if (!v)
		return RT_BAD;
	switch (attribute) {
	case HSA_ISA_INFO_NAME_LENGTH: put32(v, (uint32_t)strlen(a->isa)); break;
	case HSA_ISA_INFO_NAME: memcpy(v, a->isa, strlen(a->isa)); break;
	case HSA_ISA_INFO_CALL_CONVENTION_COUNT: put32(v, 1); break;
	case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONT_SIZE: put32(v, a->target->wave); break;
	case HSA_ISA_INFO_CALL_CONVENTION_INFO_WAVEFRONTS_PER_COMPUTE_UNIT: put32(v, 40); break;
	case HSA_ISA_INFO_MACHINE_MODELS: memcpy(v, (const bool[2]){ false, true }, 2 * sizeof(bool)); break;
	case HSA_ISA_INFO_PROFILES: memcpy(v, (const bool[2]){ true, false }, 2 * sizeof(bool)); break;
	case HSA_ISA_INFO_DEFAULT_FLOAT_ROUNDING_MODES:
	case HSA_ISA_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
		memcpy(v, (const bool[3]){ false, false, true }, 3 * sizeof(bool));
		break;
	case HSA_ISA_INFO_FAST_F16_OPERATION: *(bool *)v = true; break;
	case HSA_ISA_INFO_WORKGROUP_MAX_DIM: put_limits(v, MAX_GROUP); break;
	case HSA_ISA_INFO_WORKGROUP_MAX_SIZE: put32(v, MAX_GROUP); break;
	case HSA_ISA_INFO_GRID_MAX_DIM: memset(v, 0xff, sizeof(hsa_dim3_t)); break;
	case HSA_ISA_INFO_GRID_MAX_SIZE: put64(v, UINT32_MAX); break;
	case HSA_ISA_INFO_FBARRIER_MAX_SIZE: put32(v, 32); break;
	default: return RT_BAD;
	}
	return RT_OK;
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, uint32_t attribute, uint32_t index, void *value)
{
	return index ? HSA_STATUS_ERROR_INVALID_INDEX : hsa_isa_get_info_alt(isa, attribute, value);
}

hsa_status_t hsa_isa_from_name(const char *name, hsa_isa_t *isa)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	if (!name || !isa)
		return RT_BAD;
	for (uint32_t i = 1; i < rt.nagents; i++)
		if (!strcmp(rt.agent[i].isa, name)) {
			isa->handle = handle_of(&rt.agent[i]);
			return RT_OK;
		}
	return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code, hsa_isa_t agent, bool *result)
{
	const rt_agent *a = agent_of_isa(code), *b = agent_of_isa(agent);
	if (!a || !b)
		return HSA_STATUS_ERROR_INVALID_ISA;
	if (!result)
		return RT_BAD;
	*result = !strcmp(a->isa, b->isa);
	return RT_OK;
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t isa, uint32_t profile, uint16_t *mask)
{
	(void)profile;
	if (!mask)
		return RT_BAD;
	*mask = 0;
	return agent_of_isa(isa) ? RT_OK : HSA_STATUS_ERROR_INVALID_ISA;
}

/* Float results have one unit of least precision or none to spare: the method is "single". */
hsa_status_t hsa_isa_get_round_method(hsa_isa_t isa, uint32_t type, uint32_t flush, uint32_t *method)
{
	(void)type, (void)flush;
	if (!method)
		return RT_BAD;
	*method = 0;
	return agent_of_isa(isa) ? RT_OK : HSA_STATUS_ERROR_INVALID_ISA;
}

hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa, hsa_status_t (*call)(hsa_wavefront_t, void *), void *data)
{
	const rt_agent *a = agent_of_isa(isa);
	hsa_status_t s = RT_OK;
	if (!a)
		return HSA_STATUS_ERROR_INVALID_ISA;
	if (!call)
		return RT_BAD;
	for (uint64_t lanes = 32; lanes <= 64 && s == RT_OK; lanes += 32)
		if (a->target->wave_bits & lanes)
			s = call((hsa_wavefront_t){ lanes }, data);
	return s;
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t w, uint32_t attribute, void *value)
{
	if (w.handle != 32 && w.handle != 64)
		return HSA_STATUS_ERROR_INVALID_WAVEFRONT;
	if (!value || attribute != HSA_WAVEFRONT_INFO_SIZE)
		return RT_BAD;
	put32(value, (uint32_t)w.handle);
	return RT_OK;
}
