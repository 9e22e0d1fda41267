#!/bin/sh
# The text report explains what it shows. Usage: NAME SOURCE BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# report STATUS ARG...: run quietly; the text in $dir/out
report() {
	wanted=$1
	shift
	"$program" run --quiet "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status = "$wanted" ]
	check $? "run $*: exit status $status instead of $wanted: $(
		cat "$dir/err")"
}
# prints PATTERN, omits PATTERN
prints() {
	grep -q -e "$1" "$dir/out"
	check $? "the report does not have '$1'"
}
omits() {
	! grep -q -e "$1" "$dir/out"
	check $? "the report has '$1': $(grep -m 1 -e "$1" "$dir/out")"
}

# a small machine that swaps; the script follows
cat >"$dir/head" <<'END'
name: small
machine:
  cpu: {clock: 100MHz}
  memory: 16M
  disks:
    file: {fixed: {requests: 1000, rate: 40M, size: 64M}}
    swap: {fixed: {requests: 1000, rate: 40M, size: 64M}}
swap: 32M
END
# scenario NAME: the head, and more from standard input
scenario() {
	cat "$dir/head" - >"$dir/$1.yaml"
}

# why nobody ever got the token, unless the machine was up for long
scenario token <<'END'
run: [{time: "hog -m 20M -n 2"}]
END
report 0 "$dir/token.yaml"
prints 'token .* asked, 0 granted'
prints 'asked [0-9]* times, always before 300 s of uptime'
report 0 "$dir/token.yaml" --set uptime_at_start=900s
omits 'before 300 s of uptime'
report 0 "$dir/token.yaml" --set uptime_at_start=298s
prints 'asked [0-9]* times before 300 s of uptime'
omits ' 0 granted'
report 0 "$dir/token.yaml" --set kernel.token.policy=priority-2006-09
omits 'before 300 s of uptime'

# what a program died of: the signal, where, and why
dies() { # NAME PATTERN, the program from standard input
	{
		printf '.include "sys.inc"\n.entry start\n.text\n'
		cat
	} >"$dir/$1.s"
	echo "run: [{time: $1.s, as: its-label}]" | scenario "$1"
	report 0 "$dir/$1.yaml"
	prints "^Command terminated by $2"
	prints "^  died      its-label: $1 ([0-9]*) at .* of $2"
	"$program" run --quiet --format json "$dir/$1.yaml" >"$dir/out"
	prints '"exit_reason": "at 0x'
	prints '"reason": "at 0x'
}
dies read 'signal 11 at 0x08048.*: reading 0x00000010, a bad address' <<'END'
start:	li r1, 0
	ld8 r2, [r1+16]
END
dies write 'signal 11 at 0x08048.*: writing 0x08048[0-9a-f]*, a bad' <<'END'
start:	li r1, start
	st8 r2, [r1+0]
END
dies jump 'signal 11 at 0x00001000: running code 0x00001000, a bad' <<'END'
start:	li r1, 0x1000
	jr r1
END
dies beyond 'signal 7 at .*: reading 0x.*, beyond the end of a file' <<'END'
start:	li r1, name
	sys SYS_OPEN
	mov r4, r0
	li r1, 0
	li r2, 64K
	li r3, 1
	li r5, 0
	sys SYS_MMAP
	ld8 r2, [r0+60K]
name:	.asciz "beyond"
END
dies divide 'signal 8 at 0x08048[0-9a-f]*: division by zero' <<'END'
start:	div r1, r2, 0
END
dies element 'signal 4 at .*: an element size that is no power of two' <<'END'
start:	li r1, 3
	sweep.r r1, r1, r1, r1
END
dies pages 'signal 4 at .*: a random range of no pages' <<'END'
start:	li r2, 0
	li r5, 1
	uniform.r r1, r2, r3, r4, r5
END
dies space 'signal 4 at .*: a range that ends beyond 4 GiB' <<'END'
start:	li r1, 0xfffff000
	li r2, 8K
	li r3, 1
	sweep.r r1, r2, r3, r3
END
dies code 'signal 4 at 0x.*: not an instruction' <<'END'
start:	li r1, other+1
	jr r1
other:	nop
END

