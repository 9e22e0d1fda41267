	.base 0x40000000
	.size TEXT, 1200000
	.text
f:	ret
