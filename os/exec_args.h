/*
 * A command line against the parameters that a program declares.
 */
#pragma once

#include "os/elf.h"

#define EXEC_COMMAND_MAX 255
#define EXEC_WORDS	 32

/* A command, cut into words; of the caller's. */
struct exec_args {
	char text[EXEC_COMMAND_MAX + 1]; /* words, NUL-separated */
	char *word[EXEC_WORDS];		 /* word[0] is the program */
	unsigned nr_words;
	uint32_t used; /* bit i: word i was an option or its value */
	int64_t value[ELF_PARAMS];
	unsigned nr_values;
};

/* Cut a command at spaces. False: empty, too long or too many words. */
bool exec_args_split(struct exec_args *args, const char *command);

/* The program's name without folders. */
const char *exec_args_program(const struct exec_args *args);

/*
 * Append the value that the command gives to param, or its default. False:
 * a value that is missing, malformed or out of range.
 */
bool exec_args_value(struct exec_args *args,
		     const struct isa_note_param *param);

/* Was every word understood by some parameter? */
bool exec_args_all_used(const struct exec_args *args);
