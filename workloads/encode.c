/*
 * Instructions: a line of text to 16 bytes.
 *
 * What an instruction takes stands in cpu/isa.h, as a string of operand
 * letters; this file follows that string. Kinds of access are suffixes of a
 * reference instruction: .r .w .rw .x, .down for sweeps, and .m64 (64/256 of
 * the accesses write) for random ones.
 */
#include "workloads/assembler.h"

#include <stdlib.h>
#include <string.h>

const struct insn_info insn_table[ISA_OP_COUNT] = {
#define X(OP, mnemonic, takes) { .name = (mnemonic), .operands = (takes) },
	ISA_OPS(X)
#undef X
};

const char *const insn_names[] = {
#define X(OP, mnemonic, takes) (mnemonic),
	ISA_OPS(X)
#undef X
		NULL,
};

bool insn_is_reference(uint8_t op)
{
	return op >= ISA_SWEEP;
}

uint8_t insn_flags_allowed(uint8_t op)
{
	if (!insn_is_reference(op))
		return 0;
	if (op == ISA_SWEEP2)
		return ISA_READ | ISA_WRITE;
	if (op == ISA_SWEEP)
		return ISA_READ | ISA_WRITE | ISA_EXEC | ISA_DOWN;
	return ISA_READ | ISA_WRITE | ISA_EXEC | ISA_MIXED;
}

void encode_bytes(const struct insn *insn, uint8_t out[ISA_INSN_SIZE])
{
	const uint8_t head[] = { insn->op, insn->flags, insn->a, insn->b,
				 insn->c,  insn->d,	insn->e, insn->k };

	memcpy(out, head, sizeof(head));
	for (unsigned i = 0; i < 8; i++)
		out[8 + i] = (uint8_t)((uint64_t)insn->imm >> (8 * i));
}

/* One of the letters of ".rw"; false if it is none. */
static bool kind_letter(char c, struct insn *insn)
{
	if (c == 'r')
		insn->flags |= ISA_READ;
	else if (c == 'w')
		insn->flags |= ISA_WRITE;
	else if (c == 'x')
		insn->flags |= ISA_EXEC;
	else
		return false;
	return true;
}

/* The suffix (without its dot); false if it is none. */
static bool read_suffix(const char *s, size_t length, struct insn *insn)
{
	char *end;
	long k;

	if (length == 4 && memcmp(s, "down", 4) == 0) {
		insn->flags |= ISA_DOWN;
		return true;
	}
	if (*s == 'm') {
		k = strtol(s + 1, &end, 10);
		if (length < 2 || end != s + length || k < 0 || k > 255)
			return false;
		insn->flags |= ISA_MIXED;
		insn->k = (uint8_t)k;
		return true;
	}
	for (size_t i = 0; i < length; i++) {
		if (!kind_letter(s[i], insn))
			return false;
	}
	return length > 0;
}

/* Exactly one sort of access, and only what this instruction can do. */
static bool suffixes_fit(const struct insn *insn)
{
	uint8_t sort = insn->flags & (ISA_READ | ISA_WRITE);
	unsigned sorts = !!sort + !!(insn->flags & ISA_EXEC) +
			 !!(insn->flags & ISA_MIXED);

	if (insn->flags & ~insn_flags_allowed(insn->op))
		return false;
	return !insn_is_reference(insn->op) || sorts == 1;
}

static bool read_mnemonic(struct assembler *a, const char **p,
			  struct insn *insn)
{
	char name[NAME_MAX_LENGTH];
	const char *start = *p;
	const char *near;
	char *dot, *next;

	if (!expr_name(p, name)) {
		asm_error(a, *p, "expected an instruction");
		return false;
	}
	dot = strchr(name, '.');
	if (dot)
		*dot = 0;
	while (insn->op < ISA_OP_COUNT &&
	       !text_equal(insn_table[insn->op].name, name))
		insn->op++;
	if (insn->op == ISA_OP_COUNT) {
		near = diag_suggest(name, insn_names);
		asm_error(a, start, "unknown instruction '%s'%s%s%s", name,
			  near ? "; did you mean '" : "", near ? near : "",
			  near ? "'?" : "");
		return false;
	}
	for (; dot; dot = next) {
		next = strchr(dot + 1, '.');
		if (!read_suffix(dot + 1,
				 next ? (size_t)(next - dot - 1)
				      : strlen(dot + 1),
				 insn)) {
			asm_error(a, start,
				  "unknown kind of access '.%s' (r, w, rw, "
				  "x, m0..m255, down)",
				  dot + 1);
			return false;
		}
	}
	if (!suffixes_fit(insn)) {
		asm_error(a, start,
			  insn_is_reference(insn->op)
				  ? "'%s' needs one kind of access that it can "
				    "do: see docs/programs.md"
				  : "'%s' takes no suffix",
			  name);
		return false;
	}
	return true;
}

