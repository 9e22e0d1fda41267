/*
 * The token policies, as entries of token_policies.
 */
#pragma once

#include "os/token.h"

extern const struct token_ops token_none;
extern const struct token_ops token_timeout;
extern const struct token_ops token_priority_2006_09;
extern const struct token_ops token_priority_2006_10;
extern const struct token_ops token_reconstructed_hold;
extern const struct token_ops token_reconstructed_hysteresis;
extern const struct token_ops token_reconstructed_loser_reset;
extern const struct token_ops token_reconstructed_self_thrash;
