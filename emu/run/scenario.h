/*
 * One experiment in one variant, read, checked and ready to be soldered.
 */
#pragma once

#include "emu/run/data.h"
#include "emu/run/hardware.h"
#include "emu/run/profile.h"
#include "emu/run/programs.h"
#include "emu/run/published.h"
#include "emu/run/resolve.h"
#include "emu/run/script.h"

/* A file on the emulated disk that is not a program. */
struct plain_file {
	const char *name;
	uint64_t size; /* bytes; content is zero, but tagged */
	struct diag_place place;
};

enum scenario_end { END_EXITED, END_AT };

struct scenario {
	const char *path, *name, *about, *source, *variant;
	struct yaml *tree; /* resolved */
	uint64_t hash;

	struct hardware hw;
	struct profile profile;
	struct programs programs;
	struct script script;
	struct publications published;

	struct plain_file *file;
	unsigned nr_files;
	uint64_t swap_pages; /* 0: none */
	simtime uptime_at_start;
	enum scenario_end end;
	simtime limit;	/* end at this time at the latest */
	simtime vmstat; /* sampling interval, 0: none */
};

#define SCENARIO_LIMIT (86400LL * NSEC_PER_SEC) /* a day */

/*
 * Load the scenario at path. NULL after errors, all of them in d. It borrows
 * texts of data.
 */
struct scenario *scenario_load(struct data *data, const char *path,
			       const struct wishes *wishes, struct diag *d);
void scenario_free(struct scenario *s);

/*
 * Load the scenario in every variant, for what is wrong with it. Errors go to
 * d, which prints those that variants share once. False if there were any.
 */
bool scenario_validate(struct data *data, const char *path, struct diag *d);

/* Where the scenario, or the machine it names, describes the file disk. */
struct diag_place scenario_file_disk(const struct scenario *s);

/*
 * The path of a scenario that the user named: a file, or one of ours
 * (swap-token-2006/qsbench, or qsbench alone). NULL after an error.
 */
const char *scenario_path(struct data *data, const char *word, struct diag *d);
