#!/bin/sh
# The profile beside the real kernel, all patterns and variants in one table.
#
#   bench/real-kernels.sh [-a] [PROGRAM]     -a: rows of every counter
#
# A row is close when faults and pages in are within 3 % (or 8, or inside the
# real kernel's own spread), pages out and requests within 10 % (or inside);
# what the real kernel counted less than 200 of is shown but not judged. The
# status is 0 in any case: this is a measurement, not a test.
all=
[ "${1-}" = -a ] && all=1 && shift
here=$(dirname "$(readlink -f -- "$0")")
program=${1:-$here/../faultline}
seed=${SEED:-1}

for variant in token off token-single; do
	for pattern in a b d g z; do
		"$program" run linux-2.6.18 --variant $variant --seed "$seed" \
			--set params.pattern=$pattern --quiet |
			sed -n '/^published /,/^source/p' |
			sed "1d; \$d; s/^/$variant $pattern /"
	done
done | awk -v all="$all" '
BEGIN {
	tight = "^(pgmajfault|pgfault|pswpin)$"
	loose = "^(pswpout|swap_reads|swap_writes|file_reads)$"
	printf "%-13s %-3s %-9s %-14s %9s %9s %8s  %s\n", "variant", "pat",
		"phase", "figure", "ours", "real", "ratio", "real spread"
}
{
	split($3, name, "/")
	phase = name[2] == "" ? "TOTAL" : name[2]
	figure = $4; ours = $5; real = $6
	judged = figure ~ tight || figure ~ loose
	if (!judged && !all)
		next
	off = ours > real ? ours - real : real - ours
	limit = figure ~ tight ? real * 0.03 : real * 0.10
	if (figure ~ tight && limit < 8)
		limit = 8
	verdict = ""
	if (judged && real >= 200 && ours != "-") {
		good = off <= limit || $NF == "inside"
		verdict = good ? "close" : "FAR"
		close_ones += good
		rows++
	}
	printf "%-13s %-3s %-9s %-14s %9s %9s %8s  %s %s %s\n", $1, $2,
		phase, figure, ours, real, $7, $8, $9, verdict
}
END { printf "%d of %d judged figures are close\n", close_ones, rows }'
