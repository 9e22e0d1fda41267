; Does nothing, for ever.
.entry start
.text
start:	jmp start
