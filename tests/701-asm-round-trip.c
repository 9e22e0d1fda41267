/*
 * What the disassembler prints assembles to the same bytes: for each program
 * as a whole file, and for instructions made at random, good and bad.
 */
#include "emu/bug.h"
#include "emu/rng.h"
#include "workloads/asm.h"
#include "workloads/image.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RANDOM 20000

static struct image *assemble(const char *from, const char *to)
{
	struct diag *d = diag_new();
	struct image *image = NULL;

	if (asm_file(from, NULL, to, d))
		image = image_read(to, d);
	diag_print(d, stderr);
	BUG_ON(!image);
	diag_free(d);
	return image;
}

/* Names in a folder of this test's own, so that runs do not meet. */
static char folder[] = "/tmp/round-trip-XXXXXX";

static const char *own(const char *name, char path[64])
{
	snprintf(path, 64, "%s/%s", folder, name);
	return path;
}

static void check_program(const char *source)
{
	char one[64], text[64], two[64];
	struct image *first = assemble(source, own("one.elf", one));
	struct image *second;
	FILE *to = fopen(own("dump.s", text), "w");

	BUG_ON(!to);
	image_dump(first, to);
	BUG_ON(fclose(to));
	second = assemble(text, own("two.elf", two));
	BUG_ON(first->size != second->size);
	BUG_ON(memcmp(first->bytes, second->bytes, first->size) != 0);
	BUG_ON(strcmp(first->name, "one") != 0);
	image_free(first);
	image_free(second);
	BUG_ON(unlink(one) || unlink(two) || unlink(text));
}

/* Three in four are plausible: what is not there is zero. */
static struct insn random_insn(struct rng *r)
{
	static const uint8_t flags[] = {
		0,	  0,	     0,
		ISA_IMM,  ISA_READ,  ISA_WRITE | ISA_READ,
		ISA_EXEC, ISA_MIXED, ISA_DOWN | ISA_WRITE
	};
	bool wild = rng_below(r, 4) == 0;
	uint64_t reg = wild ? 20 : ISA_REGS;
	uint64_t regs = rng_below(r, 6);
	struct insn in = { .op = (uint8_t)rng_below(r, ISA_OP_COUNT + wild),
			   .flags = flags[rng_below(r, sizeof(flags))] };

	in.a = (uint8_t)(regs > 0 ? rng_below(r, reg) : 0);
	in.b = (uint8_t)(regs > 1 ? rng_below(r, reg) : 0);
	in.c = (uint8_t)(regs > 2 ? rng_below(r, reg) : 0);
	in.d = (uint8_t)(regs > 3 ? rng_below(r, reg) : 0);
	in.e = (uint8_t)(regs > 4 ? rng_below(r, reg) : 0);
	if (rng_below(r, 2))
		in.imm = (int64_t)rng_next(r) >> rng_below(r, 64);
	if (in.flags & ISA_MIXED || wild)
		in.k = (uint8_t)rng_below(r, 256);
	return in;
}

static void put_bytes(const struct insn *in, uint8_t out[ISA_INSN_SIZE])
{
	const uint8_t head[] = { in->op, in->flags, in->a, in->b,
				 in->c,	 in->d,	    in->e, in->k };

	memcpy(out, head, sizeof(head));
	for (unsigned i = 0; i < 8; i++)
		out[8 + i] = (uint8_t)((uint64_t)in->imm >> (8 * i));
}

/* Where text begins in a program that has one segment and no notes. */
#define TEXT_AT 96

static void check_random(void)
{
	uint8_t(*want)[ISA_INSN_SIZE] = xcalloc(RANDOM, ISA_INSN_SIZE);
	char text[64], out[64], line[128];
	unsigned spelled = 0;
	struct image *image;
	struct rng r;
	FILE *to = fopen(own("random.s", text), "w");

	BUG_ON(!to);
	rng_init(&r, 1, "instructions");
	(void)fprintf(to, ".base 0x8048000\n.entry 0x8048060\n");
	for (unsigned i = 0; i < RANDOM; i++) {
		struct insn in = random_insn(&r);

		put_bytes(&in, want[i]);
		asm_disassemble(&in, 0x8048060 + i * ISA_INSN_SIZE, line,
				sizeof(line));
		spelled += line[0] != '.';
		(void)fprintf(to, "%s\n", line);
	}
	BUG_ON(fclose(to));
	image = assemble(text, own("random.elf", out));
	BUG_ON(image->segment[0].file_size != TEXT_AT + RANDOM * ISA_INSN_SIZE);
	for (unsigned i = 0; i < RANDOM; i++)
		BUG_ON(memcmp(image->bytes + TEXT_AT +
				      (size_t)i * ISA_INSN_SIZE,
			      want[i], ISA_INSN_SIZE) != 0);
	printf("%u random instructions, %u of them meant something\n", RANDOM,
	       spelled);
	BUG_ON(spelled < RANDOM / 10);
	image_free(image);
	free(want);
	BUG_ON(unlink(text) || unlink(out));
}

/* Every instruction there is, spelled out as one would write it. */
static void check_each(void)
{
	char line[128];

	for (unsigned op = 0; op < ISA_OP_COUNT; op++) {
		struct insn in = { .op = (uint8_t)op,
				   .a = op == ISA_MARK ? 'x' : 0 };

		if (op >= ISA_SWEEP)
			in.flags = ISA_READ;
		if (op == ISA_WSET)
			in.imm = 1;
		asm_disassemble(&in, 0, line, sizeof(line));
		BUG_ON(line[0] == '.');
	}
}

int main(void)
{
	glob_t files;

	BUG_ON(!mkdtemp(folder));
	BUG_ON(glob("workloads/*.s", 0, NULL, &files));
	BUG_ON(files.gl_pathc < 20);
	for (size_t i = 0; i < files.gl_pathc; i++)
		check_program(files.gl_pathv[i]);
	printf("%zu programs\n", files.gl_pathc);
	globfree(&files);
	check_random();
	check_each();
	BUG_ON(rmdir(folder));
	return 0;
}
