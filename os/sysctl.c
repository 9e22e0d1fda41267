/*
 * Knobs by name.
 *
 * Models      kernel/sysctl.c of 2.6.18, the part that tunes memory.
 * Leaves out  files: a knob is written by the scenario, not by a program.
 */
#include "os/sysctl.h"

#include "os/kernel.h"

#include <string.h>

#define KNOB(name, field, def, min, max, help, written)                     \
	{                                                                   \
		name, offsetof(struct sysctls, field), def, min, max, help, \
			written                                             \
	}

/* Defaults of 2.6.18: mm/vmscan.c, mm/swap.c, mm/thrash.c, mm/mmap.c */
const struct sysctl sysctl_table[] = {
	KNOB("vm.min_free_kbytes", min_free_kbytes, 0, 0, 1 << 20,
	     "free memory that the marks defend; 0: from the memory size",
	     page_alloc_marks),
	KNOB("vm.overcommit_memory", overcommit_memory, 0, 0, 2,
	     "0: refuse obvious excess, 1: never refuse, 2: strict", NULL),
	KNOB("vm.page-cluster", page_cluster, 3, 0, 10,
	     "log2 of the pages that swap reads at once", NULL),
	KNOB("vm.swap_token_timeout", swap_token_timeout, 300, 0, 1 << 30,
	     "longest tenure of the swap token, seconds (ticks in 2.6.9); "
	     "0: off",
	     NULL),
	KNOB("vm.swappiness", swappiness, 60, 0, 100,
	     "how readily mapped pages are taken", NULL),
	{ 0 },
};

static int64_t *field_of(struct sysctls *s, const struct sysctl *knob)
{
	return (int64_t *)(void *)((char *)s + knob->offset);
}

void sysctl_defaults(struct sysctls *s)
{
	for (const struct sysctl *knob = sysctl_table; knob->name; knob++)
		*field_of(s, knob) = knob->def;
}

const struct sysctl *sysctl_find(const char *name)
{
	for (const struct sysctl *knob = sysctl_table; knob->name; knob++)
		if (strcmp(knob->name, name) == 0)
			return knob;
	return NULL;
}

void sysctl_write(struct kernel *k, const struct sysctl *s, int64_t value)
{
	BUG_ON(value < s->min || value > s->max);
	*field_of(&k->sysctl, s) = value;
	trace_emit(k->trace, TR_SYSCTL, (uint64_t)(s - sysctl_table),
		   (uint64_t)value, 0, 0);
	if (s->written)
		s->written(k);
}
