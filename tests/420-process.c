/*
 * Processes on a whole machine: exec and its arguments, fork and wait, exit
 * codes and signals, bss and stack, killing, sleeping, usage.
 */
#include "tests/oskit.h"

#define MS NSEC_PER_MSEC

enum { EXIT = 1, FORK, READ, OPEN, CLOSE, WAIT, EXEC, BRK, MMAP, MUNMAP };
enum { GETPID = 11, SLEEP, NICE, YIELD, MLOCKALL, KILL, UPTIME };

/* exit(value of a register) */
static void emit_exit(struct oskit_program *p, uint8_t reg)
{
	emit_mov(p, 1, reg);
	emit_li(p, 0, EXIT);
	emit(p, (struct insn){ .op = ISA_SYSCALL });
}

static void emit_load(struct oskit_program *p, uint8_t reg, uint8_t base,
		      int64_t offset)
{
	emit(p, (struct insn){
			.op = ISA_LD8, .a = reg, .b = base, .imm = offset });
}

static struct isa_note_param number(const char *flag, int64_t def)
{
	struct isa_note_param n = {
		.def = def, .min = 0, .max = 1000, .type = ISA_PARAM_NUMBER
	};

	memcpy(n.flag, flag, strlen(flag));
	return n;
}

/* exit(-a + -b) */
static void install_arguments(struct oskit *o)
{
	struct oskit_program p = { 0 };

	p.param[0] = number("-a", 3);
	p.param[1] = number("-b", 4);
	p.param[2] = number("-c", 0);
	p.param[2].type = ISA_PARAM_CHOICE;
	p.nr_params = 3;
	emit_load(&p, 3, 1, 0);
	emit_load(&p, 4, 1, 8);
	emit(&p, (struct insn){ .op = ISA_ADD, .a = 3, .b = 3, .c = 4 });
	emit_exit(&p, 3);
	install(o, "arguments", &p);
}

static void test_arguments(struct oskit *o)
{
	static const struct {
		const char *command;
		int status;
	} rows[] = {
		{ "arguments", 7 },
		{ "/usr/bin/arguments", 7 },
		{ "arguments -a 10", 14 },
		{ "arguments  -b 1 -a 2 ", 3 },
		{ "arguments -a", 127 },
		{ "arguments -a x", 127 },
		{ "arguments -a 1001", 127 },
		{ "arguments -z 1", 127 },
		{ "arguments -a 1 -a 2", 127 },
		{ "arguments -c x", 7 },
		{ "arguments -c xy", 127 },
		{ "nothing", 127 },
	};

	install_arguments(o);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct ending e = oskit_run(o, rows[i].command);

		BUG_ON(e.status != rows[i].status || e.signal);
	}
}

/* Initial data is there; bss is zero, also behind the data in its page. */
static void test_data(struct oskit *o)
{
	struct oskit_program p = { 0 };
	unsigned bad;
	uint64_t word;
	struct ending e;

	memcpy(&word, "89abcdef", 8);
	emit_li(&p, 3, OSKIT_DATA);
	emit_li(&p, 5, (int64_t)word);
	emit_load(&p, 4, 3, 8);
	bad = emit_branch(&p, ISA_BNE, 4, 5);
	emit_load(&p, 4, 3, 16);
	emit_load(&p, 5, 3, 0x4000);
	emit(&p, (struct insn){ .op = ISA_OR, .a = 4, .b = 4, .c = 5 });
	emit_exit(&p, 4);
	aim(&p, bad);
	emit_li(&p, 4, 99);
	emit_exit(&p, 4);
	install(o, "data", &p);
	e = oskit_run(o, "data");
	BUG_ON(e.status || e.signal);
	/*
	 * Stack, text, data (its end cleared by exec) and the read of bss;
	 * reading the headers brought all of so small a file in.
	 */
	BUG_ON(e.usage.major_faults || e.usage.minor_faults != 4);
	BUG_ON(e.usage.max_rss < 4 || e.usage.max_rss > 20);
}

