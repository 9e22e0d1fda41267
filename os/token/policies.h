/*
 * The token policies, as entries of token_policies.
 */
#pragma once

#include "os/token.h"

extern const struct token_ops token_none;
extern const struct token_ops token_timeout;
extern const struct token_ops token_priority_2006_09;
