# shellcheck shell=sh disable=SC2154 # $top comes from the caller
# Shell functions that ./faultline and ./check share: missing packages, and
# build directories. Sourced, not run; $top is the source tree. Nothing here
# writes to stdout, which belongs to the program.

say() {
	echo "${0##*/}: $*" >&2
}

# packages KIND...: the packages of these kinds that are not installed. Where
# there is no dpkg we believe they are, and meson names what it cannot find.
packages() {
	command -v dpkg-query >/dev/null || return 0
	for kind; do
		sed -n "s/^$kind //p" "$top/.ci/packages"
	done | sort -u | while read -r package; do
		case $(dpkg-query -W -f '${Status}' "$package" 2>&1) in
		*' installed') ;;
		*) echo "$package" ;;
		esac
	done
}

# install KIND...: get what is missing; does nothing, and asks nobody, when
# all is there. Status 1 if something is missing and cannot be had.
install() {
	missing=$(packages "$@" | tr '\n' ' ')
	[ -n "$missing" ] || return 0
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		say "please install (as root): apt-get install $missing"
		return 1
	fi
	say "installing $missing"
	# An index that cannot be refreshed may still do.
	apt_get update || say 'apt-get update failed, trying all the same'
	# shellcheck disable=SC2086 # a list of words
	apt_get install --yes --no-install-recommends $missing
}

# Its noise matters only if it fails.
apt_get() {
	noise=$(DEBIAN_FRONTEND=noninteractive apt-get -o \
		DPkg::Lock::Timeout=300 "$@" 2>&1 </dev/null) || {
		echo "$noise" >&2
		return 1
	}
}

# configure DIR [MESON OPTION...]: make the build directory unless it is there
# already. One that was made for another source tree (a copied or moved
# checkout) would build that tree, so it is made anew.
configure() {
	dir=$1
	shift
	if [ -f "$dir/build.ninja" ] &&
	   [ "$(cat "$dir/.source" 2>/dev/null)" = "$top $*" ]; then
		return 0
	fi
	rm -rf "$dir"
	mkdir -p "$dir"
	noise=$(meson setup "$@" "$dir" "$top" 2>&1 </dev/null) || {
		echo "$noise"
		return 1
	}
	echo "$top $*" >"$dir/.source"
}
