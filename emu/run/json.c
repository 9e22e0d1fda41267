/*
 * A small JSON writer.
 *
 * Models      RFC 8259, in a stable layout: two blanks a level, one value a
 *             line.
 * Leaves out  reading.
 * Seen in     --format json.
 */
#include "emu/run/json.h"

#include "emu/bug.h"

void json_init(struct json *j, FILE *to)
{
	*j = (struct json){ .to = to, .first = true };
}

static void put_string(struct json *j, const char *s)
{
	fputc('"', j->to);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(j->to, "\\%c", c);
		else if (c < 0x20 || c == 0x7f)
			fprintf(j->to, "\\u%04x", c);
		else
			fputc(c, j->to);
	}
	fputc('"', j->to);
}

/* Everything before a value: comma, newline, indentation, key. */
static void begin(struct json *j, const char *key)
{
	if (j->depth) {
		fputs(j->first ? "\n" : ",\n", j->to);
		fprintf(j->to, "%*s", (int)(2 * j->depth), "");
	}
	j->first = false;
	if (key) {
		put_string(j, key);
		fputs(": ", j->to);
	}
}

void json_open(struct json *j, const char *key, char bracket)
{
	BUG_ON(bracket != '{' && bracket != '[');
	begin(j, key);
	fputc(bracket, j->to);
	j->depth++;
	j->first = true;
}

void json_close(struct json *j, char bracket)
{
	BUG_ON(!j->depth);
	j->depth--;
	if (!j->first)
		fprintf(j->to, "\n%*s", (int)(2 * j->depth), "");
	fputc(bracket, j->to);
	j->first = false;
	if (!j->depth)
		fputc('\n', j->to);
}

void json_string(struct json *j, const char *key, const char *value)
{
	begin(j, key);
	put_string(j, value);
}

void json_number(struct json *j, const char *key, int64_t value)
{
	begin(j, key);
	fprintf(j->to, "%lld", (long long)value);
}

void json_unsigned(struct json *j, const char *key, uint64_t value)
{
	begin(j, key);
	fprintf(j->to, "%llu", (unsigned long long)value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	begin(j, key);
	fputs(value ? "true" : "false", j->to);
}

void json_seconds(struct json *j, const char *key, simtime ns)
{
	BUG_ON(ns < 0);
	begin(j, key);
	fprintf(j->to, "%lld.%06lld", (long long)(ns / NSEC_PER_SEC),
		(long long)(ns % NSEC_PER_SEC / NSEC_PER_USEC));
}

void json_real(struct json *j, const char *key, double value)
{
	BUG_ON(!(value - value == 0)); /* neither infinite nor not a number */
	begin(j, key);
	fprintf(j->to, "%.6f", value);
}