/* [reg], [reg+number], [reg-number] */
static bool read_memory(struct assembler *a, const char **p, struct insn *insn)
{
	struct value v = { .known = true };

	if (!expr_char(p, '[')) {
		asm_error(a, *p,
			  "expected a memory operand, [register+offset]");
		return false;
	}
	if (!expr_register(a, p, &insn->b)) {
		asm_error(a, *p, "expected a register");
		return false;
	}
	expr_blanks(p);
	if (**p == '+' || **p == '-')
		v = expr_read(a, p);
	insn->imm = v.number;
	if (v.known && !expr_char(p, ']')) {
		asm_error(a, *p, "expected ']'");
		return false;
	}
	return v.known;
}

/* The name of a phase: the rest of the line. */
static bool read_phase(struct assembler *a, const char **p)
{
	size_t n;

	expr_blanks(p);
	n = strlen(*p);
	if (!n || n > ISA_MARK_MAX) {
		asm_error(a, *p, "a phase name has 1 to %d characters",
			  ISA_MARK_MAX);
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		if ((*p)[i] <= ' ' || (*p)[i] > '~') {
			asm_error(a, *p + i, "a phase name is one word");
			return false;
		}
	}
	*p += n;
	return true;
}

static bool read_immediate(struct assembler *a, const char **p, int64_t *number)
{
	struct value v = expr_read(a, p);

	*number = v.number;
	return v.known;
}

static bool read_operand(struct assembler *a, const char **p, char letter,
			 struct insn *insn)
{
	uint8_t *const reg[] = { &insn->a, &insn->b, &insn->c, &insn->d,
				 &insn->e };
	/* an immediate may stand for c if c is the last operand */
	bool last_c =
		letter == 'c' && !strchr(insn_table[insn->op].operands, 'd');

	switch (letter) {
	case 'i':
		return read_immediate(a, p, &insn->imm);
	case 't':
		if (!read_immediate(a, p, &insn->imm))
			return false;
		insn->imm -= (int64_t)asm_here(a) + ISA_INSN_SIZE;
		return true;
	case 'm':
		return read_memory(a, p, insn);
	case 'n':
		return read_phase(a, p);
	default:
		break;
	}
	if (expr_register(a, p, reg[letter - 'a']))
		return true;
	if (last_c) {
		insn->flags |= ISA_IMM;
		return read_immediate(a, p, &insn->imm);
	}
	asm_error(a, *p, "expected a register");
	return false;
}

/* uniform has no use for its immediate, so it may be left away. */
static bool may_end(const struct insn *insn, char letter, const char **p)
{
	return letter == 'i' && insn->op == ISA_UNIFORM && expr_end(p);
}

static bool immediate_fits(struct assembler *a, const char *at,
			   const struct insn *insn)
{
	if (insn->op == ISA_ZIPF && (insn->imm < 0 || insn->imm > 2048)) {
		asm_error(a, at, "theta is 0 to 2048 (1/1024ths)");
		return false;
	}
	if (insn->op == ISA_WSET && insn->imm < 1) {
		asm_error(a, at, "a window has at least one page");
		return false;
	}
	return true;
}

static bool read_insn(struct assembler *a, const char *p, struct insn *insn,
		      const char **name)
{
	const char *start = p;
	const char *letter;

	*insn = (struct insn){ 0 };
	*name = NULL;
	if (!read_mnemonic(a, &p, insn))
		return false;
	for (letter = insn_table[insn->op].operands; *letter; letter++) {
		if (*letter == ' ') {
			if (may_end(insn, letter[1], &p))
				break;
			if (!expr_comma(a, &p))
				return false;
			continue;
		}
		expr_blanks(&p);
		if (*letter == 'n')
			*name = p;
		if (!read_operand(a, &p, *letter, insn))
			return false;
	}
	if (!expr_end(&p)) {
		asm_error(a, p, "unexpected text after the instruction");
		return false;
	}
	return immediate_fits(a, start, insn);
}

void encode_line(struct assembler *a, const char *p)
{
	uint8_t bytes[ISA_INSN_SIZE] = { 0 };
	const char *name;
	struct insn insn;

	if (a->current != SECTION_TEXT) {
		asm_error(a, p, "instructions belong into .text");
		return;
	}
	if (a->section[SECTION_TEXT].at % ISA_INSN_SIZE)
		asm_error(a, p,
			  "instruction not at a multiple of %d; use "
			  ".align",
			  ISA_INSN_SIZE);
	if (read_insn(a, p, &insn, &name)) {
		encode_bytes(&insn, bytes);
		/* a phase name lies across the other fields */
		for (unsigned i = 2; name && *name; i++)
			bytes[i] = (uint8_t)*name++;
	}
	asm_emit(a, bytes, sizeof(bytes));
}
