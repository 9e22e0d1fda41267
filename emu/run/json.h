/*
 * Writing JSON, one value after the other; indentation and commas come by
 * themselves. Keys keep the order they are written in.
 */
#pragma once

#include "emu/types.h"

#include <stdio.h>

struct json {
	FILE *to;
	unsigned depth;
	bool first; /* nothing in the innermost group yet */
};

void json_init(struct json *j, FILE *to);

/* key NULL inside lists. */
void json_open(struct json *j, const char *key, char bracket);
void json_close(struct json *j, char bracket);
void json_string(struct json *j, const char *key, const char *value);
void json_number(struct json *j, const char *key, int64_t value);
void json_unsigned(struct json *j, const char *key, uint64_t value);
void json_bool(struct json *j, const char *key, bool value);

/* Simulated ns as seconds with six digits. */
void json_seconds(struct json *j, const char *key, simtime ns);

/* For ratios and published figures; must be finite. */
void json_real(struct json *j, const char *key, double value);
