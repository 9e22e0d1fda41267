/*
 * The small pieces of a line: names, numbers, strings and expressions.
 *
 * Numbers are 64 bits and wrap. Binding, from loose to tight: | ^ & shifts
 * sums products unary; parentheses as usual. A number may end in K, M or G
 * (binary); 'x' is a character; labels stand for their address.
 */
#include "workloads/assembler.h"

#include <ctype.h>
#include <string.h>

void expr_blanks(const char **p)
{
	while (**p == ' ' || **p == '\t')
		(*p)++;
}

bool expr_char(const char **p, char c)
{
	expr_blanks(p);
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

bool expr_end(const char **p)
{
	expr_blanks(p);
	return !**p;
}

static bool name_start(char c)
{
	return isalpha((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

bool expr_name(const char **p, char name[NAME_MAX_LENGTH])
{
	unsigned n = 0;

	expr_blanks(p);
	if (!name_start(**p))
		return false;
	while (name_start((*p)[n]) || isdigit((unsigned char)(*p)[n])) {
		if (n < NAME_MAX_LENGTH - 1)
			name[n] = (*p)[n];
		n++;
	}
	name[n < NAME_MAX_LENGTH - 1 ? n : NAME_MAX_LENGTH - 1] = 0;
	*p += n;
	return true;
}

bool expr_comma(struct assembler *a, const char **p)
{
	if (expr_char(p, ','))
		return true;
	asm_error(a, *p, "expected a comma%s", **p ? "" : " and more");
	return false;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* The character behind a backslash at p. */
static int escape(const char **p)
{
	char c = *(*p)++;
	int high, low;

	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '0':
		return 0;
	case 'x':
		high = hex_digit((*p)[0]);
		low = high < 0 ? -1 : hex_digit((*p)[1]);
		if (low < 0)
			return -1;
		*p += 2;
		return 16 * high + low;
	case '\\':
	case '"':
	case '\'':
		return c;
	default:
		(*p)--;
		return -1;
	}
}

int expr_string(struct assembler *a, const char **p, char *out, int size)
{
	int n = 0;

	if (!expr_char(p, '"')) {
		asm_error(a, *p, "expected a string in quotes");
		return -1;
	}
	while (**p && **p != '"') {
		int c = (unsigned char)*(*p)++;

		if (c == '\\')
			c = escape(p);
		if (c < 0) {
			asm_error(a, *p,
				  "unknown escape; use \\n \\t \\0 \\\\ "
				  "\\\" or \\x41");
			return -1;
		}
		if (n == size) {
			asm_error(a, *p, "string longer than %d bytes", size);
			return -1;
		}
		out[n++] = (char)c;
	}
	if (!expr_char(p, '"')) {
		asm_error(a, *p, "the string has no closing quote");
		return -1;
	}
	return n;
}

static struct value number(int64_t n)
{
	return (struct value){ .number = n, .known = true };
}

static struct value read_number(struct assembler *a, const char **p)
{
	const char *start = *p;
	uint64_t base = 10, n = 0;
	int digit;

	if ((*p)[0] == '0' && ((*p)[1] == 'x' || (*p)[1] == 'X')) {
		base = 16;
		*p += 2;
	}
	for (; (digit = hex_digit(**p)) >= 0 && (uint64_t)digit < base;
	     (*p)++) {
		if (n > (UINT64_MAX - (uint64_t)digit) / base) {
			asm_error(a, start, "number does not fit in 64 bits");
			return (struct value){ 0 };
		}
		n = base * n + (uint64_t)digit;
	}
	if (**p == 'K')
		n <<= 10;
	else if (**p == 'M')
		n <<= 20;
	else if (**p == 'G')
		n <<= 30;
	*p += **p == 'K' || **p == 'M' || **p == 'G';
	if (isalnum((unsigned char)**p) || **p == '_' ||
	    (base == 16 && *p == start + 2)) {
		asm_error(a, start, "malformed number");
		return (struct value){ 0 };
	}
	return number((int64_t)n);
}

static struct value read_symbol(struct assembler *a, const char **p)
{
	char name[NAME_MAX_LENGTH];
	const char *start;
	struct symbol *s;

	expr_blanks(p);
	start = *p;
	(void)expr_name(p, name);
	s = symbol_find(a, name);
	if (!s)
		symbol_suggest(a, name, start);
	else if (s->kind == SYMBOL_REGISTER)
		asm_error(a, start, "'%s' is a register, not a number", name);
	else if (!s->known)
		asm_error(a, start,
			  "the value of '%s' is not known here; "
			  "define it earlier",
			  name);
	else
		return number(s->value);
	return (struct value){ 0 };
}

static struct value read_character(struct assembler *a, const char **p)
{
	const char *start = (*p)++;
	int c = (unsigned char)**p;

	if (c)
		(*p)++;
	if (c == '\\')
		c = escape(p);
	if (c <= 0 || *(*p)++ != '\'') {
		asm_error(a, start, "malformed character");
		*p = start + strlen(start);
		return (struct value){ 0 };
	}
	return number(c);
}

/* Operators of two operands by how tightly they bind, loosest first. */
static const char *const binary[] = { "|", "^", "&", "<>", "+-", "*/%", NULL };

/* The operator of this level at p, 0 if there is none. */
static char take_operator(const char **p, const char *level)
{
	char c;

	expr_blanks(p);
	c = **p;
	if (!c || !strchr(level, c))
		return 0;
	if (c == '<' || c == '>') {
		if ((*p)[1] != c)
			return 0;
		(*p)++;
	}
	(*p)++;
	return c;
}

static int64_t apply(char op, uint64_t l, uint64_t r)
{
	switch (op) {
	case '|':
		return (int64_t)(l | r);
	case '^':
		return (int64_t)(l ^ r);
	case '&':
		return (int64_t)(l & r);
	case '<':
		return (int64_t)(l << (r & 63));
	case '>':
		return (int64_t)(l >> (r & 63));
	case '+':
		return (int64_t)(l + r);
	case '-':
		return (int64_t)(l - r);
	case '*':
		return (int64_t)(l * r);
	case '/':
		return (int64_t)(l / r);
	default:
		return (int64_t)(l % r);
	}
}

#define EXPR_DEPTH 32 /* of parentheses and signs */

static struct value read_level(struct assembler *a, const char **p,
			       unsigned level, unsigned depth);

static struct value read_sign(struct assembler *a, const char **p,
			      unsigned depth)
{
	char sign = *(*p)++;
	struct value v = read_level(a, p, 6, depth + 1);

	if (sign == '-')
		v.number = (int64_t)(0 - (uint64_t)v.number);
	else if (sign == '~')
		v.number = ~v.number;
	return v;
}

static struct value read_unary(struct assembler *a, const char **p,
			       unsigned depth)
{
	struct value v;

	expr_blanks(p);
	if (depth == EXPR_DEPTH) {
		asm_error(a, *p, "expression nests too deep");
		return (struct value){ 0 };
	}
	if (**p == '-' || **p == '~' || **p == '+')
		return read_sign(a, p, depth);
	if (isdigit((unsigned char)**p))
		return read_number(a, p);
	if (**p == '\'')
		return read_character(a, p);
	if (name_start(**p))
		return read_symbol(a, p);
	if (!expr_char(p, '(')) {
		asm_error(a, *p, "expected a number, a name or an expression");
		return (struct value){ 0 };
	}
	v = read_level(a, p, 0, depth + 1);
	if (!expr_char(p, ')')) {
		if (v.known) /* else the reason was told already */
			asm_error(a, *p, "expected ')'");
		v.known = false;
	}
	return v;
}

static struct value read_level(struct assembler *a, const char **p,
			       unsigned level, unsigned depth)
{
	struct value left, right;
	const char *at;
	char op;

	if (level == 6)
		return read_unary(a, p, depth);
	left = read_level(a, p, level + 1, depth);
	for (;;) {
		at = *p;
		op = take_operator(p, binary[level]);
		if (!op)
			return left;
		right = read_level(a, p, level + 1, depth);
		left.known = left.known && right.known;
		if (left.known && (op == '/' || op == '%') && !right.number) {
			asm_error(a, at, "division by zero");
			left.known = false;
		}
		if (left.known)
			left.number = apply(op, (uint64_t)left.number,
					    (uint64_t)right.number);
	}
}

struct value expr_read(struct assembler *a, const char **p)
{
	return read_level(a, p, 0, 0);
}
