/*
 * The reference strings of pattern.s are those that the real kernels were
 * given: the hash of every phase is the one published with the measurements
 * (FNV-1a over page + region * 2^24 + write * 2^31, R = 8192).
 */
#include "tests/stepper.h"

#define REGION_SHIFT 28 /* regions are this far apart in address space */
#define REGION_BASE  0x40000000u

struct phase {
	const char *name;
	uint64_t references, hash;
};

struct watch {
	const struct phase *expect; /* the phases to come */
	unsigned phases;
	uint64_t references, hash;
	unsigned regions;
	char name[ISA_MARK_MAX + 1];
};

static void refer(struct watch *w, uint64_t address, bool write)
{
	uint64_t offset = address - REGION_BASE;
	uint64_t page = (offset & ((1u << REGION_SHIFT) - 1)) >> 12;
	uint64_t word = page + ((offset >> REGION_SHIFT) << 24) +
			((uint64_t)write << 31);

	if (address < REGION_BASE) /* the program's own pages */
		return;
	BUG_ON(address % 4096);
	for (unsigned i = 0; i < 4; i++)
		w->hash =
			(w->hash ^ (word >> (8 * i) & 0xff)) * 0x100000001b3ULL;
	w->references++;
}

static void reference(struct stepper *s, const struct insn *in)
{
	uint64_t base = s->r[in->a];

	if (in->op == ISA_SWEEP) {
		for (uint64_t at = 0; at < s->r[in->b]; at += s->r[in->c])
			refer(s->arg, base + at, in->flags & ISA_WRITE);
		return;
	}
	BUG_ON(in->op != ISA_UNIFORM);
	for (uint64_t i = 0; i < s->r[in->c]; i++) {
		uint64_t draw = rng_step(&s->r[in->e]);
		bool write = in->flags & ISA_MIXED ? (draw & 0xff) < in->k
						   : in->flags & ISA_WRITE;

		refer(s->arg, base + (rng_scale(draw, s->r[in->b]) << 12),
		      write);
	}
}

static void end_phase(struct watch *w)
{
	const struct phase *p = w->expect++;

	if (!w->name[0]) {
		BUG_ON(w->references);
		w->expect--;
		return;
	}
	printf("%-8s %6lu %016lx\n", w->name, (unsigned long)w->references,
	       (unsigned long)w->hash);
	BUG_ON(strcmp(p->name, w->name) != 0);
	BUG_ON(p->references != w->references);
	BUG_ON(p->hash != w->hash);
	w->phases++;
}

static void mark(struct stepper *s, const char *name)
{
	struct watch *w = s->arg;

	end_phase(w);
	snprintf(w->name, sizeof(w->name), "%s", name);
	w->references = 0;
	w->hash = 0xcbf29ce484222325ULL;
}

/* Anonymous regions are numbered in order; a file is region 1. */
static void system_call(struct stepper *s)
{
	struct watch *w = s->arg;
	uint64_t region;

	switch (s->r[0]) {
	case 1:
		BUG_ON(s->r[1] != 0);
		end_phase(w);
		s->stopped = true;
		break;
	case 4:
		BUG_ON(strcmp((char *)stepper_at(s, (uint32_t)s->r[1], 10),
			      "pattern-g") != 0);
		s->r[0] = 3;
		break;
	case 9:
		region = s->r[4] == 3 ? 1 : w->regions++;
		s->r[0] = REGION_BASE + (region << REGION_SHIFT);
		break;
	default:
		BUG_ON(1);
	}
}

static void check(const char *build, char letter, const struct phase *expect,
		  unsigned phases)
{
	struct watch w = { .expect = expect };
	struct stepper s = { .arg = &w,
			     .reference = reference,
			     .syscall = system_call,
			     .mark = mark };
	char command[32];

	snprintf(command, sizeof(command), "pattern -p %c", letter);
	stepper_start(&s, build, command);
	stepper_run(&s);
	BUG_ON(w.phases != phases);
	stepper_finish(&s);
}

int main(int argc, char **argv)
{
	static const struct phase a[] = {
		{ "pass1", 16384, 0xeee6aca1aedde125 },
		{ "pass2", 16384, 0xeee6aca1aedde125 },
		{ "pass3", 16384, 0xeee6aca1aedde125 },
	};
	static const struct phase b[] = {
		{ "init", 12288, 0x0f0684ab966ddd25 },
		{ "run", 8000, 0x1f676b0e32a9aa4c },
	};
	static const struct phase d[] = {
		{ "init", 4096, 0xdfe9d461c1a04325 },
		{ "warm", 20480, 0x423cda8ef2695325 },
		{ "scan", 32768, 0xebf30d44e3f8e15b },
		{ "after", 4096, 0x0ba9ef7eed639325 },
	};
	static const struct phase g[] = {
		{ "pass1", 16384, 0xf04528cb9e36b125 },
		{ "pass2", 16384, 0xf04528cb9e36b125 },
	};
	static const struct phase z[] = {
		{ "pass1", 4096, 0xdfe9d461c1a04325 },
		{ "pass2", 4096, 0xdfe9d461c1a04325 },
	};

	BUG_ON(argc != 3);
	check(argv[2], 'a', a, 3);
	check(argv[2], 'b', b, 2);
	check(argv[2], 'd', d, 4);
	check(argv[2], 'g', g, 2);
	check(argv[2], 'z', z, 2);
	return 0;
}
