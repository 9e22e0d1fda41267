/*
 * The whole drive against DiskSim on the t42-class drive: every response of
 * two traces, sequential rates, and the means of reordering queues.
 */
#include "tests/disk-host.h"

#define TRACE 1500u
#define WHOLE 117179480ULL

/* Every response within 2 us; column 0 ideal, 1 with overhead and bus. */
static void check_trace(const char *root, unsigned column)
{
	static struct drive_spec spec;
	static simtime response[TRACE];
	const struct host_load load = { "rand", 1, 0, WHOLE, 8, 0, TRACE, 1 };
	FILE *f = host_open(root, "t42-trace.csv");
	unsigned i = 0;
	char line[256];

	host_t42(&spec, root, column ? "t42-nc" : "t42-ideal");
	host_run(&spec, &load, response, NULL);
	while (fgets(line, sizeof(line), f)) {
		long want[2];

		if (line[0] == '#')
			continue;
		BUG_ON(sscanf(line, "%*u,%*u,%*u,%*u,%ld,%ld", &want[0],
			      &want[1]) != 2);
		BUG_ON(!host_near(response[i], want[column], 2000));
		i++;
	}
	BUG_ON(i != TRACE);
	fclose(f);
	drive_finish(&spec);
}

/* A load on a variant; the oracle's mean response in ns; gate in 1/1000. */
struct gate {
	const char *variant;
	struct host_load load;
	enum drive_order order;
	int64_t mean, thousandths;
};

#define OUTER 0
#define MID   58589736
#define INNER 111320504

static const struct gate gates[] = {
	/* sequential reading, with and without the buffer: within 1 % */
	{ "t42", { "seq", 1, OUTER, WHOLE, 8, 0, 4000, 1 }, 0, 143000, 10 },
	{ "t42", { "seq", 1, OUTER, WHOLE, 64, 0, 4000, 1 }, 0, 865600, 10 },
	{ "t42", { "seq", 1, OUTER, WHOLE, 256, 0, 1024, 1 }, 0, 3462900, 10 },
	{ "t42", { "seq", 1, MID, WHOLE, 8, 0, 4000, 1 }, 0, 144900, 10 },
	{ "t42", { "seq", 1, MID, WHOLE, 64, 0, 4000, 1 }, 0, 1058200, 10 },
	{ "t42", { "seq", 1, MID, WHOLE, 256, 0, 1024, 1 }, 0, 4233300, 10 },
	{ "t42", { "seq", 1, INNER, WHOLE, 8, 0, 4000, 1 }, 0, 191500, 10 },
	{ "t42", { "seq", 1, INNER, WHOLE, 64, 0, 4000, 1 }, 0, 1494300, 10 },
	{ "t42", { "seq", 1, INNER, WHOLE, 256, 0, 1024, 1 }, 0, 5976700, 10 },
	{ "t42-nc", { "seq", 1, OUTER, WHOLE, 8, 0, 4000, 1 }, 0, 8349500, 1 },
	{ "t42-nc",
	  { "seq", 1, OUTER, WHOLE, 256, 0, 1024, 1 },
	  0,
	  11609000,
	  2 },
	{ "t42-nc",
	  { "seq", 1, OUTER, WHOLE, 256, 100, 800, 1 },
	  0,
	  14568700,
	  2 },
	{ "t42-nc",
	  { "seq", 1, INNER, WHOLE, 256, 100, 800, 1 },
	  0,
	  19368500,
	  2 },
	/* random: one at a time, and a queue in order of arrival */
	{ "t42-nc", { "rand", 1, 0, WHOLE, 8, 100, 8000, 1 }, 0, 15676400, 1 },
	{ "t42-nc", { "rand", 1, 0, WHOLE, 8, 33, 8000, 1 }, 0, 14855000, 1 },
	{ "t42", { "rand", 1, 0, WHOLE, 8, 0, 8000, 1 }, 0, 14556600, 2 },
	{ "t42-ideal",
	  { "rand", 1, 0, WHOLE, 8, 0, 8000, 32 },
	  0,
	  455453400,
	  1 },
	/* reordering */
	{ "t42-ideal",
	  { "rand", 1, 0, WHOLE, 8, 0, 8000, 8 },
	  ORDER_SSTF,
	  76444900,
	  5 },
	{ "t42-ideal",
	  { "rand", 1, 0, WHOLE, 8, 0, 8000, 8 },
	  ORDER_SPTF,
	  70174600,
	  5 },
	{ "t42-ideal",
	  { "rand", 1, 0, WHOLE, 8, 0, 8000, 32 },
	  ORDER_SPTF,
	  193165700,
	  20 },
	{ "t42-ideal",
	  { "rand", 1, MID, 1171792, 8, 0, 8000, 8 },
	  ORDER_SPTF,
	  25012200,
	  20 },
	/* swapping */
	{ "t42-nc",
	  { "swapmix", 1, 11717944, 524288, 64, 20, 4000, 1 },
	  0,
	  8302500,
	  1 },
	{ NULL, { NULL, 0, 0, 0, 0, 0, 0, 0 }, 0, 0, 0 },
};

static void check_gate(const struct gate *g, const char *root)
{
	static struct drive_spec spec;
	simtime *response = xcalloc(g->load.requests, sizeof(*response));
	int64_t mean;

	host_t42(&spec, root, g->variant);
	spec.depth = g->load.depth;
	spec.order = (int)g->order;
	host_run(&spec, &g->load, response, NULL);
	mean = host_mean(response, g->load.requests);
	if (!host_near(mean, g->mean, g->mean * g->thousandths / 1000)) {
		fprintf(stderr,
			"%s %s size %u depth %u: mean %ld ns, not %ld\n",
			g->variant, g->load.name, g->load.size, g->load.depth,
			(long)mean, (long)g->mean);
		BUG_ON(true);
	}
	free(response);
	drive_finish(&spec);
}

/* Two commands for one cylinder: the older first, whatever their place. */
static void check_tie(const char *root)
{
	static struct drive_spec spec;
	struct probe first, older, younger;
	struct events events;
	struct disk *disk;

	host_t42(&spec, root, "t42-nc");
	spec.depth = 3;
	spec.order = ORDER_SSTF;
	events_init(&events);
	disk = ide_new(&spec, 0, 0, &events, NULL);
	probe_submit(&first, disk, 90000000, 8, false);
	probe_submit(&older, disk, 600, 8, false);
	probe_submit(&younger, disk, 40, 8, false);
	probe_wait(&younger);
	BUG_ON(!older.answered || older.at > younger.at);
	disk_free(disk);
	events_finish(&events);
	drive_finish(&spec);
}

int main(int argc, char **argv)
{
	BUG_ON(argc < 2);
	check_trace(argv[1], 0);
	check_trace(argv[1], 1);
	check_tie(argv[1]);
	for (const struct gate *g = gates; g->variant; g++)
		check_gate(g, argv[1]);
	return 0;
}
