; nautilus: the file manager and desktop of GNOME 2.14.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 260
.equ DEF_MEMORY, 8M
.equ DEF_PERIOD, 60000000000
.equ DEF_TOUCHES, 50
.equ DEF_WRITTEN, 30
.equ DEF_CODE, 60
.equ USE_X, 110
.equ USE_GTK, 900
.equ USE_GNOME, 700
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
