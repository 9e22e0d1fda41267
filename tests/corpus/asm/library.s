	.base 0x40000000
	.size .text, 12000
	.text
f:	ret
