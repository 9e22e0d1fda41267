; daemon: a system daemon: syslogd, klogd, cron, atd, sshd, cups, hald, dbus, udevd.
;
; Models	a resident process (resident.inc) of these sizes.
; Leaves out	its work.
.equ OWN_TEXT, 40
.equ DEF_MEMORY, 400K
.equ DEF_PERIOD, 30000000000
.equ DEF_TOUCHES, 12
.equ DEF_WRITTEN, 40
.equ DEF_CODE, 12
.equ USE_X, 0
.equ USE_GTK, 0
.equ USE_GNOME, 0
.include "resident.inc"
