#!/bin/sh
# The same run has the same digest whatever compiled it, and another digest
# under another seed.
#
#   digest.sh BUILD_DIR BUILD_DIR...
set -u
here=$(dirname "$(readlink -f -- "$0")")
top=$(readlink -f -- "$here/..")
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

# digest BUILD_DIR ARGUMENT...
digest() {
	program=$1/emu/run/faultline
	shift
	(cd "$top" && "$program" run --quiet --format json "$@") |
		sed -n 's/.*"digest": *"\([0-9a-f]*\)".*/\1/p'
}

# compare ARGUMENT...: of one run, over all builds
compare() {
	wanted=$(digest "$first" "$@")
	[ -n "$wanted" ]
	check $? "$*: no digest"
	for build in $others; do
		found=$(digest "$build" "$@")
		[ "$found" = "$wanted" ]
		check $? "$*: $found under $build, $wanted under $first"
	done
	found=$(digest "$first" "$@" --seed 2)
	[ "$found" != "$wanted" ]
	check $? "$*: the same digest for seed 2"
}

first=$1
shift
others=$*

# One line a run. Together they pass every part that computes a result.
while read -r scenario options; do
	[ -n "$scenario" ] || continue
	# shellcheck disable=SC2086 # a list of words
	compare "scenarios/$scenario" $options </dev/null
done <"$here/data/digest.list"
summary
