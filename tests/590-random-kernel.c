/*
 * Some dozens of little worlds made by chance: a few generated programs that
 * touch, fork, map and read, too little memory for them, any elevator and
 * token policy. The kernel's books are audited all the time, no page may be
 * mixed up, and a second run must end in the same state.
 */
#include "emu/digest.h"
#include "emu/rng.h"
#include "tests/oskit.h"

#define WORLDS	  60
#define PROGRAMS  3
#define TASKS	  6
#define FILE_SIZE 300u /* pages */
#define AUDIT	  100  /* events between two audits, at least */

enum { EXIT = 1, FORK, READ, OPEN, WAIT = 6, BRK = 8, MMAP, MUNMAP };
enum { SLEEP = 12, YIELD = 14 };

/* Where a program has its memory; registers that keep something. */
#define ANON 0x50000000u
#define VIEW 0x60000000u /* of the file, private */
#define HEAP (OSKIT_DATA + OSKIT_BSS * 4096u)

#define WRONG 199 /* exit status: memory does not hold what was stored */

enum { R_ZERO = 8, R_FD, R_STATE };

struct world {
	struct oskit o;
	struct rng rng;
	uint32_t anon; /* pages that a program maps */
	unsigned left;
	struct ending ending[TASKS];
	struct event audit;
	uint64_t fired; /* events at the last audit */
	unsigned audits, exits;
};

static uint32_t below(struct world *w, uint32_t n)
{
	return (uint32_t)rng_below(&w->rng, n);
}

static void emit_sys5(struct oskit_program *p, int64_t number, int64_t arg1,
		      int64_t arg2, int64_t arg3)
{
	emit_li(p, 3, arg3);
	emit_li(p, 5, 0);
	emit_sys(p, number, arg1, arg2);
}

/* Touch pages [from, from + count) of memory at base. */
static void emit_sweep(struct world *w, struct oskit_program *p, uint32_t base,
		       uint32_t from, uint32_t count)
{
	static const uint8_t kinds[] = { ISA_READ, ISA_WRITE,
					 ISA_READ | ISA_WRITE,
					 ISA_WRITE | ISA_DOWN };

	emit_li(p, 3, base + from * 4096);
	emit_li(p, 4, (int64_t)count * 4096);
	emit_li(p, 5, 4096 >> below(w, 3));
	emit_li(p, 6, 20000 + below(w, 200000));
	emit(p, (struct insn){ .op = ISA_SWEEP,
			       .flags = kinds[below(w, 4)],
			       .a = 3,
			       .b = 4,
			       .c = 5,
			       .d = 6 });
}

static void emit_chance(struct world *w, struct oskit_program *p, uint32_t base,
			uint32_t pages)
{
	emit_li(p, 3, base);
	emit_li(p, 4, pages);
	emit_li(p, 5, 100 + below(w, 1000));
	emit_li(p, 6, 20000 + below(w, 200000));
	emit(p, (struct insn){ .op = below(w, 2) ? ISA_UNIFORM : ISA_WSET,
			       .flags = ISA_READ | ISA_WRITE | ISA_MIXED,
			       .k = (uint8_t)below(w, 256),
			       .a = 3,
			       .b = 4,
			       .c = 5,
			       .d = 6,
			       .e = R_STATE,
			       .imm = 1 + below(w, pages / 2) });
}

/* Take part of the anonymous memory away and map it anew: zeroes. */
static void emit_remap(struct world *w, struct oskit_program *p)
{
	uint32_t from = below(w, w->anon - 1);
	uint32_t count = 1 + below(w, w->anon - from - 1);

	emit_sys(p, MUNMAP, ANON + from * 4096, (int64_t)count * 4096);
	emit_li(p, 4, -1);
	emit_sys5(p, MMAP, ANON + from * 4096, (int64_t)count * 4096, 3);
}

static void emit_break(struct world *w, struct oskit_program *p)
{
	uint32_t pages = 1 + below(w, 200);

	emit_sys(p, BRK, HEAP + (int64_t)pages * 4096, 0);
	emit_sweep(w, p, HEAP, 0, pages);
	emit_sys(p, BRK, HEAP + (int64_t)below(w, pages) * 4096, 0);
}

static void emit_read(struct world *w, struct oskit_program *p)
{
	emit_mov(p, 1, R_FD);
	emit_li(p, 0, READ);
	emit_li(p, 2, ANON);
	emit_li(p, 3, 1 + below(w, 4096 * (w->anon < 50 ? w->anon : 50)));
	emit(p, (struct insn){ .op = ISA_SYSCALL });
}

