/*
 * The command line: one line per subcommand.
 *
 * Models      nothing.
 * Leaves out  everything that a subcommand does.
 * Seen in     faultline(1).
 */
#include "emu/diag.h"
#include "emu/run/command.h"
#include "emu/run/fields.h"
#include "emu/run/options.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *about;
};

static int command_help(int argc, char **argv);
static int command_version(int argc, char **argv);

static const struct command commands[] = {
	{ "run", command_run, "run one scenario and report" },
	{ "list", command_list, "show policies, machines, scenarios, ..." },
	{ "validate", command_validate, "check scenarios without running" },
	{ "image", command_image, "build and look at emulated programs" },
	{ "help", command_help, "print this, or help on a subcommand" },
	{ "version", command_version, "print the version" },
	{ 0 },
};

static const struct command *find_command(const char *name)
{
	for (const struct command *c = commands; c->name; c++)
		if (streq(c->name, name))
			return c;
	return NULL;
}

static void print_help(FILE *to)
{
	fputs("usage: faultline SUBCOMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "An emulator of a machine's virtual memory: MMU, disk and "
	      "kernel.\nStart with: faultline run qsbench\n\n",
	      to);
	for (const struct command *c = commands; c->name; c++)
		fprintf(to, "  %-10s %s\n", c->name, c->about);
	fputs("\n'faultline SUBCOMMAND --help' tells more; so do faultline(1) "
	      "and\nfaultline-scenario(5).\n",
	      to);
}

static int unknown_command(const char *name)
{
	const char *names[sizeof(commands) / sizeof(commands[0])];
	const char *meant;
	unsigned n = 0;

	for (; commands[n].name; n++)
		names[n] = commands[n].name;
	names[n] = NULL;
	meant = diag_suggest(name, names);
	fprintf(stderr,
		"faultline: unknown subcommand '%s'%s%s%s; see "
		"'faultline help'\n",
		name, meant ? "; did you mean '" : "", meant ? meant : "",
		meant ? "'?" : "");
	return EXIT_USAGE;
}

static int command_help(int argc, char **argv)
{
	char help[] = "--help";
	char *words[] = { argv[0], help, NULL };
	const struct command *c;

	if (argc < 2 || argv[1][0] == '-') {
		print_help(stdout);
		return EXIT_DONE;
	}
	c = find_command(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	if (c->run == command_help || c->run == command_version) {
		printf("usage: faultline %s\n\n%s\n", c->name, c->about);
		return EXIT_DONE;
	}
	return c->run(2, words);
}

static int command_version(int argc, char **argv)
{
	if (argc > 1 && (streq(argv[1], "--help") || streq(argv[1], "-h"))) {
		puts("usage: faultline version\n\nprint the version");
		return EXIT_DONE;
	}
	options_version();
	return EXIT_DONE;
}

/*
 * A standard stream that is closed would lend its number to the next file
 * that is opened, and what is printed would go there.
 */
static void open_streams(void)
{
	for (int i = 0; i <= 2; i++)
		if (fcntl(i, F_GETFD) < 0)
			/* nothing can be written to it: that is an error */
			(void)open("/dev/null", O_RDONLY);
}

/* What was printed is there when we say so. */
static int close_output(int status)
{
	bool bad = ferror(stdout);

	errno = 0;
	if (fclose(stdout) == 0 && !bad)
		return status;
	fprintf(stderr, "faultline: standard output: %s\n",
		errno ? strerror(errno) : "cannot be written");
	return EXIT_FAILED;
}

static int dispatch(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		print_help(stderr);
		return EXIT_USAGE;
	}
	if (streq(argv[1], "--help") || streq(argv[1], "-h")) {
		print_help(stdout);
		return EXIT_DONE;
	}
	if (streq(argv[1], "--version") || streq(argv[1], "-V"))
		return command_version(1, argv);
	c = find_command(argv[1]);
	if (!c)
		return unknown_command(argv[1]);
	return c->run(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	open_streams();
	return close_output(dispatch(argc, argv));
}
