/*
 * The swap token: who has it, and what the record tells of it.
 *
 * Models      the calls into mm/thrash.c of 2.6.9 and later; who gets the
 *             token, and when, is a policy of os/token/.
 * Leaves out  the try-lock: one simulated CPU at a time gets here.
 * Seen in     scenarios/swap-token-2006/
 */
#include "os/token.h"

#include "os/kernel.h"
#include "os/token/policies.h"

#include <stdlib.h>
#include <string.h>

const struct token_ops *const token_policies[] = {
	&token_none,
	&token_timeout,
	&token_priority_2006_09,
	&token_priority_2006_10,
	&token_reconstructed_hold,
	&token_reconstructed_hysteresis,
	&token_reconstructed_loser_reset,
	&token_reconstructed_self_thrash,
	NULL,
};

void token_init(struct kernel *k)
{
	struct token *t = &k->token;

	memset(t, 0, sizeof(*t));
	t->ops = k->config.token ? k->config.token : &token_none;
	t->grab_point = k->config.grab_point;
	if (t->ops->slot.size)
		t->state = xcalloc(1, t->ops->slot.size);
	if (t->state && k->config.token_options)
		memcpy(t->state, k->config.token_options, t->ops->slot.size);
	else if (t->state && t->ops->slot.params)
		param_defaults(t->ops->slot.params, t->state);
	if (t->ops->init)
		t->ops->init(k, t->state);
}

void token_finish(struct kernel *k)
{
	if (k->token.ops && k->token.ops->finish)
		k->token.ops->finish(k->token.state);
	free(k->token.state);
	free(k->token.tenure);
	memset(&k->token, 0, sizeof(k->token));
}

/* A process' line in the list of tenures; made at its first one. */
static struct token_tenure *tenure_of(struct token *t, const struct mm *mm)
{
	struct token_tenure *tenure;

	for (unsigned i = 0; i < t->nr_tenures; i++)
		if (t->tenure[i].pid == mm->pid)
			return &t->tenure[i];
	t->tenure =
		xrealloc(t->tenure, (t->nr_tenures + 1) * sizeof(*t->tenure));
	tenure = &t->tenure[t->nr_tenures++];
	memset(tenure, 0, sizeof(*tenure));
	tenure->pid = mm->pid;
	memcpy(tenure->name, mm->name, sizeof(tenure->name));
	return tenure;
}

void token_settle(struct kernel *k)
{
	struct token *t = &k->token;
	simtime now = kernel_now(k);

	if (t->holder)
		tenure_of(t, t->holder)->held += now - t->since;
	t->since = now;
}

static void count_loss(struct token *t, enum token_reason why)
{
	switch (why) {
	case TOKEN_TIMED_OUT:
	case TOKEN_SELF_THRASH:
		t->timeouts++;
		break;
	case TOKEN_ENOUGH_RSS:
		t->idlers++;
		break;
	case TOKEN_PRIORITY:
		t->preemptions++;
		break;
	case TOKEN_DISABLED:
		t->disables++;
		break;
	case TOKEN_FREE:
	case TOKEN_EXIT:
		break;
	}
}

static uint64_t pid_of(const struct mm *mm)
{
	return mm ? (uint64_t)mm->pid : 0;
}

void token_pass(struct kernel *k, struct mm *mm, enum token_reason why)
{
	struct token *t = &k->token;
	struct mm *from = t->holder;

	BUG_ON(mm == from);
	BUG_ON(!from && why != TOKEN_FREE);
	token_settle(k);
	if (from) {
		count_loss(t, why);
		trace_emit(k->trace, TR_TOKEN_LOST, pid_of(from), pid_of(mm),
			   why, 0);
	}
	t->holder = mm;
	t->granted = t->since;
	if (mm) {
		t->grants++;
		tenure_of(t, mm)->grants++;
		trace_emit(k->trace, TR_TOKEN_GRANT, pid_of(mm), pid_of(from),
			   why, 0);
	}
}

void token_grab(struct kernel *k, struct mm *mm)
{
	struct token *t = &k->token;

	if (!t->ops->grab)
		return;
	t->asks++;
	t->ops->grab(k, t->state, mm);
	trace_emit(k->trace, TR_TOKEN_ASK, pid_of(mm), pid_of(t->holder),
		   (uint64_t)mm->token.priority, 0);
}

void token_grab_swap(struct kernel *k, struct mm *mm, uint32_t slot)
{
	struct token *t = &k->token;

	if (mm == t->holder && t->ops->refault)
		t->ops->refault(k, t->state, slot);
	token_grab(k, mm);
}

void token_evict(struct kernel *k, const struct mm *mm, uint32_t slot)
{
	struct token *t = &k->token;

	if (mm == t->holder && t->ops->evict)
		t->ops->evict(k, t->state, slot);
}

/* Only the holder's going matters, to every policy there is. */
void token_exit(struct kernel *k, struct mm *mm)
{
	struct token *t = &k->token;

	if (mm == t->holder)
		t->ops->put(k, t->state, mm, TOKEN_EXIT);
	BUG_ON(mm == t->holder);
}

void token_fork(struct kernel *k, struct mm *child, const struct mm *parent)
{
	/* the kernel copies the whole structure; a policy may reset parts */
	child->token = parent->token;
	if (k->token.ops->fork)
		k->token.ops->fork(k->token.state, child, parent);
}

/*
 * 2.6.9 to 2.6.12 hand page_referenced an argument ignore_token; here it goes
 * with the task that reclaims, for which it holds until its next scan.
 */
void token_scan(struct kernel *k, int priority)
{
	struct token *t = &k->token;

	if (!t->ignored_at_0) {
		if (!priority)
			token_disable(k);
	} else if (priority) {
		k->current->flags &= ~(uint32_t)TF_NO_TOKEN;
	} else {
		k->current->flags |= TF_NO_TOKEN;
	}
}

void token_disable(struct kernel *k)
{
	struct token *t = &k->token;

	if (t->holder)
		t->ops->put(k, t->state, t->holder, TOKEN_DISABLED);
	BUG_ON(t->holder);
}

/*
 * page_referenced_one of mm/rmap.c: not against oneself, and since 2.6.13
 * only while the holder is in a fault, a map or an unmap.
 */
bool token_protects(const struct kernel *k, const struct mm *mm)
{
	const struct token *t = &k->token;

	if (mm != t->holder)
		return false;
	if (k->current &&
	    (k->current->mm == mm || k->current->flags & TF_NO_TOKEN))
		return false;
	if (t->ops->enforced && !t->ops->enforced(k, t->state))
		return false;
	return !t->in_fault || rwsem_held(&mm->mmap_sem);
}
