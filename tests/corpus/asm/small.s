; a program with a little of everything
	.equ PAGE, 4096
	.param SIZE, "-n", number, 4, 1, 1000, "how many"
	.entry start
	.text
start:	ld8 r2, [r1+SIZE]
	li r3, buffer
	shl r2, r2, 12
	li r4, PAGE*2/2
	mark fill
	sweep.w r3, r2, r4, r0
	call work
	li r0, 1
	li r1, 0
	syscall
work:	add r5, r5, 1
	bltu r5, r2, work
	ret
	.data
	.word 1, 2
	.quad start
	.asciz "text\n"
	.bss
	.align 4096
buffer:	.space 16384
