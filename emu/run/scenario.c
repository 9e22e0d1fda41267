/*
 * A scenario as a whole: its parts, and what only fits together.
 *
 * Models      nothing.
 * Leaves out  reading of the parts: hardware.c, profile.c, script.c.
 * Seen in     every run.
 */
#include "emu/run/scenario.h"

#include "emu/bug.h"
#include "emu/digest.h"
#include "emu/run/commands.h"
#include "emu/run/fields.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SWAP_MIN  (40LL << 10) /* ten pages: the least that mkswap takes */
#define SWAP_MAX  (64LL << 30)
#define FILES_MAX 10000 /* `files` of a scenario */
#define FREE_MIN  256	/* pages a kernel needs for itself after boot */

static const char *const scenario_keys[] = {
	"name",	     "about",		"source",   "machine",
	"memory",    "kernel",		"swap",	    "background",
	"init",	     "programs",	"files",    "run",
	"end",	     "sample",		"variants", "params",
	"published", "uptime_at_start", NULL
};

/* Does the user mean a file, whether there is one or not? */
static bool is_file_name(const char *word)
{
	size_t n = strlen(word);

	return (n > 5 && streq(word + n - 5, ".yaml")) ||
	       (n > 4 && streq(word + n - 4, ".yml")) || *word == '.' ||
	       *word == '/';
}

/* Names without their folders: what people type. To be freed. */
static const char **short_names(const char *const *names)
{
	const char **shorts;
	size_t n = 0;

	while (names[n])
		n++;
	shorts = xcalloc(n + 1, sizeof(char *));
	for (size_t i = 0; i < n; i++) {
		const char *slash = strrchr(names[i], '/');

		shorts[i] = slash ? slash + 1 : names[i];
	}
	return shorts;
}

static void no_scenario(const char *word, const char *const *names,
			struct diag *d)
{
	const char **shorts = short_names(names);
	const char *meant = diag_suggest(word, shorts);

	diag_error(d, (struct diag_place){ NULL, 0, 0 },
		   "no scenario '%s': neither a file nor one of 'faultline "
		   "list scenarios'%s%s%s",
		   word, meant ? "; did you mean '" : "", meant ? meant : "",
		   meant ? "'?" : "");
	free(shorts);
}

const char *scenario_path(struct data *data, const char *word, struct diag *d)
{
	const char *const *names = data_names(data, DATA_SCENARIO);
	const char *found = NULL;

	if (access(word, F_OK) == 0 || is_file_name(word))
		return data_keep(data, word);
	for (unsigned i = 0; names[i]; i++) {
		const char *slash = strrchr(names[i], '/');

		if (streq(names[i], word))
			return data_find(data, DATA_SCENARIO, word, NULL);
		if (slash && streq(slash + 1, word))
			found = names[i];
	}
	if (found)
		return data_find(data, DATA_SCENARIO, found, NULL);
	no_scenario(word, names, d);
	return NULL;
}

/*
 * Parts that are too small for a file of their own
 */

/* Is there a file of this name on the disk, or will be? */
static bool file_there(const struct scenario *s, const char *name)
{
	for (unsigned i = 0; i < s->nr_files; i++)
		if (streq(s->file[i].name, name))
			return true;
	return programs_have(&s->programs, name);
}

/* The kernel's one folder: a path's last part is what is looked for. */
static void read_file(struct scenario *s, const struct fields *f)
{
	int64_t size = fields_bytes(f, "size", 0);
	const char *name = fields_text(f, "name");

	if (!name || !*name || strlen(name) > 31 || strchr(name, '/') ||
	    size <= 0)
		fields_error(f, "name",
			     "a name of at most 31 bytes without '/' and a "
			     "size are needed");
	else if (file_there(s, name))
		fields_error(f, "name",
			     "name: a file or program '%s' is there already",
			     name);
	else
		s->file[s->nr_files++] =
			(struct plain_file){ name, (uint64_t)size,
					     f->map->place };
}

