.entry start
start:	nop
.space 64M
.base 0xbfff0000
.bss
.space 0x20000
