/*
 * The names of the kernel's counters, for those who read them.
 *
 * Models      /proc/vmstat of Linux 2.6.18 (vmstat_text of mm/vmstat.c).
 */
#include "os/vmstat.h"

const struct stat_name vmstat_names[] = {
#define X(name, help) { #name, offsetof(struct vmstat, name), help },
	VMSTAT_COUNTERS(X)
#undef X
		{ NULL, 0, NULL }
};