static void read_files(struct scenario *s, struct diag *d)
{
	static const char *const keys[] = { "name", "size", NULL };
	const struct yaml *list = yaml_get(s->tree, "files");

	if (!list)
		return;
	if (list->kind != YAML_LIST) {
		diag_error(d, list->place,
			   "files: a list is expected: "
			   "'- {name: data, size: 64M}'");
		return;
	}
	if (list->count > FILES_MAX) {
		diag_error(d, list->place, "files: more than %d", FILES_MAX);
		return;
	}
	s->file = xcalloc(list->count + 1, sizeof(*s->file));
	for (unsigned i = 0; i < list->count; i++) {
		struct fields f = fields_of(list->item[i], "files", keys, d);

		if (f.map)
			read_file(s, &f);
	}
}

static void read_swap(struct scenario *s, struct fields *f)
{
	int64_t bytes = 0;
	const char *text = fields_text(f, "swap");

	if (text && !streq(text, "none"))
		bytes = fields_bytes(f, "swap", 0);
	if (bytes % PAGE_SIZE || (bytes && bytes < SWAP_MIN) ||
	    bytes > SWAP_MAX) {
		fields_error(f, "swap",
			     "swap: must be whole pages, 40K (as mkswap "
			     "wants) to 64G");
		return;
	}
	s->swap_pages = (uint64_t)bytes / PAGE_SIZE;
	if (s->swap_pages && !s->hw.unit[s->hw.swap_on].present)
		fields_error(f, "swap", "swap: the machine has no swap disk");
	else if (s->swap_pages > s->hw.swap_room)
		fields_error(f, "swap",
			     "swap: larger than the room for it on its disk "
			     "(%lluM)",
			     (unsigned long long)(s->hw.swap_room / 256));
}

/* script_good: what the script says is what was meant. */
static void read_end(struct scenario *s, bool script_good, struct diag *d)
{
	static const char *const keys[] = { "when", "at", NULL };
	static const char *const whens[] = { "exited", NULL };
	const struct yaml *y = yaml_get(s->tree, "end");
	struct fields f = fields_of(y, "end", keys, d);
	bool at = f.map && yaml_get(f.map, "at");
	bool when = f.map && yaml_get(f.map, "when");

	s->limit = fields_number(&f, "at", PARAM_TIME, SCENARIO_LIMIT);
	s->end = at && !when ? END_AT : END_EXITED;
	fields_choice(&f, "when", whens, 0);
	if (s->limit <= 0)
		fields_error(&f, "at", "at: must be later than 0");
	if (s->limit > SCENARIO_LIMIT)
		fields_error(&f, "at", "at: 24h at the latest");
	if (s->end == END_EXITED && !s->script.timed && script_good)
		diag_error(d, y ? y->place : yaml_key_place(s->tree, "run"),
			   "end: nothing is timed, so say when: "
			   "'end: {at: 60s}'");
}

static void read_times(struct scenario *s, struct fields *f)
{
	static const char *const keys[] = { "vmstat", NULL };
	struct fields sample =
		fields_of(yaml_get(s->tree, "sample"), "sample", keys, f->d);

	s->vmstat = fields_number(&sample, "vmstat", PARAM_TIME, 0);
	if (s->vmstat && s->vmstat < SAMPLE_MIN)
		fields_error(&sample, "vmstat", "vmstat: at least 1ms");
	s->uptime_at_start = fields_number(f, "uptime_at_start", PARAM_TIME, 0);
}

/*
 * What only shows when all parts are known
 */

static bool runs(const struct program *p)
{
	return !p->image || p->image->entry;
}

/* Whom kill means is neither a label of the script nor a program. */
static void unknown_victim(const struct scenario *s,
			   const struct script_line *l, struct diag *d)
{
	const struct script *script = &s->script;
	const char **names =
		xcalloc(script->count + s->programs.count + 1, sizeof(char *));
	unsigned n = 0;

	for (unsigned i = 0; i < s->programs.count; i++)
		if (runs(&s->programs.list[i]))
			names[n++] = s->programs.list[i].name;
	for (unsigned i = 0; i < script->count; i++)
		if (script->line[i].label && *script->line[i].label &&
		    !programs_have(&s->programs, script->line[i].label))
			names[n++] = script->line[i].label;
	fields_unknown(d, l->place, "kill", "program or label", l->victim,
		       names);
	free(names);
}

static void check_victim(const struct scenario *s, const struct script_line *l,
			 struct diag *d)
{
	if (*l->victim && labels_find(&s->script.labels, l->victim))
		return;
	for (unsigned i = 0; i < s->programs.count; i++)
		if (runs(&s->programs.list[i]) &&
		    streq(s->programs.list[i].name, l->victim))
			return;
	unknown_victim(s, l, d);
}

