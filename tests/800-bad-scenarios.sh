#!/bin/sh
# Every scenario in tests/data/bad is refused with exactly the messages of the
# .expect file beside it, and exit status 2. Usage: NAME SOURCE BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"
cd "$top" || exit 1

out=$(mktemp)
trap 'rm -f "$out"' EXIT
for scenario in tests/data/bad/*.yaml; do
	"$program" validate "$scenario" >"$out" 2>&1
	status=$?
	[ $status = 2 ]
	check $? "$scenario: exit status $status instead of 2"
	diff -u "${scenario%.yaml}.expect" "$out"
	check $? "$scenario: other messages than expected (above)"
	# what cannot be validated cannot be run either, and nothing comes out
	[ -z "$("$program" run "$scenario" 2>/dev/null)" ]
	check $? "$scenario: run prints results"
done

# our own are all sound
for name in $("$program" list scenarios | cut -d' ' -f1); do
	"$program" validate "$name"
	check $? "$name is not a sound scenario"
done
summary
