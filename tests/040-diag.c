/*
 * The user's errors as text: order, form, and what was probably meant.
 */
#include "emu/bug.h"
#include "emu/diag.h"

#include <stdlib.h>
#include <string.h>

static char *printed(struct diag *d)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	BUG_ON(!to);
	diag_print(d, to);
	fclose(to);
	return text;
}

static void test_order(void)
{
	static const char expected[] =
		"faultline: error: no scenario\n"
		"a.yaml: error: empty\n"
		"a.yaml:2:9: error: first\n"
		"a.yaml:14: error: no column\n"
		"a.yaml:14:3: error: at three\n"
		"a.yaml:14:11: error: token: unknown policy 'x'\n"
		"a.yaml:14:11: warning: posted later\n"
		"b.yaml:1:1: error: one line  of text\n";
	struct diag *d = diag_new();
	const char *a = "a.yaml";
	char *text;

	diag_error(d, (struct diag_place){ "b.yaml", 1, 1 },
		   "one line\r\nof %s", "text");
	diag_error(d, (struct diag_place){ a, 14, 11 },
		   "token: unknown policy '%c'", 'x');
	diag_warning(d, (struct diag_place){ a, 14, 11 }, "posted later");
	diag_error(d, (struct diag_place){ a, 14, 3 }, "at %s", "three");
	diag_error(d, (struct diag_place){ a, 14, 0 }, "no column");
	diag_error(d, (struct diag_place){ a, 2, 9 }, "first");
	diag_error(d, (struct diag_place){ a, 0, 0 }, "empty");
	diag_error(d, (struct diag_place){ NULL, 0, 0 }, "no scenario");
	BUG_ON(diag_errors(d) != 7);

	text = printed(d);
	BUG_ON(strcmp(text, expected) != 0);
	free(text);

	/* What was printed is forgotten. */
	BUG_ON(diag_errors(d));
	text = printed(d);
	BUG_ON(*text);
	free(text);
	diag_free(d);
	diag_free(NULL);
}

/* The same message at the same place is said once, whatever lies between. */
static void test_repeats(void)
{
	static const char expected[] = "a.yaml:1:2: error: first\n"
				       "a.yaml:1:2: error: second\n"
				       "a.yaml:1:2: warning: first\n"
				       "a.yaml:2:2: error: first\n";
	struct diag_place at = { "a.yaml", 1, 2 };
	struct diag *d = diag_new();
	char *text;

	for (int i = 0; i < 3; i++) {
		diag_error(d, at, "first");
		diag_error(d, at, "second");
		diag_warning(d, at, "first");
		diag_error(d, (struct diag_place){ "a.yaml", 2, 2 }, "first");
	}
	text = printed(d);
	BUG_ON(strcmp(text, expected) != 0);
	free(text);
	diag_free(d);
}

/* More messages than the first allocation holds, and one that is long. */
static void test_many(void)
{
	struct diag *d = diag_new();
	char *text;

	for (unsigned i = 0; i < 1000; i++)
		diag_error(d, (struct diag_place){ "f", 1000 - i, 1 }, "%0500u",
			   i);
	text = printed(d);
	BUG_ON(strncmp(text, "f:1:1: error: 000", 17) != 0);
	BUG_ON(!strstr(text, "f:1000:1: error: "));
	free(text);
	diag_error(d, (struct diag_place){ 0 }, "never printed");
	diag_free(d);
}

static const char *const names[] = {
	"none",	  "timeout", "priority", "priority-2006-09", "hold", "check",
	"memory", "qsbench", NULL
};

static const struct {
	const char *word;
	const char *meant; /* NULL: nothing */
} words[] = {
	{ "timeuot", "timeout" },
	{ "TIMEOUT", "timeout" },
	{ "hodl", "hold" },
	{ "chek", "check" },
	{ "memry", "memory" },
	{ "memorry", "memory" },
	{ "priorty", "priority" },
	{ "qs", "qsbench" },
	{ "priorities", "priority" },
	{ "priority-2006-9", "priority-2006-09" },
	{ "time", "timeout" },
	{ "prio", NULL }, /* of two */
	{ "zebra", NULL },
	{ "", NULL },
	{ "x", NULL },
	{ "t", NULL }, /* too short to tell */
	{ "an endless word that is longer than any name that we have", NULL },
};

static void test_suggest(void)
{
	static const char *const nothing[] = { NULL };
	static const char *const tie[] = { "cat", "bat", NULL };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		const char *meant = diag_suggest(words[i].word, names);

		BUG_ON(!meant != !words[i].meant);
		BUG_ON(meant && strcmp(meant, words[i].meant) != 0);
	}
	BUG_ON(diag_suggest("hold", nothing));
	BUG_ON(diag_suggest("rat", tie) != tie[0]);
}

int main(void)
{
	test_order();
	test_repeats();
	test_many();
	test_suggest();
	return 0;
}