static void check_script(struct scenario *s, struct diag *d)
{
	for (unsigned i = 0; i < s->script.count; i++) {
		const struct script_line *l = &s->script.line[i];

		if (l->at >= s->limit)
			diag_error(d, l->place,
				   "run: at lies beyond the end of the run");
		if (l->action == SCRIPT_FAULT && !s->hw.unit[l->unit].present)
			diag_error(d, l->place,
				   "fault: the machine has no such disk");
		if (l->action == SCRIPT_FAULT && s->hw.unit[l->unit].fixed)
			diag_error(d, l->place,
				   "fault: a fixed-rate device has no "
				   "mechanics to break");
		if (l->action == SCRIPT_EXPECT && l->of &&
		    !script_find(&s->script, l->of))
			diag_error(d, l->place, "expect: no timed program '%s'",
				   l->of);
		if (l->action == SCRIPT_KILL && l->victim)
			check_victim(s, l, d);
	}
}

struct diag_place scenario_file_disk(const struct scenario *s)
{
	const struct yaml *machine = yaml_get(s->tree, "machine");
	const struct yaml *disks = yaml_get(machine, "disks");

	return yaml_key_place(disks, "file");
}

/* Do programs and files fit on their disk? Each starts a block of its own. */
static void check_disk_space(struct scenario *s, struct diag *d)
{
	uint64_t blocks = 0;

	for (unsigned i = 0; i < s->programs.count; i++)
		if (s->programs.list[i].image)
			blocks +=
				s->programs.list[i].image->size / PAGE_SIZE + 1;
	for (unsigned i = 0; i < s->nr_files; i++)
		blocks += (s->file[i].size + PAGE_SIZE - 1) / PAGE_SIZE;
	if (s->hw.unit[UNIT_FILE].present && blocks > s->hw.file_blocks)
		diag_error(d,
			   s->nr_files ? yaml_key_place(s->tree, "files")
				       : scenario_file_disk(s),
			   "files: %lluM of programs and files do not fit on "
			   "the file disk",
			   (unsigned long long)(blocks / 256));
}

static void check_token(struct scenario *s, struct diag *d)
{
	const struct choice *token = &s->profile.choice[SLOT_TOKEN];
	const struct yaml *y = yaml_get(yaml_get(s->tree, "kernel"), "token");
	const struct yaml *swap = yaml_get(s->tree, "swap");

	/* a size that could not be read was complained about already */
	if (swap && swap->kind == YAML_SCALAR && !streq(swap->text, "none") &&
	    !streq(swap->text, "0"))
		return;
	if (token->explicit && !streq(token->slot->name, "none"))
		diag_error(d, y->place,
			   "token: a swap token without swap: say 'swap: "
			   "512M' or 'token: none'");
}

/* An elevator belongs to a disk, not to an area on it. */
static void check_elevator(struct scenario *s, struct diag *d)
{
	const char *role = unit_names[UNIT_SWAP];
	const struct yaml *y =
		yaml_get(yaml_get(s->tree, "kernel"), "elevator");

	if (yaml_get(y, role) && !s->hw.unit[UNIT_SWAP].present)
		diag_error(d, yaml_key_place(y, role),
			   "elevator: the machine has no disk of its own for "
			   "swap");
}

static void check_memory(struct scenario *s, struct diag *d)
{
	const struct yaml *machine = yaml_get(s->tree, "machine");
	const struct yaml *from = s->tree;

	if (!yaml_get(from, "memory"))
		from = machine;
	if (!yaml_get(from, "memory"))
		from = yaml_get(machine, "reserve");
	if (s->hw.reserved + FREE_MIN > s->hw.frames)
		diag_error(d, yaml_key_place(from, "memory"),
			   "memory: too small: the kernel's reserve alone is "
			   "%u of %u pages",
			   s->hw.reserved, s->hw.frames);
}

/* A clock whose ticks cost more than the time between them stops the world. */
static void check_clock(struct scenario *s, struct diag *d)
{
	const struct yaml *of = yaml_get(s->tree, "kernel");
	int64_t hz = s->profile.hz ? s->profile.hz : s->hw.hz;

	if (!yaml_get(of, "hz"))
		of = yaml_get(s->tree, "machine");
	if (s->hw.cost.tick >= s->hw.clock / hz)
		diag_error(d, yaml_key_place(of ? of : s->tree, "hz"),
			   "hz: a tick costs %lld cycles and comes every %lld: "
			   "no time would be left",
			   (long long)s->hw.cost.tick,
			   (long long)(s->hw.clock / hz));
}

