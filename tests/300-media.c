/*
 * Content: tags and bytes come back as they were written, whatever was
 * written, overwritten and zeroed in between.
 */
#include "disk/media.h"

#include "emu/bug.h"
#include "emu/rng.h"

#include <string.h>

#define BLOCKS (1ULL << 24) /* 64 GiB: must not cost memory */
#define TRIED  400u
#define ROUNDS 20000u

/* What block i of the test should hold. */
struct model {
	uint64_t block, tag;
	unsigned char fill;
	bool bytes;
};

static void check(const struct media *m, const struct model *want)
{
	unsigned char bytes[4096], expected[4096];
	uint64_t tag = 1;

	memset(bytes, 0xEE, sizeof(bytes));
	memset(expected, want->bytes ? want->fill : 0xEE, sizeof(expected));
	BUG_ON(media_read(m, want->block, &tag, bytes) != want->bytes);
	BUG_ON(tag != want->tag);
	BUG_ON(memcmp(bytes, expected, sizeof(bytes)) != 0);
}

static void change(struct media *m, struct model *w, struct rng *r)
{
	unsigned char bytes[4096];

	w->tag = rng_next(r);
	w->bytes = rng_below(r, 3) != 0;
	w->fill = (unsigned char)w->tag;
	memset(bytes, w->fill, sizeof(bytes));
	media_write(m, w->block, w->tag, w->bytes ? bytes : NULL);
}

int main(void)
{
	static struct model model[TRIED];
	struct media *m = media_new(BLOCKS);
	struct rng r;

	rng_init(&r, 1, "media");
	for (unsigned i = 0; i < TRIED; i++)
		model[i].block = i * (BLOCKS / TRIED);
	model[TRIED - 1].block = BLOCKS - 1;
	for (unsigned i = 0; i < TRIED; i++)
		check(m, &model[i]); /* never written: tag 0, no bytes */
	for (unsigned i = 0; i < ROUNDS; i++) {
		change(m, &model[rng_below(&r, TRIED)], &r);
		check(m, &model[rng_below(&r, TRIED)]);
	}
	for (unsigned i = 0; i < TRIED; i++)
		check(m, &model[i]);
	media_free(m);
	media_free(NULL);
	return 0;
}
