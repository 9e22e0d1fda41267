; gconfd: gconfd-2, the configuration server of GNOME 2.14.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 12
.equ DEF_MEMORY, 3M
.equ DEF_PERIOD, 60000000000
.equ DEF_TOUCHES, 20
.equ DEF_WRITTEN, 20
.equ DEF_CODE, 20
.equ USE_X, 0
.equ USE_GTK, 60
.equ USE_GNOME, 150
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
