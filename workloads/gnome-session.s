; gnome-session: the session manager of GNOME 2.14.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 30
.equ DEF_MEMORY, 2M
.equ DEF_PERIOD, 120000000000
.equ DEF_TOUCHES, 20
.equ DEF_WRITTEN, 30
.equ DEF_CODE, 40
.equ USE_X, 80
.equ USE_GTK, 300
.equ USE_GNOME, 250
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
