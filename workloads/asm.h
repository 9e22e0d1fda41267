/*
 * The assembler: our text to an ELF image, and a disassembler whose output
 * assembles to the same bytes. Syntax: docs/programs.md.
 */
#pragma once

#include "cpu/isa.h"
#include "emu/diag.h"

enum asm_result {
	ASM_DONE,
	ASM_WRONG,     /* the source, or it is out itself; out is untouched */
	ASM_UNWRITTEN, /* out cannot be written */
};

/*
 * Assemble the file at path (includes are looked up beside it, then in
 * include_dir if not NULL) and write the ELF file to out, which must be none
 * of them. All errors go to d with file, line and column.
 */
enum asm_result asm_build(const char *path, const char *include_dir,
			  const char *out, struct diag *d);

/* The same, for who only asks whether all went well. */
bool asm_file(const char *path, const char *include_dir, const char *out,
	      struct diag *d);

/* One instruction as text; pc is its address, for branch targets. */
void asm_disassemble(const struct insn *insn, uint32_t pc, char *out,
		     size_t size);
