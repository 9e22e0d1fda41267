/*
 * The kernel: everything that would be a global variable. One per machine.
 */
#pragma once

#include "cpu/cpu.h"
#include "cpu/timer.h"
#include "emu/coro.h"
#include "emu/rng.h"
#include "emu/trace.h"
#include "os/block.h"
#include "os/cost.h"
#include "os/fs.h"
#include "os/lru.h"
#include "os/mm.h"
#include "os/oom.h"
#include "os/page.h"
#include "os/page_alloc.h"
#include "os/rmap.h"
#include "os/swap.h"
#include "os/sysctl.h"
#include "os/task.h"
#include "os/token.h"
#include "os/vmscan.h"
#include "os/vmstat.h"

#include <signal.h>

/* Memory that is in use since boot, by what it is for. */
struct kernel_reserve {
	const char *what; /* "text and data", "drivers", ... */
	int zone;	  /* enum zone_index; -1: anywhere, high zone first */
	uint32_t pages;
};

/* What the bench solders; every pointer must outlive the kernel. */
struct kernel_config {
	const char *profile; /* "linux-2.6.18" */
	uint64_t seed;
	unsigned hz;
	bool check; /* shadow tags and invariants */
	simtime uptime_at_start;
	simtime end; /* stop at this time at the latest */

	struct cost cost;
	struct sysctls sysctls;
	const struct kernel_reserve *reserve; /* what NULL ends it */

	const struct sched_ops *sched; /* NULL: the first of sched_policies */
	void *sched_options;
	const struct token_ops *token;
	void *token_options;
	enum token_grab_point grab_point;
	const struct oom_ops *oom;
	void *oom_options;

	/* swap: pages slots from block first of its device; pages 0: none */
	struct queue_config swap_queue, file_queue;
	struct disk *swap_disk, *file_disk; /* may be the same */
	struct media *swap_media, *file_media;
	uint64_t swap_first, swap_pages;
	uint64_t file_first, file_blocks;
};

#define PAGE_WAIT_QUEUES 256

struct integrity {
	uint64_t checked;
	uint64_t mismatches;
};

struct kernel {
	struct kernel_config config;
	struct events *events;
	struct trace *trace;
	struct ram *ram;
	struct cpu *cpu; /* CPU 0, the only one: docs/machine.md */

	struct cost cost;
	struct sysctls sysctl;
	struct vmstat vmstat;
	bool stop; /* sched_run returns */
	/* nonzero: set stop at the next occasion; may be NULL. The host's
	 * signal handlers write it, the kernel only reads */
	const volatile sig_atomic_t *interrupt;
	const char *panicked; /* why it can not go on; NULL */

	/* memory: os/page_alloc.c, os/lru.c, os/vmscan.c, os/swap.c */
	struct page *pages; /* one per frame, then the list heads */
	struct zones zones;
	struct lru lru;
	struct swap *swap; /* NULL: no swap */
	struct rmap rmap;
	struct vmscan vmscan;
	struct wait_queue page_wait[PAGE_WAIT_QUEUES]; /* key: pfn + 1 */
	pfn zero_page;
	uint64_t nr_anon_mapped, nr_file_mapped; /* pages, system-wide */
	uint64_t nr_writeback, nr_page_tables;
	uint64_t nr_file_cached; /* page cache without swap cache */

	/* processes: os/task.c, os/sched.c */
	struct coro_pool *coros;
	struct sched *sched;
	struct list tasks; /* task.all */
	struct list mms;   /* mm.all */
	/* a program starts a phase (mark); for the bench, may be NULL */
	void (*on_mark)(struct task *task, const char *name, void *arg);
	void *on_mark_arg;
	struct task *current; /* NULL while idle */
	struct task *init;    /* pid 1, if it was started */
	int next_pid;
	uint32_t next_mm;
	unsigned nr_iowait; /* sleepers that make idle time iowait */
	uint64_t context_switches, interrupts;

	/* block: os/block.c */
	struct queue *swap_queue, *file_queue;
	struct wait_queue congestion[2]; /* [write] */
	struct block_private *block;

	struct fs *fs;
	struct timer timer;
	struct token token;
	struct oom oom;
	struct oom_record *oom_records; /* latest first */
	struct integrity integrity;
	struct shadow *shadow; /* with check, see os/shadow.c */
};

/*
 * Power on: zones, reserve, lists, queues, kswapd, the timer. Files are
 * installed and tasks started by the caller afterwards. The events, trace,
 * ram and cpu are the machine's.
 */
struct kernel *kernel_boot(const struct kernel_config *config,
			   struct events *events, struct trace *trace,
			   struct ram *ram, struct cpu *cpu);

/*
 * Shut down: kill what runs, free all; BUG if any frame, slot or task is
 * lost on the way.
 */
void kernel_free(struct kernel *k);

/* The frame number of a page: k->pages[page_number(k, page)] is the page. */
static inline pfn page_number(const struct kernel *k, const struct page *page)
{
	return (pfn)(page - k->pages);
}

static inline struct zone *page_zone(struct kernel *k, const struct page *page)
{
	return &k->zones.zone[page_zone_index(page)];
}

/* The kernel's idea of the time since power-on, ns. */
static inline simtime kernel_now(const struct kernel *k)
{
	return cpu_now(k->cpu);
}

/* Uptime: what the modelled kernel believes. */
static inline simtime kernel_uptime(const struct kernel *k)
{
	return k->config.uptime_at_start + kernel_now(k);
}

/* Final state into the digest: tables, lists, slots, tags, counters. */
void kernel_digest(struct kernel *k, struct digest *d);

/*
 * Assert what must hold at any event boundary: lists, counts, rmap, page
 * tables, slots, tags. BUG if not. Slow.
 */
void kernel_check(struct kernel *k);
