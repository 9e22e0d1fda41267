#!/bin/sh
# The gdb command coro-bt shows where a suspended coroutine stopped, and the
# program goes on unharmed. Usage: 021-coro-gdb.sh SOURCE_ROOT BUILD_ROOT
set -eu
source=$1
program=$2/tests/test-020-coro

command -v gdb >/dev/null || exit 77
[ "$(uname -m)" = x86_64 ] || exit 77

# The leak checker does not work under a debugger.
output=$(ASAN_OPTIONS=detect_leaks=0 gdb -nx -q -batch \
	-ex 'set debuginfod enabled off' \
	-ex "source $source/docs/faultline.gdb" \
	-ex 'break test_deep' -ex run -ex 'break coro_done' -ex continue \
	-ex 'up' -ex 'coro-bt w.co' -ex 'frame' -ex 'delete' -ex continue \
	"$program" 2>&1)

expect() {
	printf '%s\n' "$output" | grep -q "$1" && return
	printf 'expected "%s" in:\n%s\n' "$1" "$output"
	exit 1
}

expect '^#.* coro_yield ('
expect '^#.* deepen ('
expect '^#.* dive ('
expect '^#.* run ('
expect '^#1 .* in test_deep'
expect 'exited normally'
