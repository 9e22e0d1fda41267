/*
 * A whole machine for the benchmarks of the kernel: as the tests have it, but
 * of any size, with the costs of a machine file, a disk that is never the
 * reason to wait, and programs that say by marks which part is measured.
 */
#pragma once

#include "bench/rounds.h"
#include "tests/oskit.h"

#include <string.h>

#define KIT_AREA 0x10000000u /* where the programs map what they touch */

/* A machine of so many frames with so many pages of swap. */
static inline void kit_init(struct oskit *o, uint32_t frames,
			    uint64_t swap_pages)
{
	const struct fixed_spec fast = {
		.requests_per_second = 1000000,
		.bytes_per_second = (int64_t)1 << 40,
		.burst = NSEC_PER_SEC / 10,
		.size = (int64_t)(swap_pages + OSKIT_BLOCKS) * PAGE_SIZE,
	};

	oskit_init_size(o, frames);
	for (unsigned i = 0; i < 2; i++) {
		disk_free(o->disk[i]);
		media_free(o->media[i]);
		o->disk[i] = fixed_new(&fast, i, 1, &o->events, &o->trace);
		o->media[i] = media_new((uint64_t)fast.size / PAGE_SIZE);
	}
	o->config.file_disk = o->disk[0];
	o->config.swap_disk = o->disk[1];
	o->config.file_media = o->media[0];
	o->config.swap_media = o->media[1];
	param_defaults(cost_params, &o->config.cost);
	o->config.check = false;
	o->config.swap_pages = swap_pages;
}

/* System call with five constant arguments; the result is in r0. */
static inline void kit_sys(struct oskit_program *p, int64_t number,
			   const int64_t arg[5])
{
	emit_li(p, 0, number);
	for (uint8_t i = 0; i < 5; i++)
		emit_li(p, (uint8_t)(i + 1), arg[i]);
	emit(p, (struct insn){ .op = ISA_SYSCALL });
}

/* Map pages of anonymous memory, or of file fd, at KIT_AREA. */
static inline void kit_map(struct oskit_program *p, uint64_t pages, int64_t fd)
{
	int64_t size = (int64_t)(pages * PAGE_SIZE);

	kit_sys(p, 9, (int64_t[]){ KIT_AREA, size, fd < 0 ? 3 : 1, fd, 0 });
}

/* Touch every stride-th of the pages, in order. */
static inline void kit_sweep(struct oskit_program *p, uint16_t kind,
			     uint64_t pages, uint64_t stride)
{
	emit_li(p, 1, KIT_AREA);
	emit_li(p, 2, (int64_t)(pages * PAGE_SIZE));
	emit_li(p, 3, (int64_t)(stride * PAGE_SIZE));
	emit_li(p, 4, 100);
	emit(p, (struct insn){ .op = ISA_SWEEP,
			       .flags = (uint8_t)kind,
			       .a = 1,
			       .b = 2,
			       .c = 3,
			       .d = 4 });
}

/* Touch pages drawn at random, count times. */
static inline void kit_uniform(struct oskit_program *p, uint16_t kind,
			       uint64_t pages, uint64_t count)
{
	emit_li(p, 1, KIT_AREA);
	emit_li(p, 2, (int64_t)pages);
	emit_li(p, 3, (int64_t)count);
	emit_li(p, 4, 100);
	emit_li(p, 5, 20061030);
	emit(p, (struct insn){ .op = ISA_UNIFORM,
			       .flags = (uint8_t)kind,
			       .a = 1,
			       .b = 2,
			       .c = 3,
			       .d = 4,
			       .e = 5 });
}

/* Begin what is to be done so many times; for kit_again. */
static inline unsigned kit_repeat(struct oskit_program *p, int64_t times)
{
	emit_li(p, 11, 0);
	emit_li(p, 10, times);
	return p->nr;
}

static inline void kit_again(struct oskit_program *p, unsigned top)
{
	unsigned branch;

	emit(p, (struct insn){ .op = ISA_SUB,
			       .flags = ISA_IMM,
			       .a = 10,
			       .b = 10,
			       .imm = 1 });
	branch = emit_branch(p, ISA_BNE, 10, 11);
	p->code[branch].imm =
		((int64_t)top - branch - 1) * (int64_t)ISA_INSN_SIZE;
}

/* The kernel's on_mark is called with this name. */
static inline void kit_mark(struct oskit_program *p, const char *name)
{
	struct insn in = { .op = ISA_MARK };

	memcpy((uint8_t *)&in + 2, name, strlen(name));
	emit(p, in);
}

static inline void kit_exit(struct oskit_program *p)
{
	emit_sys(p, 1, 0, 0);
}

/* What was measured between the marks "on" and "off". */
struct meter {
	struct oskit *o;
	uint64_t (*count)(const struct kernel *k); /* operations so far */
	int64_t since, ns;
	uint64_t before, operations;
};

static inline void meter_mark(struct task *task, const char *name, void *arg)
{
	struct meter *m = arg;
	int64_t now = rounds_cpu_time();
	uint64_t count = m->count(task->k);

	if (strcmp(name, "on") == 0) {
		m->before = count;
		m->since = rounds_cpu_time();
	} else if (strcmp(name, "off") == 0) {
		m->operations += count - m->before;
		m->ns += now - m->since;
	}
}

static inline void meter_attach(struct meter *m, struct oskit *o,
				uint64_t (*count)(const struct kernel *k))
{
	*m = (struct meter){ .o = o, .count = count };
	o->k->on_mark = meter_mark;
	o->k->on_mark_arg = m;
}
