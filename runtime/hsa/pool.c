/* pool.c -- memory pools and regions: which there are and what they are good for.
 * Both names mean the same thing here: the pools of agent.c. Leaves nothing.
 * HSA Runtime Programmer's Reference Manual 2.7; AMD's memory pools. */
#include <string.h>

#include "hsa/runtime.h"

enum { GRANULE = 4096 };

/* Who is told of pools: by one name or the other. */
typedef struct visitor {
	hsa_status_t (*pool)(hsa_amd_memory_pool_t, void *);
	hsa_status_t (*region)(hsa_region_t, void *);
	void *data;
} visitor;

static hsa_status_t visit(const visitor *v, const rt_agent *a)
{
	hsa_status_t s = RT_OK;
	for (uint32_t i = 0; i < a->npools && s == RT_OK; i++) {
		uint64_t handle = (uint64_t)(uintptr_t)&a->pool[i];
		s = v->pool ? v->pool((hsa_amd_memory_pool_t){ handle }, v->data) : v->region((hsa_region_t){ handle }, v->data);
	}
	return s;
}

/* A device's regions are the host's memory too: where kernel arguments come from. */
static hsa_status_t iterate(hsa_agent_t agent, visitor v)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	const rt_agent *a = rt_agent_of(agent);
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!v.pool && !v.region)
		return RT_BAD;
	hsa_status_t s = visit(&v, a);
	return s == RT_OK && v.region && a->target ? visit(&v, &rt.agent[0]) : s;
}

hsa_status_t
hsa_amd_agent_iterate_memory_pools(hsa_agent_t agent, hsa_status_t (*call)(hsa_amd_memory_pool_t, void *), void *data)
{
	return iterate(agent, (visitor){ .pool = call, .data = data });
}

hsa_status_t hsa_agent_iterate_regions(hsa_agent_t agent, hsa_status_t (*call)(hsa_region_t, void *), void *data)
{
	return iterate(agent, (visitor){ .region = call, .data = data });
}

static hsa_status_t pool_info(const rt_pool *p, uint32_t attribute, void *v)
{
	bool global = p->segment == HSA_REGION_SEGMENT_GLOBAL;
	switch (attribute) {
	case HSA_AMD_MEMORY_POOL_INFO_SEGMENT: *(uint32_t *)v = p->segment; return RT_OK;
	case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS: *(uint32_t *)v = p->flags; return RT_OK;
	case HSA_AMD_MEMORY_POOL_INFO_SIZE: *(size_t *)v = p->size; return RT_OK;
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED: *(bool *)v = global; return RT_OK;
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
	case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
		*(size_t *)v = global ? GRANULE : 0;
		return RT_OK;
	case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL: *(bool *)v = global && !p->agent->target; return RT_OK;
	case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE: *(size_t *)v = global ? p->size : 0; return RT_OK;
	case HSA_AMD_MEMORY_POOL_INFO_LOCATION: *(uint32_t *)v = p->agent->target ? 1 : 0; return RT_OK;
	default: return RT_BAD;
	}
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t pool, uint32_t attribute, void *value)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	const rt_pool *p = rt_pool_of(pool.handle);
	if (!p)
		return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	return value ? pool_info(p, attribute, value) : RT_BAD;
}

hsa_status_t hsa_region_get_info(hsa_region_t region, uint32_t attribute, void *v)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	const rt_pool *p = rt_pool_of(region.handle);
	if (!p)
		return HSA_STATUS_ERROR_INVALID_REGION;
	if (!v)
		return RT_BAD;
	/* Two attributes have other numbers than those of pools. */
	if (attribute == HSA_REGION_INFO_ALLOC_MAX_SIZE)
		attribute = HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE;
	else if (attribute == HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE) {
		*(uint32_t *)v = 0;
		return RT_OK;
	}
	return pool_info(p, attribute, v);
}

/* The host reaches no device's memory, a device that of others when it is told to. */
static uint32_t access_of(const rt_agent *a, const rt_pool *p)
{
	if (a == p->agent)
		return HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT;
	if (p->kind == RT_LDS || (p->agent->target && !a->target))
		return HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED;
	return HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT;
}

hsa_status_t
hsa_amd_agent_memory_pool_get_info(hsa_agent_t agent, hsa_amd_memory_pool_t pool, uint32_t attribute, void *value)
{
	if (!rt_ready())
		return HSA_STATUS_ERROR_NOT_INITIALIZED;
	const rt_agent *a = rt_agent_of(agent);
	const rt_pool *p = rt_pool_of(pool.handle);
	if (!a)
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!p)
		return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!value)
		return RT_BAD;
	bool near = a == p->agent;
	switch (attribute) {
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS: *(uint32_t *)value = access_of(a, p); return RT_OK;
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS: *(uint32_t *)value = near ? 0 : 1; return RT_OK;
	case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
		if (!near)
			*(hsa_amd_memory_pool_link_info_t *)value = (hsa_amd_memory_pool_link_info_t){
				.min_bandwidth = 16000, .max_bandwidth = 16000, .atomic_support_32bit = true,
				.atomic_support_64bit = true, .coherent_support = true,
				.link_type = HSA_AMD_LINK_INFO_TYPE_PCIE, .numa_distance = 20 };
		return RT_OK;
	default: return RT_BAD;
	}
}

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t from, hsa_amd_memory_pool_t to, bool *result)
{
	if (!rt_pool_of(from.handle) || !rt_pool_of(to.handle))
		return HSA_STATUS_ERROR_INVALID_MEMORY_POOL;
	if (!result)
		return RT_BAD;
	*result = false;
	return RT_OK;
}

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t a, uint32_t *type)
{
	if (!rt_gpu_of(a))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	if (!type)
		return RT_BAD;
	*type = HSA_AMD_COHERENCY_TYPE_COHERENT;
	return RT_OK;
}

/* Everything is coherent whatever is asked for. */
hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t a, uint32_t type)
{
	if (!rt_gpu_of(a))
		return HSA_STATUS_ERROR_INVALID_AGENT;
	return type <= 1 ? RT_OK : RT_BAD;
}
