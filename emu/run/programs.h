/*
 * The programs that a scenario needs, as images read on the host.
 */
#pragma once

#include "emu/run/data.h"
#include "workloads/image.h"

/* One image to install. image is NULL if it could not be read. */
struct program {
	const char *name; /* of processes and of the file on the disk */
	const char *path; /* of its file; NULL: unknown, or a library */
	struct image *image;
	struct diag_place place; /* that named it; no file: a library */
};

/* In order of first use, then the libraries. Owned by the scenario. */
struct programs {
	struct data *data;
	const char *beside; /* the scenario's path: files named from there */
	struct program *list;
	unsigned count;
};

/*
 * Add the program that word names: one of ours by name, or an image (.elf)
 * or source (.s) by path. NULL after an error, said once.
 */
const struct image *programs_add(struct programs *p, const char *word,
				 struct diag *d, struct diag_place at);

/*
 * Check a command line, add its program, and return the command as the
 * emulated kernel gets it: with the program's plain name.
 */
const char *programs_command(struct programs *p, const char *text,
			     struct diag *d, struct diag_place at);

/* Is a program or library of this name among them? */
bool programs_have(const struct programs *p, const char *name);

/* Add the libraries that every program may open. */
void programs_libraries(struct programs *p, struct diag *d);
void programs_finish(struct programs *p);
