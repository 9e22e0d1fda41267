/*
 * The cost table: what the kernel's own work costs, with defaults.
 *
 * Models      an i686 of 2000..2006 (Pentium M near 1.7 GHz) in its cycles.
 * Leaves out  caches: a cost is the same whatever was touched before.
 *
 * Orders of magnitude are those that lmbench reported for such machines (null
 * system call 0.2..0.3 us, page fault 1..3 us, switch 1..2 us, fork 100 us,
 * 1..2 GB/s of memory); an interrupt is dominated by the two port writes that
 * acknowledge it, about 1 us each on an ISA-style controller.
 */
#include "os/cost.h"

#include <stddef.h>

#define COST(field, def, help)                                                 \
	{                                                                      \
#field, PARAM_CYCLES, offsetof(struct cost, field), def, help, \
			0, 100000000, NULL                                     \
	}

const struct param cost_params[] = {
	COST(trap, "500", "into the kernel and back by an exception"),
	COST(syscall, "400", "the same by a system call"),
	COST(interrupt, "4000", "device interrupt: entry, handler, exit"),
	COST(tick, "4500", "timer interrupt with its bookkeeping"),
	COST(context_switch, "2000", "registers, stacks, page directory"),
	COST(fault, "700", "area look-up and handler of a page fault"),
	COST(page_clear, "2500", "write 4 KiB of zeroes"),
	COST(page_copy, "4000", "copy a page"),
	COST(page_alloc, "250", "take a frame from a zone"),
	COST(page_free, "200", "give it back"),
	COST(page_scan, "150", "one page looked at by reclaim"),
	COST(rmap_visit, "250", "one mapping visited for a page"),
	COST(unmap, "400", "one entry cleared, with its TLB flush"),
	COST(lru_move, "60", "move a page between lists"),
	COST(swap_slot, "150", "find or free a swap slot"),
	COST(cache_lookup, "120", "page cache or swap cache"),
	COST(bio, "1500", "prepare and submit a transfer"),
	COST(request, "4000", "set up, dispatch and end a request"),
	COST(fork, "50000", "a new process, apart from its page tables"),
	COST(fork_page, "120", "one page table entry copied"),
	COST(exec, "100000", "a new program, apart from its faults"),
	COST(exit, "40000", "the end of a process, apart from its pages"),
	COST(schedule, "500", "pick the next task"),
	COST(wake, "500", "make a sleeper runnable"),
	COST(copy_4k, "2500", "4 KiB between user and kernel"),
	{ 0 },
};
