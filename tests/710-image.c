/*
 * Reading images that are wrong: each defect has its message, and no bytes,
 * however they are changed or cut, do more than that.
 */
#include "emu/bug.h"
#include "emu/rng.h"
#include "workloads/image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MUTATIONS 1500

static char folder[] = "/tmp/image-XXXXXX";
static char path[64];

static void write_file(const uint8_t *bytes, size_t size)
{
	FILE *f = fopen(path, "wb");

	BUG_ON(!f);
	BUG_ON(fwrite(bytes, 1, size, f) != size);
	BUG_ON(fclose(f));
}

/* Read these bytes; true if they are an image. message gets what is said. */
static bool try(const uint8_t *bytes, size_t size, char **message)
{
	struct diag *d = diag_new();
	struct image *image;
	size_t length;
	FILE *to = open_memstream(message, &length);

	write_file(bytes, size);
	image = image_read(path, d);
	BUG_ON((image == NULL) != (diag_errors(d) != 0));
	if (image) {
		BUG_ON(image->nr_segments == 0);
		image_dump(image, to);
	} else {
		diag_print(d, to);
	}
	BUG_ON(fclose(to));
	image_free(image);
	diag_free(d);
	return *message && image;
}

static void refuse(const uint8_t *bytes, size_t size, const char *because)
{
	char *message;
	bool taken = try(bytes, size, &message);

	if (taken || !strstr(message, because)) {
		printf("wanted '%s', got: %s\n", because, message);
		BUG_ON(1);
	}
	free(message);
}

struct good {
	uint8_t *bytes;
	size_t size;
};

static struct good read_good(const char *build, const char *name)
{
	struct diag *d = diag_new();
	struct good good = { 0 };
	struct image *image;
	char from[512];

	snprintf(from, sizeof(from), "%s/workloads/%s.elf", build, name);
	image = image_read(from, d);
	diag_print(d, stderr);
	BUG_ON(!image);
	BUG_ON(strcmp(image->name, name) != 0);
	good.size = image->size;
	good.bytes = xcalloc(image->size, 1);
	memcpy(good.bytes, image->bytes, image->size);
	image_free(image);
	diag_free(d);
	return good;
}

/* A change of the good file: put value of bytes width at offset. */
struct change {
	size_t offset;
	unsigned width;
	uint32_t value;
	const char *because;
};

#define EHDR(field) offsetof(Elf32_Ehdr, field)
#define PHDR(i, field)                                   \
	(sizeof(Elf32_Ehdr) + (i) * sizeof(Elf32_Phdr) + \
	 offsetof(Elf32_Phdr, field))

static void check_changes(const struct good *good)
{
	/* hog: text, read-only data, data, notes */
	static const struct change changes[] = {
		{ 0, 1, 'X', "not an ELF file" },
		{ EI_CLASS, 1, ELFCLASS64, "64-bit" },
		{ EI_DATA, 1, ELFDATA2MSB, "little-endian" },
		{ EHDR(e_machine), 2, EM_386, "another processor" },
		{ EHDR(e_type), 2, ET_DYN, "not an executable" },
		{ EHDR(e_phoff), 4, 0x7fffffff, "program headers" },
		{ EHDR(e_phnum), 2, 0, "no segment" },
		{ EHDR(e_entry), 4, 0x08048008, "entry" },
		{ EHDR(e_entry), 4, 0x0804c000, "entry" },
		{ PHDR(0, p_offset), 4, 0x7ffff000, "outside the file" },
		{ PHDR(0, p_filesz), 4, 0xffffffff, "outside the file" },
		{ PHDR(0, p_memsz), 4, 16, "larger in the file" },
		{ PHDR(0, p_memsz), 4, 0x4000, "read-only" },
		{ PHDR(0, p_vaddr), 4, 0x08048010, "at a page" },
		{ PHDR(0, p_vaddr), 4, 0, "outside 0x1000" },
		{ PHDR(2, p_memsz), 4, 0xf0000000, "outside 0x1000" },
		{ PHDR(2, p_vaddr), 4, 0x08048000, "overlaps" },
		{ PHDR(2, p_memsz), 4, 0, "larger in the file" },
		{ PHDR(1, p_flags), 4, PF_W, "cannot be read" },
		{ PHDR(3, p_offset), 4, 0x7fffffff, "notes lie outside" },
		{ PHDR(3, p_filesz), 4, 100, "notes are malformed" },
		{ PHDR(3, p_offset), 4, 0, "notes are malformed" },
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *c = &changes[i];
		uint8_t *bytes = xcalloc(good->size, 1);

		memcpy(bytes, good->bytes, good->size);
		for (unsigned b = 0; b < c->width; b++)
			bytes[c->offset + b] = (uint8_t)(c->value >> (8 * b));
		refuse(bytes, good->size, c->because);
		free(bytes);
	}
}

