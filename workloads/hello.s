; hello: the smallest program; counts to a thousand and ends.
;
; Models	a static program of one page of text.
; Leaves out	output: nobody reads it.
.include "sys.inc"
.entry start

.text
start:	li r2, 0
	li r3, 1000
	mark count
again:	add r2, r2, 1
	bltu r2, r3, again
	exit 0
