/*
 * The `machine` part of a scenario into numbers.
 *
 * Models      the choice of processor, memory, kernel reserve and disks.
 * Leaves out  several processors and boards: one CPU, one or two disks.
 * Seen in     scenarios/machines/, or a mapping written in a scenario.
 */
#include "emu/run/hardware.h"

#include "emu/bug.h"
#include "emu/run/drivefile.h"
#include "emu/run/fields.h"

#include <stdlib.h>
#include <string.h>

/* below, the time slices of 2.6 would be less than a tick */
#define HZ_MIN	   50
#define HZ_MAX	   10000
#define MEMORY_MIN (2LL << 20)
#define MEMORY_MAX (3584LL << 20) /* leaves room for devices below 4 GiB */
#define MIB	   (1LL << 20)
#define GIB	   (1LL << 30)

const char *const unit_names[] = { "file", "swap", NULL };

static const char *const no_keys[] = { NULL };

static const char *const zone_names[] = { "dma", "normal", "highmem", "any",
					  NULL };

struct cpu_options {
	int64_t clock, walk, count;
};

static const struct param cpu_params[] = {
	{ "clock", PARAM_FREQ, offsetof(struct cpu_options, clock), "1GHz",
	  "cycles a second", 10000000, 10000000000, NULL },
	{ "walk", PARAM_CYCLES, offsetof(struct cpu_options, walk), "30",
	  "one walk of the page tables after a TLB miss", 0, 100000, NULL },
	{ "count", PARAM_INT, offsetof(struct cpu_options, count), "1",
	  "processors", 1, 1, NULL },
	{ 0 },
};

struct tlb_options {
	int64_t entries, ways;
};

static const struct param tlb_params[] = {
	{ "entries", PARAM_INT, offsetof(struct tlb_options, entries), "64",
	  "translations it holds", 1, 65536, NULL },
	{ "ways", PARAM_INT, offsetof(struct tlb_options, ways), "4",
	  "associativity: 1, 2 or 4", 1, 4, NULL },
	{ 0 },
};

static const struct param fixed_params[] = {
	{ "requests", PARAM_INT,
	  offsetof(struct fixed_spec, requests_per_second), "100",
	  "requests a second", 1, 1000000, NULL },
	{ "rate", PARAM_SIZE, offsetof(struct fixed_spec, bytes_per_second),
	  "40M", "bytes a second", 4096, 100 * GIB, NULL },
	{ "burst", PARAM_TIME, offsetof(struct fixed_spec, burst), "100ms",
	  "what an idle device saves up, as time", 1, 10 * NSEC_PER_SEC, NULL },
	{ "jitter", PARAM_TIME, offsetof(struct fixed_spec, jitter), "0",
	  "how late a completion may be, drawn from the seed", 0, NSEC_PER_SEC,
	  NULL },
	{ "size", PARAM_SIZE, offsetof(struct fixed_spec, size), "2G",
	  "capacity", MIB, 1024 * GIB, NULL },
	{ 0 },
};

/* One TLB below cpu. def is its number of entries if nothing is said. */
static struct tlb_geometry read_tlb(const struct yaml *cpu, const char *key,
				    int64_t def, struct diag *d)
{
	struct tlb_options t;
	const struct yaml *y = yaml_get(cpu, key);

	param_defaults(tlb_params, &t);
	t.entries = def;
	if (!y)
		goto out;
	fields_table(y, key, tlb_params, &t, no_keys, d);
	if (t.ways == 3 || t.entries % t.ways ||
	    ((t.entries / t.ways) & (t.entries / t.ways - 1))) {
		diag_error(d, y->place,
			   "%s: entries must be a power of two times ways, "
			   "and ways 1, 2 or 4",
			   key);
		t.entries = def;
		t.ways = 4;
	}
out:
	return (struct tlb_geometry){ (uint32_t)t.entries, (uint32_t)t.ways };
}

static void read_cpu(struct hardware *hw, const struct yaml *cpu,
		     struct diag *d)
{
	static const char *const tlbs[] = { "itlb", "dtlb", NULL };
	struct cpu_options c;

	param_defaults(cpu_params, &c);
	fields_table(cpu, "cpu", cpu_params, &c, tlbs, d);
	hw->clock = c.clock;
	hw->walk = c.walk;
	hw->itlb = read_tlb(cpu, "itlb", 64, d);
	hw->dtlb = read_tlb(cpu, "dtlb", 64, d);
}

