/*
 * The kernel's counters, under the names 2.6.18 gives them in /proc/vmstat
 * (per-zone families are added up). Counting is a plain add.
 *
 * Two of them count as that kernel does, by mistake: pgsteal stays 0 and
 * pgactivate includes pages freed by the inactive scan (mm/vmscan.c of
 * 2.6.18 adds to the wrong ones). The true figures are pgsteal_true and
 * pgactivate_true.
 */
#pragma once

#include "emu/stat.h"

#define VMSTAT_COUNTERS(X)                                                   \
	X(pgpgin, "KiB read from block devices")                             \
	X(pgpgout, "KiB written to block devices")                           \
	X(pswpin, "pages swapped in")                                        \
	X(pswpout, "pages swapped out")                                      \
	X(pgalloc, "pages allocated")                                        \
	X(pgfree, "pages freed")                                             \
	X(pgactivate,                                                        \
	  "pages activated, as 2.6.18 counts (see pgactivate_true)")         \
	X(pgdeactivate, "pages moved from active to inactive list")          \
	X(pgfault, "page faults")                                            \
	X(pgmajfault, "page faults that needed I/O")                         \
	X(pgrefill, "pages scanned on the active list")                      \
	X(pgsteal, "0: 2.6.18 adds to the wrong counter (see pgsteal_true)") \
	X(pgscan_kswapd, "inactive pages scanned by kswapd")                 \
	X(pgscan_direct, "inactive pages scanned by direct reclaim")         \
	X(slabs_scanned, "slab objects scanned")                             \
	X(kswapd_steal, "pages freed by kswapd")                             \
	X(pageoutrun, "runs of kswapd's balancing")                          \
	X(allocstall, "direct reclaims")                                     \
	X(pgrotated, "pages rotated to the inactive tail")                   \
	X(pgsteal_true, "pages freed by reclaim")                            \
	X(pgactivate_true, "pages moved to the active list")                 \
	X(pgfault_spurious, "faults on an entry that was already valid")     \
	X(pgfault_anon, "faults that made a zeroed page")                    \
	X(pgfault_zero, "faults that mapped the zero page")                  \
	X(pgfault_cow, "faults that copied a page")                          \
	X(pgfault_reuse, "write faults that needed no copy")                 \
	X(pgfault_file, "faults on file pages")                              \
	X(pgfault_swap, "faults on swapped-out pages")                       \
	X(swap_ra, "pages read ahead from swap")                             \
	X(swap_ra_hit, "faults that found a page in the swap cache")         \
	X(swap_drop, "swap pages freed without a write: nobody used them")   \
	X(swap_clean, "swap pages freed that were clean by then: written "   \
		      "earlier, or never changed")                           \
	X(token_protected, "references counted because of the swap token")   \
	X(congestion_waits, "naps in congestion_wait")                       \
	X(oom_kill, "processes killed for memory")

struct vmstat {
#define X(name, help) uint64_t name;
	VMSTAT_COUNTERS(X)
#undef X
};

extern const struct stat_name vmstat_names[];
