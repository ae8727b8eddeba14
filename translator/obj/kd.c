/* kd.c -- the kernel descriptor: 64 bytes that tell the command processor how to start a wave.
 * Needs the k fields that select and regalloc filled in.
 * AMDGPUUsage, "Kernel Descriptor", tables for compute_pgm_rsrc1, 2, 3. */
#include "obj/obj.h"

static uint32_t
granules(uint32_t n, uint32_t granule)
{
	return (MAX(n, 1) + granule - 1) / granule - 1;
}

/* gfx9 counts VCC, FLAT_SCRATCH and XNACK_MASK at the end. Written by 8; the hardware rounds up to 16. */
static uint32_t
sgpr_field(const ir_func *f)
{
	return f->target->sgpr_granule ? granules(f->k.sgprs + 6, f->target->sgpr_granule) : 0;
}

uint32_t
obj_accum_offset(const ir_func *f)
{
	return MAX((f->k.vgprs + 3) & ~3u, 4);
}

uint32_t
obj_rsrc1(const ir_func *f)
{
	uint32_t r = granules(f->k.vgprs, f->target->vgpr_granule) | sgpr_field(f) << 6;

	r |= (uint32_t)f->k.round32 << 12 | (uint32_t)f->k.round64 << 14;
	r |= (uint32_t)f->k.denorm32 << 16 | (uint32_t)f->k.denorm64 << 18;
	if (f->target->family < ISA_GFX12)
		r |= 1u << 21;                  /* DX10_CLAMP: clamp makes 0 of a NaN, as .sat does */
	if (f->target->family >= ISA_GFX10)
		r |= 1u << 29 | 1u << 30;       /* WGP_MODE, MEM_ORDERED */
	return r;
}

uint32_t
obj_rsrc2(const ir_func *f)
{
	uint32_t r = f->k.scratch | (uint32_t)f->k.user_sgprs << 1;

	for (int d = 0; d < 3; d++)
		r |= (uint32_t)f->k.wgid[d] << (7 + d);
	return r | (uint32_t)f->k.wid << 11;
}

uint32_t
obj_rsrc3(const ir_func *f)
{
	return f->target->accum_offset ? obj_accum_offset(f) / 4 - 1 : 0;
}

uint16_t
obj_properties(const ir_func *f)
{
	return (uint16_t)(f->k.private_segment_buffer | f->k.dispatch_ptr << 1 | f->k.kernarg_ptr << 3 |
	                  f->k.flat_scratch_init << 5 | (f->target->wave == 32) << 10);
}

void
obj_kernel_descriptor(const ir_func *f, int64_t entry, buf *out)
{
	buf_u32(out, f->lds_static);
	buf_u32(out, f->k.scratch_size);
	buf_u32(out, f->kernarg_size);
	buf_u32(out, 0);
	buf_u64(out, (uint64_t)entry);
	buf_fill(out, 0, 20);
	buf_u32(out, obj_rsrc3(f));
	buf_u32(out, obj_rsrc1(f));
	buf_u32(out, obj_rsrc2(f));
	buf_u16(out, obj_properties(f));
	buf_fill(out, 0, 6);
}
