/*
 * Copying between the kernel and a program's memory.
 *
 * Models      arch/i386/lib/usercopy.c of Linux 2.6.18: pages that are not
 *             there are faulted in, a bad address is told to the caller.
 */
#include "os/fault.h"
#include "os/kernel.h"
#include "os/pgtable.h"

#include <string.h>

/* The frame behind va for this access, faulting it in; PFN_NONE: bad. */
SLEEPS static pfn user_frame(struct task *task, vaddr va,
			     enum mmu_access access)
{
	struct pte e = pgtable_read(task->mm, va);
	bool write = access == MMU_WRITE;

	while (!pte_present(e) || (write && !(e.v & PTE_RW))) {
		if (fault_handle(task, va, access) > FAULT_MAJOR)
			return PFN_NONE;
		e = pgtable_read(task->mm, va);
	}
	e.v |= PTE_A | (write ? PTE_D : 0u);
	pgtable_set(task->mm, va, e);
	return pte_pfn(e);
}

static size_t piece_of(vaddr va, size_t size)
{
	size_t room = PAGE_SIZE - (va & ~PAGE_MASK);

	return size < room ? size : room;
}

SLEEPS bool mm_write_user(struct task *task, vaddr va, const void *from,
			  size_t size)
{
	struct kernel *k = task->k;

	might_sleep(k);
	while (size) {
		size_t n = piece_of(va, size);
		pfn frame = va < USER_TOP ? user_frame(task, va, MMU_WRITE)
					  : PFN_NONE;

		if (frame == PFN_NONE)
			return false;
		memcpy(ram_poke(k->ram, frame) + (va & ~PAGE_MASK), from, n);
		ram_store(k->ram, frame, task->mm->key, va >> PAGE_SHIFT, 1);
		from = (const char *)from + n;
		va += (vaddr)n;
		size -= n;
	}
	return true;
}

SLEEPS bool mm_read_user(struct task *task, vaddr va, void *to, size_t size)
{
	struct kernel *k = task->k;

	might_sleep(k);
	while (size) {
		size_t n = piece_of(va, size);
		pfn frame = va < USER_TOP ? user_frame(task, va, MMU_READ)
					  : PFN_NONE;
		const uint8_t *bytes;

		if (frame == PFN_NONE)
			return false;
		bytes = ram_peek(k->ram, frame);
		if (bytes)
			memcpy(to, bytes + (va & ~PAGE_MASK), n);
		else
			memset(to, 0, n);
		to = (char *)to + n;
		va += (vaddr)n;
		size -= n;
	}
	return true;
}

SLEEPS bool mm_read_string(struct task *task, vaddr va, char *to, size_t size)
{
	for (size_t i = 0; i + 1 < size; i++) {
		if (!mm_read_user(task, va + (vaddr)i, &to[i], 1))
			return false;
		if (!to[i])
			return true;
	}
	to[size - 1] = '\0';
	return true;
}
