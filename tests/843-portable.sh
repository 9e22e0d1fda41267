#!/bin/sh
# A scenario's hash is over what programs are, not where; a printed
# configuration runs the same from anywhere. Usage: NAME SOURCE BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
mkdir -p here/programs there 'a b' 'a$b'

# hash SCENARIO [OPTION...]: of a run, and digest NAME of its result
report() {
	"$program" run "$@" 2>err | tail -n 1
}
hash() {
	report "$@" | sed 's/.*scenario \([0-9a-f]*\).*/\1/'
}
# differ A B WHAT; equal A B WHAT
differ() {
	[ -n "$1" ] && [ -n "$2" ] && [ "$1" != "$2" ]
	check $? "$3: '$1' and '$2' are the same: $(cat err)"
}
equal() {
	[ -n "$1" ] && [ "$1" = "$2" ]
	check $? "$3: '$1' and '$2' differ: $(cat err)"
}

cat >here/programs/own.s <<'END'
.include "part.inc"
.include "sys.inc"
.entry start
.text
start:	li r2, ROUNDS
again:	sub r2, r2, 1
	bne r2, r3, again
	exit 7
END
echo '.equ ROUNDS, 1000' >here/programs/part.inc
cat >here/own.yaml <<'END'
name: own
about: "costs 5$$ and more"
machine:
  cpu: {clock: 100MHz}
  memory: 16M
  disks:
    file: {fixed: {requests: 100, rate: 40M, size: 64M}}
background: {programs: [{start: ./programs/own.s}]}
programs: [programs/own.s]
run:
  - time: "programs/own.s"
END

# by source or image, from wherever it is seen, under whatever path
source=$(report here/own.yaml)
equal "$source" "$(cd here/programs && report ../own.yaml)" 'another folder'
"$program" image build here/programs/own.s
sed 's,own\.s,own.elf,' here/own.yaml >here/image.yaml
equal "$source" "$(report here/image.yaml)" 'source and image'
mkdir here/other
cp here/programs/* here/other
sed 's,programs/own,other/own,' here/own.yaml >here/moved.yaml
equal "$source" "$(report here/moved.yaml)" 'another path'

# printed, and run from elsewhere
for folder in here 'a$b'; do
	[ "$folder" = here ] || cp -r here/* "$folder"
	(cd "$folder" && "$program" run --print-config own.yaml) \
		>there/printed.yaml 2>err
	equal "$source" "$(report there/printed.yaml)" "$folder: printed"
	"$program" run --print-config there/printed.yaml >there/again.yaml
	cmp there/printed.yaml there/again.yaml
	check $? "$folder: what is printed does not print itself"
done
grep -q '^about: costs 5\$\$ and more$' there/printed.yaml
check $? 'a dollar is not printed as two'
# a folder that no command can name: told
cp -r here/* 'a b'
"$program" run --print-config 'a b/own.yaml' >there/printed.yaml 2>err
grep -q "warning: 'programs/own.s' stays relative" err
check $? "a folder with a blank: $(cat err)"

# another program is another experiment: its text, what it includes, a library
equal "$(hash here/own.yaml)" "$(hash here/own.yaml)" 'the same twice'
echo '.equ ROUNDS, 2000' >here/programs/part.inc
differ "$(hash here/own.yaml)" "$(hash here/moved.yaml)" 'another include'
cp here/other/part.inc here/programs
equal "$(hash here/own.yaml)" "$(hash here/moved.yaml)" 'the old include'
sed -i 's/exit 7/exit 8/' here/programs/own.s
differ "$(hash here/own.yaml)" "$(hash here/moved.yaml)" 'another text'

# one name for two files
printf '%s\n' '  - {at: 1s, time: other/own.s}' >>here/own.yaml
"$program" run here/own.yaml >out 2>err
[ $? = 2 ] && grep -q "own.yaml:12:20: error: .*one name, two files" err
check $? "two files of one name: $(cat err)"
summary
