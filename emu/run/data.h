/*
 * Where data files are: scenarios, machines, backgrounds, drives, images.
 *
 * Looked for in this order: the folder that FAULTLINE_DATA names, the build
 * tree if the program runs from there, the installed folder. All but the
 * build tree have the same shape: scenarios/, scenarios/machines/,
 * scenarios/backgrounds/, drives/, images/, source/.
 */
#pragma once

#include "emu/diag.h"

enum data_kind {
	DATA_SCENARIO,	 /* scenarios, by path below their folder */
	DATA_MACHINE,	 /* .yaml */
	DATA_BACKGROUND, /* .yaml */
	DATA_DRIVE,	 /* .yaml */
	DATA_IMAGE,	 /* .elf */
	DATA_SOURCE,	 /* .s and .inc of our programs */
	DATA_KINDS
};

struct data;

/*
 * Find out where we are. Every path that is handed out lives
 * until data_free, so that places in messages may point at it.
 */
struct data *data_new(void);
void data_free(struct data *data);

/*
 * The same for a command: NULL, with a message on standard error, if the user
 * named a folder (FAULTLINE_DATA) that cannot be read.
 */
struct data *data_open(void);

/* The folder of a kind; it may be missing. */
const char *data_folder(const struct data *data, enum data_kind kind);

/* A copy of the text that lives as long as data. */
const char *data_keep(struct data *data, const char *text);

/* printf into a text that lives as long as data. */
const char *data_printf(struct data *data, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The path of a file by its name without suffix; NULL if there is none.
 * beside, if not NULL, is a file whose folder is looked in first.
 */
const char *data_find(struct data *data, enum data_kind kind, const char *name,
		      const char *beside);

/*
 * What a program of ours is, in one line: the first of its source, which is
 * "; NAME: text". Empty if there is none.
 */
const char *data_about(struct data *data, const char *program);

/* Do both paths lead to one file? */
bool data_same_file(const char *a, const char *b);

/* All names of a kind, sorted, NULL-terminated; they live as long as data. */
const char *const *data_names(struct data *data, enum data_kind kind);
