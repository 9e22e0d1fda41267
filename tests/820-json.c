/*
 * The JSON report: well-formed, with the keys that are promised, of the
 * promised types, and always the same.
 */
#include "emu/run/fields.h"
#include "tests/runkit.h"

#include <ctype.h>
#include <string.h>

/* Where reading stands, and the path to here: "commands[].real_s". */
struct reader {
	const char *s;
	char path[256];
	FILE *seen; /* "path type" lines */
};

static void skip_blanks(struct reader *r)
{
	while (isspace((unsigned char)*r->s))
		r->s++;
}

static void expect(struct reader *r, char c)
{
	skip_blanks(r);
	BUG_ON(*r->s != c);
	r->s++;
}

static void read_string(struct reader *r, char *out, size_t size)
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
static void read_number(struct reader *r)
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

static void read_value(struct reader *r);

static void read_group(struct reader *r, char close)
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

static const char *read_any(struct reader *r)
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

static void read_value(struct reader *r)
{
	char path[256];

	memcpy(path, r->path, sizeof(path));
	fprintf(r->seen, "%s %s\n", path, read_any(r));
}

static char *json_of(const struct results *results)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	BUG_ON(!f);
	report_json(results, f);
	BUG_ON(fclose(f) != 0);
	return text;
}

/* All "path type" lines of a report, each with a newline before it. */
static char *keys_of(const char *json)
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

/* Every line of tests/data/json-keys.list must be there. */
static void check_keys(const char *root, const char *keys)
{
	char path[512], line[256], wanted[260];
	FILE *f;
	unsigned n = 0;

	snprintf(path, sizeof(path), "%s/tests/data/json-keys.list", root);
	f = fopen(path, "r");
	BUG_ON(!f);
	while (fgets(line, sizeof(line), f)) {
		if (line[0] == '#')
			continue;
		snprintf(wanted, sizeof(wanted), "\n%s", line);
		if (!strstr(keys, wanted))
			fprintf(stderr, "no such key: %s", line);
		BUG_ON(!strstr(keys, wanted));
		n++;
	}
	BUG_ON(n < 40);
	fclose(f);
}

int main(int argc, char **argv)
{
	struct run_kit one, two;
	char *first, *second, *keys;

	BUG_ON(argc < 2);
	kit_run(&one, "linux-2.6.18", "token", NULL, 1);
	kit_run(&two, "linux-2.6.18", "token", NULL, 1);
	first = json_of(&one.results);
	second = json_of(&two.results);
	BUG_ON(!streq(first, second));
	keys = keys_of(first);
	check_keys(argv[1], keys);
	free(keys);
	free(first);
	free(second);
	kit_free(&two);
	kit_free(&one);
	return 0;
}