/*
 * Memory that the kernel has for good
 */

/* Pages of one item: exactly one of the three ways to say how many. */
static uint32_t reserve_pages(const struct hardware *hw, const struct fields *f)
{
	int64_t size = fields_bytes(f, "size", -1);
	int64_t pages = fields_number(f, "pages", PARAM_INT, -1);
	int64_t each = fields_number(f, "per_frame", PARAM_SIZE, -1);

	if ((size >= 0) + (pages >= 0) + (each >= 0) != 1) {
		fields_error(f, "what",
			     "say how much by one of size, pages, per_frame");
		return 0;
	}
	if (each >= 0)
		size = each > PAGE_SIZE ? each : each * hw->frames;
	if (pages < 0)
		pages = (size + PAGE_SIZE - 1) / PAGE_SIZE;
	if (pages > hw->frames) {
		fields_error(f, "what", "more than the memory has");
		return 0;
	}
	return (uint32_t)pages;
}

static void read_reserve_item(struct hardware *hw, const struct yaml *y,
			      struct kernel_reserve *out, struct diag *d)
{
	static const char *const keys[] = { "what",	 "size", "pages",
					    "per_frame", "zone", NULL };
	struct fields f = fields_of(y, "reserve", keys, d);
	int zone = fields_choice(&f, "zone", zone_names, NR_ZONES);

	if (!f.map) {
		out->what = "unnamed";
		return;
	}
	out->what = fields_text(&f, "what");
	out->zone = zone == NR_ZONES ? -1 : zone;
	if (!out->what) {
		diag_error(d, y->place, "reserve: what for? 'what: drivers'");
		out->what = "unnamed";
	}
	out->pages = reserve_pages(hw, &f);
	hw->reserved += out->pages;
}

/* Frames of a zone: 16 MiB of DMA, normal memory to 896 MiB, the rest. */
static uint32_t zone_frames(const struct hardware *hw, int zone)
{
	static const uint32_t ends[NR_ZONES + 1] = { 0, 4096, 229376,
						     UINT32_MAX };
	uint32_t start = ends[zone];
	uint32_t end = ends[zone + 1];

	if (end > hw->frames)
		end = hw->frames;
	return end > start ? end - start : 0;
}

/* What is asked of a zone must fit in it. */
static void check_reserve(struct hardware *hw, const struct yaml *list,
			  struct diag *d)
{
	for (int zone = 0; list && zone < NR_ZONES; zone++) {
		uint64_t sum = 0;

		for (const struct kernel_reserve *r = hw->reserve; r->what; r++)
			if (r->zone == zone)
				sum += r->pages;
		if (sum > zone_frames(hw, zone))
			diag_error(d, list->place,
				   "reserve: %llu pages are more than zone %s "
				   "has (%u)",
				   (unsigned long long)sum, zone_names[zone],
				   zone_frames(hw, zone));
	}
}

static void read_reserve(struct hardware *hw, const struct yaml *list,
			 struct diag *d)
{
	unsigned n = list && list->kind == YAML_LIST ? list->count : 0;

	if (list && list->kind != YAML_LIST)
		diag_error(d, list->place, "reserve: a list is expected");
	hw->reserve = xcalloc(n + 2, sizeof(*hw->reserve));
	for (unsigned i = 0; i < n; i++)
		read_reserve_item(hw, list->item[i], &hw->reserve[i], d);
	check_reserve(hw, list, d);
	if (hw->reserved)
		return;
	/* the least that a kernel has, if the machine has no list */
	hw->reserve[n] = (struct kernel_reserve){ "zero page", -1, 1 };
	hw->reserved = 1;
}

static void read_memory(struct hardware *hw, const struct yaml *scenario,
			const struct yaml *machine, struct diag *d)
{
	struct fields own = { machine, "machine", d };
	struct fields f = { scenario, "scenario", d };
	int64_t bytes = fields_bytes(&own, "memory", 64 * MIB);

	if (yaml_get(scenario, "memory"))
		bytes = fields_bytes(&f, "memory", bytes);
	else
		f = own;
	if (bytes < MEMORY_MIN || bytes > MEMORY_MAX || bytes % PAGE_SIZE) {
		fields_error(
			&f, "memory",
			"memory: must be whole pages, 2M to 3584M (two-level "
			"page tables)");
		bytes = 64 * MIB;
	}
	hw->frames = (uint32_t)(bytes / PAGE_SIZE);
}

