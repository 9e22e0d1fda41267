/*
 * For tests: a reader of JSON that stops at the first slip (RFC 8259), and
 * writes down the path and type of every value.
 */
#pragma once

#include "emu/bug.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where reading stands, and the path to here: "commands[].real_s". */
struct reader {
	const char *s;
	char path[256];
	FILE *seen; /* "path type" lines */
};

static inline void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->s))
		r->s++;
}

static inline void expect(struct reader *r, char c)
{
	skip_blanks(r);
	BUG_ON(*r->s != c);
	r->s++;
}

static inline void read_string(struct reader *r, char *out, size_t size)
{
	size_t n = 0;

	expect(r, '"');
	for (; *r->s != '"'; r->s++) {
		BUG_ON((unsigned char)*r->s < 0x20);
		if (*r->s == '\\')
			r->s++;
		if (n + 1 < size)
			out[n++] = *r->s;
	}
	out[n] = '\0';
	r->s++;
}

/* RFC 8259: no leading zeroes, no NaN, digits behind the point. */
static inline void read_number(struct reader *r)
{
	const char *s = r->s;

	s += *s == '-';
	BUG_ON(!isdigit((unsigned char)*s));
	BUG_ON(s[0] == '0' && isdigit((unsigned char)s[1]));
	while (isdigit((unsigned char)*s))
		s++;
	if (*s == '.') {
		BUG_ON(!isdigit((unsigned char)s[1]));
		for (s++; isdigit((unsigned char)*s);)
			s++;
	}
	r->s = s;
}

static inline void read_value(struct reader *r);

static inline void read_group(struct reader *r, char close)
{
	size_t length = strlen(r->path);
	char key[64] = "";

	r->s++;
	skip_blanks(r);
	while (*r->s != close) {
		if (close == '}') {
			read_string(r, key, sizeof(key));
			expect(r, ':');
		}
		snprintf(r->path + length, sizeof(r->path) - length, "%s%s",
			 close == ']' ? "[]"
			 : length     ? "."
				      : "",
			 key);
		read_value(r);
		r->path[length] = '\0';
		skip_blanks(r);
		BUG_ON(*r->s != ',' && *r->s != close);
		if (*r->s == ',') {
			r->s++;
			skip_blanks(r);
			BUG_ON(*r->s == close);
		}
	}
	r->s++;
}

static inline const char *read_any(struct reader *r)
{
	char text[256];

	skip_blanks(r);
	switch (*r->s) {
	case '{':
		read_group(r, '}');
		return "object";
	case '[':
		read_group(r, ']');
		return "array";
	case '"':
		read_string(r, text, sizeof(text));
		return "string";
	case 't':
	case 'f':
		BUG_ON(strncmp(r->s, "true", 4) != 0 &&
		       strncmp(r->s, "false", 5) != 0);
		r->s += *r->s == 't' ? 4 : 5;
		return "boolean";
	default:
		read_number(r);
		return "number";
	}
}

static inline void read_value(struct reader *r)
{
	char path[256];

	memcpy(path, r->path, sizeof(path));
	fprintf(r->seen, "%s %s\n", path, read_any(r));
}

/* All "path type" lines of a report, each with a newline before it, to be
 * freed. */
static inline char *keys_of(const char *json)
{
	struct reader r = { .s = json };
	char *text = NULL;
	size_t size = 0;

	r.seen = open_memstream(&text, &size);
	BUG_ON(!r.seen);
	fputc('\n', r.seen);
	read_value(&r);
	skip_blanks(&r);
	BUG_ON(*r.s);
	BUG_ON(fclose(r.seen) != 0);
	return text;
}
