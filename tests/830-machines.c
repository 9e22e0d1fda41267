/*
 * Runs are functions of scenario, variant, overrides and seed: the same
 * digest with and without listeners, another one with another seed; and two
 * machines in one process do not know of each other.
 */
#include "emu/run/timeline.h"
#include "tests/jsonkit.h"
#include "tests/runkit.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const pattern_z[] = { "params.pattern=z", NULL };
/* late enough for 2.6.18 to grant its token */
static const char *const late[] = { "uptime_at_start=600s", NULL };

static uint64_t digest_with(const struct machine_options *options,
			    const char *timeline)
{
	struct run_kit kit;
	struct timeline *t = NULL;
	uint64_t digest;

	kit_load(&kit, "oom", NULL, late);
	kit_boot(&kit, options);
	if (timeline)
		t = timeline_new(kit.machine, timeline, TIMELINE_LIMIT);
	BUG_ON(timeline && !t);
	machine_run(kit.machine, &kit.results);
	BUG_ON(!timeline_free(t));
	digest = kit.results.digest;
	kit_free(&kit);
	return digest;
}

static char *read_all(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text;
	long size;

	BUG_ON(!f || fseek(f, 0, SEEK_END) != 0);
	size = ftell(f);
	BUG_ON(size <= 0);
	rewind(f);
	text = xcalloc((size_t)size + 1, 1);
	BUG_ON(fread(text, 1, (size_t)size, f) != (size_t)size);
	fclose(f);
	return text;
}

/*
 * What Perfetto wants: JSON, names first, times in us that never go back and
 * are no floating-point notation, slices that are closed after they opened.
 */
static void check_timeline(const char *path)
{
	char *text = read_all(path);
	long long last = -1;
	int open = 0, events = 0;
	const char *meta = NULL, *first = NULL;

	free(keys_of(text));
	for (const char *s = text; (s = strstr(s, "{\"ph\":\"")); s++) {
		char phase = s[7];
		long long us, ns;

		if (phase == 'M') {
			meta = s;
			continue;
		}
		if (!first)
			first = s;
		BUG_ON(sscanf(strstr(s, "\"ts\":"), "\"ts\":%lld.%3lld", &us,
			      &ns) != 2);
		BUG_ON(us * 1000 + ns < last);
		last = us * 1000 + ns;
		open += (phase == 'B') - (phase == 'E');
		BUG_ON(open < 0);
		events++;
	}
	BUG_ON(!meta || !first || meta > first || events < 1000);
	free(text);
}

static void test_watching_changes_nothing(void)
{
	struct machine_options options = { .seed = 1 };
	char path[] = "/tmp/faultline-test-XXXXXX";
	int fd = mkstemp(path);
	uint64_t plain = digest_with(&options, NULL);

	BUG_ON(fd < 0);
	BUG_ON(digest_with(&options, path) != plain);
	check_timeline(path);
	options.vmstat = NSEC_PER_SEC / 10;
	BUG_ON(digest_with(&options, NULL) != plain);
	options.check = true;
	BUG_ON(digest_with(&options, NULL) != plain);
	options.seed = 2;
	BUG_ON(digest_with(&options, NULL) == plain);
	close(fd);
	unlink(path);
}

static void test_two_machines(void)
{
	struct machine_options options = { .seed = 1 };
	struct run_kit a, b, alone;

	kit_run(&alone, "linux-2.6.18", NULL, pattern_z, 1);
	kit_load(&a, "linux-2.6.18", NULL, pattern_z);
	kit_load(&b, "oom", NULL, NULL);
	kit_boot(&a, &options);
	kit_boot(&b, &options);
	machine_run(b.machine, &b.results);
	machine_run(a.machine, &a.results);
	BUG_ON(a.results.digest != alone.results.digest);
	BUG_ON(b.results.digest == a.results.digest);
	kit_free(&a);
	kit_free(&b);
	kit_free(&alone);
}

/* Every ns of a run is in exactly one account. */
static void test_accounts(void)
{
	struct run_kit kit;
	const struct cpu_times *t;
	simtime sum;

	kit_run(&kit, "oom", NULL, NULL, 1);
	t = &kit.results.cpu;
	sum = t->user + t->system + t->irq + t->idle + t->iowait;
	/* five figures, each rounded down to the ns */
	BUG_ON(sum > kit.results.whole.to.at);
	BUG_ON(kit.results.whole.to.at - sum > 5);
	BUG_ON(!results_good(&kit.results));
	BUG_ON(kit.results.nr_kills < 1);
	kit_free(&kit);
}

static void test_interruption(void)
{
	static const volatile sig_atomic_t at_once = 1;
	struct machine_options options = { .seed = 1, .interrupt = &at_once };
	struct run_kit kit;

	kit_load(&kit, "linux-2.6.18", NULL, NULL);
	kit_boot(&kit, &options);
	machine_run(kit.machine, &kit.results);
	BUG_ON(!kit.results.partial);
	BUG_ON(kit.results.whole.to.at > NSEC_PER_SEC);
	BUG_ON(kit.results.command[0].outcome != NOT_STARTED);
	kit_free(&kit);
}

int main(void)
{
	test_watching_changes_nothing();
	test_two_machines();
	test_accounts();
	test_interruption();
	return 0;
}
