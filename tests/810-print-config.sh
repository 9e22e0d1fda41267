#!/bin/sh
# A printed configuration is a scenario that resolves to itself, and runs as
# the one it came from. Usage: NAME SOURCE BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
line() {
	tail -n 1 "$1"
}

# twice NAME OPTION...: print, print again, run both
twice() {
	"$program" run --print-config "$@" >"$dir/one.yaml"
	"$program" run --print-config "$dir/one.yaml" >"$dir/two.yaml"
	cmp "$dir/one.yaml" "$dir/two.yaml"
	check $? "$*: the printed configuration does not resolve to itself"
	"$program" run "$@" >"$dir/a"
	"$program" run "$dir/one.yaml" >"$dir/b"
	cmp "$dir/a" "$dir/b"
	check $? "$*: the printed configuration runs otherwise"
}
twice hello
twice oom
twice linux-2.6.18 --variant off --set params.pattern=z
twice linux-2.6.18 --set params.pattern=b --set kernel.token.policy=none

# what is only said about a scenario does not change its hash
"$program" run hello --set about=other --set name=other >"$dir/b"
"$program" run hello >"$dir/a"
[ "$(line "$dir/a")" = "$(line "$dir/b")" ]
check $? "name and about must not be part of the scenario's hash"
"$program" run hello --set memory=32M >"$dir/b"
[ "$(line "$dir/a")" != "$(line "$dir/b")" ]
check $? "the memory must be part of the scenario's hash"
summary
