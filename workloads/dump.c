/*
 * An image as assembler text. The text assembles to the same file, so what
 * it leaves out (zeroes at the end of a segment) it says with .size.
 */
#include "workloads/asm.h"
#include "workloads/assembler.h"
#include "workloads/image.h"

#include <inttypes.h>
#include <string.h>

/* Bytes up to the last one that is not zero, rounded up to eight. */
static uint32_t content(const uint8_t *p, uint32_t size)
{
	while (size && !p[size - 1])
		size--;
	return (size + 7) & ~7u;
}

static uint64_t word(const uint8_t *p)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

static void dump_string(FILE *to, const char *s, size_t size)
{
	(void)fputc('"', to);
	for (size_t i = 0; i < size && s[i]; i++)
		(void)fprintf(to, "%s%c",
			      s[i] == '"' || s[i] == '\\' ? "\\" : "", s[i]);
	(void)fputc('"', to);
}

static void dump_param(FILE *to, const struct isa_note_param *n, unsigned nr)
{
	static const char *const types[] = { "number", "switch", "size", "time",
					     "choice" };

	(void)fprintf(to, ".param PARAM%u, ", nr);
	dump_string(to, n->flag, sizeof(n->flag));
	(void)fprintf(to, ", %s, %" PRId64 ", %" PRId64 ", %" PRId64 ", ",
		      types[n->type], n->def, n->min, n->max);
	dump_string(to, n->help, sizeof(n->help));
	(void)fputc('\n', to);
}

static struct insn decode(const uint8_t *p)
{
	return (struct insn){ .op = p[0],
			      .flags = p[1],
			      .a = p[2],
			      .b = p[3],
			      .c = p[4],
			      .d = p[5],
			      .e = p[6],
			      .k = p[7],
			      .imm = (int64_t)word(p + 8) };
}

/* Where the header, the program headers and the notes end. */
static uint32_t text_start(const struct image *image)
{
	uint32_t notes =
		image->nr_params * (24 + (uint32_t)sizeof(image->param[0])) +
		image->nr_needs * (24 + NEEDS_NAME);
	uint32_t headers = image->nr_segments + (notes != 0);

	return (52 + 32 * headers + notes + ISA_INSN_SIZE - 1) / ISA_INSN_SIZE *
	       ISA_INSN_SIZE;
}

static void dump_text(const struct image *image, const struct image_segment *s,
		      FILE *to)
{
	const uint8_t *bytes = image->bytes + s->offset;
	uint32_t start = s->offset ? 0 : text_start(image);
	uint32_t end = content(bytes, s->file_size);
	char text[128];

	(void)fprintf(to, "\n.text\n.size .text, %u\n", s->file_size);
	for (uint32_t at = start; at < end; at += ISA_INSN_SIZE) {
		uint8_t raw[ISA_INSN_SIZE] = { 0 };
		uint32_t left = s->file_size - at;
		struct insn insn;

		memcpy(raw, bytes + at,
		       left < sizeof(raw) ? left : sizeof(raw));
		insn = decode(raw);
		asm_disassemble(&insn, s->va + at, text, sizeof(text));
		(void)fprintf(to, "\t%-50s ; 0x%08x\n", text, s->va + at);
	}
}

static void dump_data(const struct image *image, const struct image_segment *s,
		      FILE *to)
{
	const uint8_t *bytes = image->bytes + s->offset;
	const char *name = s->write ? ".data" : ".rodata";
	uint32_t end = content(bytes, s->file_size);

	(void)fprintf(to, "\n%s ; 0x%08x\n.size %s, %u\n", name, s->va, name,
		      s->file_size);
	for (uint32_t at = 0; at < end; at += 8) {
		uint8_t raw[8] = { 0 };
		uint32_t left = s->file_size - at;

		memcpy(raw, bytes + at, left < 8 ? left : 8);
		(void)fprintf(to, "%s0x%" PRIx64 "%s",
			      at % 32 ? ", " : "\t.quad ", word(raw),
			      at % 32 == 24 || at + 8 >= end ? "\n" : "");
	}
	if (s->memory_size > s->file_size)
		(void)fprintf(to, "\n.bss\n.size .bss, %u\n",
			      s->memory_size - s->file_size);
}

void image_dump(const struct image *image, FILE *to)
{
	(void)fprintf(to, "; %s: %" PRIu64 " bytes\n", image->name,
		      image->size);
	if (image->nr_segments)
		(void)fprintf(to, ".base 0x%x\n", image->segment[0].va);
	if (image->entry)
		(void)fprintf(to, ".entry 0x%x\n", image->entry);
	for (unsigned i = 0; i < image->nr_params; i++)
		dump_param(to, &image->param[i], i);
	for (unsigned i = 0; i < image->nr_needs; i++)
		(void)fprintf(to, ".needs \"%s\"\n", image->needs[i]);
	for (unsigned i = 0; i < image->nr_segments; i++) {
		const struct image_segment *s = &image->segment[i];

		if (s->exec)
			dump_text(image, s, to);
		else
			dump_data(image, s, to);
	}
}
