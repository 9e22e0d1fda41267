/*
 * Logarithm and power of two in fixed point.
 *
 * Models      nothing. Used when tables of chance are set up.
 * Leaves out  speed: one bit of the result per multiplication.
 */
#include "emu/fixed.h"

#include "emu/bug.h"

__extension__ typedef unsigned __int128 wide;

#define FRACTION_BITS 32

/* The product of two fractions in units of 2^-64, rounded down. */
static inline uint64_t multiply_high(uint64_t a, uint64_t b)
{
	return (uint64_t)(((wide)a * b) >> 64);
}

/*
 * With x = m * 2^k and m in [1, 2), squaring m doubles its logarithm: when
 * the square reaches 2, the next bit of the fraction is set.
 */
uint64_t fixed_log2(uint64_t x)
{
	unsigned shift;
	uint64_t log;
	uint64_t m; /* in units of 2^-63 */

	BUG_ON(!x);
	shift = (unsigned)__builtin_clzll(x);
	log = 63 - shift;
	m = x << shift;
	for (unsigned i = 0; i < FRACTION_BITS; i++) {
		uint64_t half_square = multiply_high(m, m); /* 2^-62 */
		unsigned bit = (unsigned)(half_square >> 63);

		log = log << 1 | bit;
		m = bit ? half_square : half_square << 1;
	}
	return log;
}

/* 2^-(2^-k) for k from 1, in units of 2^-64, rounded to nearest. */
static const uint64_t root[FRACTION_BITS] = {
	0xB504F333F9DE6484ULL, 0xD744FCCAD69D6AF4ULL, 0xEAC0C6E7DD24392FULL,
	0xF5257D152486CC2CULL, 0xFA83B2DB722A033AULL, 0xFD3E0C0CF486C175ULL,
	0xFE9E115C7B8F884CULL, 0xFF4ECB59511EC8A5ULL, 0xFFA756521C8DAED2ULL,
	0xFFD3A751C0F7E10CULL, 0xFFE9D2B2F7DB2756ULL, 0xFFF4E91BFF1B8C3EULL,
	0xFFFA747EA0040664ULL, 0xFFFD3A3B7814EB54ULL, 0xFFFE9D1CC60DDAB1ULL,
	0xFFFF4E8E25879BFAULL, 0xFFFFA7470363F451ULL, 0xFFFFD3A37DDA0313ULL,
	0xFFFFE9D1BDF703AFULL, 0xFFFFF4E8DEBE025EULL, 0xFFFFFA746F4FA150ULL,
	0xFFFFFD3A37A3F8B0ULL, 0xFFFFFE9D1BD1065AULL, 0xFFFFFF4E8DE845AEULL,
	0xFFFFFFA746F41377ULL, 0xFFFFFFD3A37A05E4ULL, 0xFFFFFFE9D1BD01FCULL,
	0xFFFFFFF4E8DE80C0ULL, 0xFFFFFFFA746F4051ULL, 0xFFFFFFFD3A37A025ULL,
	0xFFFFFFFE9D1BD011ULL, 0xFFFFFFFF4E8DE808ULL,
};

uint64_t fixed_exp2_neg(uint64_t y)
{
	uint64_t whole = y >> FRACTION_BITS;
	uint64_t power = (uint64_t)1 << 63; /* 1, in units of 2^-63 */

	if (whole > 62)
		return 0;
	for (unsigned i = 0; i < FRACTION_BITS; i++) {
		if (y >> (FRACTION_BITS - 1 - i) & 1)
			power = multiply_high(power, root[i]);
	}
	return power >> 1 >> whole;
}
