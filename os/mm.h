/*
 * An address space: areas (vmas) over page tables. Owner of all of it: the
 * mm, shared by the threads that use it; freed with its last user.
 */
#pragma once

#include "mmu/mmu.h"
#include "os/token.h"
#include "os/wait.h"

struct inode;
struct kernel;
struct task;

enum vma_flag {
	VM_READ = 1,
	VM_WRITE = 2,
	VM_EXEC = 4,
	VM_SHARED = 8,
	VM_LOCKED = 0x10,
	VM_GROWSDOWN = 0x20, /* a stack */
};

/*
 * The vmas that may map the same anonymous pages: a process' own and those
 * its forks inherited. Pages name it by id (models anon_vma of 2.6.7+).
 */
struct anon_vma {
	uint32_t id;
	uint32_t users;	  /* vmas on the list */
	struct list vmas; /* vma.anon_link */
};

struct vma {
	struct mm *mm;
	struct list link;    /* mm.vmas, by address */
	vaddr start, end;    /* page-aligned, end exclusive */
	uint32_t flags;	     /* enum vma_flag */
	uint32_t offset;     /* page of the file at start; anon: start's vpn */
	struct inode *inode; /* NULL: anonymous */
	struct anon_vma *anon; /* NULL until the first anonymous page */
	struct list anon_link;
	struct list file_link;	     /* inode.mappings */
	int32_t mmap_hit, mmap_miss; /* of the open file behind it */
};

/* A sleeping lock: many readers or one writer; writers first in order. */
struct rwsem {
	uint32_t readers;
	bool writer;
	struct wait_queue queue;
};

struct mm {
	struct kernel *k;
	uint32_t id;	/* never reused */
	int pid;	/* of its first task, for traces and reports */
	char name[16];	/* of its first task, kept for reports */
	uint32_t users; /* tasks that run in it */
	uint64_t key;	/* odd: what this space's stores add, see ram_store */

	struct list vmas;
	struct vma *cached;    /* last one found */
	pfn directory;	       /* page directory */
	uint32_t tables;       /* page tables, pages */
	struct rwsem mmap_sem; /* read: faults; write: map, unmap, brk */

	uint64_t total_vm, locked_vm;	      /* pages */
	uint64_t anon_rss, file_rss, max_rss; /* pages mapped */
	uint64_t swap_entries; /* table entries that name a slot */
	vaddr brk_start, brk;
	vaddr mmap_base; /* where the next mapping without address goes */

	struct token_mm token;
	struct list all; /* kernel.mms */
};

#define USER_TOP   0xc0000000u /* 3 GiB for the user, as i386 */
#define STACK_TOP  0xbffff000u
#define STACK_SIZE (8u << 20)
#define MMAP_BASE  0x40000000u

/* An empty address space with one user. NULL: no memory. */
SLEEPS struct mm *mm_new(struct kernel *k, struct task *task);

/* A copy-on-write copy for fork. NULL: no memory. */
SLEEPS struct mm *mm_fork(struct task *child, struct mm *parent);

/* One user less; with the last one everything is unmapped and freed. */
SLEEPS void mm_put(struct mm *mm);

/*
 * Take it away wherever it is, without giving its frames and slots back: for
 * kernel_free. From the host's stack.
 */
void mm_drop(struct mm *mm);

/* Make the CPU use it: CR3 and tag key; no flush if it already does. */
void mm_activate(struct kernel *k, struct mm *mm);

/*
 * Map [start, start + size) from page offset of inode (NULL: zeroes). start
 * 0: anywhere. Returns the address, 0 if it does not fit. Caller holds
 * mmap_sem for writing, or the mm is not yet running.
 */
SLEEPS vaddr mm_map(struct mm *mm, vaddr start, uint64_t size, uint32_t flags,
		    struct inode *inode, uint32_t offset);

/* Unmap whatever is there. mmap_sem for writing. */
SLEEPS void mm_unmap(struct mm *mm, vaddr start, uint64_t size);

/* brk(2): returns the break. mmap_sem for writing. */
SLEEPS vaddr mm_brk(struct mm *mm, vaddr brk);

/* Lock all that is mapped now and bring it in (mlockall). */
SLEEPS bool mm_lock_all(struct mm *mm);

struct vma *mm_find(struct mm *mm, vaddr va);

SLEEPS void rwsem_read(struct kernel *k, struct rwsem *s);
SLEEPS void rwsem_write(struct kernel *k, struct rwsem *s);
void rwsem_read_done(struct kernel *k, struct rwsem *s);
void rwsem_write_done(struct kernel *k, struct rwsem *s);
static inline bool rwsem_held(const struct rwsem *s)
{
	return s->readers || s->writer;
}

/* Copy to or from user memory, faulting it in. False: bad address. */
SLEEPS bool mm_write_user(struct task *task, vaddr va, const void *from,
			  size_t size);
SLEEPS bool mm_read_user(struct task *task, vaddr va, void *to, size_t size);

/* A NUL-terminated string of at most size - 1 bytes. */
SLEEPS bool mm_read_string(struct task *task, vaddr va, char *to, size_t size);
