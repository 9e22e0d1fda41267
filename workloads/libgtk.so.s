; libgtk.so: GTK+ 2.8 with GDK, Pango, Cairo, ATK, GLib and the font libraries.
;
; Models	their size only: programs map it, run through its pages and
;		write its data, as relocation does.
; Leaves out	code.
.include "libs.inc"

library GTK_BASE, GTK_TEXT, GTK_DATA, GTK_BSS
