/*
 * Page faults.
 *
 * Models      do_page_fault of arch/i386/mm/fault.c, mm/memory.c and
 *             filemap_nopage of mm/filemap.c, Linux 2.6.18.
 * Leaves out  writable shared file mappings being written back.
 *
 * Every path reads like the kernel's: look up, read (sleep), lock (sleep),
 * compare the entry again, map, unlock. mmap_sem is read-held throughout.
 */
#include "os/fault.h"

#include "os/filemap.h"
#include "os/kernel.h"
#include "os/pgtable.h"
#include "os/shadow.h"

/* One fault on its way through the kinds. */
struct fault {
	struct kernel *k;
	struct mm *mm;
	struct vma *vma;
	vaddr va; /* of the page */
	bool write;
	struct pte *entry; /* for va; where it stands, the table stays */
	struct pte old;	   /* the entry as the fault found it */
};

/* Is the entry still what the fault found? */
static bool unchanged(const struct fault *f)
{
	return pte_same(*f->entry, f->old);
}

/*
 * The rights of a new entry: a private area's pages start read-only, so that
 * the first write is seen. i386 protections include the accessed bit.
 */
static uint32_t entry_rights(const struct vma *vma, bool write)
{
	uint32_t rights = PTE_P | PTE_US | PTE_A;

	if (write)
		rights |= PTE_D;
	if (vma->flags & VM_WRITE && (write || vma->flags & VM_SHARED))
		rights |= PTE_RW;
	return rights;
}

static void note_rss(struct mm *mm)
{
	uint64_t rss = mm->anon_rss + mm->file_rss;

	if (rss > mm->max_rss)
		mm->max_rss = rss;
}

static void set_entry(struct fault *f, const struct page *page, uint32_t rights)
{
	pfn frame = page_number(f->k, page);

	*f->entry = pte_make(frame, rights);
	note_rss(f->mm);
	trace_emit(f->k->trace, TR_MAP, (uint64_t)f->mm->pid,
		   f->va >> PAGE_SHIFT, frame, !!(rights & PTE_RW));
}

/* Map a page that this fault made for its vma alone. */
static void map_new_anon(struct fault *f, struct page *page)
{
	f->mm->anon_rss++;
	lru_add_later(f->k, page, LRU_ACTIVE);
	rmap_add_anon(f->k, page, f->vma, f->va);
	page->flags |= PG_UPTODATE;
	set_entry(f, page, entry_rights(f->vma, true));
	pgtable_flush(f->mm, f->va);
}

/* --- anonymous memory, first touch --- */

static enum fault_result fault_zero_page(struct fault *f)
{
	struct page *zero = &f->k->pages[f->k->zero_page];

	zero->count++;
	rmap_add_file(f->k, zero);
	f->mm->file_rss++;
	f->k->vmstat.pgfault_zero++;
	set_entry(f, zero, entry_rights(f->vma, false) & ~(uint32_t)PTE_RW);
	return FAULT_MINOR;
}

SLEEPS static enum fault_result fault_anonymous(struct fault *f)
{
	struct page *page;

	if (!f->write)
		return fault_zero_page(f);
	rmap_prepare(f->vma);
	page = page_alloc(f->k, GFP_HIGHUSER | GFP_ZERO);
	if (!page)
		return FAULT_OOM;
	if (!unchanged(f)) {
		page_put(f->k, page);
		return FAULT_MINOR;
	}
	f->k->vmstat.pgfault_anon++;
	map_new_anon(f, page);
	return FAULT_MINOR;
}

/* --- copy on write --- */

/* May the writer simply have the page? Anonymous, and nobody else's. */
static bool may_reuse(struct kernel *k, struct page *page)
{
	bool sole;

	if (!page_test(page, PG_ANON) || !page_trylock(page))
		return false;
	sole = swap_sole_user(k, page);
	page_unlock(k, page);
	return sole;
}

