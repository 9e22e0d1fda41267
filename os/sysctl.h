/*
 * Knobs, by the names users know. A scenario sets them before boot or writes
 * them while the machine runs.
 */
#pragma once

#include "emu/types.h"

struct kernel;

/* Values are as the modelled kernel takes them. */
struct sysctls {
	int64_t swappiness;
	int64_t page_cluster;
	int64_t swap_token_timeout; /* seconds; 0: the token is off */
	int64_t overcommit_memory;
	int64_t min_free_kbytes; /* 0: computed at boot */
};

struct sysctl {
	const char *name; /* "vm.swappiness"; NULL ends the table */
	size_t offset;	  /* of an int64_t in struct sysctls */
	int64_t def, min, max;
	const char *help;
	void (*written)(struct kernel *k); /* takes effect; may be NULL */
};

extern const struct sysctl sysctl_table[];

void sysctl_defaults(struct sysctls *s);
const struct sysctl *sysctl_find(const char *name);

/* Write one in the running kernel; value was checked against min and max. */
void sysctl_write(struct kernel *k, const struct sysctl *s, int64_t value);
