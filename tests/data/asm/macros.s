.include "missing.inc"
.include missing
.macro twice a
	nop
.endm
.macro twice a
.endm
.macro self
	self
.endm
.entry start
start:	twice
	twice r1, r2
	self
.macro unfinished
	nop
