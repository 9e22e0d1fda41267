/*
 * Access vectors executed on QEMU 7.2 and Bochs 2.7, against our MMU.
 *
 * tests/data/mmu-vectors.bin holds half of some sixty thousand cases, chosen
 * by chance, that a bare-metal test kernel ran on both emulators (CPL 0 and
 * 3, two-level tables): the full cross of the rights of both entries, WP,
 * PSE, PGE and the kind of access; special bits; and what happens when an
 * entry changes behind the TLB's back, with and without a flush.
 *
 * Layout, little-endian: "MMUV"; five 32-bit counts: entry pairs, outcomes,
 * plain, special and stale rows; then these, one after the other:
 *   pair     u32 pde, pte
 *   outcome  u16 result, pde, pte: result = fault | error << 1 | frame << 8,
 *            the entries' low 12 bits afterwards
 *   plain    u16 control, pair, outcome
 *   special  u16 control, pair, outcome of 1st (0xffff: no 1st), of 2nd
 *   stale    u16 control, change, pair; u32 value; u16 outcome of the 1st;
 *            outcomes of the 2nd: from memory, from the TLB (0xffff: none
 *            possible), as Bochs did
 * control = wp | pse << 1 | pge << 2 | access 1 << 3 | access 2 << 6 | wp at
 * access 2 << 9, an access being kind (read, write, fetch, xchg) | user << 2;
 * change = flush | level << 3 | allowed (memory, TLB, upper-entry cache) << 5.
 */
#include "emu/bug.h"
#include "mmu/mmu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINEAR	   0x401a7000u
#define DIRECTORY  0x00200000u
#define TABLE	   0x00800000u
#define ALT_TABLE  0x00c00000u
#define PDE_AT	   (DIRECTORY + 0x100 * 4)
#define PTE_AT	   (TABLE + 0x1a7 * 4)
#define RAM_FRAMES 16384u /* 64 MiB */
#define NO_OUTCOME 0xffff
#define NOT_STATED 0 /* frame number of an outcome that gives none */

/* Bytes of a row. */
#define PLAIN_SIZE   ((size_t)6)
#define SPECIAL_SIZE ((size_t)8)
#define STALE_SIZE   ((size_t)18)

enum { FLUSH_NONE, FLUSH_PAGE, FLUSH_NEXT_PAGE, FLUSH_CR3, FLUSH_PGE };

struct outcome {
	uint16_t result;
	uint16_t pde;
	uint16_t pte;
};

struct vectors {
	uint8_t *file;
	uint32_t pairs, outcomes, plain, special, stale;
	const uint8_t *pair; /* start of each part */
	const uint8_t *outcome;
	const uint8_t *plain_row;
	const uint8_t *special_row;
	const uint8_t *stale_row;
};

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static uint8_t *read_file(const char *root, size_t *size)
{
	char path[4096];
	FILE *f;
	uint8_t *bytes;
	long length;

	snprintf(path, sizeof(path), "%s/tests/data/mmu-vectors.bin", root);
	f = fopen(path, "rb");
	BUG_ON(!f);
	BUG_ON(fseek(f, 0, SEEK_END) != 0);
	length = ftell(f);
	BUG_ON(length < 24);
	rewind(f);
	bytes = xcalloc(1, (size_t)length);
	BUG_ON(fread(bytes, 1, (size_t)length, f) != (size_t)length);
	fclose(f);
	*size = (size_t)length;
	return bytes;
}

static void vectors_init(struct vectors *v, const char *root)
{
	size_t size;
	uint8_t *b = read_file(root, &size);

	BUG_ON(memcmp(b, "MMUV", 4) != 0);
	*v = (struct vectors){ .file = b,
			       .pairs = get32(b + 4),
			       .outcomes = get32(b + 8),
			       .plain = get32(b + 12),
			       .special = get32(b + 16),
			       .stale = get32(b + 20),
			       .pair = b + 24 };
	v->outcome = v->pair + 8 * (size_t)v->pairs;
	v->plain_row = v->outcome + 6 * (size_t)v->outcomes;
	v->special_row = v->plain_row + PLAIN_SIZE * v->plain;
	v->stale_row = v->special_row + SPECIAL_SIZE * v->special;
	BUG_ON(v->stale_row + STALE_SIZE * v->stale != b + size);
}

/* The frames that a case may reach, by the numbers of the vectors. */
static unsigned frame_number(pfn frame)
{
	switch (frame) {
	case 0xd10:
		return 1;
	case 0xd20:
		return 2;
	case 0x9a7:
		return 3;
	case 0xda7:
		return 4;
	default:
		return 255;
	}
}

/* Tables that the test has not set up read as zero: make them real. */
static void make_table(struct mmu *m, uint32_t entry)
{
	if (entry >> PAGE_SHIFT < m->ram->frames)
		ram_poke(m->ram, entry >> PAGE_SHIFT);
}

static void store_pde(struct mmu *m, uint32_t pde)
{
	make_table(m, pde);
	*ram_word(m->ram, PDE_AT) = pde;
}

static void set_up(struct mmu *m, unsigned control, const uint8_t *pair)
{
	m->wp = control & 1;
	m->pse = control & 2;
	m->pge = control & 4;
	mmu_flush_all(m);
	store_pde(m, get32(pair));
	*ram_word(m->ram, PTE_AT) = get32(pair + 4);
	*ram_word(m->ram, ALT_TABLE + 0x1a7 * 4) =
		0xd20000 | PTE_P | PTE_RW | PTE_US;
	mmu_load_cr3(m, DIRECTORY);
	m->cr2 = 0;
}

/* An exchange is one write access: a locked read-modify-write. */
static const enum mmu_access kinds[] = { MMU_READ, MMU_WRITE, MMU_FETCH,
					 MMU_WRITE };

