.endm
	nop

