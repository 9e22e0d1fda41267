; hog: writes memory, again and again; made to run machines out of it.
;
; Models	nothing in particular: one region, every page of it written in
;		order, -n times over (0: for ever).
; Leaves out	reading back.
.include "crt.inc"

.param SIZE, "-m", size, 16M, 4K, 1G, "memory to write"
.param ROUNDS, "-n", number, 1, 0, 1000000000, "times to write it all; 0: for ever"
.param CYCLES, "-c", number, 2000, 0, 1000000000, "cycles per page"
.param DELAY, "-d", time, 0, 0, 86400000000000, "sleep before beginning"
.param HOLD, "-t", time, 0, 0, 86400000000000, "sleep before ending"

.reg size, r6
.reg rounds, r7
.reg cycles, r8
.reg region, r9
.reg page, r10
.reg done, r11

.text
main:
	ld8 size, [r1+SIZE]
	ld8 rounds, [r1+ROUNDS]
	ld8 cycles, [r1+CYCLES]
	ld8 r12, [r1+HOLD]
	ld8 r1, [r1+DELAY]
	li r0, 0
	beq r1, r0, awake
	sys SYS_SLEEP
awake:	mmap_anon size
	fail_to failed
	mov region, r0
	li page, PAGE
	li done, 0
	mark write
again:	sweep.w region, size, page, cycles
	add done, done, 1
	bne done, rounds, again
	li r0, 0
	beq r12, r0, end
	mov r1, r12
	mark hold
	sys SYS_SLEEP
end:	li r0, 0
	ret
failed:	li r0, 1
	ret
