; ld.so: the run-time linker of glibc 2.3, ld-linux.so.2.
;
; Models	their size only: programs map it, run through its pages and
;		write its data, as relocation does.
; Leaves out	code.
.include "libs.inc"

library LD_BASE, LD_TEXT, LD_DATA, LD_BSS
