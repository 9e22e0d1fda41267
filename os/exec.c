/*
 * A new program in a process.
 *
 * Models      fs/exec.c and load_elf_binary of 2.6.18: segments are mapped
 *             and come in when they are touched; the end of the last file
 *             page is cleared, the rest of bss is anonymous.
 * Leaves out  environment, interpreters, set-user-id. The old address space
 *             lives until the new one is complete, where the real kernel has
 *             only the new stack by then: a failure can still be reported.
 *
 * The stack begins with the command line and, below it, the parameter block:
 * 8 bytes for each parameter that the program declares, in their order. r1
 * has its address, r2 that of the command line.
 */
#include "os/elf.h"
#include "os/exec_args.h"
#include "os/kernel.h"

#include <string.h>

/*
 * A stack begins with room for its arguments and 20 pages
 * (EXTRA_STACK_VM_PAGES of fs/exec.c) and grows by faults.
 */
#define STACK_START (21 * PAGE_SIZE)

/* what clears the end of a page: less than one */
static const uint8_t zeroes[PAGE_SIZE];

static vaddr page_up(vaddr va)
{
	return (va + PAGE_SIZE - 1) & PAGE_MASK;
}

/* The values of all parameters. False: a bad file or a bad command. */
static bool read_params(struct task *task, const struct elf_image *image,
			struct exec_args *args)
{
	struct isa_note_param param;
	uint32_t at = 0;
	int found;

	while ((found = elf_next_param(task, image, &at, &param)) > 0)
		if (!exec_args_value(args, &param))
			return false;
	return found == 0 && exec_args_all_used(args);
}

static bool map_segment(struct mm *mm, struct inode *inode,
			const struct elf_segment *s)
{
	vaddr start = s->va & PAGE_MASK;
	vaddr file_end = page_up(s->va + s->file_size);
	vaddr end = page_up(s->va + s->memory_size);

	if (!s->file_size)
		file_end = start;
	if (file_end > start && !mm_map(mm, start, file_end - start, s->flags,
					inode, s->offset / PAGE_SIZE))
		return false;
	if (end > file_end &&
	    !mm_map(mm, file_end, end - file_end, s->flags, NULL, 0))
		return false;
	return true;
}

/* All areas of a new address space. */
static bool map_image(struct mm *mm, const struct elf_image *image, vaddr sp)
{
	vaddr end = 0, stack;

	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *s = &image->segment[i];

		if (!map_segment(mm, image->inode, s))
			return false;
		end = page_up(s->va + s->memory_size);
	}
	mm->brk_start = end;
	mm->brk = end;
	/* as setup_arg_pages: what the arguments need; faults let it grow */
	stack = sp & PAGE_MASK;
	return mm_map(mm, stack, STACK_TOP - stack,
		      VM_READ | VM_WRITE | VM_GROWSDOWN, NULL, 0) != 0;
}

/* What follows the file's bytes in their last page is bss (padzero). */
static bool clear_tails(struct task *task, const struct elf_image *image)
{
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct elf_segment *s = &image->segment[i];
		vaddr end = s->va + s->file_size;
		uint32_t rest = page_up(end) - end;

		if (rest > s->memory_size - s->file_size)
			rest = s->memory_size - s->file_size;
		if (!s->file_size || !rest || !(s->flags & VM_WRITE))
			continue;
		if (!mm_write_user(task, end, zeroes, rest))
			return false;
	}
	return true;
}

/* Where the arguments go. */
struct exec_stack {
	vaddr text, params, sp;
	uint32_t text_size, params_size;
};

static struct exec_stack lay_out_stack(const struct exec_args *args,
				       const char *command)
{
	struct exec_stack s = {
		.text_size = (uint32_t)strlen(command) + 1,
		.params_size = args->nr_values * (uint32_t)sizeof(*args->value),
	};

	s.text = (STACK_TOP - s.text_size) & ~15u;
	s.params = (s.text - s.params_size) & ~15u;
	s.sp = s.params - 16;
	return s;
}

/* Fill the stack and the registers. */
static bool enter_program(struct task *task, const struct elf_image *image,
			  const struct exec_args *args,
			  const struct exec_stack *s, const char *command)
{
	if (!mm_write_user(task, s->text, command, s->text_size))
		return false;
	if (s->params_size &&
	    !mm_write_user(task, s->params, args->value, s->params_size))
		return false;
	memset(&task->regs, 0, sizeof(task->regs));
	task->regs.pc = image->entry;
	task->regs.r[1] = s->params;
	task->regs.r[2] = s->text;
	task->regs.r[ISA_SP] = s->sp;
	return true;
}

static void use_mm(struct task *task, struct mm *mm)
{
	task->mm = mm;
	if (mm)
		mm_activate(task->k, mm);
}

/* Build the address space and move into it; false: all is as before. */
static bool change_mm(struct task *task, const struct elf_image *image,
		      const struct exec_args *args, const char *command)
{
	struct exec_stack stack = lay_out_stack(args, command);
	struct mm *old = task->mm;
	struct mm *mm = mm_new(task->k, task);

	if (!mm)
		return false;
	if (!map_image(mm, image, stack.sp)) {
		mm_put(mm);
		return false;
	}
	use_mm(task, mm);
	if (!clear_tails(task, image) ||
	    !enter_program(task, image, args, &stack, command)) {
		use_mm(task, old);
		mm_put(mm);
		return false;
	}
	if (old) {
		if (task->self.max_rss < old->max_rss)
			task->self.max_rss = old->max_rss;
		mm_put(old);
	}
	return true;
}

bool task_exec(struct task *task, const char *command)
{
	struct kernel *k = task->k;
	struct elf_image image;
	struct exec_args args;
	struct inode *inode;
	char name[sizeof(task->name)];

	might_sleep(k);
	BUG_ON(task != k->current);
	cpu_spend(k->cpu, (uint64_t)k->cost.exec);
	if (!exec_args_split(&args, command))
		return false;
	inode = fs_find(k->fs, exec_args_program(&args));
	if (!inode || !elf_read(task, inode, &image) ||
	    !read_params(task, &image, &args))
		return false;

	memcpy(name, task->name, sizeof(name));
	task_set_name(task, exec_args_program(&args));
	if (!change_mm(task, &image, &args, command)) {
		memcpy(task->name, name, sizeof(name));
		return false;
	}
	trace_emit(k->trace, TR_EXEC, (uint64_t)task->pid,
		   trace_pack(task->name, 0), trace_pack(task->name, 8), 0);
	return true;
}
