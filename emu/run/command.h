/*
 * The subcommands: each gets its arguments, the subcommand's name first, and
 * returns the program's exit status.
 */
#pragma once

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,   /* the run failed, or an expectation did not hold */
	EXIT_USAGE = 2,	   /* command line or scenario */
	EXIT_SIGNAL = 128, /* + its number: interrupted by it */
};

int command_run(int argc, char **argv);
int command_list(int argc, char **argv);
int command_validate(int argc, char **argv);
int command_image(int argc, char **argv);
