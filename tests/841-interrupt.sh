#!/bin/sh
# A signal ends a run soon, however much happens in a simulated second, with
# partial results and the status that tells which it was. Usage: NAME SOURCE
# BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
busy=$top/tests/data/scenarios/busy.yaml

# interrupt SIGNAL STATUS ARG...: run that, send the signal, look at the end.
interrupt() {
	signal=$1
	wanted=$2
	shift 2
	# whoever started us may have had hang-ups ignored
	env --default-signal=HUP "$program" run "$@" \
		--set end.at=86000s >"$dir/out" 2>"$dir/err" &
	pid=$!
	sleep 1
	start=$(date +%s)
	kill "-$signal" $pid
	wait $pid
	status=$?
	[ $status = "$wanted" ]
	check $? "$signal, $*: exit status $status instead of $wanted"
	# a second of our own, the rest for a loaded or slow host
	[ $(($(date +%s) - start)) -le 5 ]
	check $? "$signal, $*: it took more than five seconds"
	grep -q '^PARTIAL: interrupted at' "$dir/out"
	check $? "$signal, $*: no partial results: $(cat "$dir/err")"
}
interrupt INT 130 "$busy" --set machine.cpu.clock=100MHz
interrupt INT 130 "$busy" --set params.program=spin.s \
	--set machine.cpu.clock=10GHz --set machine.hz=50
interrupt TERM 143 "$busy" --set params.program=spin.s \
	--set machine.cpu.clock=1GHz --check
interrupt HUP 129 "$busy" --set machine.cpu.clock=100MHz \
	--set machine.hz=10000

# who said nohup means it
nohup "$program" run "$busy" --set machine.cpu.clock=100MHz \
	--set params.program=spin.s --set end.at=6s >"$dir/out" 2>"$dir/err" &
pid=$!
sleep 0.3
kill -HUP $pid
wait $pid
check $? "a hang-up ends a run under nohup"
summary
