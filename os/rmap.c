/*
 * Reverse mapping.
 *
 * Models      mm/rmap.c of Linux 2.6.18.
 * Leaves out  nonlinear mappings, and the try-locks: nothing else runs while
 *             a page's mappings are visited, so no lock is ever contended.
 */
#include "os/rmap.h"

#include "os/kernel.h"
#include "os/pgtable.h"
#include "os/shadow.h"

void rmap_init(struct kernel *k)
{
	k->rmap = (struct rmap){ .anon = xcalloc(64, sizeof(void *)),
				 .room = 64,
				 .unused = 1 };
}

void rmap_finish(struct kernel *k)
{
	for (uint32_t i = 0; i < k->rmap.room; i++)
		BUG_ON(k->rmap.anon[i]);
	free(k->rmap.anon);
}

/* The lowest free id; 0 means none, so it is never handed out. */
static uint32_t new_id(struct rmap *r)
{
	uint32_t id = r->unused;

	while (id < r->room && r->anon[id])
		id++;
	if (id == r->room) {
		r->anon = xrealloc(r->anon, sizeof(void *) * 2 * r->room);
		for (uint32_t i = r->room; i < 2 * r->room; i++)
			r->anon[i] = NULL;
		r->room *= 2;
	}
	r->unused = id + 1;
	return id;
}

static void join(struct vma *vma, struct anon_vma *anon)
{
	vma->anon = anon;
	anon->users++;
	list_add_tail(&vma->anon_link, &anon->vmas);
}

void rmap_prepare(struct vma *vma)
{
	struct rmap *r = &vma->mm->k->rmap;
	struct anon_vma *anon;

	if (vma->anon)
		return;
	anon = xcalloc(1, sizeof(*anon));
	anon->id = new_id(r);
	list_init(&anon->vmas);
	r->anon[anon->id] = anon;
	join(vma, anon);
}

void rmap_join(struct vma *child, const struct vma *parent)
{
	if (parent->anon)
		join(child, parent->anon);
}

void rmap_leave(struct vma *vma)
{
	struct rmap *r = &vma->mm->k->rmap;
	struct anon_vma *anon = vma->anon;

	if (!anon)
		return;
	list_del(&vma->anon_link);
	vma->anon = NULL;
	if (--anon->users)
		return;
	r->anon[anon->id] = NULL;
	if (anon->id < r->unused)
		r->unused = anon->id;
	free(anon);
}

void rmap_add_anon(struct kernel *k, struct page *page, struct vma *vma,
		   vaddr va)
{
	if (page->mapcount++)
		return;
	BUG_ON(!vma->anon);
	page->flags |= PG_ANON;
	page->owner = vma->anon->id;
	page->index = vma->offset + ((va - vma->start) >> PAGE_SHIFT);
	k->nr_anon_mapped++;
}

void rmap_add_file(struct kernel *k, struct page *page)
{
	if (!page->mapcount++)
		k->nr_file_mapped++;
}

void rmap_dup(struct page *page)
{
	BUG_ON(!page->mapcount);
	page->mapcount++;
}

void rmap_remove(struct kernel *k, struct page *page)
{
	BUG_ON(!page->mapcount);
	if (--page->mapcount)
		return;
	if (page_test(page, PG_ANON))
		k->nr_anon_mapped--;
	else
		k->nr_file_mapped--;
}

/* Visit one vma: is the page mapped where it would be? False: stop. */
static bool visit(struct kernel *k, struct page *page, struct vma *vma,
		  rmap_fn fn, void *arg)
{
	uint64_t at =
		vma->start + ((uint64_t)page->index - vma->offset) * PAGE_SIZE;
	struct pte *e;

	if (page->index < vma->offset || at >= vma->end)
		return true;
	cpu_charge(k->cpu, (uint64_t)k->cost.rmap_visit);
	e = pgtable_find(vma->mm, (vaddr)at);
	if (!e || !pte_present(*e) || pte_pfn(*e) != page_number(k, page))
		return true;
	return fn(vma, (vaddr)at, e, arg);
}

