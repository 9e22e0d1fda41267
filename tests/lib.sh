# shellcheck shell=sh disable=SC2154 # $top comes from the caller
# What the shell tests share. Each prints what is wrong and ends with the
# line `N passed, N failed`.

passed=0
failed=0

# check STATUS MESSAGE: count it, and print the message unless STATUS is 0.
check() {
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "$2"
	fi
}

# summary: the closing line; the status is that of the test.
summary() {
	echo "$passed passed, $failed failed"
	[ $failed = 0 ] && [ $passed != 0 ]
}

# sources PATTERN...: files of ours by name, relative to $top, sorted. Build
# directories and hidden ones are not ours.
sources() {
	for pattern; do
		(cd "$top" && find . -path './build*' -prune -o -path './.?*' \
			-prune -o -type f -name "$pattern" -print)
	done | sed 's,^\./,,' | sort
}
