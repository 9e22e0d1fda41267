#!/bin/sh
# The profile beside the real kernel, all patterns and variants in one table:
# ours is the mean of some seeds, as theirs is of some repeats.
#
#   [SEEDS="1 2 3"] bench/real-kernels.sh [-a] [PROGRAM]
#                                            -a: rows of every counter
#
# A row is close when faults and pages in are within 3 % (or 8, or inside the
# real kernel's own spread), pages out and requests within 10 % (or inside);
# what the real kernel counted less than 200 of is shown but not judged. The
# status says whether there was a measurement, not how near it came.
here=$(dirname "$(readlink -f -- "$0")")

usage() {
	sed -n '2,6s/^# \{0,1\}//p' "$0"
}

all=
case ${1-} in
-h | --help)
	usage
	exit 0 ;;
-a)
	all=1
	shift ;;
-*)
	usage >&2
	exit 2 ;;
esac
program=${1:-$here/../faultline}
seeds=${SEEDS:-1 2 3 4 5 6}
if [ $# -gt 1 ] || ! "$program" --version >/dev/null; then
	usage >&2
	exit 2
fi
for seed in $seeds; do
	# what a run would complain about once for each of its patterns
	"$program" run linux-2.6.18 --seed "$seed" --print-config >/dev/null ||
		exit
done

for variant in token off token-single; do
	for pattern in a b d g z; do
		for seed in $seeds; do
			"$program" run linux-2.6.18 --variant $variant \
				--seed "$seed" --set params.pattern=$pattern \
				--quiet |
				sed -n '/^published /,/^source/p' |
				sed "1d; \$d; s/^/$variant $pattern /"
		done
	done
done | awk -v all="$all" '
BEGIN {
	tight = "^(pgmajfault|pgfault|pswpin)$"
	loose = "^(pswpout|swap_reads|swap_writes|file_reads)$"
	printf "%-13s %-3s %-9s %-14s %9s %-17s %9s %7s  %s\n", "variant",
		"pat", "phase", "figure", "ours", "(spread)", "real", "ratio",
		"real spread"
}
# variant pattern command/phase figure ours real ratio (min..max) in/outside
$6 != "-" {
	key = $1 " " $2 " " $3 " " $4
	if (!(key in n)) {
		order[++rows] = key
		least[key] = most[key] = $5
		real[key] = $6
		spread[key] = $8
	}
	n[key]++
	sum[key] += $5
	if ($5 < least[key])
		least[key] = $5
	if ($5 > most[key])
		most[key] = $5
}
END {
	for (i = 1; i <= rows; i++) {
		key = order[i]
		split(key, part, " ")
		split(part[3], name, "/")
		figure = part[4]
		mean = sum[key] / n[key]
		is = figure ~ tight || figure ~ loose
		if (!is && !all)
			continue
		off = mean > real[key] ? mean - real[key] : real[key] - mean
		limit = figure ~ tight ? real[key] * 0.03 : real[key] * 0.10
		if (figure ~ tight && limit < 8)
			limit = 8
		gsub(/[()]/, "", spread[key])
		split(spread[key], ends, /\.\./)
		inside = mean >= ends[1] && mean <= ends[2]
		verdict = ""
		if (is && real[key] >= 200) {
			verdict = off <= limit || inside ? "close" : "FAR"
			good += verdict == "close"
			judged++
		}
		printf "%-13s %-3s %-9s %-14s %9.0f %-17s %9s %7s  %-15s %s\n",
			part[1], part[2], name[2] == "" ? "TOTAL" : name[2],
			figure, mean, "(" least[key] ".." most[key] ")",
			real[key],
			real[key] ? sprintf("%.3f", mean / real[key]) : "-",
			"(" spread[key] ")", verdict
	}
	printf "%d of %d judged figures are close\n", good, judged
	exit !judged
}'
