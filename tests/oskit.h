/*
 * A whole small machine for tests of processes: 32 MiB, a CPU of one cycle
 * per ns whose kernel works for nothing, a fixed-rate disk for files and one
 * for swap; and a builder of small programs.
 */
#pragma once

#include "disk/fixed.h"
#include "os/elevator.h"
#include "os/kernel.h"

#include <stdlib.h>
#include <string.h>

#define OSKIT_FRAMES 8192u
#define OSKIT_TEXT   0x08048000u
#define OSKIT_DATA   0x08049000u /* 16 bytes from the file, then bss */
#define OSKIT_BSS    5		 /* pages of memory from OSKIT_DATA on */
#define OSKIT_BLOCKS 65536u

struct oskit {
	struct events events;
	struct trace trace;
	struct ram ram;
	struct cpu cpu;
	struct disk *disk[2];
	struct media *media[2];
	struct kernel_reserve reserve[2];
	struct kernel_config config;
	struct kernel *k;
};

static inline const struct elevator_ops *oskit_elevator(const char *name)
{
	const struct elevator_ops *const *e = elevator_list;

	while (strcmp((*e)->slot.name, name) != 0)
		e++;
	return *e;
}

/* Everything but the kernel, whose config may still be changed. */
static inline void oskit_init_size(struct oskit *o, uint32_t frames)
{
	const struct tlb_geometry geometry = { 64, 4 };
	const struct elevator_ops *noop = oskit_elevator("noop");
	const struct fixed_spec spec = { .requests_per_second = 1000,
					 .bytes_per_second = 40 << 20,
					 .burst = NSEC_PER_SEC / 10,
					 .size = OSKIT_BLOCKS * 4096LL };

	memset(o, 0, sizeof(*o));
	ram_init(&o->ram, frames);
	events_init(&o->events);
	trace_init(&o->trace, trace_variable, &o->events.now);
	cpu_init(&o->cpu, 0, 1000000, 0, &o->events, &o->ram, geometry,
		 geometry);
	for (unsigned i = 0; i < 2; i++) {
		o->disk[i] = fixed_new(&spec, i, 1, &o->events, &o->trace);
		o->media[i] = media_new(OSKIT_BLOCKS);
	}
	o->reserve[0] = (struct kernel_reserve){ "kernel", -1, 256 };
	o->config = (struct kernel_config){
		.profile = "linux-2.6.18",
		.seed = 1,
		.hz = 250,
		.check = true,
		.uptime_at_start = 600 * NSEC_PER_SEC,
		.reserve = o->reserve,
		.file_queue = { noop, NULL, 128, 1024 },
		.swap_queue = { noop, NULL, 128, 1024 },
		.file_disk = o->disk[0],
		.swap_disk = o->disk[1],
		.file_media = o->media[0],
		.swap_media = o->media[1],
		.file_blocks = OSKIT_BLOCKS,
		.swap_pages = 16384,
	};
	sysctl_defaults(&o->config.sysctls);
}

static inline void oskit_init(struct oskit *o)
{
	oskit_init_size(o, OSKIT_FRAMES);
}

static inline void oskit_boot(struct oskit *o)
{
	o->k = kernel_boot(&o->config, &o->events, &o->trace, &o->ram, &o->cpu);
}

static inline void oskit_finish(struct oskit *o)
{
	kernel_free(o->k);
	for (unsigned i = 0; i < 2; i++) {
		disk_free(o->disk[i]);
		media_free(o->media[i]);
	}
	cpu_finish(&o->cpu);
	events_finish(&o->events);
	ram_finish(&o->ram);
}

/* The accounting identity: every cycle is in exactly one account. */
static inline void oskit_check_time(const struct oskit *o)
{
	const struct cpu_account *a = &o->cpu.account;

	BUG_ON(a->user + a->system + a->irq + a->idle + a->iowait !=
	       o->cpu.cycles);
}

/* A program under construction */
struct oskit_program {
	struct insn code[256];
	unsigned nr;
	struct isa_note_param param[4];
	unsigned nr_params;
};

/* Append an instruction; its place, for branches. */
static inline unsigned emit(struct oskit_program *p, struct insn in)
{
	BUG_ON(p->nr == 256);
	p->code[p->nr] = in;
	return p->nr++;
}

static inline void emit_li(struct oskit_program *p, uint8_t reg, int64_t value)
{
	emit(p, (struct insn){ .op = ISA_LI, .a = reg, .imm = value });
}

static inline void emit_mov(struct oskit_program *p, uint8_t to, uint8_t from)
{
	emit(p, (struct insn){ .op = ISA_MOV, .a = to, .b = from });
}

/* System call with up to two constant arguments; the result is in r0. */
static inline void emit_sys(struct oskit_program *p, int64_t number,
			    int64_t arg1, int64_t arg2)
{
	emit_li(p, 0, number);
	emit_li(p, 1, arg1);
	emit_li(p, 2, arg2);
	emit(p, (struct insn){ .op = ISA_SYSCALL });
}

