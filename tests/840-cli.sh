#!/bin/sh
# The command line: exit statuses, streams, suggestions. Usage: NAME SOURCE
# BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# run_it STATUS ARG...: output in $dir/out and $dir/err
run_it() {
	wanted=$1
	shift
	"$program" "$@" >"$dir/out" 2>"$dir/err"
	status=$?
	[ $status = "$wanted" ]
	check $? "faultline $*: exit status $status instead of $wanted"
}
# says PATTERN: on standard error; prints PATTERN: on standard output
says() {
	grep -q -e "$1" "$dir/err"
	check $? "standard error does not say '$1': $(cat "$dir/err")"
}
prints() {
	grep -q -e "$1" "$dir/out"
	check $? "standard output does not have '$1'"
}
silent() {
	[ ! -s "$dir/err" ]
	check $? "standard error is not empty: $(cat "$dir/err")"
}

for sub in run list validate image help version; do
	run_it 0 "$sub" --help
	prints usage:
	silent
done
for sub in run list validate image 'image build' 'image dump' 'image list'; do
	# shellcheck disable=SC2086 # one or two words
	run_it 0 $sub --version
	prints '^faultline [0-9.]*$'
	# shellcheck disable=SC2086
	run_it 0 $sub --help
	prints "^usage: faultline $sub"
done
[ "$("$program" image build --help)" != "$("$program" image dump --help)" ]
check $? "image build and image dump print the same help"
run_it 0 --help
run_it 0 --version
prints '^faultline [0-9.]*$'
run_it 2
says usage:
run_it 2 runn
says "did you mean 'run'"
run_it 2 run
run_it 2 run helo
says "did you mean 'hello'"
run_it 2 run hello --sed 3
says "did you mean '--seed'"
run_it 2 run hello --seed
says 'a value is missing'
run_it 2 run hello --variant x
# numbers: in range and nothing else, never cut off silently
for seed in 18446744073709551616 ' 1' +1 -1 1x '' 0x10; do
	run_it 2 run hello --seed "$seed"
	says "'$seed'"
done
run_it 0 run hello --seed 18446744073709551615 --format json
prints '"seed": 18446744073709551615,'
run_it 2 run hello --timeline-limit 0
says '^--timeline-limit: error: 1 to'
run_it 2 run hello --timeline -
says '^--timeline: error: a file is needed'
run_it 2 run hello --vmstat 1ns
says 'at least 1ms'
run_it 2 run hello --vmstat 0.0001
says 'at least 1ms'
run_it 0 run --vmstat 0.5 --set run.0.at=2s hello
prints '^ r  b   swpd'
run_it 2 run hello --set kernel.token.policy=timout
says "^--set kernel.token.policy=timout: error: .*did you mean 'timeout'"
# a slip is told once, where it was made
run_it 2 run linux-2.6.18 --set 'params={pattrn: a}'
says "unknown parameter 'pattrn' (pattern); did you mean 'pattern'"
[ "$(wc -l <"$dir/err")" = 1 ]
check $? "a parameter's name, one message"
run_it 2 run hello --set 'variants={b: {bogus: 1}}'
says 'the variant is chosen before settings'
run_it 2 run "$top/tests/data/bad/other-variant.yaml" --variant good
says "12:11: error: .*unknown key 'bogus'"
run_it 2 run hello --format xml
run_it 2 run /nowhere/at/all.yaml
says 'No such file'

run_it 0 run hello
silent
prints '^	Exit status: 0$'
prints '^faultline .* variant default seed 1 digest [0-9a-f]*$'
# the 23 labels of time -v
[ "$(grep -c '^	' "$dir/out")" = 23 ]
check $? "time -v has 23 lines"
run_it 0 run hello --format=json --seed 7 -q
prints '"seed": 7'
run_it 0 run --vmstat 1 --set run.0.at=3s -- hello
prints '^ r  b   swpd'
[ "$(grep -c '^ *[0-9]* *[0-9]* *[0-9]* *[0-9]* *0 ' "$dir/out")" = 3 ]
check $? "a vmstat line each second"

