/*
 * Did you mean: the nearest name to a word that is none.
 *
 * Models      the distance of Damerau and Levenshtein, in the form that edits
 *             no part of a word twice: insert, remove, replace, swap two
 *             neighbours. Upper and lower case count as the same.
 * Leaves out  words longer than any name of ours.
 */
#include "emu/diag.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define WORD_MAX 48

static bool same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Both at most WORD_MAX long. */
static unsigned edit_distance(const char *a, const char *b)
{
	size_t columns = strlen(b);
	/* d[i % 3][j]: from the first i letters of a to the first j of b */
	unsigned d[3][WORD_MAX + 1];
	size_t i;

	for (size_t j = 0; j <= columns; j++)
		d[0][j] = (unsigned)j;
	for (i = 1; a[i - 1]; i++) {
		unsigned *row = d[i % 3];
		const unsigned *above = d[(i - 1) % 3];

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= columns; j++) {
			row[j] = above[j - 1] + !same(a[i - 1], b[j - 1]);
			row[j] = smaller(row[j], above[j] + 1);
			row[j] = smaller(row[j], row[j - 1] + 1);
			if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) &&
			    same(a[i - 2], b[j - 1]))
				row[j] = smaller(row[j],
						 d[(i - 2) % 3][j - 2] + 1);
		}
	}
	return d[(i - 1) % 3][columns];
}

/* The only name that begins with word, two letters at least; or NULL. */
static const char *completion(const char *word, size_t length,
			      const char *const *names)
{
	const char *found = NULL;

	if (length < 2)
		return NULL;
	for (; *names; names++) {
		if (strncasecmp(word, *names, length) != 0)
			continue;
		if (found)
			return NULL;
		found = *names;
	}
	return found;
}

const char *diag_suggest(const char *word, const char *const *names)
{
	size_t length = strlen(word);
	unsigned limit = (unsigned)(length / 3);
	const char *best = NULL;

	if (length > WORD_MAX)
		return NULL;
	for (const char *const *name = names; *name; name++) {
		unsigned distance;

		if (strlen(*name) > WORD_MAX)
			continue;
		distance = edit_distance(word, *name);
		/* Of equally near ones the first in the list. */
		if (distance < limit || (distance == limit && !best)) {
			best = *name;
			limit = distance;
		}
	}
	return best ? best : completion(word, length, names);
}
