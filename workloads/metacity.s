; metacity: the window manager of GNOME 2.14.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 110
.equ DEF_MEMORY, 3M
.equ DEF_PERIOD, 20000000000
.equ DEF_TOUCHES, 40
.equ DEF_WRITTEN, 30
.equ DEF_CODE, 40
.equ USE_X, 120
.equ USE_GTK, 400
.equ USE_GNOME, 60
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