/*
 * Disks
 */

/* Capacity in sectors: the zones are complete once a drive is loaded. */
static uint64_t drive_sectors(const struct drive_spec *drive)
{
	uint64_t sectors = 0;

	for (unsigned i = 0; i < drive->nr_zones; i++) {
		const struct drive_zone *z = &drive->zone[i];

		sectors += (uint64_t)(z->last - z->first + 1) * z->sectors *
			   (uint64_t)drive->heads;
	}
	return sectors;
}

static void read_drive(struct unit *u, const struct fields *f,
		       struct data *data)
{
	const char *name = fields_text(f, "drive");
	const char *path =
		name ? data_find(data, DATA_DRIVE, name, NULL) : NULL;

	if (!name)
		return;
	if (!path) {
		fields_unknown(f->d, yaml_get(f->map, "drive")->place,
			       f->context, "drive", name,
			       data_names(data, DATA_DRIVE));
		return;
	}
	if (!drive_load(path, &u->drive, f->d)) {
		drive_finish(&u->drive);
		return;
	}
	u->present = true;
	u->blocks = drive_sectors(&u->drive) / SECTORS_PER_PAGE;
}

static void read_fixed(struct unit *u, const struct yaml *y, struct diag *d)
{
	param_defaults(fixed_params, &u->rate);
	fields_table(y, "fixed", fixed_params, &u->rate, no_keys, d);
	u->present = true;
	u->fixed = true;
	u->blocks = (uint64_t)u->rate.size / PAGE_SIZE;
}

/* The disk itself; not called for a swap area on the file disk. */
static void read_unit(struct unit *u, const struct fields *f, struct data *data)
{
	const struct yaml *fixed = yaml_get(f->map, "fixed");

	if (!fixed == !yaml_get(f->map, "drive")) {
		fields_error(f, "drive", "say one of drive, fixed");
		return;
	}
	if (fixed)
		read_fixed(u, fixed, f->d);
	else
		read_drive(u, f, data);
}

/*
 * Where on its disk an area begins and how large it may be, in blocks: from
 * `at` (0) for `size` (all that is left).
 */
static void read_area(const struct unit *u, const struct fields *f,
		      uint64_t *first, uint64_t *blocks)
{
	uint64_t at = (uint64_t)fields_bytes(f, "at", 0) / PAGE_SIZE;
	int64_t size = fields_bytes(f, "size", -1);

	*first = 0;
	*blocks = 0;
	if (!u->present)
		return;
	if (at >= u->blocks) {
		fields_error(f, "at", "at: beyond the end of the disk");
		return;
	}
	*first = at;
	*blocks = u->blocks - at;
	if (size < 0)
		return;
	if ((uint64_t)size / PAGE_SIZE > *blocks)
		fields_error(f, "size",
			     "size: larger than what is left of "
			     "the disk");
	else
		*blocks = (uint64_t)size / PAGE_SIZE;
}

/* Pages of swap that the scenario wants; what is wrong is said by its reader.
 */
static uint64_t swap_wanted(const struct yaml *scenario, struct diag *d)
{
	struct fields f = { scenario, "scenario", d };
	const char *text = fields_text(&f, "swap");
	int64_t bytes = 0;

	if (text && !streq(text, "none"))
		bytes = fields_bytes(&f, "swap", 0);
	return bytes > 0 ? (uint64_t)bytes / PAGE_SIZE : 0;
}

/*
 * Where two areas on one disk lie if that is not said: the swap area behind
 * the files, or at the end of the disk and as large as the scenario's swap;
 * the files have what is before it.
 */
static void share_disk(struct hardware *hw, const struct fields *file,
		       const struct fields *swap, uint64_t wanted)
{
	uint64_t end = hw->file_first + hw->file_blocks;
	uint64_t room = hw->unit[UNIT_FILE].blocks - hw->file_first;
	bool file_sized = yaml_get(file->map, "size");
	bool sized = yaml_get(swap->map, "size");

	if (sized)
		wanted = hw->swap_room;
	if (yaml_get(swap->map, "at")) {
		end = hw->swap_first;
	} else if (file_sized) {
		room = hw->unit[UNIT_FILE].blocks - end;
		hw->swap_first = end;
		hw->swap_room = sized ? wanted : room;
		if (hw->swap_room > room)
			fields_error(swap, "size",
				     "size: larger than what the files leave");
	} else {
		hw->swap_room = wanted < room ? wanted : room - 1;
		end -= hw->swap_room;
		hw->swap_first = end;
	}
	if (!file_sized && end > hw->file_first)
		hw->file_blocks = end - hw->file_first;
}

