; libgnome.so: the GNOME 2.14 libraries (Bonobo, ORBit, GConf, VFS, UI, XML, ...).
;
; Models	their size only: programs map it, run through its pages and
;		write its data, as relocation does.
; Leaves out	code.
.include "libs.inc"

library GNOME_BASE, GNOME_TEXT, GNOME_DATA, GNOME_BSS
