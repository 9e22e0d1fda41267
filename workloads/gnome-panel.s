; gnome-panel: the panel of GNOME 2.14.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 130
.equ DEF_MEMORY, 5M
.equ DEF_PERIOD, 30000000000
.equ DEF_TOUCHES, 40
.equ DEF_WRITTEN, 30
.equ DEF_CODE, 60
.equ USE_X, 110
.equ USE_GTK, 700
.equ USE_GNOME, 450
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
