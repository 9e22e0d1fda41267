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

summary
