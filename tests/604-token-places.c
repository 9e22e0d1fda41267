/*
 * Where a fault asks for the token: after its reads are queued (2.6.9 ..
 * 2.6.19), before (the first patch of September 2006), before and for swap
 * only (2.6.20). Source: do_swap_page of mm/memory.c, filemap_nopage of
 * mm/filemap.c.
 */
#include "os/queue.h"
#include "tests/mmkit.h"
#include "tests/tokenkit.h"

/* What a fault did, in order: (a)sked, (q)ueued a request. */
struct log {
	char text[16];
	size_t length;
};

static void on_event(void *arg, const struct trace_event *ev)
{
	struct log *log = arg;

	if (log->length + 1 < sizeof(log->text))
		log->text[log->length++] = ev->kind == TR_TOKEN_ASK ? 'a' : 'q';
}

static const char *fault_log(struct puppet *p, vaddr va)
{
	struct log *log = p->arg;

	memset(log, 0, sizeof(*log));
	BUG_ON(touch_as(p, va, MMU_READ) != FAULT_MAJOR);
	return log->text;
}

static void test(struct puppet *p)
{
	static const struct {
		enum token_grab_point point;
		const char *swap, *file;
	} want[] = {
		{ GRAB_AFTER_IO, "qa", "qa" },
		{ GRAB_BEFORE_IO, "aq", "aq" },
		{ GRAB_SWAP_BEFORE_IO, "aq", "q" },
	};
	vaddr file = MM_HEAP + 100 * PAGE_SIZE;

	p->k->sysctl.page_cluster = 0;
	mm_fill(p, 3);
	BUG_ON(mm_map(p->mm, file, 3ULL * PAGE_SIZE, VM_READ,
		      fs_find(p->k->fs, "file"), 0) != file);
	for (uint32_t i = 0; i < 3; i++) {
		p->k->token.grab_point = want[i].point;
		mm_push_out(p, i);
		BUG_ON(strcmp(fault_log(p, MM_HEAP + i * PAGE_SIZE),
			      want[i].swap) != 0);
		/* too busy for read-around: the page alone, and an ask */
		p->k->file_queue->congested[0] = true;
		BUG_ON(strcmp(fault_log(p, file + i * PAGE_SIZE),
			      want[i].file) != 0);
	}
}

int main(void)
{
	struct log log = { 0 };
	struct oskit o;

	oskit_init(&o);
	o.config.token = policy("priority-2006-10");
	oskit_boot(&o);
	BUG_ON(!fs_install(o.k->fs, "file", NULL, 0, 3ULL * PAGE_SIZE));
	trace_subscribe(&o.trace, on_event, &log,
			1ULL << TR_TOKEN_ASK | 1ULL << TR_RQ_QUEUE);
	puppet_run(&o, test, &log);
	kernel_check(o.k);
	oskit_finish(&o);
	return 0;
}
