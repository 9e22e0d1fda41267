/*
 * Fuzz target: the assembler. Any text gives an image or errors with their
 * places; what it writes, the image reader takes.
 */
#include "tests/fuzz.h"

#include "emu/bug.h"
#include "workloads/asm.h"
#include "workloads/image.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *d = diag_new();
	int from = memfd_create("text", 0), to = memfd_create("image", 0);
	char source[64], out[64];

	BUG_ON(from < 0 || to < 0);
	BUG_ON(write(from, data, size) != (ssize_t)size);
	snprintf(source, sizeof(source), "/proc/self/fd/%d", from);
	snprintf(out, sizeof(out), "/proc/self/fd/%d", to);
	if (asm_file(source, NULL, out, d)) {
		struct image *image;

		BUG_ON(diag_errors(d));
		image = image_read(out, d);
		if (!image)
			diag_print(d, stderr);
		BUG_ON(!image);
		image_free(image);
	} else {
		BUG_ON(!diag_errors(d));
	}
	close(from);
	close(to);
	diag_free(d);
	return 0;
}