/* The copy takes the old page's place in the entry. */
static void replace_page(struct fault *f, struct page *old, struct page *copy)
{
	if (page_test(old, PG_ANON))
		f->mm->anon_rss--;
	else
		f->mm->file_rss--;
	rmap_remove(f->k, old);
	map_new_anon(f, copy);
	page_put(f->k, old); /* the entry's reference */
}

SLEEPS static enum fault_result copy_page(struct fault *f, struct page *old)
{
	struct kernel *k = f->k;
	struct page *copy;

	rmap_prepare(f->vma);
	old->count++;
	copy = page_alloc(k, GFP_HIGHUSER);
	if (!copy) {
		page_put(k, old);
		return FAULT_OOM;
	}
	ram_copy(k->ram, page_number(k, copy), page_number(k, old));
	cpu_charge(k->cpu, (uint64_t)k->cost.page_copy);
	if (unchanged(f)) {
		k->vmstat.pgfault_cow++;
		replace_page(f, old, copy);
	} else {
		page_put(k, copy);
	}
	page_put(k, old);
	return FAULT_MINOR;
}

/* do_wp_page: a write to a present, read-only entry. */
SLEEPS static enum fault_result fault_copy_on_write(struct fault *f)
{
	struct page *page = &f->k->pages[pte_pfn(f->old)];
	uint32_t rights;

	if (!(f->vma->flags & VM_SHARED) && !may_reuse(f->k, page))
		return copy_page(f, page);
	rights = (f->old.v & PTE_FLAGS) | PTE_RW | PTE_A | PTE_D;
	f->k->vmstat.pgfault_reuse++;
	set_entry(f, page, rights);
	pgtable_flush(f->mm, f->va);
	return FAULT_MINOR;
}

/* --- swapped-out pages --- */

static void grab_token(struct fault *f, enum token_grab_point here)
{
	enum token_grab_point at = f->k->token.grab_point;

	if (at == here || (here == GRAB_BEFORE_IO && at == GRAB_SWAP_BEFORE_IO))
		token_grab_swap(f->k, f->mm, pte_slot(f->old));
}

/* The page of the slot, from the cache or by I/O; see *kind. */
SLEEPS static struct page *bring_in(struct fault *f, enum fault_result *kind)
{
	struct kernel *k = f->k;
	uint32_t slot = pte_slot(f->old);
	struct page *page = swap_cache_find(k, slot);

	if (page) {
		k->vmstat.swap_ra_hit++;
		return page;
	}
	grab_token(f, GRAB_BEFORE_IO);
	swap_readahead(k, slot);
	page = swap_read(k, slot);
	if (!page) {
		*kind = unchanged(f) ? FAULT_OOM : FAULT_MINOR;
		return NULL;
	}
	*kind = FAULT_MAJOR;
	k->vmstat.pgmajfault++;
	trace_emit(k->trace, TR_SWAP_IN, (uint64_t)f->mm->pid,
		   f->va >> PAGE_SHIFT, slot, page_number(k, page));
	grab_token(f, GRAB_AFTER_IO);
	return page;
}

/* Swap entry to present entry: true if a write still has to be dealt with. */
static bool map_swapped(struct fault *f, struct page *page)
{
	struct kernel *k = f->k;
	bool sole = f->write && swap_sole_user(k, page);
	uint32_t slot = pte_slot(f->old);

	f->mm->anon_rss++;
	f->mm->swap_entries--;
	shadow_return(k, f->mm, f->va, page);
	rmap_prepare(f->vma);
	rmap_add_anon(k, page, f->vma, f->va);
	set_entry(f, page, entry_rights(f->vma, sole));
	swap_release(k, slot);
	if (swap_full(k))
		swap_cache_remove_exclusive(k, page);
	return f->write && !sole;
}

