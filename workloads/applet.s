; applet: a panel applet of GNOME 2.14: clock, mixer, window list, notification area.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 25
.equ DEF_MEMORY, 2560K
.equ DEF_PERIOD, 60000000000
.equ DEF_TOUCHES, 30
.equ DEF_WRITTEN, 40
.equ DEF_CODE, 50
.equ USE_X, 100
.equ USE_GTK, 600
.equ USE_GNOME, 350
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
