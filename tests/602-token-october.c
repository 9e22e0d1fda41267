/*
 * The priority token of October 2006, merged in 2.6.20: tables of asks worked
 * out by hand, with the guard and with the slip of the mail; fork and exit.
 */
#include "tests/tokenkit.h"

/* One ask, and what it leaves. */
struct step {
	int who;
	int holder;
	int64_t priority; /* of who */
	uint64_t interval;
};

static void check_steps(struct rig *r, const struct step *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct token_mm *t = &r->mm[s[i].who].token;

		fault(r, s[i].who);
		BUG_ON(holder(r) != s[i].holder);
		BUG_ON(t->priority != s[i].priority);
		BUG_ON(t->last_interval != s[i].interval);
		BUG_ON(t->stamp != i + 1);
	}
}

#define STEPS(s) s, sizeof(s) / sizeof((s)[0])

/* The holder's priority rises by 2 with each of its faults. */
static void test_holder(void)
{
	static const struct step steps[] = {
		{ 0, 0, 2, 1 }, { 0, 0, 4, 1 },	 { 0, 0, 6, 1 },
		{ 1, 0, 0, 4 }, { 0, 0, 8, 2 },	 { 0, 0, 10, 1 },
		{ 1, 0, 1, 3 }, { 0, 0, 12, 2 },
	};
	struct rig r;

	rig_init(&r, "priority-2006-10", 0);
	check_steps(&r, STEPS(steps));
	BUG_ON(r.k.token.preemptions);
	rig_finish(&r);
}

/* Who asks at ever shorter intervals climbs, and takes it with 2 on top. */
static void test_merged(void)
{
	static const struct step steps[] = {
		{ 0, 0, 2, 1 }, /* free: 2 */
		{ 1, 0, 0, 2 }, /* nothing is shorter than no interval */
		{ 2, 0, 0, 3 }, /* as before */
		{ 2, 0, 1, 1 }, /* 1 < 3 */
		{ 2, 0, 0, 1 }, /* equal is not shorter */
		{ 2, 0, 0, 1 }, /* 0 stays 0 */
		{ 2, 0, 0, 1 }, { 1, 0, 0, 6 }, /* 6 after 2 */
		{ 2, 0, 0, 2 }, { 2, 0, 1, 1 },	 { 2, 0, 0, 1 },
		{ 1, 0, 1, 4 },			/* 4 < 6 */
		{ 2, 0, 0, 2 }, { 1, 0, 2, 2 }, /* 2 < 4: equal to the holder's
						   2 */
		{ 1, 1, 5, 1 }, /* 1 < 2: 3 is above 2, and 2 more */
		{ 1, 1, 7, 1 }, { 0, 1, 1, 16 }, /* 16 after 1: down */
		{ 0, 1, 2, 1 },
	};
	struct rig r;

	rig_init(&r, "priority-2006-10", 0);
	check_steps(&r, STEPS(steps));
	BUG_ON(r.k.token.grants != 2 || r.k.token.preemptions != 1);
	rig_finish(&r);
}

/*
 * As mailed: from 0 down to 4294967295, which takes the token; the 2 on top
 * wrap once more, to 1. So it goes to each that sinks from 0.
 */
static void test_mailed(void)
{
	static const char *const mailed[] = { "as_mailed", "yes", NULL };
	static const struct step steps[] = {
		{ 0, 0, 2, 1 }, { 1, 1, 1, 2 }, /* its very first ask */
		{ 2, 2, 1, 3 },			/* and the next one's */
		{ 2, 2, 3, 1 }, { 0, 2, 1, 4 }, /* from 2 there is nothing to
						   wrap */
		{ 0, 2, 2, 1 }, { 0, 2, 1, 1 }, { 0, 2, 0, 1 },
		{ 0, 0, 1, 1 },			/* from 0 there is */
		{ 1, 0, 0, 8 }, { 1, 0, 1, 1 }, /* equal to the holder's 1 */
		{ 1, 0, 0, 1 }, { 1, 1, 1, 1 },
	};
	struct rig r;

	rig_options(&r, "priority-2006-10", mailed);
	check_steps(&r, STEPS(steps));
	BUG_ON(r.k.token.preemptions != 4);
	rig_finish(&r);
}

/* A child starts from 0 with its parent's stamp; nobody is shielded by a
 * token that nobody has. */
static void test_fork_and_exit(void)
{
	struct rig r;

	rig_init(&r, "priority-2006-10", 0);
	fault(&r, 1);
	fault(&r, 0);
	fault(&r, 0);
	fault(&r, 1);
	BUG_ON(r.mm[1].token.priority != 4);
	token_fork(&r.k, &r.mm[2], &r.mm[1]);
	BUG_ON(r.mm[2].token.priority || r.mm[2].token.last_interval);
	BUG_ON(r.mm[2].token.stamp != 4);
	BUG_ON(r.mm[1].token.priority != 4 || r.mm[1].token.last_interval != 3);

	r.mm[1].mmap_sem.readers = 1;
	BUG_ON(!token_protects(&r.k, &r.mm[1]));
	token_exit(&r.k, &r.mm[0]);
	BUG_ON(holder(&r) != 1);
	token_exit(&r.k, &r.mm[1]);
	BUG_ON(holder(&r) != -1);
	for (int i = 0; i < 6; i++)
		BUG_ON(token_protects(&r.k, &r.mm[i]));
	/* first come, first served, at once */
	fault(&r, 2);
	BUG_ON(holder(&r) != 2 || r.mm[2].token.priority != 2);
	rig_finish(&r);
}

int main(void)
{
	test_holder();
	test_merged();
	test_mailed();
	test_fork_and_exit();
	return 0;
}
