; qsbench: parallel quicksort of integers, each process its own array.
;
; Models	the benchmark of that name: the parent forks -p children and
;		waits for them; a child fills an array of -n four-byte numbers,
;		sorts it by quicksort with a median-of-three pivot, no cut-off
;		for small ranges, left part first, and checks it. All children
;		start from the same seed, so they do the same.
; Sizes		9 million elements are 36,000,000 bytes = 8,790 pages.
; Costs		cycles at the published user time (12.06 s for three children
;		at 1.69 GHz): 60 an element to fill, 1.2528 n log2 n
;		comparisons of 23.9 to sort, 4 an element to check.
; Leaves out	the numbers: the place where a partition splits is the median
;		of three draws (Beta(2,2) for a range in random order), and a
;		range that lies in one page is sorted by one visit that takes
;		as long as its comparisons would. Partitioning moves a pivot
;		from one end of the range to the other, where it is the least
;		or greatest of its part and spoils the next median; sort keeps
;		account of that, as it costs 5 % more sweeps.
.include "crt.inc"
.size .text, 2*PAGE

.param N, "-n", number, 9000000, 1, 250000000, "elements per process"
.param PROCESSES, "-p", number, 3, 1, 1000, "processes"
.param SEED, "-s", number, 1420300, 1, 0x7fffffff, "seed of the numbers"

.equ FILL_CYCLES, 60
.equ VERIFY_CYCLES, 4
; A comparison takes 23.9; a sweep makes one per element. With 31 in the page,
; where 1.25 k log2 k comparisons are made, the measured total comes out.
.equ SWEEP_CYCLES, 24
.equ PAGE_CYCLES, 31

; What stands at an end of a range, compared with draws of 32 bits.
.equ ANY, -2
.equ LEAST, -1
.equ GREATEST, 1<<32

.text
.reg array, r6
.reg bytes, r7
.reg element, r8		; 4
.reg state, r9			; of the generator that draws splits
.reg cycles, r10
.reg children, r11

main:
	ld8 bytes, [r1+N]
	shl bytes, bytes, 2
	ld8 state, [r1+SEED]
	ld8 children, [r1+PROCESSES]
	li r12, 0
fork:	sys SYS_FORK
	fail_to failed
	li r1, 0
	beq r0, r1, child
	add r12, r12, 1
	bltu r12, children, fork
	li r13, 0			; not 0 if a child came to a bad end
	sub sp, sp, 8
wait:	mov r1, sp
	sys SYS_WAIT
	fail_to failed
	ld8 r1, [sp]
	or r13, r13, r1
	sub r12, r12, 1
	li r1, 0
	bne r12, r1, wait
	add sp, sp, 8
	li r0, 0
	beq r13, r0, good
	li r0, 1
good:	ret

failed:	exit 1

child:
	mmap_anon bytes
	fail_to failed
	mov array, r0
	li element, 4
	mark fill
	li cycles, FILL_CYCLES
	sweep.w array, bytes, element, cycles
	mark sort
	li cycles, SWEEP_CYCLES
	push array
	push bytes
	mov r11, array			; children is not needed any more
	add r12, array, bytes
	li r6, ANY
	li r7, ANY
	call sort
	pop bytes
	pop array
	mark verify
	li cycles, VERIFY_CYCLES
	sweep.r array, bytes, element, cycles
	exit 0

; Sort the elements from low to high (exclusive); first and last say what
; stands there. Spoils all four.
.reg first, r6
.reg last, r7
.reg low, r11
.reg high, r12
.reg split, r13
.reg count, r14
.reg left_first, r4
.reg right_last, r5
sort:
	sub count, high, low
	shr count, count, 2
	li r0, 2
	bltu count, r0, sorted
	shr r0, low, 12
	sub r1, high, 4
	shr r1, r1, 12
	beq r0, r1, in_page
	rand r0, state			; the first element, the middle, the last
	rand r1, state
	rand r2, state
	shr r0, r0, 32
	shr r1, r1, 32
	shr r2, r2, 32
	li r3, ANY
	beq first, r3, any_first
	mov r0, first
any_first:
	beq last, r3, any_last
	mov r2, last
any_last:
	blt r0, r2, rising

	; the last is not above the first: they change places
	mov left_first, last
	mov right_last, first
	blt r1, r0, not_highest
	mov split, r0			; the first is the pivot and goes last
	li right_last, LEAST
	jmp divide
not_highest:
	mov split, r1			; the middle
	bge r1, r2, divide
	mov split, r2			; the last is the pivot and goes first
	li left_first, GREATEST
	jmp divide

	; the ends stay, but a pivot among them goes somewhere inside
rising:
	mov left_first, first
	mov right_last, last
	bge r1, r0, not_lowest
	mov split, r0
	li left_first, ANY
	jmp divide
not_lowest:
	mov split, r1
	blt r1, r2, divide
	mov split, r2
	li right_last, ANY

divide:
	and split, split, 0xffffffff
	mul split, split, count
	shr split, split, 32
	li r0, 0
	bne split, r0, not_empty	; at least one element to the left
	li split, 1
not_empty:
	shl split, split, 2
	add split, split, low
	sweep2.rw low, split, high, element, cycles
	push high
	push split
	push right_last
	mov high, split
	mov first, left_first
	li last, ANY
	call sort
	pop last
	pop low
	pop high
	li first, ANY
	call sort
sorted:	ret

; log2 in 1/256ths, by a straight line between powers of two
in_page:
	msb r0, count
	shl r1, count, 8
	shr r1, r1, r0
	sub r1, r1, 256
	shl r0, r0, 8
	add r0, r0, r1
	mul r0, r0, PAGE_CYCLES
	shr r0, r0, 8
	sub r1, high, low
	sweep.rw low, r1, element, r0
	ret
