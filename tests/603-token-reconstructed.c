/*
 * The reconstructions: minimum hold, hysteresis and the loser's reset by
 * tables of asks worked out by hand, thrashing against oneself on a machine
 * with a swap device; and that all of them are called what they are.
 */
#include "tests/mmkit.h"
#include "tests/tokenkit.h"

static void test_labels(void)
{
	unsigned marked = 0;

	for (unsigned i = 0; token_policies[i]; i++) {
		const struct slot *s = &token_policies[i]->slot;
		bool says = strncmp(s->name, "reconstructed-", 14) == 0;

		BUG_ON(s->reconstruction != says);
		marked += says;
	}
	BUG_ON(marked != 4);
}

/* who asks; who has it then, and the asker's priority */
struct step {
	int who, holder;
	int64_t priority;
};

static void check_steps(struct rig *r, const struct step *s, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		fault(r, s[i].who);
		BUG_ON(holder(r) != s[i].holder);
		BUG_ON(r->mm[s[i].who].token.priority != s[i].priority);
	}
}

#define STEPS(s) s, sizeof(s) / sizeof((s)[0])

static void test_hold(void)
{
	static const struct step early[] = { { 0, 0, 0 }, { 1, 0, 1 } };
	static const struct step late[] = { { 1, 0, 2 } };
	static const struct step due[] = {
		{ 1, 1, 3 }, { 0, 1, 1 }, { 0, 1, 2 }, { 0, 1, 3 }, { 0, 1, 4 },
	};
	static const struct step again[] = { { 0, 0, 5 } };
	struct rig r;

	rig_init(&r, "reconstructed-hold", 0);
	check_steps(&r, STEPS(early));
	pass_time(&r, 2 * S - 1);
	check_steps(&r, STEPS(late));
	pass_time(&r, 1);
	token_settle(&r.k); /* a report in between changes nothing */
	check_steps(&r, STEPS(due));
	pass_time(&r, 2 * S);
	check_steps(&r, STEPS(again));
	rig_finish(&r);
}

static void test_hysteresis(void)
{
	/* the default: ahead by more than 4 */
	static const struct step steps[] = {
		{ 0, 0, 0 }, { 1, 0, 1 },  { 1, 0, 2 }, { 1, 0, 3 },
		{ 1, 0, 4 }, { 1, 1, 5 },  { 0, 1, 0 }, /* 6 asks ago: stale */
		{ 0, 1, 1 }, { 0, 1, 2 },  { 0, 1, 3 }, { 0, 1, 4 },
		{ 0, 1, 5 }, { 0, 1, 6 },  { 0, 1, 7 }, { 0, 1, 8 },
		{ 0, 1, 9 }, { 0, 0, 10 },
	};
	struct rig r;

	rig_init(&r, "reconstructed-hysteresis", 0);
	check_steps(&r, STEPS(steps));
	rig_finish(&r);
}

static void test_loser_reset(void)
{
	static const struct step steps[] = {
		{ 0, 0, 0 },
		{ 1, 1, 1 },
		{ 0, 1, 1 },
		{ 0, 0, 2 },
	};
	/* its 1 is gone, so that it takes two asks more than it would */
	static const struct step rest[] = {
		{ 1, 0, 1 },
		{ 1, 0, 2 },
		{ 1, 1, 3 },
	};
	struct rig r;

	rig_init(&r, "reconstructed-loser-reset", 0);
	check_steps(&r, STEPS(steps));
	BUG_ON(r.mm[1].token.priority);
	check_steps(&r, STEPS(rest));
	BUG_ON(r.mm[0].token.priority);
	rig_finish(&r);
}

/* Without their addition, hold and hysteresis are what they began as. */
static void check_base(const char *name, const char *option)
{
	const char *const options[] = { option, "0", NULL };
	struct rig r, base;
	uint32_t chance = 1;

	rig_init(&base, "priority-2006-09", 600 * S);
	rig_options(&r, name, options);
	for (int i = 0; i < 10000; i++) {
		int who;

		chance = chance * 1664525 + 1013904223;
		who = (int)(chance >> 24) % 6;
		fault(&base, who);
		fault(&r, who);
		BUG_ON(holder(&r) != holder(&base));
	}
	BUG_ON(base.k.token.preemptions < 10);
	BUG_ON(r.k.token.preemptions != base.k.token.preemptions);
	rig_finish(&base);
	rig_finish(&r);
}

/* Read pages of MM_HEAP that are in swap: each is a major fault. */
static void fault_in(struct puppet *p, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to; i++) {
		BUG_ON(pte_present(mm_entry(p, i)));
		BUG_ON(touch_as(p, MM_HEAP + i * PAGE_SIZE, MMU_READ) !=
		       FAULT_MAJOR);
	}
}

static void spend(struct puppet *p, simtime span)
{
	cpu_spend(p->k->cpu, (uint64_t)span);
}

/*
 * A quarter may be its own doing, counted for 2 s. Pages 0 to 8 were evicted
 * before it had the token, the others while it has it.
 */
static void self_thrash(struct puppet *p)
{
	struct token *t = &p->k->token;

	p->k->sysctl.page_cluster = 0; /* a fault reads one page */
	mm_fill(p, 20);
	for (uint32_t i = 0; i < 9; i++)
		mm_push_out(p, i);
	fault_in(p, 0, 1);
	BUG_ON(t->holder != p->mm);

	/* 1 of 5: may stay */
	fault_in(p, 1, 4);
	mm_push_out(p, 10);
	spend(p, S);
	fault_in(p, 10, 11);
	spend(p, S);
	fault_in(p, 4, 5);
	BUG_ON(t->holder != p->mm);
	/* 1 of 3, but nobody judges yet; then 1 of 4, which is just allowed */
	mm_push_out(p, 11);
	fault_in(p, 11, 12);
	fault_in(p, 5, 7);
	BUG_ON(t->holder != p->mm);
	spend(p, 2 * S);
	fault_in(p, 7, 8);
	BUG_ON(t->holder != p->mm || t->timeouts);
	/* 1 of 1 */
	mm_push_out(p, 12);
	spend(p, 2 * S);
	fault_in(p, 12, 13);
	BUG_ON(t->holder || t->timeouts != 1);

	/* barred for as long as after a timeout */
	mm_push_out(p, 13);
	mm_push_out(p, 14);
	spend(p, 290 * S);
	fault_in(p, 13, 14);
	BUG_ON(t->holder);
	spend(p, 20 * S);
	fault_in(p, 14, 15);
	BUG_ON(t->holder != p->mm);
	/* evicted in nobody's tenure, or in an earlier one: not its doing */
	mm_push_out(p, 15);
	token_disable(p->k);
	spend(p, 10 * S);
	fault_in(p, 8, 9);
	BUG_ON(t->holder != p->mm);
	spend(p, 3 * S);
	fault_in(p, 15, 16);
	BUG_ON(t->holder != p->mm || t->timeouts != 1);
}

static void test_self_thrash(void)
{
	struct oskit o;

	oskit_init(&o);
	o.config.token = policy("reconstructed-self-thrash");
	oskit_boot(&o);
	puppet_run(&o, self_thrash, NULL);
	kernel_check(o.k);
	oskit_finish(&o);
}

int main(void)
{
	test_labels();
	test_hold();
	test_hysteresis();
	test_loser_reset();
	check_base("reconstructed-hold", "hold");
	check_base("reconstructed-hysteresis", "lead");
	test_self_thrash();
	return 0;
}
