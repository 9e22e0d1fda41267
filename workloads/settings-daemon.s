; settings-daemon: gnome-settings-daemon of GNOME 2.14.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 40
.equ DEF_MEMORY, 3M
.equ DEF_PERIOD, 60000000000
.equ DEF_TOUCHES, 20
.equ DEF_WRITTEN, 30
.equ DEF_CODE, 40
.equ USE_X, 100
.equ USE_GTK, 450
.equ USE_GNOME, 300
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
