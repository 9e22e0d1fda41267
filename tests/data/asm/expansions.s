.include "broken.inc"
.macro wrong reg
	li \reg, nothing
	mvo \reg
.endm
.entry start
start:	wrong r7
	nop
	wrong r88
