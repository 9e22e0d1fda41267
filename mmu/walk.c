/*
 * The walk of two-level page tables.
 *
 * Models      4 KiB pages and, with CR4.PSE, 4 MiB pages with the PSE-36
 *             form of the address (bits 13..20 of the entry are address bits
 *             32..39, bit 21 is reserved); R/W and U/S ANDed over the levels;
 *             CR0.WP; A and D; error codes. Source: Intel SDM vol. 3A,
 *             chapter "Paging", and vectors that two other emulators ran.
 * Leaves out  PAE and four levels, execute-disable, SMEP and SMAP, memory
 *             types (PWT, PCD and PAT are accepted and ignored).
 * Seen in     every TLB miss.
 */
#include "mmu/walk.h"

#include "emu/bug.h"

#define LARGE_SHIFT    22
#define LARGE_RESERVED (1u << 21)
#define LARGE_PIECE    0x3ffu /* 4 KiB pages in a 4 MiB page, minus 1 */

/* One access on its way down. */
struct trip {
	const struct mmu *m;
	vaddr va;
	bool write;
	bool user;
	struct walk *w; /* what comes of it */
};

static inline void deny(const struct trip *t, unsigned error)
{
	error |= t->write ? PF_WRITE : 0;
	error |= t->user ? PF_USER : 0;
	t->w->fault = true;
	t->w->error = (uint8_t)error;
}

/* May this access go where the ANDed R/W and U/S bits of the levels lead? */
static inline bool allowed(const struct trip *t, uint32_t rights)
{
	if (t->user && !(rights & PTE_US))
		return false;
	if (t->write && !(rights & PTE_RW))
		return !t->user && !t->m->wp;
	return true;
}

/* Set bits in an entry; no store if they are all there, as in hardware. */
static inline void mark(uint32_t *entry, uint32_t bits)
{
	if ((*entry & bits) != bits)
		*entry |= bits;
}

/* Rights were found good: leave the traces and say what to cache. */
static inline void arrive(const struct trip *t, uint32_t *leaf, uint32_t rights,
			  pfn frame)
{
	unsigned flags = 0;

	mark(leaf, PTE_A | (t->write ? PTE_D : 0));
	flags |= rights & PTE_RW ? TLB_WRITE : 0;
	flags |= t->user ? TLB_USER : 0;
	flags |= *leaf & PTE_D ? TLB_DIRTY : 0;
	flags |= *leaf & PTE_G && t->m->pge ? TLB_GLOBAL : 0;
	t->w->fault = false;
	t->w->frame = frame;
	t->w->flags = (uint8_t)flags;
}

static pfn large_frame(uint32_t pde, vaddr va)
{
	pfn low = (pde >> LARGE_SHIFT) << (LARGE_SHIFT - PAGE_SHIFT);
	pfn high = (pde >> 13 & 0xff) << (32 - PAGE_SHIFT);

	return high | low | (va >> PAGE_SHIFT & LARGE_PIECE);
}

static void large_page(const struct trip *t, uint32_t *pde)
{
	if (*pde & LARGE_RESERVED) {
		deny(t, PF_PROT | PF_RSVD);
		return;
	}
	if (!allowed(t, *pde)) {
		deny(t, PF_PROT);
		return;
	}
	arrive(t, pde, *pde, large_frame(*pde, t->va));
	t->w->flags |= TLB_LARGE;
}

static void small_page(const struct trip *t, uint32_t *pde, uint32_t *pte)
{
	uint32_t rights = *pde & *pte;

	if (!(*pte & PTE_P)) {
		deny(t, 0);
		return;
	}
	if (!allowed(t, rights)) {
		deny(t, PF_PROT);
		return;
	}
	mark(pde, PTE_A);
	arrive(t, pte, rights, *pte >> PAGE_SHIFT);
}

/* The entry for index in the table that starts at this frame. */
static uint32_t *table_entry(const struct mmu *m, pfn table, uint32_t index)
{
	/* a kernel that puts a table elsewhere is wrong, not unlucky */
	BUG_ON(table >= m->ram->frames || m->ram->real[table] != RAM_REAL);
	return ram_word(m->ram, table << PAGE_SHIFT | index << 2);
}

void walk_tables(const struct mmu *m, vaddr va, enum mmu_access access,
		 bool user, struct walk *w)
{
	const struct trip t = { m, va, access == MMU_WRITE, user, w };
	uint32_t *pde = table_entry(m, m->cr3 >> PAGE_SHIFT, va >> LARGE_SHIFT);

	if (!(*pde & PTE_P))
		deny(&t, 0);
	else if (m->pse && (*pde & PTE_PS))
		large_page(&t, pde);
	else
		small_page(&t, pde,
			   table_entry(m, *pde >> PAGE_SHIFT,
				       va >> PAGE_SHIFT & LARGE_PIECE));
}
