/*
 * The instructions that synthetic programs are made of.
 *
 * Sixteen 64-bit registers; r15 is the stack pointer (grows down, eight-byte
 * slots). An instruction is 16 bytes, little-endian, aligned. Addresses are
 * 32 bits. Ordinary instructions cost one cycle unless said otherwise.
 *
 * Reference instructions stand for a stretch of a program's work: a run of
 * element accesses with CPU time between them. They have exactly the effect
 * of the loop of loads and stores they stand for, but touch a page once for
 * all consecutive elements in it. They can be interrupted and fault at any
 * element; progress is kept in cpu_regs.step and .left, so that the operand
 * registers do not change (except a generator state, where there is one).
 *
 * The unit is a visit: the elements in one page that follow each other. It
 * needs one translation for the right that its accesses need (read, write or
 * fetch; an element that is read and written counts as one write), adds one
 * store to the page's tag per element written, and then takes the elements'
 * cycles, during which events may come in. An element is one access at its
 * address: it does not reach into the next page, whatever its size. Cycles
 * of 0 count as 1. The bytes of the page do not change.
 *
 * Illegal, a trap: elements that are not read, written or fetched, or are
 * fetched and anything else; an element size that is no power of two; a
 * range that leaves the 32-bit space; 2^48 cycles and more per element; a
 * random range of no pages; a generator state of 0, or in a register that is
 * also another operand; registers beyond r15.
 */
#pragma once

#include "emu/types.h"

#define ISA_REGS      16
#define ISA_SP	      15
#define ISA_INSN_SIZE 16
#define ISA_MACHINE   0xfa17 /* e_machine of our ELF files: unassigned */

struct insn {
	uint8_t op;	       /* enum isa_op */
	uint8_t flags;	       /* ISA_ bits below */
	uint8_t a, b, c, d, e; /* register numbers */
	uint8_t k;	       /* mixed accesses: k/256 of them write */
	int64_t imm;
};

enum {
	ISA_IMM = 0x01,	  /* three-operand: imm stands for register c */
	ISA_READ = 0x02,  /* reference: elements are read */
	ISA_WRITE = 0x04, /* elements are written; with READ: read, written */
	ISA_EXEC = 0x08,  /* elements are fetched as instructions */
	ISA_DOWN = 0x10,  /* from the end of the range to its start */
	ISA_MIXED = 0x20, /* random kinds: write if low byte of draw < k */
};

/*
 * X(OP, "mnemonic", "operands"): the operand string tells assembler and
 * disassembler what follows: letters a..e are registers, i the immediate,
 * t a code address in imm (relative to the next instruction), m the memory
 * operand [b+i], n a phase name. "c" in a three-operand instruction may also
 * be an immediate (ISA_IMM).
 */
