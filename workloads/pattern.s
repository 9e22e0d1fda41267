; pattern: the page-reference strings that real kernels were measured on.
;
; Models	the test program of docs/fidelity.md's kernel comparison: one
;		process that touches pages in an order given by arithmetic.
; Sizes		R = 8192 pages (-r); a region is a private mapping of its own.
;		The program itself is static and small: a page of text, and
;		three anonymous ones, which it touches at the end of a phase,
;		as the measured program did to report (its machine had 38
;		anonymous pages beside the regions, 35 of them process 1's).
; Leaves out	what a touch computes: 20 cycles each.
;
; Generator: xorshift64*, one output per random reference, page = the high
; half of the output scaled to n; where kinds are drawn, the lowest byte of
; the same output below 128 means a write.
.include "sys.inc"

.param PATTERN, "-p", choice, 'a', 'a', 'z', "which string [abdgz]"
.param R, "-r", number, 8192, 16, 131072, "pages that it is made for"
.param CYCLES, "-c", number, 20, 0, 1000000, "cycles per touch"

.entry start
.equ SEED_B, 0x9E3779B97F4A7C15
.equ SEED_D, 0xA0761D6478BD642F

.bss
own:	.space 2*PAGE

.rodata
file:	.asciz "pattern-g"

.reg cycles, r6
.reg pages, r7		; R
.reg which, r8
.reg region, r9		; start of region 0
.reg bytes, r10		; its size
.reg page, r11		; PAGE

.macro sweep_all kind
	sweep.\kind region, bytes, page, cycles
.endm

; the end of a phase: the stack is the third page; uses r0 and r1
.macro report
	li r0, own
	li r1, 2*PAGE
	sweep.rw r0, r1, page, cycles
	push r0
	pop r0
.endm

.text
start:
	ld8 cycles, [r1+CYCLES]
	ld8 pages, [r1+R]
	ld8 which, [r1+PATTERN]
	li page, PAGE
	li r0, 'a'
	beq which, r0, pattern_a
	li r0, 'b'
	beq which, r0, pattern_b
	li r0, 'd'
	beq which, r0, pattern_d
	li r0, 'g'
	beq which, r0, pattern_g
	li r0, 'z'
	beq which, r0, pattern_z
bad:	exit 1

; 2R pages written three times over
pattern_a:
	mul bytes, pages, 2*PAGE
	mmap_anon bytes
	fail_to bad
	mov region, r0
	mark pass1
	sweep_all w
	report
	mark pass2
	sweep_all w
	report
	mark pass3
	sweep_all w
	report
	exit 0

; 1.5 R pages, 8000 touches at random places
pattern_b:
	mul bytes, pages, 3*PAGE/2
	mmap_anon bytes
	fail_to bad
	mov region, r0
	mark init
	sweep_all w
	report
	mark run
	div r1, bytes, PAGE
	li r2, 8000
	li r3, SEED_B
	uniform.m128 region, r1, r2, cycles, r3
	report
	exit 0

; R/2 hot pages in use while 2R other pages are written once
pattern_d:
	mul bytes, pages, PAGE/2
	mmap_anon bytes
	fail_to bad
	mov region, r0
	mul r12, pages, 2*PAGE
	mmap_anon r12
	fail_to bad
	mov r13, r0		; region 1, its end in r12
	add r12, r12, r13
	mark init
	sweep_all w
	report
	mark warm
	li r2, 0
	li r3, 5
warm:	sweep_all r
	add r2, r2, 1
	bltu r2, r3, warm
	report
	mark scan
	div r1, bytes, PAGE
	li r2, 1
	li r3, SEED_D
scan:	sweep.w r13, page, page, cycles
	uniform.r region, r1, r2, cycles, r3
	add r13, r13, PAGE
	bltu r13, r12, scan
	report
	mark after
	sweep_all r
	report
	exit 0

; 2R pages of a file, read twice
pattern_g:
	li r1, file
	sys SYS_OPEN
	fail_to bad
	mov r4, r0
	mul bytes, pages, 2*PAGE
	li r1, 0
	mov r2, bytes
	li r3, PROT_READ
	li r5, 0
	sys SYS_MMAP
	fail_to bad
	mov region, r0
	mark pass1
	sweep_all r
	report
	mark pass2
	sweep_all r
	report
	exit 0

; R/2 pages written twice: fits, nothing must happen
pattern_z:
	mul bytes, pages, PAGE/2
	mmap_anon bytes
	fail_to bad
	mov region, r0
	mark pass1
	sweep_all w
	report
	mark pass2
	sweep_all w
	report
	exit 0
