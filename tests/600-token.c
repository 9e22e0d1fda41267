/*
 * The swap token: the boot quirk, hand-overs of the timeout policy, the
 * priority policy's bouncing, who is protected when. Figures are worked out
 * by hand from mm/thrash.c of 2.6.18 and the patch of September 2006.
 */
#include "tests/tokenkit.h"

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
	test_bouncing();
	test_priority();
	test_protects();
	return 0;
}
