#!/bin/sh
# Every C file is as clang-format leaves it. `format.sh --fix` formats them.
#
#   format.sh [--fix | SOURCE_ROOT]
set -u
here=$(dirname "$(readlink -f -- "$0")")
fix=
[ "${1:-}" = --fix ] && fix=yes && shift
top=${1:-$here/..}
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

cd "$top" || exit 1
for file in $(sources '*.[ch]'); do
	[ -z "$fix" ] || clang-format -i "$file"
	said=$(clang-format "$file" | diff -u --label "$file" \
		--label 'as clang-format leaves it' "$file" -)
	check $? "$(echo "$said" | head -n 12)"
done
summary
