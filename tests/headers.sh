#!/bin/sh
# Each header compiles alone, under both compilers and with our warnings, is
# guarded by #pragma once, and is the first that its own .c includes.
#
#   headers.sh [SOURCE_ROOT]
set -u
here=$(dirname "$(readlink -f -- "$0")")
top=$(readlink -f -- "${1:-$here/..}")
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

warnings='-Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
	-Wmissing-prototypes -Wvla -Wpointer-arith -Wwrite-strings -Werror'

# alone COMPILER HEADER. Twice, so that a missing guard shows.
alone() {
	# shellcheck disable=SC2086 # a list of words
	printf '#include "%s"\n#include "%s"\n' "$2" "$2" |
		"$1" -std=gnu11 -fsyntax-only $warnings -I"$top" -x c - 2>&1
}

for header in $(sources '*.h'); do
	for compiler in gcc clang; do
		said=$(alone $compiler "$header")
		check $? "$header alone under $compiler:
$said"
	done
	grep -q '^#pragma once$' "$top/$header"
	check $? "$header: no #pragma once"

	source=${header%.h}.c
	if [ -f "$top/$source" ]; then
		first=$(sed -n 's/^#include *//p' "$top/$source" | head -n 1)
		[ "$first" = "\"$header\"" ]
		check $? "$source: includes $first before \"$header\""
	fi
done
summary
