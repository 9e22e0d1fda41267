	.macro m a, b
	add a, a, b
	.endm
	.text
	m r1, r2
	m r1
