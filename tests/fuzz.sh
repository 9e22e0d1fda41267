#!/bin/sh
# Each fuzz target for its share of the time, two at once, from the corpora in
# tests/corpus. What they find goes to a corpus of the build's own, so that a
# longer search can go on from it; an input that crashes is kept and named.
#
#   fuzz.sh BUILD_DIR SECONDS
#   fuzz.sh --merge BUILD_DIR   the smallest inputs that add coverage, into
#                               tests/corpus
set -u
here=$(dirname "$(readlink -f -- "$0")")
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

targets='asm elf scenario yaml'

# How large an input may get: beyond that only more of the same is found.
largest() {
	[ "$1" = elf ] && echo 20000 || echo 4096
}

# fuzz TARGET SECONDS
fuzz() {
	found=$build/corpus/$1
	mkdir -p "$found"
	"$build/tests/fuzz-$1" -max_total_time="$2" -timeout=10 \
		-rss_limit_mb=1024 -max_len="$(largest "$1")" \
		-print_final_stats=1 -artifact_prefix="$build/crash-$1-" \
		"$found" "$here/corpus/$1" >"$build/fuzz-$1.log" 2>&1
}

if [ "$1" = --merge ]; then
	build=$2
	for target in $targets; do
		"$build/tests/fuzz-$target" -merge=1 \
			-max_len="$(largest "$target")" \
			"$here/corpus/$target" "$build/corpus/$target"
	done
	exit
fi

build=$1
share=$(($2 / 2))
running=
for target in $targets; do
	fuzz "$target" "$share" &
	running="$running $target:$!"
done
for pair in $running; do
	target=${pair%:*}
	wait "${pair#*:}"
	check $? "fuzz-$target: $(tail -n 40 "$build/fuzz-$target.log")"
	grep -h 'number_of_executed_units\|^Done' "$build/fuzz-$target.log"
done
summary
