#!/bin/sh
# The documentation holds together: man pages are clean, every file that a
# page of Markdown points at is there, and the list of packages is complete.
#
#   docs.sh [SOURCE_ROOT]
set -u
here=$(dirname "$(readlink -f -- "$0")")
top=${1:-$here/..}
# shellcheck source=tests/lib.sh
. "$here/lib.sh"
cd "$top" || exit 1

for page in docs/man/*.[1-9]; do
	said=$(mandoc -Tlint -Wwarning "$page")
	check $? "$said"
done

# [text](file#part): the files, from the page's own folder.
links() {
	grep -o ']([^)]*)' "$1" | sed 's/^](//; s/[#)].*//'
}

for page in $(sources '*.md'); do
	for link in $(links "$page"); do
		case $link in
		http:* | https:*) continue ;;
		esac
		[ -e "$(dirname "$page")/$link" ]
		check $? "$page: no file '$link'"
	done
done

# `folder/file` in back quotes, if it looks like one of ours.
mentions() {
	grep -oE '`[a-z_0-9./-]+/[a-z_0-9.-]+`' "$1" | tr -d '`' |
		grep -E "^($(echo */ | sed 's,/ ,|,g; s,/$,,'))/" |
		grep -v '^build'
}

for page in $(sources '*.md'); do
	for name in $(mentions "$page"); do
		[ -e "$name" ]
		check $? "$page: no file '$name'"
	done
done

for package in $(sed -n 's/^\(build\|check\) //p' .ci/packages); do
	grep -q "^| \`$package\` |" docs/dependencies.md
	check $? "docs/dependencies.md: nothing on $package"
done
for package in $(sed -n 's/^| `\([^`]*\)` |.*/\1/p' docs/dependencies.md); do
	grep -qxE "(build|check) $package" .ci/packages
	check $? "docs/dependencies.md: $package is not in .ci/packages"
done
summary
