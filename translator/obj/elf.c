/* elf.c -- writes an obj_image as an ELF file, by libelf. The only file that includes it.
 * Needs a finished layout; leaves the file's bytes in a buffer. libelf writes to a descriptor: an
 * anonymous one in memory. Nothing is allocated from the arena while libelf or the descriptor is open,
 * so a longjmp cannot leak them. elf_errno can be stale after success: return values are tested, and it beside
 * them after elf_newscn only. */
#define _GNU_SOURCE
#include "obj/obj.h"

#include <elf.h>
#include <errno.h>
#include <libelf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EM_AMD_GPU = 224, OSABI_AMDGPU_HSA = 64 };

static bool
put_header(Elf *e, const obj_image *o)
{
	Elf64_Ehdr *h = elf64_newehdr(e);

	if (!h)
		return false;
	h->e_ident[EI_DATA] = ELFDATA2LSB;
	h->e_ident[EI_OSABI] = OSABI_AMDGPU_HSA;
	h->e_ident[EI_ABIVERSION] = o->abi;
	h->e_type = ET_DYN;
	h->e_machine = EM_AMD_GPU;
	h->e_version = EV_CURRENT;
	h->e_flags = o->flags;
	h->e_phoff = sizeof *h;
	h->e_shoff = (o->sec[SEC_SHSTRTAB].offset + o->sec[SEC_SHSTRTAB].size + 7) / 8 * 8;
	h->e_shstrndx = SEC_SHSTRTAB;
	return true;
}

static bool
put_segments(Elf *e, const obj_image *o)
{
	Elf64_Phdr *p = elf64_newphdr(e, o->seg.n);

	for (uint32_t i = 0; p && i < o->seg.n; i++) {
		const obj_segment *s = &o->seg.a[i];

		p[i] = (Elf64_Phdr){ .p_type = s->type, .p_flags = s->flags, .p_offset = s->offset, .p_vaddr = s->addr,
			.p_paddr = s->addr, .p_filesz = s->filesz, .p_memsz = s->memsz, .p_align = s->align };
	}
	return p != NULL;
}

/* elfutils 0.188 hands out a section without a header where memory for that is short, and crashes when it is asked
 * for the header then: it says so in elf_errno alone. */
static Elf_Scn *
new_section(Elf *e)
{
	(void)elf_errno();      /* forgets what was before */
	Elf_Scn *scn = elf_newscn(e);

	return elf_errno() ? NULL : scn;
}

static bool
put_section(Elf *e, const obj_section *s)
{
	Elf_Scn *scn = new_section(e);
	Elf64_Shdr *h = scn ? elf64_getshdr(scn) : NULL;
	Elf_Data *d = h ? elf_newdata(scn) : NULL;

	if (!d)
		return false;
	h->sh_name = s->name_at;
	h->sh_type = s->type;
	h->sh_flags = s->flags;
	h->sh_addr = s->addr;
	h->sh_offset = s->offset;
	h->sh_size = s->size;
	h->sh_link = s->link;
	h->sh_info = s->info;
	h->sh_addralign = s->align;
	h->sh_entsize = s->entsize;
	/* ELF_T_BYTE: the tables are already in the file's byte order. */
	d->d_buf = s->type == SHT_NOBITS ? NULL : s->data.p;
	d->d_type = ELF_T_BYTE;
	d->d_size = s->size;
	d->d_align = 1;
	d->d_version = EV_CURRENT;
	return true;
}

static bool
put_all(Elf *e, const obj_image *o)
{
	if (!put_header(e, o) || !put_segments(e, o))
		return false;
	for (int s = 1; s < SEC_COUNT; s++)
		if (!put_section(e, &o->sec[s]))
			return false;
	elf_flagelf(e, ELF_C_SET, ELF_F_LAYOUT);
	return elf_update(e, ELF_C_WRITE) >= 0;
}

static bool
read_back(int fd, uint8_t *to, size_t n)
{
	for (size_t at = 0; at < n; ) {
		ssize_t k = pread(fd, to + at, n - at, (off_t)at);

		if (k <= 0)
			return false;
		at += (size_t)k;
	}
	return true;
}

bool
obj_elf(const obj_image *o, buf *out)
{
	size_t size = (o->sec[SEC_SHSTRTAB].offset + o->sec[SEC_SHSTRTAB].size + 7) / 8 * 8 + SEC_COUNT * sizeof(Elf64_Shdr);
	size_t at = out->n;
	bool ok;
	Elf *e;
	int fd;

	buf_fill(out, 0, size);
	if (elf_version(EV_CURRENT) == EV_NONE)
		return false;
	fd = memfd_create("p2a", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	e = elf_begin(fd, ELF_C_WRITE, NULL);
	ok = e && put_all(e, o);
	if (e)
		elf_end(e);
	ok = ok && lseek(fd, 0, SEEK_END) == (off_t)size && read_back(fd, out->p + at, size);
	close(fd);
	return ok;
}

/* Is it that the system had no more of something, and not that the image is wrong? */
static bool
is_shortage(int error)
{
	return error == ENOMEM || error == EMFILE || error == ENFILE || error == ENOSPC || error == EFBIG;
}

void
obj_write(ir_module *m, buf *out)
{
	obj_image o;
	buf file;

	buf_init(&file, m->A);
	obj_layout(m, &o);
	errno = 0;
	if (obj_elf(&o, &file))
		buf_put(out, file.p, file.n);
	else if (is_shortage(errno))
		arena_fail(m->A);
	else
		diag_add(m->diags, DIAG_internal, DIAG_NOWHERE, "elf", "libelf cannot write the code object");
}
