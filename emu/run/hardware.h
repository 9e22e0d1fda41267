/*
 * The machine of a scenario as numbers: what machine.c solders together.
 */
#pragma once

#include "disk/fixed.h"
#include "disk/ide.h"
#include "emu/run/data.h"
#include "emu/run/yaml.h"
#include "mmu/tlb.h"
#include "os/kernel.h"

enum unit_role { UNIT_FILE, UNIT_SWAP, UNITS };

extern const char *const unit_names[]; /* "file", "swap", NULL */

/* One disk. Its role names it: file, swap; one disk may have both roles. */
struct unit {
	bool present;
	bool fixed; /* which of the two sorts */
	struct fixed_spec rate;
	struct drive_spec drive;
	uint64_t blocks; /* capacity in 4 KiB blocks */
};

struct hardware {
	const char *name;
	int64_t clock; /* Hz */
	int64_t walk;  /* cycles of a table walk */
	struct tlb_geometry itlb, dtlb;
	uint32_t frames;
	int64_t hz;
	struct cost cost;
	struct kernel_reserve *reserve; /* ends with a what of NULL */
	uint32_t reserved;		/* pages, their sum */

	struct unit unit[UNITS];
	enum unit_role swap_on; /* the disk that has the swap area */
	/* areas in 4 KiB blocks of their disk */
	uint64_t file_first, file_blocks;
	uint64_t swap_first, swap_room;
};

/*
 * Read `machine` and `memory` of a resolved scenario. Errors go to d; what
 * could not be read has its default. Texts belong to data or the tree.
 */
void hardware_read(struct hardware *hw, const struct yaml *scenario,
		   struct data *data, struct diag *d);
void hardware_finish(struct hardware *hw);
