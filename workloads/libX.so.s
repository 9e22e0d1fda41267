; libX.so: the X client libraries (Xlib, Xext, Xt, Xrender, SM, ICE, ...).
;
; Models	their size only: programs map it, run through its pages and
;		write its data, as relocation does.
; Leaves out	code.
.include "libs.inc"

library X_BASE, X_TEXT, X_DATA, X_BSS
