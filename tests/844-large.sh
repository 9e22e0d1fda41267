#!/bin/sh
# Large scenarios: as fast as their size lets expect, and with limits that are
# told. Usage: NAME SOURCE BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# lines N FORMAT: that many lines of a run; & in it is their number
lines() {
	cat <<'END'
name: large
machine:
  cpu: {clock: 100MHz}
  memory: 16M
  disks:
    file: {fixed: {requests: 100, rate: 40M, size: 64M}}
end: {at: 200s}
END
	[ "$1" = 0 ] || echo 'run:'
	seq "$1" | sed "s/.*/$2/"
}
# Ten times what it takes on a slow host, a hundredth of what squares take.
quickly() {
	wanted=$1
	shift
	start=$(date +%s)
	timeout 60 "$program" "$@" >out 2>err
	status=$?
	[ $status = "$wanted" ]
	check $? "$*: exit status $status instead of $wanted: $(tail -n 1 err)"
	[ $(($(date +%s) - start)) -le 15 ]
	check $? "$* took more than fifteen seconds"
}
says() {
	grep -q "$1" err
	check $? "no '$1': $(tail -n 1 err)"
}

# all labels free, all taken, all different, and all of them killed
lines 9999 '  - {at: &ms, start: hello}' >start.yaml
quickly 0 validate start.yaml
lines 9998 '  - {at: 199s, time: hello}' >time.yaml
echo '  - expect: "hello#9998.exit_status == 0"' >>time.yaml
quickly 0 validate time.yaml
timed='  - {at: 199s, time: hello, as: n&}'
lines 4999 "$timed\\n  - {at: 199s, kill: n&}" >kill.yaml
quickly 0 validate kill.yaml
lines 4999 "$timed\\n  - {at: 1s, after: n&, kill: n&}" >after.yaml
quickly 0 run after.yaml

lines 100000 '  - {at: &us, time: hello}' >many.yaml
quickly 2 validate many.yaml
says '^many.yaml:10009:5: error: run: more than 10000 lines$'
[ "$(wc -l <err)" = 1 ]
check $? 'too many lines are told more than once'
lines 11 '  - {start: hello, count: 1000}' >count.yaml
quickly 2 validate count.yaml
says '^count.yaml:19:5: error: run: more than 10000 lines$'
lines 10 '  - {start: hello, count: 1000}' >count.yaml
quickly 0 validate count.yaml

{
	lines 0
	echo 'params:'
	seq 100000 | sed 's/.*/  p&: 1/'
} >keys.yaml
quickly 2 validate keys.yaml
says 'keys.yaml:1009:3: error: more than 1000 keys in one mapping$'
{
	lines 0
	echo 'files:'
	seq 100000 | sed 's/.*/  - {name: f&, size: 4K}/'
} >files.yaml
quickly 2 validate files.yaml
says 'files: more than 10000$'
{
	lines 0
	echo 'programs:'
	seq 100000 | sed 's/.*/  - .\/p&.s/'
} >programs.yaml
quickly 2 validate programs.yaml
says 'programs: more than 1000$'
summary
