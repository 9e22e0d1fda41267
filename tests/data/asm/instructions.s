.entry start
start:
	mvo r1, r2
	mov r1
	mov r1, 5
	add r1, r2, r3, r4
	add r1, r2, unknwon
	ld8 r1, r2
	ld8 r1, [r2+8
	ld8 r1, [8]
	jmp strat
	li r16, 1
	li r1, 0x10000000000000000
	li r1, 12abc
	li r1, 1/0
	li r1, (2+3
	li r1, 'ab'
	mark
	mark two words
	mark a-very-long-phase
	r1 = 2
