/*
 * Facts that were published, to stand beside ours. The simulation never
 * reads them.
 */
#pragma once

#include "emu/run/script.h"
#include "emu/run/yaml.h"

/* One figure of a timed program or of one of its phases. */
struct published {
	const char *label;   /* of the timed program */
	const char *phase;   /* NULL: the whole program */
	const char *measure; /* see measure.h */
	double mean, min, max;
	bool spread; /* min and max are known */
};

struct publications {
	struct published *list;
	unsigned count;
};

/*
 * Read what `published` has for a variant: measures (of the first timed
 * program), or maps of measures by program, or by program and phase; the
 * phase TOTAL is the whole program.
 */
void published_read(struct publications *p, const struct yaml *scenario,
		    const char *variant, const struct script *script,
		    struct diag *d);
void published_finish(struct publications *p);
