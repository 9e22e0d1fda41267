#!/bin/sh
# The files of the host: what cannot be written, what must not be, and what
# other systems put at the head of a text. Usage: NAME SOURCE BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

# status WANTED WHAT: of the last command, whose errors are in err
status() {
	got=$?
	[ $got = "$1" ]
	check $? "$2: exit status $got instead of $1: $(cat err)"
}
says() {
	grep -q -e "$1" err
	check $? "standard error does not say '$1': $(cat err)"
}
same() {
	cmp -s "$1" "$2"
	check $? "$1 was changed"
}

cat >own.s <<'END'
.include "part.inc"
.entry start
.text
start:	exit 7
END
echo '.include "sys.inc"' >part.inc
cp own.s own.copy
cp part.inc part.copy

# standard output that is full or closed, whoever prints
while read -r words; do
	if [ -w /dev/full ]; then
		# shellcheck disable=SC2086 # a list of words
		"$program" $words >/dev/full 2>err
		status 1 "$words, to a full disk"
		says '^faultline: standard output: No space left on device$'
	fi
	# shellcheck disable=SC2086
	"$program" $words >&- 2>err
	status 1 "$words, to nowhere"
	says '^faultline: standard output: '
done <<'END'
run hello
run hello --format json
run hello --print-config
image dump hello
image list
image build --help
list counters
list policies
run --help
help
--help
--version
run --version
END
# who prints nothing needs none
"$program" validate hello >&- 2>err
status 0 'validate, to nowhere'
# and the next file that is opened is not taken for it
"$program" run hello --timeline line.json >&- 2>err
status 1 'run with a timeline, to nowhere'
tail -n 1 line.json | grep -q '^]}$'
check $? 'a timeline without standard output is not whole'
grep -q '^summary' line.json
[ $? = 1 ]
check $? 'the report is in the timeline'

# no path of the host that built it
for place in "$top" "$2"; do
	! grep -qF "$place" "$program"
	check $? "the program holds $place"
done

# images: unwritable is 1, a wrong source 2
[ ! -w /dev/full ] || {
	"$program" image build own.s -o /dev/full 2>err
	status 1 'image build to a full disk'
}
"$program" image build own.s -o missing/own.elf 2>err
status 1 'image build to a missing folder'
"$program" image build own.s -o - 2>err
status 2 'image build to -'
ln -s part.inc link.inc
for out in own.s ./own.s part.inc link.inc; do
	"$program" image build own.s -o $out 2>err
	status 2 "image build over $out"
	says 'is a source and would be overwritten'
	same own.s own.copy
	same part.inc part.copy
done
"$program" image build own.s 2>err
status 0 'image build'
"$program" image build own.s 2>err
status 0 'image build over the image of before'

# a timeline over the scenario; one that is cut
sed 's,time: hello,time: ./own.elf,; /expect/d' \
	"$top/scenarios/demos/hello.yaml" >own.yaml
cp own.yaml own.copy
"$program" run own.yaml --timeline ./own.yaml >out 2>err
status 2 'a timeline over the scenario'
says '^--timeline: error: .* is the scenario itself$'
same own.yaml own.copy
"$program" run own.yaml --timeline line.json >out 2>err
status 0 'a timeline'
[ ! -s err ]
check $? "a whole timeline: $(cat err)"
grep -q '"complete":true' line.json
check $? 'a whole timeline does not say so'
"$program" run linux-2.6.18 --set params.pattern=b --timeline line.json \
	--timeline-limit 1 >out 2>err
status 0 'a timeline that is cut'
says 'line.json: incomplete: it reached 1 MiB at [0-9.]* simulated seconds'
grep -q '"complete":false' line.json
check $? 'a timeline that is cut does not say so'

# a byte order mark, CR LF
for file in own.yaml own.s part.inc; do
	sed -i '1s/^/\xef\xbb\xbf/; s/$/\r/' $file
done
sed -i 's,own.elf,own.s,' own.yaml
"$program" run own.yaml >out 2>err
status 0 'a byte order mark and CR LF'
grep -q 'Exit status: 7' out
check $? 'with a byte order mark: another result'
iconv -f UTF-8 -t UTF-16 own.copy >wide.yaml
"$program" validate wide.yaml 2>err
status 2 'UTF-16'
says 'not UTF-8 text'
summary