static void emit_step(struct world *w, struct oskit_program *p)
{
	uint32_t from = below(w, w->anon - 1);

	switch (below(w, 10)) {
	case 0:
	case 1:
		emit_sweep(w, p, ANON, from, 1 + below(w, w->anon - from - 1));
		break;
	case 2:
	case 3:
		emit_chance(w, p, ANON, w->anon);
		break;
	case 4:
		emit_sweep(w, p, VIEW, below(w, 100), 1 + below(w, 200));
		break;
	case 5:
		emit_chance(w, p, VIEW, FILE_SIZE);
		break;
	case 6:
		emit_remap(w, p);
		break;
	case 7:
		emit_break(w, p);
		break;
	case 8:
		emit_read(w, p);
		break;
	default:
		emit_sys(p, below(w, 2) ? SLEEP : YIELD,
			 below(w, 50) * NSEC_PER_MSEC, 0);
		break;
	}
}

/* A child does a few steps of its own and leaves; its parent goes on. */
static void emit_child(struct world *w, struct oskit_program *p)
{
	unsigned parent;

	emit_sys(p, FORK, 0, 0);
	parent = emit_branch(p, ISA_BNE, 0, R_ZERO);
	for (uint32_t i = below(w, 3); i-- > 0;)
		emit_step(w, p);
	emit_sys(p, EXIT, below(w, 100), 0);
	aim(p, parent);
}

/* If the word at r3 + offset is another one, exit with WRONG. */
static void emit_expect(struct oskit_program *p, int64_t offset, int64_t value)
{
	unsigned right;

	emit_li(p, 5, value);
	emit(p, (struct insn){ .op = ISA_LD8, .a = 4, .b = 3, .imm = offset });
	right = emit_branch(p, ISA_BEQ, 4, 5);
	emit_sys(p, EXIT, WRONG, 0);
	aim(p, right);
}

static void emit_store(struct oskit_program *p, int64_t offset, int64_t value)
{
	emit_li(p, 5, value);
	emit(p, (struct insn){ .op = ISA_ST8, .a = 5, .b = 3, .imm = offset });
}

/* Parent and child write to one page: each sees its own, and what was there. */
static void emit_private(struct world *w, struct oskit_program *p)
{
	int64_t word = 1 + below(w, 1000000);
	unsigned parent;

	emit_li(p, 3, ANON + below(w, w->anon) * 4096);
	emit_store(p, 0, word);
	emit_store(p, 8, ~word);
	emit_sys(p, FORK, 0, 0);
	parent = emit_branch(p, ISA_BNE, 0, R_ZERO);
	emit_sys(p, SLEEP, below(w, 40) * NSEC_PER_MSEC, 0);
	emit_expect(p, 0, word);
	emit_store(p, 0, word + 1);
	emit_sys(p, SLEEP, below(w, 40) * NSEC_PER_MSEC, 0);
	emit_expect(p, 8, ~word);
	emit_expect(p, 0, word + 1);
	emit_sys(p, EXIT, 0, 0);
	aim(p, parent);
	emit_store(p, 0, word + 2);
	emit_sys(p, SLEEP, below(w, 80) * NSEC_PER_MSEC, 0);
	emit_expect(p, 8, ~word);
	emit_expect(p, 0, word + 2);
}

static void emit_start(struct world *w, struct oskit_program *p)
{
	emit_li(p, R_ZERO, 0);
	emit_li(p, R_STATE, 1 + below(w, 1000000));
	emit_li(p, 3, OSKIT_DATA + 4096);
	emit_li(p, 4, 'd');
	emit(p, (struct insn){ .op = ISA_ST8, .a = 4, .b = 3 });
	emit_sys(p, OPEN, OSKIT_DATA + 4096, 0);
	emit_mov(p, R_FD, 0);
	emit_mov(p, 4, R_FD);
	emit_sys5(p, MMAP, VIEW, FILE_SIZE * 4096LL, 3);
	emit_li(p, 4, -1);
	emit_sys5(p, MMAP, ANON, (int64_t)w->anon * 4096, 3);
}

static void make_program(struct world *w, const char *name)
{
	struct oskit_program p = { 0 };
	unsigned again;
	unsigned done;

	emit_start(w, &p);
	for (uint32_t i = 6 + below(w, 10); i-- > 0 && p.nr < 130;) {
		emit_step(w, &p);
		if (!below(w, 4))
			emit_child(w, &p);
		if (!below(w, 4))
			emit_private(w, &p);
	}
	again = p.nr;
	emit_li(&p, 7, -1);
	emit_sys(&p, WAIT, 0, 0);
	done = emit_branch(&p, ISA_BEQ, 0, 7);
	emit_loop(&p, again);
	aim(&p, done);
	emit_sys(&p, EXIT, 0, 0);
	install(&w->o, name, &p);
}