static void read_parts(struct scenario *s, struct data *data, struct diag *d)
{
	struct fields f = fields_of(s->tree, "scenario", scenario_keys, d);
	unsigned before;
	bool script_good;

	s->name = fields_text(&f, "name");
	s->about = fields_text(&f, "about");
	s->source = fields_text(&f, "source");
	if (!s->name)
		fields_error(&f, "name", "name: missing");
	hardware_read(&s->hw, s->tree, data, d);
	profile_read(&s->profile, s->tree, d);
	before = diag_errors(d);
	script_read(&s->script, &s->programs, s->tree, d);
	script_good = diag_errors(d) == before;
	read_files(s, d);
	read_swap(s, &f);
	read_end(s, script_good, d);
	read_times(s, &f);
	published_read(&s->published, s->tree, s->variant, &s->script, d);
	check_script(s, d);
	check_disk_space(s, d);
	check_token(s, d);
	check_elevator(s, d);
	check_memory(s, d);
	check_clock(s, d);
}

/* What drive files say: they are named in the tree, not written out there. */
static void hash_drives(const struct scenario *s, struct data *data,
			struct digest *digest, struct diag *d)
{
	const struct yaml *disks =
		yaml_get(yaml_get(s->tree, "machine"), "disks");

	for (unsigned i = 0; i < UNITS; i++) {
		const struct yaml *name =
			yaml_get(yaml_get(disks, unit_names[i]), "drive");
		const char *path;
		struct yaml *drive;

		if (!name || name->kind != YAML_SCALAR)
			continue;
		path = data_find(data, DATA_DRIVE, name->text, NULL);
		drive = path ? yaml_read(path, d) : NULL;
		if (drive)
			digest_word(digest, resolve_hash(drive));
		yaml_discard(drive);
	}
}

/* The bytes of all programs and libraries, wherever they come from. */
static void hash_programs(const struct programs *p, struct digest *digest)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct image *image = p->list[i].image;

		if (!image)
			continue;
		digest_bytes(digest, p->list[i].name, strlen(p->list[i].name));
		digest_bytes(digest, image->bytes, image->size);
	}
}

/* All that a run depends on but its seed: equal hashes give equal digests. */
static uint64_t hash_all(const struct scenario *s, struct data *data,
			 struct diag *d)
{
	struct yaml *tree = yaml_copy(s->tree);
	struct digest digest;

	commands_plain(tree);
	digest_init(&digest);
	digest_word(&digest, resolve_hash(tree));
	hash_drives(s, data, &digest, d);
	hash_programs(&s->programs, &digest);
	yaml_discard(tree);
	return digest_value(&digest);
}

struct scenario *scenario_load(struct data *data, const char *path,
			       const struct wishes *wishes, struct diag *d)
{
	struct scenario *s = xcalloc(1, sizeof(*s));
	unsigned before = diag_errors(d);

	s->path = path;
	s->programs.data = data;
	s->programs.beside = path;
	s->tree = resolve_scenario(data, path, wishes, &s->variant, d);
	if (s->tree) {
		read_parts(s, data, d);
		s->hash = hash_all(s, data, d);
	}
	if (diag_errors(d) == before)
		return s;
	scenario_free(s);
	return NULL;
}

bool scenario_validate(struct data *data, const char *path, struct diag *d)
{
	struct yaml *y = yaml_read(path, d);
	const char **variants;
	unsigned before = diag_errors(d);

	if (!y)
		return false;
	variants = resolve_variants(y);
	for (unsigned i = 0; i == 0 || variants[i]; i++) {
		struct wishes wishes = { variants[i], NULL };

		scenario_free(scenario_load(data, path, &wishes, d));
		if (!variants[i])
			break;
	}
	free(variants);
	yaml_discard(y);
	return diag_errors(d) == before;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	published_finish(&s->published);
	script_finish(&s->script);
	programs_finish(&s->programs);
	profile_finish(&s->profile);
	hardware_finish(&s->hw);
	free(s->file);
	yaml_discard(s->tree);
	free(s);
}
