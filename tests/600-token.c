/*
 * The swap token: the boot quirk, hand-overs of the timeout policy, the
 * priority policy's bouncing, who is protected when. Figures are worked out
 * by hand from mm/thrash.c of 2.6.18 and the patch of September 2006.
 */
#include "os/kernel.h"

#include <stdlib.h>
#include <string.h>

#define S NSEC_PER_SEC

/* A kernel with nothing but a clock of one cycle per ns, and a token */
struct rig {
	struct events events;
	struct trace trace;
	struct ram ram;
	struct cpu cpu;
	struct kernel k;
	struct mm mm[6];
};

static const struct token_ops *policy(const char *name)
{
	const struct token_ops *const *p = token_policies;

	while (strcmp((*p)->slot.name, name) != 0)
		p++;
	return *p;
}

static void rig_init(struct rig *r, const char *name, simtime uptime)
{
	const struct tlb_geometry geometry = { 16, 4 };

	memset(r, 0, sizeof(*r));
	ram_init(&r->ram, 16);
	events_init(&r->events);
	trace_init(&r->trace, trace_variable, &r->events.now);
	cpu_init(&r->cpu, 0, 1000000, 0, &r->events, &r->ram, geometry,
		 geometry);
	r->k.cpu = &r->cpu;
	r->k.trace = &r->trace;
	r->k.config.hz = 250;
	r->k.config.uptime_at_start = uptime;
	r->k.config.token = policy(name);
	sysctl_defaults(&r->k.sysctl);
	for (int i = 0; i < 6; i++)
		r->mm[i].pid = 10 + i;
	token_init(&r->k);
}

static void rig_finish(struct rig *r)
{
	token_finish(&r->k);
	cpu_finish(&r->cpu);
	events_finish(&r->events);
	ram_finish(&r->ram);
}

static void pass_time(struct rig *r, simtime span)
{
	cpu_charge(&r->cpu, (uint64_t)span);
}

static int holder(const struct rig *r)
{
	return r->k.token.holder ? r->k.token.holder->pid - 10 : -1;
}

static void fault(struct rig *r, int i)
{
	token_grab(&r->k, &r->mm[i]);
}

/* Within the first 300 s of a 32-bit kernel's uptime nobody gets it. */
static void test_boot_quirk(void)
{
	struct rig r;

	rig_init(&r, "timeout", 0);
	for (int i = 0; i < 299; i++) {
		fault(&r, i % 3);
		BUG_ON(holder(&r) != -1);
		pass_time(&r, S);
	}
	/* reclaim at priority 0 takes it from nobody, and changes nothing */
	token_disable(&r.k);
	fault(&r, 0);
	BUG_ON(holder(&r) != -1);
	BUG_ON(r.k.token.asks != 300 || r.k.token.early != 300);
	pass_time(&r, 2 * S);
	fault(&r, 0);
	BUG_ON(holder(&r) != 0 || r.k.token.grants != 1);
	/* refused for another reason: the holder is not looked at so soon */
	fault(&r, 1);
	BUG_ON(holder(&r) != 0 || r.k.token.early != 300);
	rig_finish(&r);

	/* the same at once on a machine that has been up for long */
	rig_init(&r, "timeout", 600 * S);
	fault(&r, 1);
	BUG_ON(holder(&r) != 1 || r.k.token.early);
	rig_finish(&r);
}

/* Two thrashers: 300 s each, the other one ineligible meanwhile. */
static void test_thrashers(void)
{
	struct rig r;
	int64_t changed[4] = { 0 };
	unsigned changes = 0;
	int last = 0;

	rig_init(&r, "timeout", 600 * S);
	for (int64_t ms = 0; ms < 1000000; ms += 100) {
		fault(&r, 0);
		fault(&r, 1);
		if (holder(&r) != last && changes < 4) {
			changed[changes++] = ms / 1000;
			last = holder(&r);
		}
		pass_time(&r, S / 10);
	}
	BUG_ON(changes != 3 || r.k.token.timeouts != 3);
	for (int i = 0; i < 3; i++) {
		int64_t held = changed[i] - (i ? changed[i - 1] : 0);

		/* 300 s, then the first check, of which there is one in 2 s */
		BUG_ON(held < 300 || held > 303);
	}
	/* the report: half of the time each */
	token_settle(&r.k);
	BUG_ON(r.k.token.nr_tenures != 2 || r.k.token.grants != 4);
	BUG_ON(r.k.token.tenure[0].held + r.k.token.tenure[1].held != 1000 * S);
	BUG_ON(r.k.token.tenure[0].grants != 2);
	rig_finish(&r);
}

