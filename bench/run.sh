#!/bin/sh
# Every benchmark, one after the other, in one table.
#
#   bench/run.sh [BUILD_DIR] [NAME...]     builds what is not up to date
#
# Each figure is CPU time, the best and the median of five rounds; the verdict
# is on the best. Beside them stand the floor that must be reached and the
# goal. docs/performance.md has the figures of one machine, and what they mean.
set -eu
top=$(dirname "$(dirname "$(readlink -f -- "$0")")")
build=${1:-$top/build}
[ $# = 0 ] || shift

ninja -C "$build" >/dev/null
printf '%-40s %10s %10s %6s %6s\n' what best median floor goal
for bench in "$build"/bench/bench-*; do
	name=${bench##*/bench-}
	case $name in
	# the first are files of the build, the second measures no speed
	*.p | disk-demerit) continue ;;
	esac
	[ $# = 0 ] || case " $* " in
	*" $name "*) ;;
	*) continue ;;
	esac
	(cd "$top" && "$bench" "$top")
done
