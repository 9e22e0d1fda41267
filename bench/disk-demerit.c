/*
 * How far are our response times from the oracle's?
 *
 * Runs the oracle's workloads on the t42-class drive and prints, for each,
 * both means and the demerit: the root mean square of the horizontal distance
 * between the two distributions, taken at 200 quantiles, in percent of the
 * oracle's mean. See docs/disk.md for the gates.
 *
 *   bench-disk-demerit SOURCE_ROOT [WORKLOAD_PREFIX]
 */
#include "tests/disk-host.h"

#define QUANTILES 200
#define PARTS	  400LL /* of a rank: quantiles lie at odd ones */
#define TICK	  100	/* ns: the unit of the oracle's table */

struct row {
	char variant[16], name[64], policy[8];
	struct host_load load;
	int64_t mean;
	int64_t quantile[QUANTILES];
};

static bool row_parse(struct row *r, char *line)
{
	struct host_load *l = &r->load;
	int used = 0;
	char *at;

	if (sscanf(line, "%15[^,],%63[^,],%7[^,],%u,%u,%lu,%lu,%lu,%u,%u,%ld%n",
		   r->variant, r->name, r->policy, &l->depth, &l->requests,
		   &l->seed, &l->start, &l->span, &l->size, &l->write_pct,
		   &r->mean, &used) != 11)
		return false;
	l->name = r->name;
	at = line + used;
	for (int i = 0; i < QUANTILES; i++) {
		r->quantile[i] = strtol(at + 1, &at, 10);
		if (i > 0)
			r->quantile[i] += r->quantile[i - 1];
	}
	return true;
}

static int compare_times(const void *a, const void *b)
{
	simtime x = *(const simtime *)a, y = *(const simtime *)b;

	return x < y ? -1 : x > y;
}

/* At rank p n - 1/2 of the sorted list, p = (2i+1)/400, interpolated. */
static int64_t quantile(const simtime *sorted, uint32_t n, int i)
{
	int64_t rank = (int64_t)(2 * i + 1) * n - QUANTILES; /* in 1/400 */
	int64_t low, part;

	if (rank < 0)
		rank = 0;
	low = rank / PARTS;
	part = rank % PARTS;
	if (low + 1 >= n)
		return sorted[n - 1];
	return sorted[low] + (sorted[low + 1] - sorted[low]) * part / PARTS;
}

/* In 1/1000 of a percent of the oracle's mean. */
static int64_t demerit(const struct row *r, const simtime *sorted)
{
	uint64_t sum = 0, root = 0;

	for (int i = 0; i < QUANTILES; i++) {
		int64_t off = quantile(sorted, r->load.requests, i) / TICK -
			      r->quantile[i];

		sum += (uint64_t)(off * off);
	}
	sum /= QUANTILES;
	for (uint64_t bit = 1ULL << 31; bit; bit >>= 1)
		if ((root | bit) * (root | bit) <= sum)
			root |= bit;
	return (int64_t)root * 100000 / r->mean;
}

static void row_run(const struct row *r, const char *root)
{
	simtime *response = xcalloc(r->load.requests, sizeof(*response));
	struct drive_spec spec;
	int64_t mean, off;

	host_t42(&spec, root, r->variant);
	spec.depth = r->load.depth;
	spec.order = strcmp(r->policy, "SPTF") == 0   ? ORDER_SPTF
		     : strcmp(r->policy, "SSTF") == 0 ? ORDER_SSTF
						      : ORDER_FCFS;
	/* the oracle hides the overhead as soon as it has a queue */
	if (spec.depth > 1)
		spec.overhead_mode = OVERHEAD_OVERLAPPED;
	host_run(&spec, &r->load, response, NULL);
	mean = host_mean(response, r->load.requests) / TICK;
	qsort(response, r->load.requests, sizeof(*response), compare_times);
	off = demerit(r, response);
	printf("%-10s %-36s %s %2u seed %lu  %8ld.%ld %8ld.%ld us  %3ld.%03ld "
	       "%%\n",
	       r->variant, r->name, r->policy, r->load.depth, r->load.seed,
	       mean / 10, mean % 10, r->mean / 10, r->mean % 10, off / 1000,
	       off % 1000);
	free(response);
}

int main(int argc, char **argv)
{
	static struct row row;
	static char line[16384];
	const char *prefix = argc > 2 ? argv[2] : "";
	FILE *f;

	BUG_ON(argc < 2);
	f = host_open(argv[1], "t42-cdf.csv");
	printf("%-10s %-36s %-14s  %-10s %-12s %s\n", "variant", "workload",
	       "policy, depth", "mean", "oracle's", "demerit");
	while (fgets(line, sizeof(line), f))
		if (line[0] != '#' && row_parse(&row, line) &&
		    strncmp(row.name, prefix, strlen(prefix)) == 0)
			row_run(&row, argv[1]);
	fclose(f);
	return 0;
}
