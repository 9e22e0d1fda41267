/*
 * Power on and off.
 *
 * Models      start_kernel of init/main.c as far as memory, block layer and
 *             timer go.
 */
#include "os/kernel.h"

#include "os/shadow.h"

/* Take frames for what is in use since boot; the machine file lists it. */
static void reserve(struct kernel *k, const struct kernel_reserve *r)
{
	for (; r->what; r++) {
		for (uint32_t i = 0; i < r->pages; i++) {
			struct page *page = page_alloc_reserved(k, r->zone);

			BUG_ON(!page); /* checked before power-on */
			page->flags |= PG_KERNEL | PG_RESERVED;
			if (k->zero_page == PFN_NONE)
				k->zero_page = page_number(k, page);
		}
	}
	BUG_ON(k->zero_page == PFN_NONE);
}

static void start_memory(struct kernel *k)
{
	k->pages = xcalloc(k->ram->frames + 2u * NR_ZONES, sizeof(*k->pages));
	for (int i = 0; i < PAGE_WAIT_QUEUES; i++)
		wait_queue_init(&k->page_wait[i]);
	k->zero_page = PFN_NONE;
	page_alloc_init(k);
	lru_init(k);
	rmap_init(k);
	reserve(k, k->config.reserve);
	if (k->config.check)
		k->shadow = shadow_new();
}

static void start_disks(struct kernel *k)
{
	const struct kernel_config *c = &k->config;

	wait_queue_init(&k->congestion[0]);
	wait_queue_init(&k->congestion[1]);
	k->file_queue =
		queue_new(k, c->file_disk, c->file_media, &c->file_queue);
	k->fs = fs_new(k, k->file_queue, c->file_media, c->file_first,
		       c->file_blocks, c->seed);
	if (!c->swap_pages)
		return;
	k->swap_queue = c->swap_disk == c->file_disk
				? k->file_queue
				: queue_new(k, c->swap_disk, c->swap_media,
					    &c->swap_queue);
	k->swap = swap_new(k, k->swap_queue, c->swap_first, c->swap_pages);
}

static void tick(void *arg)
{
	sched_tick(arg);
}

struct kernel *kernel_boot(const struct kernel_config *config,
			   struct events *events, struct trace *trace,
			   struct ram *ram, struct cpu *cpu)
{
	struct kernel *k = xcalloc(1, sizeof(*k));

	k->config = *config;
	k->cost = config->cost;
	k->sysctl = config->sysctls;
	k->events = events;
	k->trace = trace;
	k->ram = ram;
	k->cpu = cpu;
	k->next_pid = 1;
	list_init(&k->tasks);
	list_init(&k->mms);
	k->coros = coro_pool_new((size_t)64 << 10);
	start_memory(k);
	sched_init(k);
	token_init(k);
	oom_init(k);
	start_disks(k);
	/* pid 1 is left for init: kernel threads number from 2 */
	k->next_pid = 2;
	vmscan_init(k);
	timer_init(&k->timer, events, config->hz, 0,
		   (struct irq_line){ tick, k });
	return k;
}

/* Host memory of what was running at the end; nothing is simulated. */
static void drop_processes(struct kernel *k)
{
	task_finish_all(k);
	while (!list_empty(&k->mms))
		mm_drop(list_first(&k->mms, struct mm, all));
}

void kernel_free(struct kernel *k)
{
	timer_stop(&k->timer);
	drop_processes(k);
	for (uint32_t i = 1; i <= fs_count(k->fs); i++)
		fs_inode(k->fs, i)->cached = 0;
	fs_free(k->fs);
	swap_free_area(k->swap);
	if (k->swap_queue != k->file_queue)
		queue_free(k->swap_queue);
	queue_free(k->file_queue);
	token_finish(k);
	sched_finish(k);
	rmap_finish(k);
	shadow_free(k->shadow);
	oom_finish(k);
	coro_pool_free(k->coros);
	free(k->pages);
	free(k);
}