/* Areas that share a disk must not share blocks. */
static void check_areas(const struct hardware *hw, const struct fields *f)
{
	if (hw->swap_on != UNIT_FILE || !hw->unit[UNIT_FILE].present)
		return;
	if (hw->swap_first < hw->file_first + hw->file_blocks &&
	    hw->file_first < hw->swap_first + hw->swap_room)
		fields_error(f, "swap",
			     "the swap area overlaps the files: let their "
			     "'at' and 'size' agree, or leave them out");
}

/* wanted: pages of swap. */
static void read_disks(struct hardware *hw, const struct yaml *disks,
		       uint64_t wanted, struct data *data, struct diag *d)
{
	static const char *const keys[] = { "drive", "fixed", "disk",
					    "at",    "size",  NULL };
	unsigned before = diag_errors(d);
	struct fields f = fields_of(disks, "disks", unit_names, d);
	struct fields file = fields_of(f.map ? yaml_get(f.map, "file") : NULL,
				       "disks: file", keys, d);
	struct fields swap = fields_of(f.map ? yaml_get(f.map, "swap") : NULL,
				       "disks: swap", keys, d);
	const char *on = fields_text(&swap, "disk");

	if (!file.map) {
		/* a slip in its name was told already, and is the cause */
		if (diag_errors(d) == before)
			fields_error(&f, "file",
				     "a file disk is needed: 'file: {drive: "
				     "NAME}'");
		return;
	}
	read_unit(&hw->unit[UNIT_FILE], &file, data);
	read_area(&hw->unit[UNIT_FILE], &file, &hw->file_first,
		  &hw->file_blocks);
	hw->swap_on = on ? UNIT_FILE : UNIT_SWAP;
	if (!swap.map)
		return;
	if (on && !streq(on, "file"))
		fields_error(&swap, "disk", "disk: only 'file' can be shared");
	else if (!on)
		read_unit(&hw->unit[UNIT_SWAP], &swap, data);
	read_area(&hw->unit[hw->swap_on], &swap, &hw->swap_first,
		  &hw->swap_room);
	if (on && hw->unit[UNIT_FILE].present)
		share_disk(hw, &file, &swap, wanted);
	check_areas(hw, &f);
}

void hardware_read(struct hardware *hw, const struct yaml *scenario,
		   struct data *data, struct diag *d)
{
	static const char *const keys[] = { "name",  "about",	"source",
					    "cpu",   "memory",	"hz",
					    "costs", "reserve", "disks",
					    NULL };
	const struct yaml *y = yaml_get(scenario, "machine");
	unsigned before = diag_errors(d);
	struct fields f = fields_of(y, "machine", keys, d);
	bool keys_known = diag_errors(d) == before;

	memset(hw, 0, sizeof(*hw));
	if (!y)
		diag_error(d, scenario->place,
			   "machine: missing ('machine: thinkpad-t42')");
	hw->name = fields_text(&f, "name");
	hw->hz = fields_number(&f, "hz", PARAM_INT, 250);
	if (hw->hz < HZ_MIN || hw->hz > HZ_MAX) {
		fields_error(&f, "hz", "hz: must be 50 to 10000");
		hw->hz = 250;
	}
	read_cpu(hw, y ? yaml_get(y, "cpu") : NULL, d);
	read_memory(hw, scenario, f.map, d);
	param_defaults(cost_params, &hw->cost);
	fields_table(y ? yaml_get(y, "costs") : NULL, "costs", cost_params,
		     &hw->cost, no_keys, d);
	read_reserve(hw, y ? yaml_get(y, "reserve") : NULL, d);
	if (f.map && yaml_get(f.map, "disks"))
		read_disks(hw, yaml_get(f.map, "disks"),
			   swap_wanted(scenario, d), data, d);
	else if (f.map && keys_known)
		fields_error(&f, "disks",
			     "disks: missing: 'disks: {file: {drive: NAME}}'");
}

void hardware_finish(struct hardware *hw)
{
	free(hw->reserve);
	for (unsigned i = 0; i < UNITS; i++)
		if (hw->unit[i].present && !hw->unit[i].fixed)
			drive_finish(&hw->unit[i].drive);
	memset(hw, 0, sizeof(*hw));
}
