/*
 * Fuzz target: the reader of program images. Any file gives an image or
 * errors, never a crash; an image keeps what its header promises, can be
 * dumped, and takes or refuses a command line.
 *
 * Leaves out  the emulated kernel's own loader, which reads from a disk.
 */
#include "tests/fuzz.h"

#include "emu/bug.h"
#include "workloads/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void check_segments(const struct image *image)
{
	BUG_ON(image->nr_segments > IMAGE_SEGMENTS);
	BUG_ON(image->nr_params > IMAGE_PARAMS);
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct image_segment *s = &image->segment[i];

		BUG_ON((uint64_t)s->offset + s->file_size > image->size);
		BUG_ON(s->file_size > s->memory_size);
		BUG_ON((uint64_t)s->va + s->memory_size > UINT32_MAX);
	}
}

static void use(const struct image *image, struct diag *d)
{
	static char program[] = "fuzz", option[] = "-n", value[] = "12M";
	char *words[] = { program, option, value };
	struct diag_place at = { .file = NULL };
	int64_t values[IMAGE_PARAMS];
	char *text;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	BUG_ON(!to);
	check_segments(image);
	image_dump(image, to);
	BUG_ON(fclose(to));
	free(text);
	image_arguments(image, words, 1, values, d, at);
	image_arguments(image, words, 3, values, d, at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct diag *d = diag_new();
	int file = memfd_create("image", 0);
	struct image *image;
	char path[64];

	BUG_ON(file < 0 || write(file, data, size) != (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	image = image_read(path, d);
	BUG_ON(!image && !diag_errors(d));
	if (image)
		use(image, d);
	image_free(image);
	close(file);
	diag_free(d);
	return 0;
}