#define ISA_OPS(X)                                                           \
	X(NOP, "nop", "")                                                    \
	X(LI, "li", "a i") /* a = imm; imm may be an address */              \
	X(MOV, "mov", "a b")                                                 \
	X(ADD, "add", "a b c")                                               \
	X(SUB, "sub", "a b c")                                               \
	X(MUL, "mul", "a b c")                                               \
	X(DIV, "div", "a b c") /* unsigned; by 0 is a trap; 20 cycles */     \
	X(MOD, "mod", "a b c") /* unsigned; by 0 is a trap; 20 cycles */     \
	X(AND, "and", "a b c")                                               \
	X(OR, "or", "a b c")                                                 \
	X(XOR, "xor", "a b c")                                               \
	X(SHL, "shl", "a b c") /* count modulo 64 */                         \
	X(SHR, "shr", "a b c")                                               \
	X(SAR, "sar", "a b c")                                               \
	X(MSB, "msb", "a b") /* index of the highest set bit, -1 for 0 */    \
	X(LD1, "ld1", "a m") /* zero-extended */                             \
	X(LD4, "ld4", "a m") /* zero-extended */                             \
	X(LD8, "ld8", "a m")                                                 \
	X(ST1, "st1", "a m")                                                 \
	X(ST4, "st4", "a m")                                                 \
	X(ST8, "st8", "a m")                                                 \
	X(BEQ, "beq", "a b t")                                               \
	X(BNE, "bne", "a b t")                                               \
	X(BLT, "blt", "a b t") /* signed */                                  \
	X(BGE, "bge", "a b t") /* signed */                                  \
	X(BLTU, "bltu", "a b t")                                             \
	X(BGEU, "bgeu", "a b t")                                             \
	X(JMP, "jmp", "t")                                                   \
	X(JR, "jr", "a")                                                     \
	X(CALL, "call", "t") /* pushes the return address, 8 bytes */        \
	X(CALLR, "callr", "a")                                               \
	X(RET, "ret", "")                                                    \
	X(PUSH, "push", "a")                                                 \
	X(POP, "pop", "a")                                                   \
	X(SYSCALL, "syscall", "")  /* number r0, args r1..r5, result r0 */   \
	X(COMPUTE, "compute", "c") /* spend that many cycles */              \
	X(MARK, "mark", "n")   /* start a phase; no cost; name: see below */ \
	X(RAND, "rand", "a b") /* a = rng_step of the state in b */          \
	/*                                                                   \
	 * sweep.rwx[.down] base(a), bytes(b), element(c), cycles(d)         \
	 * Elements base, base+element, ... below base+bytes, each touched   \
	 * once, then cycles(d) spent. Elements that share a page go as      \
	 * one visit. An element of a page or more makes it a stride. The    \
	 * element size is a power of two; a range need not be aligned.      \
	 */                                                                  \
	X(SWEEP, "sweep", "a b c d")                                         \
	/*                                                                   \
	 * sweep2.rw lo(a), split(b), hi(c), element(d), cycles(e)           \
	 * Two pointers: one goes up over lo..split, one down from hi to     \
	 * split, each at the pace that makes both meet at the same time.    \
	 * Rising elements are lo, lo+element, ... below split: L of them;   \
	 * falling ones hi-element, hi-2*element, ... not below split: R.    \
	 * When i and j of them are done, the next is the rising one's       \
	 * if i * R <= j * L, the falling one's otherwise (or when the other \
	 * is through). A pointer's elements in a page go as one visit,      \
	 * when the first of them has its turn. L, R are below 2^32.         \
	 */                                                                  \
	X(SWEEP2, "sweep2", "a b c d e")                                     \
	/*                                                                   \
	 * uniform.rwm base(a), n(b), count(c), cycles(d), state(e)          \
	 * count times: draw from the generator in e, element = rng_scale    \
	 * of the draw below n, elements are one page apart. With m: write   \
	 * if the low byte of the draw is below k, else read. A draw whose   \
	 * access faults is made again from the same state. imm: unused.     \
	 */                                                                  \
	X(UNIFORM, "uniform", "a b c d e i")                                 \
	/* zipf: as uniform, rank by Zipf with theta = imm / 1024 */         \
	X(ZIPF, "zipf", "a b c d e i")                                       \
	/*                                                                   \
	 * wset: as uniform, inside a window of imm pages that moves on by   \
	 * one page after every imm accesses and wraps at n.                 \
	 */                                                                  \
	X(WSET, "wset", "a b c d e i")

enum isa_op {
#define X(OP, name, operands) ISA_##OP,
	ISA_OPS(X)
#undef X
		ISA_OP_COUNT
};

/*
 * MARK carries its name in the instruction: up to 14 bytes, NUL-padded, in
 * the bytes that follow op and flags.
 */
#define ISA_MARK_MAX 14

/*
 * The parameter block. At exec the kernel puts the values of the program's
 * declared parameters, 8 bytes each in order of declaration, on the stack
 * and its address in r1.
 */

/*
 * What an ELF image carries beside its segments: notes of this owner.
 * Little-endian, fixed size. A NUL-padded string may fill its field.
 */
#define ISA_NOTE_OWNER "Faultline"

enum isa_note {
	ISA_NOTE_PARAM = 1, /* one struct isa_note_param each */
	ISA_NOTE_NEEDS = 2, /* a file it opens when it runs: char name[32] */
};

enum isa_param_type {
	ISA_PARAM_NUMBER, /* -n 9000000 */
	ISA_PARAM_SWITCH, /* -v: no value; 1 when given */
	ISA_PARAM_SIZE,	  /* 50M: bytes */
	ISA_PARAM_TIME,	  /* 10s: nanoseconds; a bare number is seconds */
	ISA_PARAM_CHOICE, /* one letter, as its character code */
};

struct isa_note_param {
	int64_t def;
	int64_t min, max; /* inclusive */
	uint32_t type;	  /* enum isa_param_type */
	char flag[20];	  /* as given on the command line: "-n", "--vm" */
	char help[80];
};