/* The program writes below its stack, far below it, or nowhere good. */
static void test_stack(struct oskit *o)
{
	static const struct {
		const char *name;
		int64_t below;
		int signal;
	} rows[] = { { "near", 8, 0 },
		     { "far", STACK_SIZE - 65536, 0 },
		     { "too-far", STACK_SIZE + 65536, 11 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct oskit_program p = { 0 };
		struct ending e;

		emit_li(&p, 3, rows[i].below);
		emit(&p,
		     (struct insn){ .op = ISA_SUB, .a = 3, .b = 15, .c = 3 });
		emit(&p, (struct insn){ .op = ISA_ST8, .a = 3, .b = 3 });
		emit_li(&p, 4, 0);
		emit_exit(&p, 4);
		install(o, rows[i].name, &p);
		e = oskit_run(o, rows[i].name);
		BUG_ON(e.signal != rows[i].signal || e.status);
	}
}

static void test_traps(struct oskit *o)
{
	static const struct {
		const char *name;
		struct insn in;
		int signal;
	} rows[] = {
		{ "illegal", { .op = 255 }, 4 },
		{ "divide", { .op = ISA_DIV, .a = 3, .b = 3, .c = 4 }, 8 },
		{ "segv", { .op = ISA_LD8, .a = 3, .b = 4, .imm = 64 }, 11 },
		/* text may be read, not written */
		{ "text",
		  { .op = ISA_ST8, .a = 3, .b = 4, .imm = OSKIT_TEXT },
		  11 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct oskit_program p = { 0 };
		struct ending e;

		emit(&p, rows[i].in);
		install(o, rows[i].name, &p);
		e = oskit_run(o, rows[i].name);
		BUG_ON(e.signal != rows[i].signal || e.status);
	}
}

/*
 * Three children, each computes 10 ms and exits with its number; the parent
 * adds the statuses up. Their memory is theirs: the parent's counter stays.
 */
static void install_family(struct oskit *o)
{
	struct oskit_program p = { 0 };
	unsigned loop, child, done, again;

	emit_li(&p, 6, 0); /* children so far */
	emit_li(&p, 7, 3);
	emit_li(&p, 8, OSKIT_DATA + 4096);
	loop = p.nr;
	done = emit_branch(&p, ISA_BEQ, 6, 7);
	emit(&p, (struct insn){ .op = ISA_ADD,
				.flags = ISA_IMM,
				.a = 6,
				.b = 6,
				.imm = 1 });
	emit_sys(&p, FORK, 0, 0);
	emit_li(&p, 3, 0);
	child = emit_branch(&p, ISA_BEQ, 0, 3);
	emit_loop(&p, loop);
	aim(&p, child);
	emit(&p, (struct insn){ .op = ISA_ST8, .a = 6, .b = 8 });
	emit(&p, (struct insn){
			 .op = ISA_COMPUTE, .flags = ISA_IMM, .imm = 10 * MS });
	emit_load(&p, 4, 8, 0);
	emit_exit(&p, 4);
	/* wait until there is no child left */
	aim(&p, done);
	emit_li(&p, 9, 0);
	again = p.nr;
	emit_sys(&p, WAIT, OSKIT_DATA + 8192, 0);
	emit_li(&p, 3, -1);
	done = emit_branch(&p, ISA_BEQ, 0, 3);
	emit_li(&p, 3, OSKIT_DATA + 8192);
	emit_load(&p, 4, 3, 0);
	emit(&p, (struct insn){ .op = ISA_ADD, .a = 9, .b = 9, .c = 4 });
	emit_loop(&p, again);
	aim(&p, done);
	/* the sum of status << 8, and what is in the parent's own page */
	emit(&p, (struct insn){ .op = ISA_SHR,
				.flags = ISA_IMM,
				.a = 9,
				.b = 9,
				.imm = 8 });
	emit_load(&p, 4, 8, 0);
	emit(&p, (struct insn){ .op = ISA_ADD, .a = 9, .b = 9, .c = 4 });
	emit_exit(&p, 9);
	install(o, "family", &p);
}

static void test_family(struct oskit *o)
{
	struct ending e;

	install_family(o);
	e = oskit_run(o, "family");
	BUG_ON(e.status != 1 + 2 + 3 || e.signal);
	/* the children's time is the parent's after it waited for them */
	BUG_ON(e.usage.user_cycles < 30 * MS);
	BUG_ON(e.usage.user_cycles > 31 * MS);
	BUG_ON(e.real < 30 * MS || !e.usage.voluntary_switches);
}

/* One that never ends, killed by a timer; and one that sleeps. */
struct killer {
	struct event event;
	struct task *victim;
};

static void kill_now(void *arg)
{
	struct killer *killer = arg;

	task_kill(killer->victim, 9);
}

static void test_kill(struct oskit *o, const char *name, simtime after)
{
	unsigned left = 1;
	struct ending e = { .o = o, .left = &left };
	struct killer killer;

	event_init(&killer.event, kill_now, &killer);
	killer.victim = task_start(o->k, name, 0, on_ending, &e);
	event_post(&o->events, &killer.event, kernel_now(o->k) + after);
	BUG_ON(!sched_run(o->k));
	o->k->stop = false;
	BUG_ON(e.signal != 9 || e.real < after || e.real > after + 10 * MS);
}

static void test_kills(struct oskit *o)
{
	struct oskit_program p = { 0 };

	emit_loop(&p, 0);
	install(o, "spin", &p);
	test_kill(o, "spin", 500 * MS);
	memset(&p, 0, sizeof(p));
	emit_sys(&p, SLEEP, 100 * NSEC_PER_SEC, 0);
	emit_exit(&p, 0);
	install(o, "sleep", &p);
	test_kill(o, "sleep", 500 * MS);
}

/* sleep(10 ms) at HZ 250 ends with the first tick after it. */
static void test_sleep(struct oskit *o)
{
	struct oskit_program p = { 0 };
	struct ending e;

	emit_sys(&p, UPTIME, 0, 0);
	emit_mov(&p, 6, 0);
	emit_sys(&p, SLEEP, 10 * MS, 0);
	emit_sys(&p, UPTIME, 0, 0);
	emit(&p, (struct insn){ .op = ISA_SUB, .a = 6, .b = 0, .c = 6 });
	emit_li(&p, 3, MS);
	emit(&p, (struct insn){ .op = ISA_DIV, .a = 6, .b = 6, .c = 3 });
	emit_exit(&p, 6);
	install(o, "nap", &p);
	e = oskit_run(o, "nap");
	BUG_ON(e.status < 10 || e.status > 14);
}

/* A program that replaces itself: exec("arguments -a 20"). */
static void test_exec(struct oskit *o)
{
	static const char command[] = "arguments -a 20";
	struct oskit_program p = { 0 };
	struct ending e;

	for (size_t i = 0; i < sizeof(command); i++) {
		emit_li(&p, 3, OSKIT_DATA + 4096 + (int64_t)i);
		emit_li(&p, 4, command[i]);
		emit(&p, (struct insn){ .op = ISA_ST1, .a = 4, .b = 3 });
	}
	emit_sys(&p, EXEC, OSKIT_DATA + 4096, 0);
	emit_exit(&p, 0);
	install(o, "chain", &p);
	e = oskit_run(o, "chain");
	BUG_ON(e.status != 24);

	/* no such program: the old one goes on, and exits with -1 */
	p.code[1].imm = 'x';
	install(o, "broken-chain", &p);
	e = oskit_run(o, "broken-chain");
	BUG_ON(e.status != 255);
}

/* Reading a file: bytes past the first page, and no more than there are. */
static void test_read(struct oskit *o)
{
	struct oskit_program p = { 0 };
	char bytes[5000];
	struct ending e;

	memset(bytes, 1, sizeof(bytes));
	bytes[4999] = 77;
	fs_install(o->k->fs, "f", bytes, sizeof(bytes), sizeof(bytes));
	emit_li(&p, 3, OSKIT_DATA + 4096);
	emit_li(&p, 4, 'f');
	emit(&p, (struct insn){ .op = ISA_ST8, .a = 4, .b = 3 });
	emit_sys(&p, OPEN, OSKIT_DATA + 4096, 0);
	emit_mov(&p, 1, 0);
	emit_li(&p, 0, READ);
	emit_li(&p, 2, OSKIT_DATA + 8192 + 100);
	emit_li(&p, 3, 8000);
	emit(&p, (struct insn){ .op = ISA_SYSCALL });
	/* 5000 bytes read; the last one is 77 */
	emit(&p, (struct insn){ .op = ISA_SUB,
				.flags = ISA_IMM,
				.a = 6,
				.b = 0,
				.imm = 5000 });
	emit_li(&p, 3, OSKIT_DATA + 8192 + 100 + 4999);
	emit(&p, (struct insn){ .op = ISA_LD1, .a = 4, .b = 3 });
	emit(&p, (struct insn){ .op = ISA_ADD, .a = 6, .b = 6, .c = 4 });
	emit_exit(&p, 6);
	install(o, "reader", &p);
	e = oskit_run(o, "reader");
	BUG_ON(e.status != 77);
}

/* Files that are not programs: exec says no, nothing else happens. */
static void test_bad_files(struct oskit *o)
{
	static const struct {
		size_t at;
		uint8_t byte;
	} rows[] = {
		{ 0, 0 },
		{ 4, 2 },
		{ 16, 3 },
		{ 18, 3 },
		{ 42, 31 },
		{ 44, 17 },
		{ 31, 0x7f },
		{ 52 + 7, 0x7f },
		{ 52 + 5, 1 },
		{ 52 + 18, 99 },
		{ 52 + 32 + 9, 0x80 },
		{ 52 + 32 + 11, 0xc0 },
		{ 52 + 64 + 7, 1 },
		{ 512 + 1, 9 },
		{ 24, 1 },
	};
	struct oskit_program p = { 0 };
	uint8_t good[OSKIT_FILE];

	p.param[0] = number("-n", 1);
	p.nr_params = 1;
	emit_exit(&p, 3);
	build(&p, good);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint8_t bad[OSKIT_FILE];
		char name[] = "bad-?";

		memcpy(bad, good, sizeof(bad));
		BUG_ON(bad[rows[i].at] == rows[i].byte);
		bad[rows[i].at] = rows[i].byte;
		name[4] = (char)('a' + i);
		fs_install(o->k->fs, name, bad, sizeof(bad), sizeof(bad));
		BUG_ON(oskit_run(o, name).status != 127);
	}
	fs_install(o->k->fs, "short", good, 40, 40);
	BUG_ON(oskit_run(o, "short").status != 127);
	fs_install(o->k->fs, "good", good, sizeof(good), sizeof(good));
	BUG_ON(oskit_run(o, "good").status != 0);
}

/* Two equal hogs started together share the CPU and end together. */
static void test_sharing(struct oskit *o)
{
	unsigned left = 2;
	struct ending e[2] = { { .o = o, .left = &left },
			       { .o = o, .left = &left } };
	struct oskit_program p = { 0 };

	emit(&p, (struct insn){ .op = ISA_COMPUTE,
				.flags = ISA_IMM,
				.imm = 2 * NSEC_PER_SEC });
	emit_li(&p, 3, 0);
	emit_exit(&p, 3);
	install(o, "hog", &p);
	for (int i = 0; i < 2; i++)
		task_start(o->k, "hog", 0, on_ending, &e[i]);
	BUG_ON(!sched_run(o->k));
	o->k->stop = false;
	for (int i = 0; i < 2; i++) {
		BUG_ON(e[i].real < 3800 * MS || e[i].real > 4200 * MS);
		/* slices of 100 ms: about 20 of them each */
		BUG_ON(e[i].usage.involuntary_switches < 15);
		BUG_ON(e[i].usage.involuntary_switches > 45);
	}
}

int main(void)
{
	struct oskit o;

	oskit_init(&o);
	oskit_boot(&o);
	test_arguments(&o);
	test_data(&o);
	test_stack(&o);
	test_traps(&o);
	test_family(&o);
	test_kills(&o);
	test_sleep(&o);
	test_exec(&o);
	test_read(&o);
	test_bad_files(&o);
	test_sharing(&o);
	kernel_check(o.k);
	oskit_finish(&o);
	return 0;
}
