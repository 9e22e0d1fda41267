; touch: page references of a chosen sort over one region.
;
; Models	textbook access patterns, for experiments of one's own:
;		sequential, uniform, Zipf (theta 1), working set (64 pages).
; Leaves out	start-up: it is static, so that every count is its region's.
.include "sys.inc"
.entry start

.param PATTERN, "-p", choice, 's', 'a', 'z', "sequential, uniform, zipf, working set [suzw]"
.param ACCESS, "-a", choice, 'w', 'a', 'z', "read, write, mixed (half of each) [rwm]"
.param SIZE, "-m", size, 16M, 4K, 1G, "memory"
.param COUNT, "-n", number, 1, 1, 1000000000, "passes (sequential) or touches (others)"
.param CYCLES, "-c", number, 20, 0, 1000000000, "cycles per touch"
.param SEED, "-s", number, 1, 1, 0x7fffffffffffffff, "seed"
.param INIT, "-i", switch, 0, 0, 1, "write the whole region before"

.reg pages, r6
.reg count, r7
.reg cycles, r8
.reg state, r9
.reg region, r10
.reg size, r11
.reg page, r12
.reg access, r13
.reg pattern, r14

; the three accesses of a random pattern; a label for each pair
.macro accesses name, rest
	li r0, 'r'
	beq access, r0, \name_r
	li r0, 'w'
	beq access, r0, \name_w
	\name.m128 region, pages, count, cycles, state, \rest
	exit 0
\name_r: \name.r region, pages, count, cycles, state, \rest
	exit 0
\name_w: \name.w region, pages, count, cycles, state, \rest
	exit 0
.endm

.text
start:
	ld8 size, [r1+SIZE]
	ld8 count, [r1+COUNT]
	ld8 cycles, [r1+CYCLES]
	ld8 state, [r1+SEED]
	ld8 access, [r1+ACCESS]
	ld8 pattern, [r1+PATTERN]
	ld8 r5, [r1+INIT]
	li page, PAGE
	div pages, size, PAGE
	mul size, pages, PAGE
	push r5
	mmap_anon size
	fail_to failed
	mov region, r0
	pop r5
	li r0, 0
	beq r5, r0, ready
	mark init
	sweep.w region, size, page, cycles
ready:	mark run
	li r0, 'u'
	beq pattern, r0, random
	li r0, 'z'
	beq pattern, r0, by_rank
	li r0, 'w'
	beq pattern, r0, window
	li r1, 0
	li r0, 'r'
	beq access, r0, read
write:	sweep.w region, size, page, cycles
	add r1, r1, 1
	bltu r1, count, write
	exit 0
read:	sweep.r region, size, page, cycles
	add r1, r1, 1
	bltu r1, count, read
	exit 0
random:	accesses uniform, 0
by_rank: accesses zipf, 1024
window:	accesses wset, 64
failed:	exit 1
