.entry start
start:
	sweep r1, r2, r3, r4
	sweep.m64 r1, r2, r3, r4
	sweep.q r1, r2, r3, r4
	sweep.rw.down r1, r2, r3, r4
	sweep.r r1, r2, 4096, r4
	sweep2.x r1, r2, r3, r4, r5
	uniform.m300 r1, r2, r3, r4, r5
	uniform.rm64 r1, r2, r3, r4, r5
	uniform.r.m64 r1, r2, r3, r4, r5
	zipf.r r1, r2, r3, r4, r5
	zipf.r r1, r2, r3, r4, r5, 4096
	wset.w r1, r2, r3, r4, r5, 0
	add.r r1, r2, r3
