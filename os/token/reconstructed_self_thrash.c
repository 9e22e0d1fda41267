/*
 * A reconstruction: the token by timeout, lost by who thrashes by itself.
 *
 * Models      a patch of the -mm trees of 2006 of which only the name, its
 *             purpose (the token does not help a process that is too large
 *             for the memory by itself) and its end are known: dropped
 *             unmerged for want of measurements. The rule is a guess.
 * Leaves out  the try-lock: one simulated CPU at a time gets here.
 * Seen in     scenarios/swap-token-2006/
 *
 * The timeout policy does the rest, through its own hooks and with its own
 * defaults. Each eviction of the holder's pages is written down by swap slot,
 * with the number of the tenure. At a swap fault of the holder, once `check`
 * has passed since it was last judged: if more than `share` of its swap faults
 * since then were for pages that it had lost in this very tenure, it loses
 * the token and may not have it for as long as after a timeout.
 */
#include "os/kernel.h"
#include "os/token/policies.h"

#include <stdlib.h>

struct self_thrash {
	int64_t share; /* per cent */
	simtime check;

	void *timeout;	  /* state of that policy */
	uint64_t *tenure; /* by slot: the one in which it was filled; or NULL */
	uint64_t current; /* tenure that is being judged; 0: none yet */
	simtime judged;
	uint64_t faults, own; /* since then */
};

static const struct param params[] = {
	{ "share", PARAM_INT, offsetof(struct self_thrash, share), "25",
	  "per cent of the holder's swap faults that may be its own doing", 0,
	  100, NULL },
	{ "check", PARAM_TIME, offsetof(struct self_thrash, check), "2s",
	  "the time over which they are counted", 0, 0, NULL },
	{ 0 },
};

static void self_thrash_init(struct kernel *k, void *state)
{
	struct self_thrash *s = state;

	s->timeout = xcalloc(1, token_timeout.slot.size);
	param_defaults(token_timeout.slot.params, s->timeout);
	token_timeout.init(k, s->timeout);
}

static void self_thrash_finish(void *state)
{
	struct self_thrash *s = state;

	free(s->timeout);
	free(s->tenure);
}

static void self_thrash_grab(struct kernel *k, void *state, struct mm *mm)
{
	struct self_thrash *s = state;

	token_timeout.grab(k, s->timeout, mm);
}

static void self_thrash_put(struct kernel *k, void *state, struct mm *mm,
			    enum token_reason why)
{
	struct self_thrash *s = state;

	token_timeout.put(k, s->timeout, mm, why);
}

static bool self_thrash_enforced(const struct kernel *k, const void *state)
{
	const struct self_thrash *s = state;

	return token_timeout.enforced(k, s->timeout);
}

/* A tenure is known by the number of grants up to it. */
static void self_thrash_evict(struct kernel *k, void *state, uint32_t slot)
{
	struct self_thrash *s = state;

	if (!s->tenure)
		s->tenure = xcalloc(k->swap->slots, sizeof(*s->tenure));
	BUG_ON(slot >= k->swap->slots);
	s->tenure[slot] = k->token.grants;
}

static void count_from(struct self_thrash *s, simtime now)
{
	s->judged = now;
	s->faults = 0;
	s->own = 0;
}

static void self_thrash_refault(struct kernel *k, void *state, uint32_t slot)
{
	struct self_thrash *s = state;
	simtime now = kernel_now(k);

	if (s->current != k->token.grants) {
		s->current = k->token.grants;
		count_from(s, k->token.granted);
	}
	s->faults++;
	s->own += s->tenure && s->tenure[slot] == s->current;
	if (now - s->judged < s->check)
		return;
	if (s->own * 100 > s->faults * (uint64_t)s->share)
		self_thrash_put(k, s, k->token.holder, TOKEN_SELF_THRASH);
	else
		count_from(s, now);
}

const struct token_ops token_reconstructed_self_thrash = {
	.slot = {
		.name = "reconstructed-self-thrash",
		.models = "-mm of 2006, a dropped patch: timeout, and lost by "
			  "thrashing against oneself",
		.reconstruction = true,
		.size = sizeof(struct self_thrash),
		.params = params,
	},
	.init = self_thrash_init,
	.finish = self_thrash_finish,
	.grab = self_thrash_grab,
	.put = self_thrash_put,
	.enforced = self_thrash_enforced,
	.evict = self_thrash_evict,
	.refault = self_thrash_refault,
};
