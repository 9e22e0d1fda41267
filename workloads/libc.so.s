; libc.so: the C library of glibc 2.3, libc.so.6.
;
; Models	their size only: programs map it, run through its pages and
;		write its data, as relocation does.
; Leaves out	code.
.include "libs.inc"

library LIBC_BASE, LIBC_TEXT, LIBC_DATA, LIBC_BSS