# as long as can be said is for ever; less than nothing is an error
cat >"$dir/sleep.s" <<'END'
.include "sys.inc"
.entry start
.text
start:	li r1, 0-1
	sys SYS_SLEEP
	li r1, 0-1
	bne r0, r1, wrong
	li r1, 0x7fffffffffffffff
	sys SYS_SLEEP
wrong:	exit 1
END
scenario sleep <<'END'
run:
  - {time: sleep.s}
  - {time: sleep.s, as: killed}
  - {at: 20s, kill: killed}
  - {expect: "killed.exit_signal == 9"}
end: {at: 60s}
END
report 0 "$dir/sleep.yaml"
prints '^sleep ([0-9]*), from .* to 60.* s, still running at the end$'

# nobody's own doing
scenario killed <<'END'
run: [{time: "hog -m 1M -t 60s"}, {at: 2s, kill: hog}]
END
report 0 "$dir/killed.yaml"
prints '^Command terminated by signal 9$'
omits '^  died'

# figures of the disks that there are, and of no others
"$program" run --quiet --format json hello >"$dir/out"
[ "$(grep -c '"file": {' "$dir/out")" -ge 3 ]
check $? 'no figures of the file disk'
omits '"swap": {'

# labels tell two of the same program apart, in the killer's line too
scenario labels <<'END'
run:
  - {time: "hog -m 30M -n 2", as: one}
  - {at: 1s, time: "hog -m 30M -n 2", as: two}
END
report 0 "$dir/labels.yaml"
prints '^one ([0-9]*), from 0.* s to '
prints '^two ([0-9]*), from 1.* s to '
prints '^  killed    \(one\|two\): hog ('

# a kernel that stopped says so first
scenario panic <<'END'
init: init
kernel: {sysctl: {vm.min_free_kbytes: 1048576}}
run: [{time: hello}]
END
report 1 "$dir/panic.yaml"
prints '^PANIC: the emulated kernel stopped at .*: '
[ "$(grep -n '^PANIC' "$dir/out" | cut -d: -f1)" -lt 12 ]
check $? 'the panic does not stand at the head'

# the example of the man page is a lesson: two that overlap and thrash
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$top/docs/man/faultline-scenario.5" |
	grep -v '^\.' >"$dir/example.yaml"
ends() { # pages in, and the second when the last has ended
	prints 'swap  .* pages in'
	sed -n -e 's/^  swap  *\([0-9]*\) pages in.*/\1/p' \
		-e 's/^summary of \([0-9]*\).*/\1/p' "$dir/out" | sort -n
}
report 0 "$dir/example.yaml" --variant token
token=$(ends)
report 0 "$dir/example.yaml" --variant none
none=$(ends)
echo "$token $none" | tr '\n' ' ' |
	awk '{ exit !($1 < .9 * $3 && $2 > 10000 && $2 < $4) }'
check $? "the example shows nothing: $token with, $none without the token"

# files and swap on one disk, wherever each lies
for swap in '' ', size: 40M' ', at: 60M' ', at: 60M, size: 33M'; do
	for file in '' ', size: 50M' ', at: 1M' ', at: 1M, size: 40M'; do
		cat >"$dir/shared.yaml" <<END
name: shared
machine:
  cpu: {clock: 100MHz}
  memory: 16M
  disks:
    file: {fixed: {requests: 1000, rate: 40M, size: 100M}$file}
    swap: {disk: file$swap}
swap: 32M
run: [{time: "hog -m 20M -n 2"}, {expect: "pswpout >= 100"}]
END
		report 0 "$dir/shared.yaml" --check
		prints 'swap area 32 MiB on the file disk'
		prints ' 0 mismatches'
	done
done

# all of a fixed device's time is explained, to the ms
scenario rate <<'END'
run: [{time: "hog -m 20M -n 2"}]
END
report 0 "$dir/rate.yaml" --set machine.disks.swap.fixed.jitter=500us
grep -A 1 '^  swap disk' "$dir/out" | tail -1 | tr -d , |
	awk '{ d = $2 - $10 - $12 - $14
		exit !($10 > 0 && $14 > 0 && d < .002 && d > -.002) }'
check $? "the swap disk's time does not add up: $(
	grep -A 1 '^  swap disk' "$dir/out")"

summary
