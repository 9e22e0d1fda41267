; shell: an interactive shell (bash 3.1), 600 KB of text.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 90
.equ DEF_MEMORY, 1200K
.equ DEF_PERIOD, 600000000000
.equ DEF_TOUCHES, 20
.equ DEF_WRITTEN, 30
.equ DEF_CODE, 20
.equ USE_X, 0
.equ USE_GTK, 0
.equ USE_GNOME, 0
.include "resident.inc"