SLEEPS static enum fault_result fault_swap(struct fault *f)
{
	struct kernel *k = f->k;
	enum fault_result kind = FAULT_MINOR;
	struct page *page;
	bool write_left = false;

	k->vmstat.pgfault_swap++;
	page = bring_in(f, &kind);
	if (!page)
		return kind;
	lru_mark_accessed(k, page);
	page_lock(k, page);
	if (!unchanged(f) || !page_test(page, PG_UPTODATE)) {
		if (!page_test(page, PG_UPTODATE))
			kind = FAULT_BUS;
		page_unlock(k, page);
		page_put(k, page);
		return kind;
	}
	write_left = map_swapped(f, page);
	page_unlock(k, page); /* our reference is the entry's now */
	if (write_left) {
		f->old = *f->entry;
		if (fault_copy_on_write(f) == FAULT_OOM)
			kind = FAULT_OOM;
	}
	return kind;
}

/* --- file pages --- */

#define LOTS_OF_MISSES 100 /* MMAP_LOTSAMISS */

/* The first look that needed I/O makes the fault a major one. */
static void count_major(struct fault *f, enum fault_result *kind)
{
	if (*kind == FAULT_MAJOR)
		return;
	*kind = FAULT_MAJOR;
	f->k->vmstat.pgmajfault++;
}

/* Read the pages around a miss; false if that is known to be no use. */
SLEEPS static bool read_around(struct fault *f, uint32_t index,
			       enum fault_result *kind)
{
	struct vma *vma = f->vma;
	uint32_t pages;

	vma->mmap_miss++;
	if (vma->mmap_miss > vma->mmap_hit + LOTS_OF_MISSES)
		return false;
	count_major(f, kind);
	pages = readahead_sane(f->k, READAHEAD_PAGES);
	if (!pages)
		return true;
	filemap_readahead(f->k, vma->inode,
			  index > pages / 2 ? index - pages / 2 : 0, pages,
			  true);
	return true;
}

/* page_cache_read and the token's grab point beside it. */
SLEEPS static bool read_single(struct fault *f, uint32_t index)
{
	bool ok;

	if (f->k->token.grab_point == GRAB_BEFORE_IO)
		token_grab(f->k, f->mm);
	ok = filemap_read_page(f->k, f->vma->inode, index);
	if (f->k->token.grab_point == GRAB_AFTER_IO)
		token_grab(f->k, f->mm);
	return ok;
}

/* The cached page, read if need be; with a reference. NULL: see *kind. */
SLEEPS static struct page *find_or_read(struct fault *f, uint32_t index,
					enum fault_result *kind)
{
	struct kernel *k = f->k;
	struct page *page = filemap_find(k, f->vma->inode, index);
	bool tried = false, around = false;

	while (!page) {
		if (!tried && read_around(f, index, kind)) {
			around = true;
			page = filemap_find(k, f->vma->inode, index);
			if (page)
				break;
		}
		tried = true;
		if (!read_single(f, index)) {
			*kind = FAULT_OOM;
			return NULL;
		}
		page = filemap_find(k, f->vma->inode, index);
	}
	/* a page read alone is found next and counts as a hit */
	if (!around)
		f->vma->mmap_hit++;
	if (page_test(page, PG_UPTODATE))
		return page;
	count_major(f, kind);
	page_lock(k, page);
	page_unlock(k, page);
	if (page_test(page, PG_UPTODATE))
		return page;
	page_put(k, page);
	*kind = FAULT_BUS;
	return NULL;
}

/* A private write: copy at once, the cached page is never mapped. */
SLEEPS static enum fault_result early_copy(struct fault *f, struct page *page,
					   enum fault_result kind)
{
	struct kernel *k = f->k;
	struct page *copy;

	rmap_prepare(f->vma);
	copy = page_alloc(k, GFP_HIGHUSER);
	if (!copy) {
		page_put(k, page);
		return FAULT_OOM;
	}
	ram_copy(k->ram, page_number(k, copy), page_number(k, page));
	cpu_charge(k->cpu, (uint64_t)k->cost.page_copy);
	page_put(k, page);
	if (unchanged(f)) {
		k->vmstat.pgfault_cow++;
		map_new_anon(f, copy);
	} else {
		page_put(k, copy);
	}
	return kind;
}

