; init-locked: process 1 of the machine that real kernels were measured on.
;
; Models	a static init that locks itself and sleeps: 35 anonymous pages
;		(34 here, and the stack's first) and 5 file pages in memory.
; Leaves out	everything else; it never wakes.
.include "sys.inc"

.param PAGES, "-a", number, 34, 0, 100000, "anonymous pages beside the stack"

.entry start
.size .text, 5*PAGE

.text
start:
	ld8 r6, [r1+PAGES]
	mul r6, r6, PAGE
	push r1			; the stack's first page is one of the 35
	mmap_anon r6
	mov r7, r0
	li r8, PAGE
	li r9, 100
	sweep.w r7, r6, r8, r9
	sys SYS_MLOCKALL
again:	li r1, 3600000000000
	sys SYS_SLEEP
	jmp again
