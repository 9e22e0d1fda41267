/*
 * A CPU with some memory and page tables, for tests of cpu/.
 *
 * Frame 0 is the page directory, tables follow from frame 1 on, and data
 * frames are the test's own business from KIT_DATA_FRAME on.
 */
#pragma once

#include "cpu/cpu.h"
#include "emu/bug.h"

#include <string.h>

#define KIT_FRAMES     8192u
#define KIT_DATA_FRAME 64u
#define KIT_CODE       0x00400000u /* one page of instructions, user, r-x */
#define KIT_CODE_FRAME 63u
#define KIT_KEY	       0x9e3779b97f4a7c15ull

struct kit {
	struct ram ram;
	struct events events;
	struct cpu cpu;
	struct cpu_regs regs;
	pfn next_table;
};

/* The page table entry for va; makes the table if there is none. */
static inline uint32_t *kit_pte(struct kit *k, vaddr va)
{
	uint32_t *pde = ram_word(&k->ram, va >> 22 << 2);

	if (!(*pde & PTE_P)) {
		BUG_ON(k->next_table >= KIT_CODE_FRAME);
		ram_poke(&k->ram, k->next_table);
		*pde = k->next_table++ << PAGE_SHIFT | PTE_P | PTE_RW | PTE_US;
	}
	return ram_word(&k->ram, (*pde & PAGE_MASK) | (va >> PAGE_SHIFT & 0x3ff)
							      << 2);
}

static inline void kit_map(struct kit *k, vaddr va, pfn frame, uint32_t flags)
{
	*kit_pte(k, va) = frame << PAGE_SHIFT | PTE_P | flags;
	mmu_invlpg(&k->cpu.mmu, va);
}

static inline void kit_init(struct kit *k, int64_t khz, uint32_t walk_cycles)
{
	const struct tlb_geometry geometry = { 64, 4 };

	memset(k, 0, sizeof(*k));
	ram_init(&k->ram, KIT_FRAMES);
	events_init(&k->events);
	cpu_init(&k->cpu, 0, khz, walk_cycles, &k->events, &k->ram, geometry,
		 geometry);
	ram_poke(&k->ram, 0);
	k->next_table = 1;
	k->cpu.mmu.key = KIT_KEY;
	mmu_load_cr3(&k->cpu.mmu, 0);
	kit_map(k, KIT_CODE, KIT_CODE_FRAME, PTE_US);
	k->regs.pc = KIT_CODE;
}

static inline void kit_finish(struct kit *k)
{
	cpu_finish(&k->cpu);
	events_finish(&k->events);
	ram_finish(&k->ram);
}

/* Put an instruction at place index of the code page. */
static inline void kit_code(struct kit *k, unsigned index, struct insn in)
{
	BUG_ON(index >= PAGE_SIZE / ISA_INSN_SIZE);
	memcpy(ram_poke(&k->ram, KIT_CODE_FRAME) +
		       (size_t)index * ISA_INSN_SIZE,
	       &in, sizeof(in));
}