# an expectation that does not hold is a failure
run_it 1 run hello --set run.1.expect='hello.exit_status == 3'
prints 'DID NOT HOLD'

for kind in profiles policies machines drives scenarios backgrounds counters \
	sysctls programs; do
	run_it 0 list $kind
	[ -s "$dir/out" ]
	check $? "list $kind is empty"
done
# each name with a line about it
run_it 0 list programs
! grep -vq '^[^ ]*  *[^ ]' "$dir/out"
check $? "list programs: a bare name: $(grep -v '^[^ ]*  *[^ ]' "$dir/out")"
run_it 0 list policies
[ "$(sed -n '/^elevator/,$s/^  [a-z]/&/p' "$dir/out" | cut -c 30- |
	sort | uniq -d | wc -l)" = 0 ]
check $? "list policies: two elevators are told apart by nothing"
run_it 2 list policy
says 'policies'
run_it 2 validate
run_it 0 validate hello oom

# a program of one's own: assembled on the way, or beforehand
cat >"$dir/own.s" <<'END'
.include "sys.inc"
.entry start
.text
start:	exit 7
END
sed -e 's,time: hello,time: own.s,' \
	-e 's,hello.exit_status == 0,own.exit_status == 7,' \
	"$top/scenarios/demos/hello.yaml" >"$dir/own.yaml"
run_it 0 run "$dir/own.yaml"
run_it 0 image build "$dir/own.s"
run_it 0 image dump "$dir/own.elf"
run_it 0 image list
prints '^hello  *the smallest program'
prints '^hog  *writes memory'
prints '^    -m  *memory to write (16M; 4K to 1G)$'
prints '^    -t  *sleep before ending (0; 0 to 24h)$'
prints '^    -p  *.*\[.*\] (.)$'
prints ' (a switch)$'
sed -i 's,time: own.s,time: ./own.elf,' "$dir/own.yaml"
run_it 0 run "$dir/own.yaml"

# a place for what only shows when files are laid out
cat >"$dir/room.yaml" <<'END'
name: room
machine:
  disks:
    file: {fixed: {requests: 1000, rate: 40M, size: 15M}}
run:
  - {time: hello}
END
run_it 2 run "$dir/room.yaml"
says "room.yaml:4:5: error: files: no room in one piece for 'lib"

# the comparison with the real kernel: of no program there is none
"$top/bench/real-kernels.sh" /nonexistent >"$dir/out" 2>"$dir/err"
[ $? = 2 ]
check $? "real-kernels.sh of no program"
says '/nonexistent: not found'
"$top/bench/real-kernels.sh" --help >"$dir/out" 2>"$dir/err"
[ $? = 0 ]
check $? "real-kernels.sh --help"
prints 'real-kernels.sh \[-a\] \[PROGRAM\]$'
"$top/bench/real-kernels.sh" true >"$dir/out" 2>"$dir/err"
[ $? = 1 ]
check $? "real-kernels.sh of another program"

# data elsewhere
for words in 'run hello' 'list scenarios' 'validate hello' 'image list'; do
	# shellcheck disable=SC2086 # a list of words
	FAULTLINE_DATA=/nonexistent run_it 2 $words
	says "^faultline: FAULTLINE_DATA: cannot open '/nonexistent/scenarios'"
	[ "$(wc -l <"$dir/err")" = 1 ]
	check $? "FAULTLINE_DATA with $words: one message is enough"
done

# interrupted: partial results and status 130 (a long run is wanted)
"$program" run hello --set run.0.at=86000s --set machine.hz=10000 \
	>"$dir/out" 2>"$dir/err" &
pid=$!
sleep 1
kill -INT $pid
wait $pid
status=$?
[ $status = 130 ]
check $? "interrupted: exit status $status instead of 130"
prints '^PARTIAL'
summary
