#!/bin/sh
# clang-tidy over every C file. A verdict of no
# complaint is kept under the hash of all that it depends on (the file, the
# headers it includes, the configuration), so only what changed is read again.
#
#   tidy.sh BUILD_DIR [FILE...]     (build-check/clang, for its commands)
set -u
here=$(dirname "$(readlink -f -- "$0")")
top=$(readlink -f -- "$here/..")
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

build=$(readlink -f -- "$1")
shift
cache=$build/tidy
mkdir -p "$cache"
cd "$top" || exit 1

# What ninja recorded of a file's headers is not used: it exists only after
# a full build, and the preprocessor needs a few milliseconds.
fingerprint() {
	{
		cat .clang-tidy
		clang -std=gnu11 -MM -I. -I"$build" "$1" 2>/dev/null |
			tr -s '\\ ' '\n' | grep '\.[ch]$' |
			xargs sha256sum "$1"
	} | sha256sum | cut -d ' ' -f 1
}

# tidy FILE: leaves $cache/HASH if it is clean, prints the complaints if not.
tidy() {
	mark=$cache/$(fingerprint "$1")
	[ -e "$mark" ] && return
	if said=$(clang-tidy --quiet --warnings-as-errors='*' -p "$build" \
		"$1" 2>/dev/null) && [ -z "$said" ]; then
		touch "$mark"
	else
		echo "$said" | grep -v '^[0-9]* warnings'
		return 1
	fi
}

if [ "${1:-}" = --one ]; then
	tidy "$2" >"$cache/said-$$"
	status=$?
	# One write, so that two files' complaints do not mix.
	cat "$cache/said-$$"
	rm -f "$cache/said-$$"
	[ $status = 0 ] || echo "not clean: $2"
	exit 0
fi

# Of all files, the errors alone, and those of a header once; of named files,
# all that is said.
[ $# = 0 ] && shown='error:' || shown=
files=$*
[ -n "$files" ] || files=$(sources '*.c')

said=$(echo "$files" | xargs -P "$(nproc)" -n 1 "$0" "$build" --one)
echo "$said" | grep -v '^not clean: ' | grep -F "$shown" |
	sed "s,^$build/\.\./\.\./,,; s,^\.\./\.\./,," |
	if [ -n "$shown" ]; then sort -u; else cat; fi
for file in $files; do
	! echo "$said" | grep -qxF "not clean: $file"
	check $? "$file"
done
summary
