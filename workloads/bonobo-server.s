; bonobo-server: bonobo-activation-server of GNOME 2.14.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 16
.equ DEF_MEMORY, 2M
.equ DEF_PERIOD, 300000000000
.equ DEF_TOUCHES, 10
.equ DEF_WRITTEN, 20
.equ DEF_CODE, 20
.equ USE_X, 0
.equ USE_GTK, 60
.equ USE_GNOME, 150
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
