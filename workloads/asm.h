/*
 * The assembler: our text to an ELF image, and a disassembler whose output
 * assembles to the same bytes. Syntax: docs/programs.md.
 */
#pragma once

#include "cpu/isa.h"
#include "emu/diag.h"

/*
 * Assemble the file at path (includes are looked up beside it, then in
 * include_dir if not NULL) and write the ELF file to out. All errors go to d
 * with file, line and column. False if there was any; then out is untouched.
 */
bool asm_file(const char *path, const char *include_dir, const char *out,
	      struct diag *d);

/* One instruction as text; pc is its address, for branch targets. */
void asm_disassemble(const struct insn *insn, uint32_t pc, char *out,
		     size_t size);
