/*
 * The versions of the timeout token by their options: 2.6.9, 2.6.9 with a
 * sysctl in ticks, 2.6.10 to 2.6.12, 2.6.18. Times are worked out by hand from
 * mm/thrash.c and mm/rmap.c of these versions.
 */
#include "tests/tokenkit.h"

static const char *const v2_6_9[] = { "hold", "300s",	    "in_fault",
				      "no",   "priority_0", "ignore",
				      "rest", "0",	    NULL };
static const char *const with_ticks[] = { "unit",	"ticks",    "zero",
					  "plain",	"in_fault", "no",
					  "priority_0", "ignore",   "rest",
					  "0",		NULL };
static const char *const v2_6_10[] = { "zero", "off-at-once", "in_fault",
				       "no",   "priority_0",  "ignore",
				       NULL };
static const char *const v2_6_18[] = { NULL };
static const char *const hold_10s[] = { "hold", "10s", NULL };

/* Two that fault every 0.1 s: when does the token move, in ms? */
static void check_changes(struct rig *r, const int *ms)
{
	int last = 0;

	for (int now = 0; *ms; now += 100) {
		fault(r, 0);
		fault(r, 1);
		if (holder(r) != last) {
			BUG_ON(now != *ms);
			last = holder(r);
			ms++;
		}
		BUG_ON(*ms && now > *ms);
		pass_time(r, S / 10);
	}
}

/*
 * A check needs more than 2 s since the last one, so asks every 0.1 s make
 * one every 2.1 s. HZ is 1000: 3000 ticks are 3 s.
 *   0.0  0 takes it until 3.0; the next check comes after 2.0
 *   2.1  not yet;  4.2  1 takes it until 7.2; 0 is barred until 7.2
 *   7.2  0's first check: not yet, it must be later;  9.3  0 takes it
 * and so on, 5.1 s each.
 */
static void test_ticks(void)
{
	static const int changes[] = { 4200, 9300, 14400, 19500, 0 };
	static const int at_every_check[] = { 2100, 4200, 6300, 0 };
	struct rig r;

	rig_options(&r, "timeout", with_ticks);
	r.k.config.hz = 1000;
	r.k.sysctl.swap_token_timeout = 3000;
	check_changes(&r, changes);
	rig_finish(&r);
	/* 0 is nothing special: out of time at every check */
	rig_options(&r, "timeout", with_ticks);
	r.k.config.hz = 1000;
	r.k.sysctl.swap_token_timeout = 0;
	check_changes(&r, at_every_check);
	rig_finish(&r);
	/* at HZ 250 the same number is four times as long: 12 s */
	rig_options(&r, "timeout", with_ticks);
	r.k.sysctl.swap_token_timeout = 3000;
	for (int i = 0; i < 120; i++) {
		fault(&r, 0);
		fault(&r, 1);
		BUG_ON(holder(&r) != 0);
		pass_time(&r, S / 10);
	}
	rig_finish(&r);
}

/* 2.6.18 counts seconds; a hold of one's own counts before the sysctl. */
static void test_seconds(void)
{
	/* checks at 2.1, 4.2 ... 10.5; barred until 20.5; 20.5 is too early */
	static const int changes[] = { 10500, 22600, 34700, 0 };
	struct rig r;

	rig_options(&r, "timeout", v2_6_18);
	r.k.sysctl.swap_token_timeout = 10;
	check_changes(&r, changes);
	rig_finish(&r);
	rig_options(&r, "timeout", hold_10s);
	check_changes(&r, changes);
	r.k.sysctl.swap_token_timeout = 0;
	fault(&r, holder(&r));
	BUG_ON(holder(&r) == -1);
	rig_finish(&r);
}

/* A holder that computes: shielded in 2.6.9, not in 2.6.18. */
static void test_in_fault(void)
{
	struct task other = { 0 };
	struct rig r;

	rig_options(&r, "timeout", v2_6_9);
	r.k.current = &other;
	fault(&r, 0);
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	rig_finish(&r);
	rig_options(&r, "timeout", v2_6_18);
	r.k.current = &other;
	fault(&r, 0);
	BUG_ON(token_protects(&r.k, &r.mm[0]));
	r.mm[0].mmap_sem.readers = 1;
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	rig_finish(&r);
}