void rmap_each(struct kernel *k, struct page *page, rmap_fn fn, void *arg)
{
	if (!page->mapcount)
		return;
	if (page_test(page, PG_ANON)) {
		list_each (l, &k->rmap.anon[page->owner]->vmas)
			if (!visit(k, page,
				   container_of(l, struct vma, anon_link), fn,
				   arg))
				return;
		return;
	}
	list_each (l, &fs_inode(k->fs, page->owner)->mappings)
		if (!visit(k, page, container_of(l, struct vma, file_link), fn,
			   arg))
			return;
}

struct referenced {
	struct kernel *k;
	unsigned count;
	unsigned left; /* mappings not yet met */
	bool token;
};

static bool referenced_one(struct vma *vma, vaddr va, struct pte *e, void *arg)
{
	struct referenced *r = arg;

	if (e->v & PTE_A) {
		e->v &= ~(uint32_t)PTE_A;
		pgtable_flush(vma->mm, va);
		r->count++;
	}
	if (token_protects(r->k, vma->mm)) {
		r->count++;
		r->token = true;
		r->k->vmstat.token_protected++;
	}
	return --r->left;
}

unsigned rmap_referenced(struct kernel *k, struct page *page, bool locked)
{
	struct referenced r = { k, 0, page->mapcount, false };

	if (page_test(page, PG_REFERENCED)) {
		page->flags &= ~(uint32_t)PG_REFERENCED;
		r.count++;
	}
	/* an unlocked file page somebody else has locked: called used */
	if (page->mapcount && !page_test(page, PG_ANON) && !locked &&
	    page_test(page, PG_LOCKED))
		r.count++;
	else
		rmap_each(k, page, referenced_one, &r);
	if (r.count)
		trace_emit(k->trace, TR_REFERENCED, page_number(k, page),
			   r.count, r.token, 0);
	return r.count;
}

struct unmap {
	struct kernel *k;
	struct page *page;
	bool in_use;
};

/* An anonymous entry turns into a swap entry, a file entry into nothing. */
static void clear_entry(struct unmap *u, struct vma *vma, vaddr va,
			struct pte *e)
{
	struct page *page = u->page;
	struct mm *mm = vma->mm;

	if (e->v & PTE_D)
		page->flags |= PG_DIRTY;
	if (page_test(page, PG_ANON)) {
		swap_duplicate(u->k, page->private);
		*e = pte_swap(page->private);
		mm->anon_rss--;
		mm->swap_entries++;
		shadow_leave(u->k, mm, va, page);
		token_evict(u->k, mm, page->private);
	} else {
		*e = (struct pte){ 0 };
		mm->file_rss--;
	}
	pgtable_flush(mm, va);
	trace_emit(u->k->trace, TR_UNMAP, (uint64_t)mm->pid, va >> PAGE_SHIFT,
		   page_number(u->k, page), 0);
	rmap_remove(u->k, page);
	page_put(u->k, page);
}

static bool unmap_one(struct vma *vma, vaddr va, struct pte *e, void *arg)
{
	struct unmap *u = arg;

	cpu_charge(u->k->cpu, (uint64_t)u->k->cost.unmap);
	if (vma->flags & VM_LOCKED || e->v & PTE_A) {
		if (e->v & PTE_A) {
			e->v &= ~(uint32_t)PTE_A;
			pgtable_flush(vma->mm, va);
		}
		u->in_use = true;
		return false;
	}
	clear_entry(u, vma, va, e);
	return u->page->mapcount;
}

enum unmap_result rmap_unmap(struct kernel *k, struct page *page)
{
	struct unmap u = { k, page, false };

	BUG_ON(!page_test(page, PG_LOCKED));
	BUG_ON(page_test(page, PG_ANON) && !page_test(page, PG_SWAPCACHE));
	rmap_each(k, page, unmap_one, &u);
	if (u.in_use)
		return UNMAP_IN_USE;
	return page->mapcount ? UNMAP_AGAIN : UNMAP_DONE;
}