SLEEPS static enum fault_result fault_file(struct fault *f)
{
	struct kernel *k = f->k;
	struct vma *vma = f->vma;
	uint32_t index = vma->offset + ((f->va - vma->start) >> PAGE_SHIFT);
	enum fault_result kind = FAULT_MINOR;
	struct page *page;

	k->vmstat.pgfault_file++;
	if (index >= vma->inode->pages)
		return FAULT_BUS;
	page = find_or_read(f, index, &kind);
	if (!page)
		return kind;
	lru_mark_accessed(k, page);
	shadow_expect(k, page, fs_tag(vma->inode, index));
	if (f->write && !(vma->flags & VM_SHARED))
		return early_copy(f, page, kind);
	if (!unchanged(f)) {
		page_put(k, page);
		return kind;
	}
	f->mm->file_rss++;
	rmap_add_file(k, page);
	set_entry(f, page, entry_rights(vma, f->write));
	return kind;
}

/* --- which kind --- */

/* Present, and allowed: another CPU or an old TLB entry. Make it young. */
static enum fault_result fault_spurious(struct fault *f)
{
	f->old.v |= PTE_A | (f->write ? PTE_D : 0u);
	f->k->vmstat.pgfault_spurious++;
	*f->entry = f->old;
	pgtable_flush(f->mm, f->va);
	return FAULT_MINOR;
}

SLEEPS static enum fault_result dispatch(struct fault *f)
{
	f->entry = pgtable_make(f->mm, f->va);
	if (!f->entry)
		return FAULT_OOM;
	f->old = *f->entry;
	if (pte_none(f->old))
		return f->vma->inode ? fault_file(f) : fault_anonymous(f);
	if (!pte_present(f->old))
		return fault_swap(f);
	if (f->write && !(f->old.v & PTE_RW))
		return fault_copy_on_write(f);
	return fault_spurious(f);
}

/* A touch just below a stack makes it grow (expand_stack). */
static struct vma *grow_stack(struct mm *mm, vaddr va)
{
	list_each (l, &mm->vmas) {
		struct vma *vma = container_of(l, struct vma, link);
		vaddr page = va & PAGE_MASK;
		uint32_t pages;

		if (vma->start <= va)
			continue;
		if (!(vma->flags & VM_GROWSDOWN) ||
		    vma->end - page > STACK_SIZE)
			return NULL;
		pages = (vma->start - page) >> PAGE_SHIFT;
		vma->start = page;
		vma->offset -= pages;
		mm->total_vm += pages;
		return vma;
	}
	return NULL;
}

static bool allowed(const struct vma *vma, enum mmu_access access)
{
	if (access == MMU_WRITE)
		return vma->flags & VM_WRITE;
	return vma->flags & (VM_READ | VM_EXEC);
}

SLEEPS enum fault_result fault_handle(struct task *task, vaddr va,
				      enum mmu_access access)
{
	struct kernel *k = task->k;
	struct fault f = { .k = k,
			   .mm = task->mm,
			   .va = va & PAGE_MASK,
			   .write = access == MMU_WRITE };
	enum fault_result result = FAULT_SEGV;

	cpu_spend(k->cpu, (uint64_t)k->cost.fault);
	trace_emit(k->trace, TR_FAULT, (uint64_t)task->pid, va >> PAGE_SHIFT,
		   f.write, access);
	rwsem_read(k, &f.mm->mmap_sem);
	f.vma = mm_find(f.mm, va);
	if (!f.vma)
		f.vma = grow_stack(f.mm, va);
	if (f.vma && allowed(f.vma, access)) {
		k->vmstat.pgfault++;
		result = dispatch(&f);
	}
	rwsem_read_done(k, &f.mm->mmap_sem);
	if (result == FAULT_MINOR)
		task->self.minor_faults++;
	if (result == FAULT_MAJOR)
		task->self.major_faults++;
	trace_emit(k->trace, TR_FAULT_DONE, (uint64_t)task->pid,
		   va >> PAGE_SHIFT, result == FAULT_MAJOR, result);
	return result;
}
