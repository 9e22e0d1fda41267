; init: process 1 of an ordinary system.
;
; Models	sysvinit 2.86: 32 KB of text, about 40 private pages, looks at
;		its fifo every five seconds.
; Leaves out	starting the others: a scenario's background list does that.
.include "crt.inc"
.size .text, 8*PAGE

.bss
own:	.space 20*PAGE

.text
main:
	touch x, CRT_TEXT, 6*PAGE, PAGE
	touch w, own, 20*PAGE, PAGE
again:	li r1, 5000000000
	sys SYS_SLEEP
	touch x, CRT_TEXT, 2*PAGE, PAGE
	touch rw, own, 2*PAGE, PAGE
	jmp again
