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
twice linux-2.6.18 --set params.pattern=g --set kernel.elevator.swap=noop \
	--set 'kernel.elevator.file={policy: anticipatory, antic_expire: 0}'

# another policy comes without the options of the one before
"$program" run hello --set 'kernel.elevator={policy: cfq, quantum: 8}' \
	--set kernel.elevator.policy=deadline >"$dir/a" &&
	"$program" run hello --set kernel.elevator.policy=deadline >"$dir/b" &&
	cmp "$dir/a" "$dir/b"
check $? "a policy that was replaced must take its options with it"
disks='{file: {policy: cfq, quantum: 8}, swap: noop}'
"$program" run linux-2.6.18 --set run.0.time=hello --set published={} \
	--set "kernel.elevator=$disks" \
	--set kernel.elevator.file.policy=anticipatory |
	grep -q 'elevator anticipatory (file), noop (swap)$'
check $? "an elevator for each disk, the first of them replaced"
"$program" run linux-2.6.18 --set run.0.time=hello --set published={} \
	--set 'kernel.elevator.swap=noop' |
	grep -q 'elevator cfq (file), noop (swap)$'
check $? "a disk that is not named has the elevator of the profile"

# what is only said about a scenario does not change its hash
"$program" run hello --set about=other --set name=other >"$dir/b"
"$program" run hello >"$dir/a"
[ "$(line "$dir/a")" = "$(line "$dir/b")" ]
check $? "name and about must not be part of the scenario's hash"
"$program" run hello --set memory=32M >"$dir/b"
[ "$(line "$dir/a")" != "$(line "$dir/b")" ]
check $? "the memory must be part of the scenario's hash"
summary
