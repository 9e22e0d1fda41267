; xserver: the X server (X.Org 6.9), 1.9 MB of text of which 400 pages in use.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 400
.equ DEF_MEMORY, 9M
.equ DEF_PERIOD, 1000000000
.equ DEF_TOUCHES, 40
.equ DEF_WRITTEN, 40
.equ DEF_CODE, 40
.equ USE_X, 0
.equ USE_GTK, 0
.equ USE_GNOME, 0
.include "resident.inc"
