/*
 * A processor without time, memory hardware or kernel, to look at programs:
 * it runs an image's ordinary instructions on the host and hands reference
 * instructions, system calls and marks to the test.
 *
 * Memory is the image's own and a stack; a load from anywhere else reads
 * zero, a store to anywhere else is forgotten.
 */
#pragma once

#include "emu/bug.h"
#include "emu/rng.h"
#include "workloads/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STEPPER_STACK (1u << 20)
#define STEPPER_TOP   0xbffff000u

struct stepper {
	const struct image *image;
	uint64_t r[ISA_REGS];
	uint32_t pc;
	bool stopped;
	uint64_t instructions;
	uint64_t deepest; /* bytes of stack used */
	uint8_t *stack;
	void *arg; /* the test's own */
	void (*reference)(struct stepper *s, const struct insn *in);
	void (*syscall)(struct stepper *s);
	void (*mark)(struct stepper *s, const char *name);
};

static inline uint8_t *stepper_at(struct stepper *s, uint32_t va, unsigned n)
{
	if (va >= STEPPER_TOP - STEPPER_STACK && va + n <= STEPPER_TOP)
		return s->stack + (va - (STEPPER_TOP - STEPPER_STACK));
	for (unsigned i = 0; i < s->image->nr_segments; i++) {
		const struct image_segment *g = &s->image->segment[i];

		if (va >= g->va && va + n <= g->va + g->file_size)
			return s->image->bytes + g->offset + (va - g->va);
	}
	return NULL;
}