/* Every field of the first parameter of hog that must hold something. */
static void check_notes(const struct good *good)
{
	const size_t first = sizeof(Elf32_Ehdr) + 4 * sizeof(Elf32_Phdr);
	static const struct change changes[] = {
		{ 8, 4, 9, "unknown type" },
		{ 24 + offsetof(struct isa_note_param, type), 4, 5,
		  "malformed" },
		{ 24 + offsetof(struct isa_note_param, def), 8, 0,
		  "malformed" },
		{ 24 + offsetof(struct isa_note_param, flag), 1, 'm',
		  "malformed" },
		{ 24 + offsetof(struct isa_note_param, flag) + 1, 1, 'n',
		  "twice" },
		{ 24 + offsetof(struct isa_note_param, help), 1, 7,
		  "malformed" },
		{ 5 * 152 + 24, 1, 0, "needed file" },
		{ 5 * 152 + 24, 1, '/', "needed file" },
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		const struct change *c = &changes[i];
		uint8_t *bytes = xcalloc(good->size, 1);

		memcpy(bytes, good->bytes, good->size);
		for (unsigned b = 0; b < c->width; b++)
			bytes[first + c->offset + b] =
				(uint8_t)((uint64_t)c->value >> (8 * b));
		refuse(bytes, good->size, c->because);
		free(bytes);
	}
}

static void check_cuts(const struct good *good)
{
	refuse(good->bytes, 0, "not an ELF file");
	refuse(good->bytes, 3, "not an ELF file");
	for (size_t size = 4; size < 0x8000; size += 97) {
		char *message;

		BUG_ON(try(good->bytes, size, &message));
		free(message);
	}
}

/* Random bytes of the headers and notes; some are still good. */
static void check_mutations(const struct good *good)
{
	uint8_t *bytes = xcalloc(good->size, 1);
	unsigned taken = 0;
	struct rng r;

	rng_init(&r, 1, "mutations");
	for (unsigned i = 0; i < MUTATIONS; i++) {
		unsigned n = 1 + (unsigned)rng_below(&r, 4);
		char *message;

		memcpy(bytes, good->bytes, good->size);
		while (n--)
			bytes[rng_below(&r, rng_below(&r, 2) ? 200 : 1200)] =
				(uint8_t)rng_next(&r);
		taken += try(bytes, good->size, &message);
		free(message);
	}
	printf("%u of %u changed images are still good\n", taken, MUTATIONS);
	BUG_ON(!taken || taken == MUTATIONS);
	free(bytes);
}

static void check_unreadable(void)
{
	struct diag *d = diag_new();

	BUG_ON(image_read("/nonexistent/program.elf", d));
	BUG_ON(image_read(folder, d));
	BUG_ON(diag_errors(d) != 2);
	diag_free(d);
}

int main(int argc, char **argv)
{
	struct good good;

	BUG_ON(argc != 3 || !mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/image.elf", folder);
	good = read_good(argv[2], "hog");
	check_changes(&good);
	check_notes(&good);
	check_cuts(&good);
	check_mutations(&good);
	check_unreadable();
	free(good.bytes);
	BUG_ON(unlink(path) || rmdir(folder));
	return 0;
}
