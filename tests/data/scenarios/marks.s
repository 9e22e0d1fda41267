; Marks a phase in each cycle, for ever.
.entry start
.text
start:	mark x
	jmp start
