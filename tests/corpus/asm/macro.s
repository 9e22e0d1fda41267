	.entry s
	.reg x, r6
	.macro m a, b, kind
	add \a, \a, \b
	sweep.\kind.down r1, r2, r3, x
	.endm
	.text
s:	m r1, 2, rw
	m r1