/*
 * Reclaim at priority 0: 2.6.9 does not heed the token in that scan, and only
 * in it; 2.6.18 takes it away.
 */
static void test_priority_0(void)
{
	struct task one = { 0 }, two = { 0 };
	struct rig r;

	rig_options(&r, "timeout", v2_6_9);
	fault(&r, 0);
	r.k.current = &one;
	token_scan(&r.k, 1);
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	token_scan(&r.k, 0);
	BUG_ON(token_protects(&r.k, &r.mm[0]));
	r.k.current = &two; /* another reclaimer, at 12 meanwhile */
	token_scan(&r.k, 12);
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	r.k.current = &one;
	BUG_ON(token_protects(&r.k, &r.mm[0]));
	token_scan(&r.k, 12); /* its next reclaim */
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	BUG_ON(holder(&r) != 0 || r.k.token.disables);
	rig_finish(&r);

	rig_options(&r, "timeout", v2_6_18);
	fault(&r, 0);
	r.k.current = &one;
	token_scan(&r.k, 1);
	BUG_ON(holder(&r) != 0);
	token_scan(&r.k, 0);
	BUG_ON(holder(&r) != -1 || r.k.token.disables != 1);
	rig_finish(&r);
}

/* Off is off at once, or at the holder's next fault. */
static void test_zero(void)
{
	struct task other = { 0 };
	struct rig r;

	/* 2.6.10 .. 2.6.12 as they came: nobody ever gets it */
	rig_options(&r, "timeout", v2_6_10);
	r.k.sysctl.swap_token_timeout = 0;
	for (int i = 0; i < 100; i++) {
		fault(&r, i % 3);
		BUG_ON(holder(&r) != -1);
		pass_time(&r, S);
	}
	/* turned on, and off again */
	r.k.current = &other;
	r.k.sysctl.swap_token_timeout = 300;
	pass_time(&r, 2 * S); /* the last check was a second ago */
	fault(&r, 0);
	BUG_ON(holder(&r) != 0 || !token_protects(&r.k, &r.mm[0]));
	r.k.sysctl.swap_token_timeout = 0;
	BUG_ON(token_protects(&r.k, &r.mm[0]) || holder(&r) != 0);
	fault(&r, 0);
	BUG_ON(holder(&r) != -1);
	rig_finish(&r);

	rig_options(&r, "timeout", v2_6_18);
	r.k.current = &other;
	fault(&r, 0);
	r.mm[0].mmap_sem.readers = 1;
	r.k.sysctl.swap_token_timeout = 0;
	BUG_ON(!token_protects(&r.k, &r.mm[0]));
	fault(&r, 0);
	BUG_ON(holder(&r) != -1);
	rig_finish(&r);

	/* the constant of 2.6.9 cares for no sysctl */
	rig_options(&r, "timeout", v2_6_9);
	r.k.sysctl.swap_token_timeout = 0;
	fault(&r, 0);
	fault(&r, 0);
	BUG_ON(holder(&r) != 0);
	rig_finish(&r);
}

/* Who lost it by force may have it again at the next tick in 2.6.9. */
static void test_rest(void)
{
	struct rig r;

	rig_options(&r, "timeout", v2_6_9);
	fault(&r, 0);
	token_disable(&r.k);
	pass_time(&r, S / 100);
	fault(&r, 0);
	BUG_ON(holder(&r) != 0);
	rig_finish(&r);
	rig_options(&r, "timeout", v2_6_18);
	fault(&r, 0);
	token_disable(&r.k);
	pass_time(&r, S);
	fault(&r, 0);
	BUG_ON(holder(&r) != -1);
	rig_finish(&r);
}

int main(void)
{
	test_ticks();
	test_seconds();
	test_in_fault();
	test_priority_0();
	test_zero();
	test_rest();
	return 0;
}
