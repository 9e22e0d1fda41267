/*
 * No swap token: nobody is shielded.
 *
 * Models      Linux without CONFIG_SWAP's mm/thrash.c, before 2.6.9.
 * Leaves out  nothing.
 * Seen in     scenarios/swap-token-2006/, as the baseline
 */
#include "os/token/policies.h"

const struct token_ops token_none = {
	.slot = {
		.name = "none",
		.models = "Linux before 2.6.9: nobody is shielded",
	},
};
