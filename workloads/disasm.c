/*
 * Instructions back to text that assembles to the same 16 bytes.
 *
 * Bytes that no instruction text produces (an unknown number, something in a
 * field that is not used) come out as .quad.
 */
#include "emu/bug.h"
#include "workloads/asm.h"
#include "workloads/assembler.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct out {
	char *text;
	size_t room, used;
};

__attribute__((format(printf, 2, 3))) static void put(struct out *o,
						      const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(o->text + o->used, o->room - o->used, fmt, args);
	va_end(args);
	o->used += (size_t)n < o->room - o->used ? (size_t)n
						 : o->room - o->used - 1;
}

static void put_number(struct out *o, int64_t n)
{
	if (n > 65535)
		put(o, "0x%llx", (unsigned long long)n);
	else if (n == INT64_MIN) /* its digits do not fit with a sign */
		put(o, "0x8000000000000000");
	else
		put(o, "%lld", (long long)n);
}

/* Is this what the assembler can make? Unused fields are zero, then. */
static bool registers_fit(const struct insn *insn)
{
	const uint8_t reg[] = { insn->a, insn->b, insn->c, insn->d, insn->e };
	const char *operands = insn_table[insn->op].operands;

	for (unsigned i = 0; i < sizeof(reg); i++) {
		char letter = (char)('a' + i);
		bool used = strchr(operands, letter) ||
			    (letter == 'b' && strchr(operands, 'm'));

		if (letter == 'c' && insn->flags & ISA_IMM)
			used = false;
		if (reg[i] >= (used ? ISA_REGS : 1))
			return false;
	}
	return true;
}

static bool flags_fit(const struct insn *insn)
{
	uint8_t access = insn->flags & (ISA_READ | ISA_WRITE);
	unsigned sorts = !!access + !!(insn->flags & ISA_EXEC) +
			 !!(insn->flags & ISA_MIXED);
	const char *operands = insn_table[insn->op].operands;
	bool may_imm = strchr(operands, 'c') && !strchr(operands, 'd');

	if (insn->flags &
	    ~(insn_flags_allowed(insn->op) | (may_imm ? ISA_IMM : 0)))
		return false;
	if (insn->k && !(insn->flags & ISA_MIXED))
		return false;
	return sorts == (insn_is_reference(insn->op) ? 1 : 0);
}

static bool immediate_fits(const struct insn *insn)
{
	if (insn->op == ISA_ZIPF)
		return insn->imm >= 0 && insn->imm <= 2048;
	if (insn->op == ISA_WSET)
		return insn->imm >= 1;
	return insn->flags & ISA_IMM || !insn->imm ||
	       strpbrk(insn_table[insn->op].operands, "imt");
}

static bool mark_fits(const char *name)
{
	size_t n = strnlen(name, ISA_MARK_MAX);

	for (size_t i = 0; i < ISA_MARK_MAX; i++) {
		char c = name[i];

		if (i < n ? c <= ' ' || c > '~' || strchr(";#\"'", c) : c)
			return false;
	}
	return n > 0;
}

static void put_suffix(struct out *o, const struct insn *insn)
{
	if (!insn_is_reference(insn->op))
		return;
	put(o, ".%s%s%s", insn->flags & ISA_READ ? "r" : "",
	    insn->flags & ISA_WRITE ? "w" : "",
	    insn->flags & ISA_EXEC ? "x" : "");
	if (insn->flags & ISA_MIXED)
		put(o, "m%u", insn->k);
	if (insn->flags & ISA_DOWN)
		put(o, ".down");
}

static void put_register(struct out *o, uint8_t reg)
{
	if (reg == ISA_SP)
		put(o, "sp");
	else
		put(o, "r%u", reg);
}

static void put_operand(struct out *o, const struct insn *insn, char letter,
			uint32_t pc)
{
	const uint8_t reg[] = { insn->a, insn->b, insn->c, insn->d, insn->e };

	switch (letter) {
	case 'i':
		put_number(o, insn->imm);
		break;
	case 't':
		put_number(o, insn->imm + (int64_t)pc + ISA_INSN_SIZE);
		break;
	case 'm':
		put(o, "[");
		put_register(o, insn->b);
		if (insn->imm)
			put(o, "%s", insn->imm > 0 ? "+" : "");
		if (insn->imm == INT64_MIN)
			put(o, "+");
		if (insn->imm)
			put_number(o, insn->imm);
		put(o, "]");
		break;
	default:
		if (letter == 'c' && insn->flags & ISA_IMM)
			put_number(o, insn->imm);
		else
			put_register(o, reg[letter - 'a']);
	}
}

static void put_quads(struct out *o, const struct insn *insn)
{
	uint8_t bytes[ISA_INSN_SIZE];
	unsigned long long half[2] = { 0, 0 };

	encode_bytes(insn, bytes);
	for (unsigned i = 0; i < sizeof(bytes); i++)
		half[i / 8] |= (unsigned long long)bytes[i] << (8 * (i % 8));
	put(o, ".quad 0x%llx, 0x%llx", half[0], half[1]);
}

void asm_disassemble(const struct insn *insn, uint32_t pc, char *out,
		     size_t size)
{
	struct out o = { .text = out, .room = size };
	uint8_t bytes[ISA_INSN_SIZE];
	const char *letter;
	char name[ISA_MARK_MAX + 1] = { 0 };

	BUG_ON(size < 2);
	out[0] = 0;
	encode_bytes(insn, bytes);
	memcpy(name, bytes + 2, ISA_MARK_MAX);
	if (insn->op == ISA_MARK && !insn->flags && mark_fits(name)) {
		put(&o, "mark %s", name);
		return;
	}
	if (insn->op >= ISA_OP_COUNT || insn->op == ISA_MARK ||
	    !flags_fit(insn) || !registers_fit(insn) || !immediate_fits(insn)) {
		put_quads(&o, insn);
		return;
	}
	put(&o, "%s", insn_table[insn->op].name);
	put_suffix(&o, insn);
	for (letter = insn_table[insn->op].operands; *letter; letter++) {
		if (*letter == ' ') {
			put(&o, ",");
			continue;
		}
		put(&o, " ");
		put_operand(&o, insn, *letter, pc);
	}
}