/* One access and all that can be seen of it. */
static struct outcome access_page(struct mmu *m, unsigned how)
{
	vaddr va = LINEAR + 0x10 * ((how & 3) + 1);
	uint32_t cr2 = m->cr2;
	struct mmu_result r = mmu_translate(m, va, kinds[how & 3], how & 4);
	unsigned result = 0;

	if (r.fault) {
		BUG_ON(m->cr2 != va);
		result = 1u | (unsigned)r.error << 1;
	} else {
		BUG_ON(m->cr2 != cr2);
		BUG_ON(r.address != (r.frame << PAGE_SHIFT | (va & 0xfff)));
		result = frame_number(r.frame) << 8;
	}
	return (struct outcome){ (uint16_t)result,
				 *ram_word(m->ram, PDE_AT) & PTE_FLAGS,
				 *ram_word(m->ram, PTE_AT) & PTE_FLAGS };
}

static bool same(const struct vectors *v, unsigned index, struct outcome got)
{
	const uint8_t *o = v->outcome + 6 * (size_t)index;
	unsigned result = get16(o);

	if (index == NO_OUTCOME)
		return false;
	BUG_ON(index >= v->outcomes);
	if (result >> 8 == NOT_STATED)
		got.result &= 0xff;
	return got.result == result && got.pde == get16(o + 2) &&
	       got.pte == get16(o + 4);
}

static void expect(const struct vectors *v, unsigned index, struct outcome got,
		   const uint8_t *row)
{
	const uint8_t *o = v->outcome + 6 * (size_t)index;

	if (same(v, index, got))
		return;
	fprintf(stderr,
		"byte %td: control %x: result %x pde %x pte %x, "
		"expected %x %x %x\n",
		row - v->file, get16(row), got.result, got.pde, got.pte,
		get16(o), get16(o + 2), get16(o + 4));
	BUG_ON(!same(v, index, got));
}

static const uint8_t *pair_of(const struct vectors *v, unsigned index)
{
	BUG_ON(index >= v->pairs);
	return v->pair + 8 * (size_t)index;
}

static void run_plain(struct mmu *m, const struct vectors *v)
{
	const uint8_t *row = v->plain_row;

	for (uint32_t i = 0; i < v->plain; i++, row += PLAIN_SIZE) {
		unsigned control = get16(row);

		set_up(m, control, pair_of(v, get16(row + 2)));
		expect(v, get16(row + 4), access_page(m, control >> 3 & 7),
		       row);
	}
}

static void run_special(struct mmu *m, const struct vectors *v)
{
	const uint8_t *row = v->special_row;

	for (uint32_t i = 0; i < v->special; i++, row += SPECIAL_SIZE) {
		unsigned control = get16(row);

		set_up(m, control, pair_of(v, get16(row + 2)));
		if (get16(row + 4) != NO_OUTCOME)
			expect(v, get16(row + 4),
			       access_page(m, control >> 3 & 7), row);
		m->wp = control >> 9 & 1;
		expect(v, get16(row + 6), access_page(m, control >> 6 & 7),
		       row);
	}
}

static void flush(struct mmu *m, unsigned how)
{
	if (how == FLUSH_PAGE)
		mmu_invlpg(m, LINEAR);
	else if (how == FLUSH_NEXT_PAGE)
		mmu_invlpg(m, LINEAR + PAGE_SIZE);
	else if (how == FLUSH_CR3)
		mmu_load_cr3(m, m->cr3);
	else if (how == FLUSH_PGE)
		mmu_flush_all(m);
}

/* What the architecture lets the second access do. */
static bool permitted(const struct vectors *v, const uint8_t *row,
		      struct outcome got)
{
	unsigned allowed = get16(row + 2) >> 5 & 7;

	return (allowed & 1 && same(v, get16(row + 12), got)) ||
	       (allowed & 2 && same(v, get16(row + 14), got));
}

/* Our choice must be permitted, and in every row the one that Bochs makes. */
static void run_stale(struct mmu *m, const struct vectors *v)
{
	const uint8_t *row = v->stale_row;

	for (uint32_t i = 0; i < v->stale; i++, row += STALE_SIZE) {
		unsigned control = get16(row);
		unsigned change = get16(row + 2);
		struct outcome got;

		set_up(m, control, pair_of(v, get16(row + 4)));
		expect(v, get16(row + 10), access_page(m, control >> 3 & 7),
		       row);
		if ((change >> 3 & 3) == 1)
			*ram_word(m->ram, PTE_AT) = get32(row + 6);
		else if ((change >> 3 & 3) == 2)
			store_pde(m, get32(row + 6));
		flush(m, change & 7);
		m->cr2 = 0;
		got = access_page(m, control >> 6 & 7);
		if (!permitted(v, row, got))
			expect(v, get16(row + 12), got, row);
		expect(v, get16(row + 16), got, row);
	}
}

int main(int argc, char **argv)
{
	const struct tlb_geometry geometry = { 64, 4 };
	struct vectors v;
	struct ram ram;
	struct mmu m;

	vectors_init(&v, argc > 1 ? argv[1] : ".");
	ram_init(&ram, RAM_FRAMES);
	ram_poke(&ram, DIRECTORY >> PAGE_SHIFT);
	ram_poke(&ram, TABLE >> PAGE_SHIFT);
	ram_poke(&ram, ALT_TABLE >> PAGE_SHIFT);
	mmu_init(&m, &ram, geometry, geometry);
	run_plain(&m, &v);
	run_special(&m, &v);
	run_stale(&m, &v);
	printf("%u rows: %u plain, %u special, %u stale\n",
	       v.plain + v.special + v.stale, v.plain, v.special, v.stale);
	mmu_finish(&m);
	ram_finish(&ram);
	free(v.file);
	return 0;
}
