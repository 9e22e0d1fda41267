.entyr start
.entry start
.equ A, 1
.equ A, 2
.equ r3, 2
.equ B
.reg x, 5
.reg y, r5
start:	li r1, y
start:	nop
.align 3
.align 64
.size .txt, 5
.size .text, -1
.space later
.equ later, 16
.byte 1
	nop
.data
	nop
.ascii "open
.ascii "bad \q"
.bss
	.byte 1
	.space 16
.base 4097
.needs "a/b"
.param N, "n", number, 1, 1, 1, "help"
.param M, "-m", nmber, 1, 1, 1, "help"
.param K, "-k", number, 5, 1, 4, "help"
.param L, "-l", number, 1, 2, 1, "help"
.param O, "-o", number, 1, 1, 1, "one"
.param P, "-o", number, 1, 1, 1, "two"
