.text
	nop
	foo r1
	li r99, 1
	add r1, r2