/* A branch to be aimed later */
static inline unsigned emit_branch(struct oskit_program *p, uint8_t op,
				   uint8_t a, uint8_t b)
{
	return emit(p, (struct insn){ .op = op, .a = a, .b = b });
}

/* Aim the branch at the next instruction to come. */
static inline void aim(struct oskit_program *p, unsigned branch)
{
	p->code[branch].imm =
		((int64_t)p->nr - branch - 1) * (int64_t)ISA_INSN_SIZE;
}

/* Go back to an instruction that is already there. */
static inline void emit_loop(struct oskit_program *p, unsigned to)
{
	unsigned branch = emit_branch(p, ISA_JMP, 0, 0);

	p->code[branch].imm = ((int64_t)to - branch - 1) * ISA_INSN_SIZE;
}

static inline void put16(uint8_t *at, uint32_t v)
{
	at[0] = (uint8_t)v;
	at[1] = (uint8_t)(v >> 8);
}

static inline void put32(uint8_t *at, uint32_t v)
{
	put16(at, v);
	put16(at + 2, v >> 16);
}

static inline void put_segment(uint8_t *at, uint32_t type, uint32_t offset,
			       uint32_t va, uint32_t flags)
{
	put32(at, type);
	put32(at + 4, offset);
	put32(at + 8, va);
	put32(at + 12, va);
	put32(at + 24, flags);
}

static inline uint32_t put_notes(const struct oskit_program *p, uint8_t *at)
{
	uint8_t *start = at;

	for (unsigned i = 0; i < p->nr_params; i++) {
		put32(at, sizeof(ISA_NOTE_OWNER));
		put32(at + 4, sizeof(p->param[i]));
		put32(at + 8, ISA_NOTE_PARAM);
		memcpy(at + 12, ISA_NOTE_OWNER, sizeof(ISA_NOTE_OWNER));
		memcpy(at + 24, &p->param[i], sizeof(p->param[i]));
		at += 24 + sizeof(p->param[i]);
	}
	return (uint32_t)(at - start);
}

#define OSKIT_FILE 0x3000u

/* The file: headers and notes, a page of text, a page with 16 data bytes. */
static inline void build(const struct oskit_program *p, uint8_t *file)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 1, 1, 1 };
	static const char data[] = "0123456789abcdefGARBAGE";
	uint8_t *ph = file + 52;
	uint32_t text = p->nr * ISA_INSN_SIZE, notes;

	memset(file, 0, OSKIT_FILE);
	memcpy(file, ident, sizeof(ident));
	put16(file + 16, 2);
	put16(file + 18, ISA_MACHINE);
	put32(file + 20, 1);
	put32(file + 24, OSKIT_TEXT);
	put32(file + 28, 52);
	put16(file + 40, 52);
	put16(file + 42, 32);
	put16(file + 44, 3);
	put_segment(ph, 1, 4096, OSKIT_TEXT, 5);
	put32(ph + 16, text);
	put32(ph + 20, text);
	put_segment(ph + 32, 1, 8192, OSKIT_DATA, 6);
	put32(ph + 48, 16);
	put32(ph + 52, OSKIT_BSS * 4096);
	notes = put_notes(p, file + 512);
	put_segment(ph + 64, 4, 512, 0, 4);
	put32(ph + 80, notes);
	put32(ph + 84, notes);
	memcpy(file + 4096, p->code, text);
	/* data: "0123456789abcdef", then what must not show up in bss */
	memcpy(file + 8192, data, sizeof(data));
}

static inline struct inode *install(struct oskit *o, const char *name,
				    const struct oskit_program *p)
{
	uint8_t file[OSKIT_FILE];

	build(p, file);
	return fs_install(o->k->fs, name, file, sizeof(file), sizeof(file));
}

/* How a started program ended. */
struct ending {
	struct oskit *o;
	unsigned *left; /* programs still to end: the last one stops */
	bool ended;
	int status, signal;
	struct usage usage;
	simtime real;
};

static void on_ending(struct task *task, void *arg)
{
	struct ending *e = arg;

	BUG_ON(e->ended);
	e->ended = true;
	e->status = task->exit_status;
	e->signal = task->exit_signal;
	e->usage = task_usage(task);
	e->real = task->ended - task->started;
	if (--*e->left == 0)
		e->o->k->stop = true;
}

/* Run one command to its end. */
static inline struct ending oskit_run(struct oskit *o, const char *command)
{
	unsigned left = 1;
	struct ending e = { .o = o, .left = &left };

	task_start(o->k, command, 0, on_ending, &e);
	BUG_ON(!sched_run(o->k));
	o->k->stop = false;
	oskit_check_time(o);
	return e;
}
