#!/bin/sh
# Who may know whom. Prints `mmu/bad.c:1: mmu may not include "os/mm.h"` for
# each include that the table does not allow, and the same for a clock, a host
# random number or floating point where results are computed.
#
#   layers.sh [SOURCE_ROOT]
set -u
here=$(dirname "$(readlink -f -- "$0")")
top=${1:-$here/..}
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

# Our folders, what of ours each may include, and the headers of libraries
# that it alone may use.
allowed() {
	case $1 in
	emu)       echo 'emu/*' ;;
	mmu)       echo 'emu/* mmu/*' ;;
	disk)      echo 'emu/* disk/*' ;;
	cpu)       echo 'emu/* mmu/* cpu/*' ;;
	os)        echo 'emu/* mmu/* cpu/* disk/* os/*' ;;
	workloads) echo 'emu/* cpu/isa.h workloads/*' ;;
	*)         echo '*' ;;
	esac
}

# Output: FILE:LINE: what is wrong. $1 is the root, then the files.
judge() {
	cd "$1" || exit 1
	shift
	for file; do
		folder=${file%%/*}
		case $file in
		emu/run/* | emu/view/*) folder=${file%/*} ;;
		esac
		grep -nE '^[[:space:]]*#[[:space:]]*include' "$file" |
			judge_includes "$file" "$folder" "$(allowed "$folder")"
		judge_words "$file" "$folder"
	done
}

# A policy (os/token/x.c) may include the header of its slot (os/token.h), one
# of its own (os/token/x.h, x_part.h) and one that belongs to no policy (the
# list, os/token/policies.h), but none of a rival's; others, no policy's.
# rival FILE HEADER: is it forbidden?
rival() {
	slot=${2%/*}
	design=${2##*/}
	design=${design%.h}
	design=${design%%_*}
	case $1 in
	$slot.[ch]) return 1 ;;
	$slot/*)    ;;
	*)          return 0 ;;
	esac
	file=${1##*/}
	file=${file%.[ch]}
	[ "${file%%_*}" != "$design" ] && [ -e "$slot/$design.c" ]
}

# Every name is "folder/file.h" from the root. What is in emu/run is for
# emu/run, tests and benchmarks.
judge_includes() {
	set -f
	while IFS=: read -r line text; do
		name=$(echo "$text" | sed 's/^[^"<]*["<]\([^">]*\)[">].*/\1/')
		case $text in
		*'<'*)
			foreign "$2" "$name" ||
				echo "$1:$line: $2 may not include <$name>"
			continue ;;
		esac
		case $name in
		*/*) ;;
		*)	echo "$1:$line: \"$name\": write \"folder/$name\""
			continue ;;
		esac
		verdict=no
		for pattern in $3; do
			# shellcheck disable=SC2254 # it is a pattern
			case $name in
			$pattern) verdict=yes ;;
			esac
		done
		case $name in
		emu/run/* | emu/view/*)
			case $2 in
			"${name%/*}" | tests | bench) ;;
			*) verdict=no ;;
			esac ;;
		os/*/*)
			! rival "$1" "$name" || verdict=no ;;
		esac
		[ $verdict = yes ] ||
			echo "$1:$line: $2 may not include \"$name\""
	done
	set +f
}

# Host libraries have one place each: libyaml is read in emu/run, libelf in
# workloads, and neither a clock nor libm where results are made.
foreign() {
	case $1:$2 in
	emu/run:* | tests:* | bench:* | emu/view:*) return 0 ;;
	*:yaml.h | *:time.h | *:sys/time.h | *:math.h | *:fenv.h) return 1 ;;
	workloads:*) return 0 ;;
	*:gelf.h | *:libelf.h | *:elf.h) return 1 ;;
	esac
}

# Words of host time, host chance and floating point, comments and strings
# left out.
judge_words() {
	case $2 in
	emu/run | emu/view | tests | bench) return ;;
	esac
	gcc -fpreprocessed -dD -E -w "$1" 2>/dev/null | awk -v file="$1" '
	/^# [0-9]+ / { line = $2 - 1; next }
	{
		line++
		gsub(/"([^"\\]|\\.)*"/, "")
		$0 = " " $0 " "
	}
	/[^A-Za-z0-9_](float|double)[^A-Za-z0-9_]/ {
		print file ":" line ": no floating point in results"
	}
	/[^A-Za-z0-9_.>](s?rand(om)?|time|clock(_gettime)?|gettimeofday)\(/ {
		print file ":" line ": no host clock or chance in results"
	}'
}

# The judge judged: each line is a file, an include, and the verdict.
self_test() {
	root=$(mktemp -d)
	mkdir -p "$root/os/token"
	touch "$root/os/token/good.c"
	while read -r verdict file text; do
		mkdir -p "$root/${file%/*}"
		echo "$text" >"$root/$file"
		said=$(judge "$root" "$file")
		[ -z "$said" ] && said=yes || said=no
		[ "$said" = "$verdict" ]
		check $? "$file: '$text' judged $said"
	done <<-'END'
	no  mmu/bad.c #include "os/mm.h"
	no  emu/bad.c #include "mmu/ram.h"
	no  cpu/bad.c #include "disk/disk.h"
	no  disk/bad.c #include "os/block.h"
	no  workloads/bad.c #include "cpu/cpu.h"
	no  os/bad.c #include "emu/run/yaml.h"
	no  os/token/bad.c #include "os/token/good.h"
	no  os/oom/bad.c #include "os/token/policies.h"
	no  os/fault.c #include "os/token/good.h"
	no  os/bad.c #include "workloads/image.h"
	no  os/bad.c #include "page.h"
	no  os/bad.c #include <yaml.h>
	no  mmu/bad.c #include <time.h>
	no  emu/bad.c static double x;
	no  emu/bad.c x = (double)y;
	no  os/bad.c now = time(NULL);
	no  os/bad.c x = rand();
	no  os/bad.c float f(void);
	yes mmu/good.c #include "emu/event.h"
	yes cpu/good.c #include "mmu/mmu.h"
	yes os/token/good.c #include "os/token.h"
	yes os/token/good.c #include "os/token/policies.h"
	yes os/token/good_part.c #include "os/token/good.h"
	yes os/token.c #include "os/token/good.h"
	yes os/good.c #include "cpu/isa.h"
	yes workloads/good.c #include "cpu/isa.h"
	yes workloads/good.c #include <gelf.h>
	yes emu/run/good.c #include "os/kernel.h"
	yes tests/good.c #include "emu/run/yaml.h"
	yes emu/good.c /* twice (double) the time(NULL) */
	yes emu/good.c say("double time()");
	yes os/good.c cpu->clock(x);
	yes os/good.c simtime time;
	END
	rm -rf "$root"
}

self_test
for file in $(sources '*.[ch]'); do
	said=$(judge "$top" "$file")
	[ -z "$said" ]
	check $? "$said"
done
summary
