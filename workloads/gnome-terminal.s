; gnome-terminal: gnome-terminal of GNOME 2.14 with libvte.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 90
.equ DEF_MEMORY, 5M
.equ DEF_PERIOD, 20000000000
.equ DEF_TOUCHES, 40
.equ DEF_WRITTEN, 40
.equ DEF_CODE, 50
.equ USE_X, 110
.equ USE_GTK, 650
.equ USE_GNOME, 200
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
