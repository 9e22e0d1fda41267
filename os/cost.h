/*
 * What the kernel's own work costs, in CPU cycles: physical constants of a
 * machine, filled from the machine file. Every key has a default that fits
 * an i686 of 2000..2006; docs/fidelity.md has the sources.
 */
#pragma once

#include "emu/param.h"

struct cost {
	int64_t trap;		/* into the kernel and back by an exception */
	int64_t syscall;	/* the same by a system call */
	int64_t interrupt;	/* device interrupt: entry, handler, exit */
	int64_t tick;		/* timer interrupt */
	int64_t context_switch; /* registers, stacks, CR3 */
	int64_t fault;		/* vma look-up and handler of a page fault */
	int64_t page_clear;
	int64_t page_copy;
	int64_t page_alloc; /* from a zone's free list */
	int64_t page_free;
	int64_t page_scan;  /* one page looked at by reclaim */
	int64_t rmap_visit; /* one mapping visited for a page */
	int64_t unmap;	    /* one entry cleared, with its TLB flush */
	int64_t lru_move;
	int64_t swap_slot;    /* find or free a slot */
	int64_t cache_lookup; /* page cache or swap cache */
	int64_t bio;	      /* prepare and submit one */
	int64_t request;      /* set up, dispatch and end one request */
	int64_t fork;	      /* besides what is copied page by page */
	int64_t fork_page;    /* one entry copied */
	int64_t exec;
	int64_t exit;
	int64_t schedule; /* pick the next task */
	int64_t wake;
	int64_t copy_4k; /* between user and kernel, per 4 KiB */
};

extern const struct param cost_params[];
