/*
 * What start-up and resident programs touch: a small dynamic program about
 * 80 pages besides its own, as measured; and a resident sleeps as long as
 * its -t says on average, touching what -w, -k and -l say.
 */
#include "tests/stepper.h"

#define SLEEPS_SEEN 4000

struct watch {
	uint8_t *seen; /* one per page of the address space */
	unsigned pages, code_pages;
	uint64_t sleeps, slept;
	uint64_t reads, writes, runs; /* after the first sleep */
	unsigned opens;
};

static void see(struct watch *w, uint64_t address, bool code)
{
	uint8_t *page = &w->seen[(address >> 12) & 0xfffff];

	w->pages += !*page;
	w->code_pages += !*page && code;
	*page = 1;
}

static void reference(struct stepper *s, const struct insn *in)
{
	struct watch *w = s->arg;
	uint64_t base = s->r[in->a];

	if (in->op == ISA_SWEEP) {
		for (uint64_t at = 0; at < s->r[in->b]; at += s->r[in->c])
			see(w, base + at, in->flags & ISA_EXEC);
		return;
	}
	BUG_ON(in->op != ISA_ZIPF || in->imm != 1024 || !s->r[in->b]);
	if (in->flags & ISA_EXEC)
		w->runs += s->r[in->c];
	else if (in->flags & ISA_WRITE)
		w->writes += s->r[in->c];
	else
		w->reads += s->r[in->c];
}

static void system_call(struct stepper *s)
{
	struct watch *w = s->arg;

	switch (s->r[0]) {
	case 1:
		BUG_ON(s->r[1] != 0);
		s->stopped = true;
		break;
	case 4:
		w->opens++;
		s->r[0] = 3;
		break;
	case 9:
		s->r[0] = s->r[1] ? s->r[1] : 0x40000000;
		break;
	case 11:
		s->r[0] = 77;
		break;
	case 12:
		w->sleeps++;
		w->slept += s->r[1];
		s->stopped = w->sleeps == SLEEPS_SEEN;
		break;
	default:
		s->r[0] = 1;
	}
}

static struct watch run(const char *build, const char *command)
{
	struct watch w = { .seen = xcalloc(1 << 20, 1) };
	struct stepper s = { .arg = &w,
			     .reference = reference,
			     .syscall = system_call };

	stepper_start(&s, build, command);
	stepper_run(&s);
	BUG_ON(w.opens != s.image->nr_needs);
	stepper_finish(&s);
	free(w.seen);
	printf("%-40s %u pages, %u of code\n", command, w.pages, w.code_pages);
	return w;
}

int main(int argc, char **argv)
{
	struct watch w;

	BUG_ON(argc != 3);
	/* hog touches one page of its own memory here, 80 for start-up */
	w = run(argv[2], "hog -m 4K");
	BUG_ON(w.opens != 2 || w.pages < 75 || w.pages > 90);
	w = run(argv[2], "daemon -m 400K -t 30s -w 12 -k 50 -l 12");
	BUG_ON(w.opens != 2 || w.pages < 200 || w.pages > 240);
	BUG_ON(w.slept / w.sleeps < 28500000000 ||
	       w.slept / w.sleeps > 31500000000);
	BUG_ON(w.reads != 6UL * (SLEEPS_SEEN - 1));
	BUG_ON(w.writes != w.reads);
	w = run(argv[2], "nautilus -m 8M");
	BUG_ON(w.opens != 5 || w.code_pages < 1900 || w.code_pages > 2200);
	w = run(argv[2], "xserver");
	BUG_ON(w.opens != 2 || w.pages < 400 + 2304);
	return 0;
}