static void on_exit_of(void *arg, const struct trace_event *ev)
{
	struct world *w = arg;

	BUG_ON(ev->v[1] == WRONG);
	/* killed for memory, if at all */
	BUG_ON(ev->v[2] && ev->v[2] != 9);
	w->exits++;
}

static void audit(void *arg)
{
	struct world *w = arg;

	BUG_ON(w->o.events.now > 10000 * NSEC_PER_SEC);
	if (w->o.events.fired - w->fired > AUDIT) {
		kernel_check(w->o.k);
		w->fired = w->o.events.fired;
		w->audits++;
	}
	event_post(&w->o.events, &w->audit,
		   w->o.events.now + 3 * NSEC_PER_MSEC);
}

/* Memory from 8 to 32 MiB, and too much for it to hold. */
static void make_machine(struct world *w, uint64_t seed)
{
	static const char *const elevators[] = { "noop", "cfq", "deadline",
						 "anticipatory" };
	const struct elevator_ops *e;
	struct kernel_config *c = &w->o.config;

	rng_init(&w->rng, seed, "random kernel");
	oskit_init_size(&w->o, 2048 * (1 + below(w, 4)));
	e = oskit_elevator(elevators[below(w, 4)]);
	trace_subscribe(&w->o.trace, on_exit_of, w, 1ULL << TR_EXIT);
	c->seed = seed;
	c->file_queue.elevator = c->swap_queue.elevator = e;
	c->swap_pages = 1024 + below(w, 10000);
	c->token = token_policies[below(w, 3)];
	c->grab_point = (enum token_grab_point)below(w, 3);
	c->sysctls.page_cluster = below(w, 5);
	c->sysctls.swappiness = below(w, 101);
	w->anon = 400 + below(w, w->o.ram.frames);
	oskit_boot(&w->o);
	fs_install(w->o.k->fs, "d", NULL, 0, FILE_SIZE * 4096LL);
	event_init(&w->audit, audit, w);
	audit(w);
}

static void start_tasks(struct world *w)
{
	char name[] = "program-?";
	uint32_t tasks = 3 + below(w, TASKS - 2);

	for (uint32_t i = 0; i < PROGRAMS; i++) {
		name[8] = (char)('a' + i);
		make_program(w, name);
	}
	w->left = tasks;
	for (uint32_t i = 0; i < tasks; i++) {
		name[8] = (char)('a' + below(w, PROGRAMS));
		w->ending[i].o = &w->o;
		w->ending[i].left = &w->left;
		task_start(w->o.k, name, (int)below(w, 20) - 5, on_ending,
			   &w->ending[i]);
	}
}

/* What the worlds did, all together: they must not all be idle. */
struct total {
	uint64_t out, in, cow, killed, audits, exits, direct, kswapd;
};

static void add_up(const struct world *w, struct total *t)
{
	const struct vmstat *v = &w->o.k->vmstat;

	t->out += v->pswpout;
	t->in += v->pswpin;
	t->cow += v->pgfault_cow;
	t->killed += v->oom_kill;
	t->direct += v->pgscan_direct;
	t->kswapd += v->pgscan_kswapd;
	t->audits += w->audits;
	t->exits += w->exits;
}

/* Run it to the end; the digest of its last state and all that happened. */
static uint64_t run(uint64_t seed, struct total *t)
{
	struct world *w = xcalloc(1, sizeof(*w));
	struct digest d;
	uint64_t result;

	make_machine(w, seed);
	start_tasks(w);
	BUG_ON(!sched_run(w->o.k));
	BUG_ON(w->left && !w->o.k->panicked);
	kernel_check(w->o.k);
	BUG_ON(w->o.k->integrity.mismatches);
	digest_init(&d);
	kernel_digest(w->o.k, &d);
	result = digest_value(&d) + digest_value(&w->o.trace.digest);
	add_up(w, t);
	oskit_finish(&w->o);
	free(w);
	return result;
}

int main(void)
{
	struct total t = { 0 }, again = { 0 };
	uint64_t last = 0;

	for (uint64_t seed = 1; seed <= WORLDS; seed++) {
		uint64_t first = run(seed, &t);

		BUG_ON(run(seed, &again) != first);
		BUG_ON(first == last); /* another seed is another world */
		last = first;
	}
	BUG_ON(t.out < 10000 || t.in < 10000 || t.cow < 1000);
	BUG_ON(t.exits < 500);
	BUG_ON(!t.killed || !t.direct || !t.kswapd || t.audits < 500);
	return 0;
}