/* Checks come every 2 s at most; one finds an idle holder and moves on. */
static void test_idle_holder(void)
{
	struct rig r;

	rig_init(&r, "timeout", 600 * S);
	fault(&r, 0);
	fault(&r, 0); /* marks it as paging in */
	pass_time(&r, 2 * S);
	fault(&r, 1);
	BUG_ON(holder(&r) != 0); /* the check was due later than now */
	pass_time(&r, S / 10);
	fault(&r, 1); /* this check clears the mark */
	BUG_ON(holder(&r) != 0);
	pass_time(&r, S);
	fault(&r, 1); /* too early */
	BUG_ON(holder(&r) != 0);
	pass_time(&r, S + S / 10);
	fault(&r, 1);
	BUG_ON(holder(&r) != 1 || r.k.token.idlers != 1);
	/* who lost it by idleness may have it back at the next check */
	pass_time(&r, 2 * S + S / 10);
	fault(&r, 0);
	BUG_ON(holder(&r) != 0);
	rig_finish(&r);
}

/* Who lost it by time-out must wait as long, even for an idle holder. */
static void test_ineligible(void)
{
	struct rig r;

	rig_init(&r, "timeout", 600 * S);
	for (int i = 0; i < 3040; i++) {
		fault(&r, 0);
		fault(&r, 1);
		pass_time(&r, S / 10);
	}
	BUG_ON(holder(&r) != 1);
	/* 1 computes from now on: 0 may not take it, 2 may */
	for (int i = 0; i < 100; i++) {
		fault(&r, 0);
		pass_time(&r, S / 10);
	}
	BUG_ON(holder(&r) != 1);
	fault(&r, 2);
	pass_time(&r, 2 * S + S / 10);
	fault(&r, 2);
	BUG_ON(holder(&r) != 2);
	rig_finish(&r);
}

static void test_exit_and_disable(void)
{
	struct rig r;

	rig_init(&r, "timeout", 600 * S);
	fault(&r, 0);
	token_exit(&r.k, &r.mm[1]);
	BUG_ON(holder(&r) != 0);
	token_exit(&r.k, &r.mm[0]);
	BUG_ON(holder(&r) != -1);
	fault(&r, 1); /* not in the same tick */
	BUG_ON(holder(&r) != -1);
	pass_time(&r, S / 100);
	fault(&r, 1);
	BUG_ON(holder(&r) != 1);
	token_disable(&r.k);
	BUG_ON(holder(&r) != -1 || r.k.token.disables != 1);
	pass_time(&r, S);
	fault(&r, 1); /* ineligible for 2 s */
	BUG_ON(holder(&r) != -1);
	pass_time(&r, S + S / 100);
	fault(&r, 1);
	BUG_ON(holder(&r) != 1);
	/* 0 turns it off at the holder's next fault, and keeps it off */
	r.k.sysctl.swap_token_timeout = 0;
	fault(&r, 1);
	BUG_ON(holder(&r) != -1);
	pass_time(&r, 10 * S);
	fault(&r, 2);
	BUG_ON(holder(&r) != -1);
	rig_finish(&r);
}

/* Options: a hold of one's own; the first sysctl counted ticks. */
static void test_options(void)
{
	const struct token_ops *timeout = policy("timeout");
	const struct param *params = timeout->slot.params;
	const struct diag_place at = { 0 };
	struct diag *d = diag_new();
	void *options = xcalloc(1, timeout->slot.size);
	struct rig r;

	param_defaults(params, options);
	BUG_ON(!param_set(params, options, "hold", "10s", "token", d, at));
	BUG_ON(!param_set(params, options, "in_fault", "no", "token", d, at));
	rig_init(&r, "none", 600 * S);
	token_finish(&r.k);
	r.k.config.token = timeout;
	r.k.config.token_options = options;
	token_init(&r.k);
	BUG_ON(r.k.token.in_fault);
	for (int i = 0; i < 90; i++) {
		fault(&r, 0);
		fault(&r, 1);
		pass_time(&r, S);
	}
	/*
	 * At 12 s, then every 13 s: asks come once a second, checks at least
	 * 2 s apart, and the one at 10 s is a tick too early.
	 */
	BUG_ON(r.k.token.timeouts != 6);
	token_finish(&r.k);
	memset(&r.mm[0].token, 0, sizeof(r.mm[0].token));
	memset(&r.mm[1].token, 0, sizeof(r.mm[1].token));

	BUG_ON(!param_set(params, options, "hold", "0", "token", d, at));
	BUG_ON(!param_set(params, options, "unit", "ticks", "token", d, at));
	token_init(&r.k);
	r.k.sysctl.swap_token_timeout = 2500; /* 10 s */
	for (int i = 0; i < 90; i++) {
		fault(&r, 0);
		fault(&r, 1);
		pass_time(&r, S);
	}
	BUG_ON(r.k.token.timeouts != 6);
	rig_finish(&r);
	free(options);
	diag_free(d);
}

