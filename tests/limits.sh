#!/bin/sh
# Sizes: a function of at most 60 lines, a file of at most 600, 80 columns,
# no trailing blanks, and a comment at the head of each .c that says what it
# models. (Parameters, nesting and complexity are clang-tidy's.)
#
#   limits.sh [SOURCE_ROOT]
set -u
here=$(dirname "$(readlink -f -- "$0")")
top=${1:-$here/..}
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

# In the kernel's layout a function's braces, and only they and those of
# types and tables, stand in the first column.
measure() {
	awk -v limit=60 -v file_limit=600 -v columns=80 '
	FNR == 1 && FILENAME ~ /\.c$/ && !/^\/\*/ {
		print FILENAME ":1: does not open with a comment"
	}
	/^{/ { start = FNR }
	/^}/ && start {
		if (FNR - start - 1 > limit)
			print FILENAME ":" start ": function of " \
				FNR - start - 1 " lines (limit " limit ")"
		start = 0
	}
	/[ \t]$/ { print FILENAME ":" FNR ": blanks at the end" }
	{
		line = $0
		while (match(line, /\t/))
			line = substr(line, 1, RSTART - 1) \
				substr("        ", (RSTART - 1) % 8 + 1) \
				substr(line, RSTART + 1)
		if (length(line) > columns && line !~ /https?:/)
			print FILENAME ":" FNR ": " length(line) " columns"
	}
	END {
		if (FNR > file_limit)
			print FILENAME ": " FNR " lines (limit " \
				file_limit ")"
	}' "$1"
}

cd "$top" || exit 1
for file in $(sources '*.[ch]' '*.sh' 'meson.build'); do
	said=$(LC_ALL=C.UTF-8 measure "$file")
	[ -z "$said" ]
	check $? "$said"
done
summary