static inline uint64_t stepper_load(struct stepper *s, uint64_t va,
				    unsigned bytes)
{
	const uint8_t *p = stepper_at(s, (uint32_t)va, bytes);
	uint64_t v = 0;

	for (unsigned i = 0; p && i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static inline void stepper_store(struct stepper *s, uint64_t va, unsigned bytes,
				 uint64_t v)
{
	uint8_t *p = stepper_at(s, (uint32_t)va, bytes);

	for (unsigned i = 0; p && i < bytes; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static inline void stepper_push(struct stepper *s, uint64_t v)
{
	s->r[ISA_SP] -= 8;
	if (STEPPER_TOP - s->r[ISA_SP] > s->deepest)
		s->deepest = STEPPER_TOP - s->r[ISA_SP];
	BUG_ON(s->deepest > STEPPER_STACK);
	stepper_store(s, s->r[ISA_SP], 8, v);
}

static inline uint64_t stepper_pop(struct stepper *s)
{
	uint64_t v = stepper_load(s, s->r[ISA_SP], 8);

	s->r[ISA_SP] += 8;
	return v;
}

static inline uint64_t stepper_compute(const struct insn *in, uint64_t b,
				       uint64_t c)
{
	switch (in->op) {
	case ISA_ADD:
		return b + c;
	case ISA_SUB:
		return b - c;
	case ISA_MUL:
		return b * c;
	case ISA_DIV:
		BUG_ON(!c);
		return b / c;
	case ISA_MOD:
		BUG_ON(!c);
		return b % c;
	case ISA_AND:
		return b & c;
	case ISA_OR:
		return b | c;
	case ISA_XOR:
		return b ^ c;
	case ISA_SHL:
		return b << (c & 63);
	case ISA_SHR:
		return b >> (c & 63);
	default:
		BUG_ON(in->op != ISA_SAR);
		return (uint64_t)((int64_t)b >> (c & 63));
	}
}

static inline bool stepper_taken(const struct insn *in, uint64_t a, uint64_t b)
{
	switch (in->op) {
	case ISA_BEQ:
		return a == b;
	case ISA_BNE:
		return a != b;
	case ISA_BLT:
		return (int64_t)a < (int64_t)b;
	case ISA_BGE:
		return (int64_t)a >= (int64_t)b;
	case ISA_BLTU:
		return a < b;
	default:
		BUG_ON(in->op != ISA_BGEU);
		return a >= b;
	}
}

static inline struct insn stepper_fetch(struct stepper *s)
{
	const uint8_t *p = stepper_at(s, s->pc, ISA_INSN_SIZE);
	struct insn in = { 0 };

	BUG_ON(!p || s->pc % ISA_INSN_SIZE);
	in.op = p[0];
	in.flags = p[1];
	in.a = p[2];
	in.b = p[3];
	in.c = p[4];
	in.d = p[5];
	in.e = p[6];
	in.k = p[7];
	in.imm = (int64_t)stepper_load(s, s->pc + 8, 8);
	return in;
}

static inline void stepper_mark(struct stepper *s)
{
	char name[ISA_MARK_MAX + 1] = { 0 };

	memcpy(name, stepper_at(s, s->pc + 2, ISA_MARK_MAX), ISA_MARK_MAX);
	if (s->mark)
		s->mark(s, name);
}

static inline void stepper_jump(struct stepper *s, const struct insn *in)
{
	uint32_t next = s->pc + ISA_INSN_SIZE;

	switch (in->op) {
	case ISA_JMP:
		s->pc = next + (uint32_t)in->imm;
		break;
	case ISA_JR:
		s->pc = (uint32_t)s->r[in->a];
		break;
	case ISA_CALL:
		stepper_push(s, next);
		s->pc = next + (uint32_t)in->imm;
		break;
	case ISA_CALLR:
		stepper_push(s, next);
		s->pc = (uint32_t)s->r[in->a];
		break;
	case ISA_RET:
		s->pc = (uint32_t)stepper_pop(s);
		break;
	default:
		s->pc = next;
		if (stepper_taken(in, s->r[in->a], s->r[in->b]))
			s->pc += (uint32_t)in->imm;
	}
}

static inline unsigned stepper_width(uint8_t op)
{
	if (op == ISA_LD1 || op == ISA_ST1)
		return 1;
	return op == ISA_LD4 || op == ISA_ST4 ? 4 : 8;
}

/* Loads and stores; at is the address they name. */
static inline void stepper_memory(struct stepper *s, const struct insn *in,
				  uint64_t at)
{
	switch (in->op) {
	case ISA_PUSH:
		stepper_push(s, s->r[in->a]);
		break;
	case ISA_POP:
		s->r[in->a] = stepper_pop(s);
		break;
	case ISA_ST1:
	case ISA_ST4:
	case ISA_ST8:
		stepper_store(s, at, stepper_width(in->op), s->r[in->a]);
		break;
	default:
		s->r[in->a] = stepper_load(s, at, stepper_width(in->op));
	}
}

static inline bool stepper_is_memory(uint8_t op)
{
	return (op >= ISA_LD1 && op <= ISA_ST8) || op == ISA_PUSH ||
	       op == ISA_POP;
}

/* Everything that goes on with the next instruction. */
static inline void stepper_plain(struct stepper *s, const struct insn *in)
{
	/* a mark's name lies across the register fields */
	bool mark = in->op == ISA_MARK;
	uint64_t c =
		mark || in->flags & ISA_IMM ? (uint64_t)in->imm : s->r[in->c];
	uint64_t at = mark ? 0 : s->r[in->b] + (uint64_t)in->imm;

	switch (in->op) {
	case ISA_NOP:
	case ISA_COMPUTE:
		break;
	case ISA_LI:
		s->r[in->a] = (uint64_t)in->imm;
		break;
	case ISA_MOV:
		s->r[in->a] = s->r[in->b];
		break;
	case ISA_MSB:
		s->r[in->a] =
			s->r[in->b]
				? 63u - (unsigned)__builtin_clzll(s->r[in->b])
				: UINT64_MAX;
		break;
	case ISA_RAND:
		s->r[in->a] = rng_step(&s->r[in->b]);
		break;
	case ISA_MARK:
		stepper_mark(s);
		break;
	case ISA_SYSCALL:
		s->syscall(s);
		break;
	default:
		if (stepper_is_memory(in->op))
			stepper_memory(s, in, at);
		else if (in->op >= ISA_SWEEP)
			s->reference(s, in);
		else
			s->r[in->a] = stepper_compute(in, s->r[in->b], c);
	}
}

/* Run until the test's handler stops it. */
static inline void stepper_run(struct stepper *s)
{
	while (!s->stopped) {
		struct insn in = stepper_fetch(s);

		BUG_ON(in.op >= ISA_OP_COUNT);
		BUG_ON(++s->instructions > 200000000);
		if (in.op >= ISA_BEQ && in.op <= ISA_RET) {
			stepper_jump(s, &in);
		} else {
			stepper_plain(s, &in);
			s->pc += ISA_INSN_SIZE;
		}
	}
}

/*
 * Be about to run the program with this command line, as the kernel's exec
 * would. The image is read from the build tree.
 */
static inline void stepper_start(struct stepper *s, const char *build,
				 const char *command)
{
	int64_t values[IMAGE_PARAMS] = { 0 };
	struct diag *d = diag_new();
	char *copy = xstrdup(command), *words[16] = { NULL };
	char path[512], *rest = NULL;
	unsigned n = 0;

	for (char *w = strtok_r(copy, " ", &rest); w && n < 15;
	     w = strtok_r(NULL, " ", &rest))
		words[n++] = w;
	snprintf(path, sizeof(path), "%s/workloads/%s.elf", build, words[0]);
	s->image = image_read(path, d);
	if (s->image)
		image_arguments(s->image, words, n, values, d,
				(struct diag_place){ 0 });
	diag_print(d, stderr);
	BUG_ON(!s->image);
	s->stack = xcalloc(STEPPER_STACK, 1);
	s->pc = s->image->entry;
	s->r[ISA_SP] = STEPPER_TOP;
	for (unsigned i = IMAGE_PARAMS; i--;)
		stepper_push(s, (uint64_t)values[i]);
	s->r[1] = s->r[ISA_SP];
	s->deepest = 0;
	free(copy);
	diag_free(d);
}

static inline void stepper_finish(struct stepper *s)
{
	image_free((struct image *)s->image);
	free(s->stack);
}