/*
 * n processes fault in turn, on a machine that has seen faults before. After
 * each round the one after the holder faults once more, if extra is set.
 */
static uint64_t transfers(int n, int rounds, bool extra, int64_t *priority)
{
	struct rig r;
	uint64_t count;

	rig_init(&r, "priority-2006-09", 0);
	for (int i = 0; i < 100; i++) {
		fault(&r, 5);
		token_exit(&r.k, &r.mm[5]);
	}
	for (int i = 0; i < rounds; i++) {
		for (int p = 0; p < n; p++)
			fault(&r, p);
		if (extra)
			fault(&r, (holder(&r) + 1) % n);
	}
	count = r.k.token.preemptions;
	*priority = r.mm[0].token.priority;
	rig_finish(&r);
	return count;
}

/*
 * In strict turns up to four processes climb together, and five or more not
 * at all. Equal ones leave the token where it is, because the holder climbs
 * as they do; but the least irregularity moves it: here in every other round.
 */
static void test_bouncing(void)
{
	int64_t priority;

	BUG_ON(transfers(3, 100, false, &priority) != 0 || priority != 99);
	BUG_ON(transfers(4, 100, false, &priority) != 0 || priority != 99);
	BUG_ON(transfers(3, 100, true, &priority) != 50);
	BUG_ON(transfers(5, 100, false, &priority) != 0 || priority != 0);
	BUG_ON(transfers(6, 100, false, &priority) != 0 || priority != 0);
}

static void test_priority(void)
{
	struct rig r;

	rig_init(&r, "priority-2006-09", 0);
	fault(&r, 0);
	fault(&r, 1); /* gap 2 of never: climbs to 1, above 0 */
	BUG_ON(holder(&r) != 1 || r.mm[1].token.priority != 1);
	fault(&r, 0); /* 1 is not above 1 */
	BUG_ON(holder(&r) != 1 || r.mm[0].token.priority != 1);
	fault(&r, 0);
	BUG_ON(holder(&r) != 0 || r.mm[0].token.priority != 2);
	for (int i = 0; i < 5; i++)
		fault(&r, 0);
	BUG_ON(r.mm[0].token.priority != 7);
	/* stale: down by one at each ask, then one more to be stamped */
	fault(&r, 1);
	BUG_ON(r.mm[1].token.priority != 0);
	BUG_ON(r.mm[1].token.stamp != 2);
	fault(&r, 1);
	BUG_ON(r.mm[1].token.priority != 0 || r.mm[1].token.stamp != 11);
	fault(&r, 1);
	BUG_ON(r.mm[1].token.priority != 1 || holder(&r) != 0);

	/* fork copies it; a free token goes to whoever asks first */
	token_fork(&r.k, &r.mm[2], &r.mm[0]);
	BUG_ON(r.mm[2].token.priority != 7);
	token_exit(&r.k, &r.mm[0]);
	fault(&r, 1);
	BUG_ON(holder(&r) != 1 || r.mm[1].token.priority != 1);
	rig_finish(&r);
}

/* Not against oneself; since 2.6.13 only while in a fault. */
static void test_protects(void)
{
	struct task self = { 0 }, other = { 0 };
	struct rig r;

	rig_init(&r, "timeout", 600 * S);
	fault(&r, 0);
	self.mm = &r.mm[0];
	other.mm = &r.mm[1];
	BUG_ON(token_protects(&r.k, &r.mm[0]));
	r.mm[0].mmap_sem.readers = 1;
	BUG_ON(!token_protects(&r.k, &r.mm[0])); /* nobody runs: kswapd */
	BUG_ON(token_protects(&r.k, &r.mm[1]));
	r.k.current = &other;
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	r.k.current = &self;
	BUG_ON(token_protects(&r.k, &r.mm[0]));
	r.k.current = &other;
	r.mm[0].mmap_sem.readers = 0;
	r.k.token.in_fault = false; /* 2.6.9 */
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	rig_finish(&r);
}

int main(void)
{
	test_boot_quirk();
	test_thrashers();
	test_idle_holder();
	test_ineligible();
	test_exit_and_disable();
	test_options();
	test_bouncing();
	test_priority();
	test_protects();
	return 0;
}
