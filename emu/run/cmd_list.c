/*
 * faultline list and faultline validate: what there is, and whether
 * scenarios are sound.
 *
 * Models      nothing: all of it comes from tables and data files.
 * Leaves out  machine-readable output.
 * Seen in     the command line and its completion.
 */
#include "emu/run/command.h"
#include "emu/run/fields.h"
#include "emu/run/options.h"
#include "emu/run/scenario.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option_spec no_options[] = { { 0 } };

static const char *const kinds[] = { "profiles", "policies",  "machines",
				     "drives",	 "scenarios", "backgrounds",
				     "counters", "sysctls",   "programs",
				     NULL };

static const struct usage_text list_usage = {
	"list",
	"profiles|policies|machines|drives|scenarios|backgrounds|counters|"
	"sysctls|programs",
	"Show the names that scenarios can use, with a line about each.",
	no_options
};

static const struct usage_text validate_usage = {
	"validate", "SCENARIO...",
	"Check scenarios in every variant, without running them. Nothing is\n"
	"printed for a sound one.",
	no_options
};

static void put_line(const char *name, const char *about)
{
	printf("%-28s %s\n", name, about ? about : "");
}

static void list_profiles(struct data *data)
{
	(void)data;
	for (unsigned i = 0; profiles[i].name; i++)
		put_line(profiles[i].name, profiles[i].about);
}

static void list_policies(struct data *data)
{
	(void)data;
	for (unsigned i = 0; i < SLOTS; i++) {
		const struct slot **slots = profile_slots((enum profile_slot)i);

		printf("%s:\n", profile_slot_names[i]);
		for (unsigned n = 0; slots[n]; n++) {
			printf("  %-26s %s%s\n", slots[n]->name,
			       slots[n]->models,
			       slots[n]->reconstruction ? " [reconstruction]"
							: "");
			for (const struct param *p = slots[n]->params;
			     p && p->type != PARAM_END; p++)
				printf("    %-24s %s (%s)\n", p->key, p->help,
				       p->def ? p->def : "");
		}
		free(slots);
	}
}

/* Names of a kind of YAML file, with what each says about itself. */
static void list_files(struct data *data, enum data_kind kind)
{
	const char *const *names = data_names(data, kind);

	for (unsigned i = 0; names[i]; i++) {
		struct diag *d = diag_new();
		struct yaml *y =
			yaml_read(data_find(data, kind, names[i], NULL), d);
		const struct yaml *about = yaml_get(y, "about");

		if (!about)
			about = yaml_get(y, "name");
		put_line(names[i], about && about->kind == YAML_SCALAR
					   ? about->text
					   : NULL);
		yaml_discard(y);
		diag_free(d);
	}
}

static void list_machines(struct data *data)
{
	list_files(data, DATA_MACHINE);
}

static void list_drives(struct data *data)
{
	list_files(data, DATA_DRIVE);
}

static void list_scenarios(struct data *data)
{
	list_files(data, DATA_SCENARIO);
}

static void list_backgrounds(struct data *data)
{
	list_files(data, DATA_BACKGROUND);
}

static void list_counters(struct data *data)
{
	(void)data;
	for (const struct stat_name *s = vmstat_names; s->name; s++)
		put_line(s->name, s->help);
}

static void list_sysctls(struct data *data)
{
	(void)data;
	for (const struct sysctl *s = sysctl_table; s->name; s++)
		printf("%-28s %s (%lld; %lld to %lld)\n", s->name, s->help,
		       (long long)s->def, (long long)s->min, (long long)s->max);
}

static void list_programs(struct data *data)
{
	const char *const *names = data_names(data, DATA_IMAGE);

	for (unsigned i = 0; names[i]; i++)
		put_line(names[i], data_about(data, names[i]));
}

int command_list(int argc, char **argv)
{
	static void (*const lists[])(struct data *) = {
		list_profiles, list_policies,  list_machines,
		list_drives,   list_scenarios, list_backgrounds,
		list_counters, list_sysctls,   list_programs
	};
	char unused;
	int words = options_parse(&list_usage, &unused, argc, argv);
	struct data *data;

	if (words < 0)
		return words == -1 ? EXIT_DONE : EXIT_USAGE;
	for (unsigned i = 0; words == 1 && kinds[i]; i++) {
		if (!streq(argv[1], kinds[i]))
			continue;
		data = data_open();
		if (!data)
			return EXIT_USAGE;
		lists[i](data);
		data_free(data);
		return EXIT_DONE;
	}
	if (words == 1) {
		const char *meant = diag_suggest(argv[1], kinds);

		fprintf(stderr, "faultline: list: unknown '%s'%s%s%s\n",
			argv[1], meant ? "; did you mean '" : "",
			meant ? meant : "", meant ? "'?" : "");
	}
	fprintf(stderr, "usage: faultline list %s\n", list_usage.synopsis);
	return EXIT_USAGE;
}

int command_validate(int argc, char **argv)
{
	char unused;
	int words = options_parse(&validate_usage, &unused, argc, argv);
	struct data *data;
	struct diag *d;
	bool good = true;

	if (words < 0)
		return words == -1 ? EXIT_DONE : EXIT_USAGE;
	if (!words) {
		fputs("faultline: validate: which scenarios?\n", stderr);
		return EXIT_USAGE;
	}
	data = data_open();
	if (!data)
		return EXIT_USAGE;
	d = diag_new();
	for (int i = 1; i <= words; i++) {
		const char *path = scenario_path(data, argv[i], d);

		if (path)
			scenario_validate(data, path, d);
		good = good && !diag_errors(d);
		diag_print(d, stderr);
	}
	diag_free(d);
	data_free(data);
	return good ? EXIT_DONE : EXIT_USAGE;
}
