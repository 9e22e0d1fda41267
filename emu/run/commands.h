/*
 * The commands in a scenario's tree, and the programs they name by path.
 */
#pragma once

#include "emu/run/yaml.h"

/* Does this first word of a command mean a file, not one of our programs? */
bool commands_is_path(const char *word);

/*
 * Make such paths absolute, as seen from the scenario at path: the tree then
 * means the same from anywhere. One that cannot be (a folder with a blank in
 * its name: commands have no quotes) stays, with a warning.
 */
void commands_absolute(struct yaml *tree, const char *path, struct diag *d);

/*
 * Leave only the programs' names: what the emulated machine sees of them
 * besides their bytes.
 */
void commands_plain(struct yaml *tree);

/*
 * The name that a program at this path gets: its last part without .s or
 * .elf. n is its length.
 */
const char *commands_name(const char *path, size_t *n);
