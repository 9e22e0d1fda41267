; update-notifier: update-notifier of Ubuntu 6.06.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 15
.equ DEF_MEMORY, 4M
.equ DEF_PERIOD, 180000000000
.equ DEF_TOUCHES, 30
.equ DEF_WRITTEN, 30
.equ DEF_CODE, 40
.equ USE_X, 100
.equ USE_GTK, 500
.equ USE_GNOME, 300
.needs "libX.so"
.needs "libgtk.so"
.needs "libgnome.so"
.include "resident.inc"
