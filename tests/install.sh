#!/bin/sh
# From an empty checkout to an installed program: ./faultline builds itself,
# once even if started twice, stays out of the program's way, and what meson
# installs runs without the source tree.
#
#   install.sh SCRATCH_DIR
set -u
here=$(dirname "$(readlink -f -- "$0")")
top=$(readlink -f -- "$here/..")
# shellcheck source=tests/lib.sh
. "$here/lib.sh"

# Always from nothing: that is the test.
rm -rf "$1"
mkdir -p "$1/tree" "$1/elsewhere"
scratch=$(readlink -f -- "$1")
tree=$scratch/tree
prefix=$scratch/prefix
(cd "$top" && tar -c --exclude './build*' --exclude ./.git .) |
	tar -x -C "$tree"
cd "$scratch/elsewhere" || exit 1

# Two first runs at once, through a symbolic link, from another directory.
ln -s ../tree/faultline link
./link --version >one 2>one.err &
./link --version >two 2>two.err
check $? "first run: $(cat two.err)"
wait $!
check $? "first run beside it: $(cat one.err)"
[ "$(wc -l <one)" = 1 ] && grep -q '^faultline [0-9.]*$' one
check $? "--version printed: $(cat one)"
cmp -s one two
check $? 'two first runs at once printed different things'
grep -q 'first time' one.err two.err
check $? 'the first run does not say what it is doing'

# Nothing left to do: silent, and quick. (Ten of them, so that a loaded
# machine does not decide.)
start=$(date +%s)
for _ in 1 2 3 4 5 6 7 8 9 10; do
	./link --version >again 2>again.err
done
[ $(($(date +%s) - start)) -le 10 ]
check $? 'ten idle starts took more than ten seconds'
[ ! -s again.err ]
check $? "an idle start says: $(cat again.err)"

# Arguments and exit status go through untouched.
./link validate 'no such  file.yaml' 2>error
[ $? = 2 ] && grep -q 'no such  file.yaml' error
check $? "validate of a missing file: $(cat error)"

# Installed. The tree is moved away so that nothing can be found there.
{
	meson configure -Dprefix="$prefix" "$tree/build" &&
		meson install -C "$tree/build"
} >install.log 2>&1 </dev/null
check $? "meson install: $(tail -n 30 install.log)"
(cd "$tree" && ./faultline run scenarios/demos/hello.yaml) >built 2>&1
mv "$tree" "$tree.away"
# Nothing of this host in what is installed, but the prefix it was told.
for place in "$tree" "$top" "$PWD"; do
	! LC_ALL=C sed "s|$prefix||g" "$prefix/bin/faultline" |
		grep -aqF "$place"
	check $? "installed: the program holds $place"
done
[ ! -e "$prefix/bin/faultline-tree" ]
check $? 'installed: the mark of the build tree'
export PATH="$prefix/bin:$PATH"
for what in profiles policies machines drives scenarios counters sysctls; do
	faultline list $what >list 2>&1 && [ -s list ]
	check $? "installed: list $what: $(cat list)"
done
(cd / && faultline run demos/hello) >installed 2>&1
check $? "installed: run demos/hello: $(cat installed)"
diff built installed >/dev/null
check $? "installed: another result: $(diff built installed)"
for file in share/man/man1/faultline.1 share/man/man5/faultline-scenario.5; do
	[ -f "$prefix/$file" ]
	check $? "not installed: $file"
done
mv "$tree.away" "$tree"
summary
