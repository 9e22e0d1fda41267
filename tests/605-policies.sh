#!/bin/sh
# docs/policies.md says of each token policy what the program says: its name,
# what it models, its options with defaults and help, in this order and no
# others. Usage: NAME SOURCE BUILD.
top=$1
program=$2/emu/run/faultline
. "$top/tests/lib.sh"

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

"$program" list policies >"$dir/list" || exit 1
awk '
/^[^ ]/ { token = $0 == "token:"; next }
!token  { next }
/^    / {
	key = $1
	sub(/^ *[^ ]* */, "")
	def = $0
	sub(/.* \(/, "", def)
	sub(/\)$/, "", def)
	sub(/ \([^(]*\)$/, "")
	print "| `" key "` | " def " | " $0 " |"
	next
}
{
	name = $1
	sub(/^ *[^ ]* */, "")
	print "### `" name "`"
	print "Models: " $0
}' "$dir/list" >"$dir/program"
grep -E '^(### |Models: |\| `[a-z_0-9]*` \| .* \| .* \|$)' \
	"$top/docs/policies.md" | grep -vE '^\| `[^|]*\|[^|]*\|[^|]*\|[^|]*\|' \
	>"$dir/page"
diff "$dir/program" "$dir/page" >"$dir/diff"
check $? "list policies (<) and docs/policies.md (>): $(cat "$dir/diff")"
[ "$(grep -c '^###' "$dir/program")" -ge 8 ]
check $? "there are eight policies at least"

# a reconstruction is called one wherever it is named
for name in $(sed -n 's/^### `\(reconstructed-.*\)`/\1/p' "$dir/program"); do
	grep -A 4 "^### \`$name\`" "$top/docs/policies.md" |
		grep -qi reconstruction
	check $? "docs/policies.md: $name is not called a reconstruction"
	grep -q "^  $name .*\[reconstruction\]$" "$dir/list"
	check $? "list policies: $name is not called a reconstruction"
	"$program" run oom --set kernel.token.policy="$name" >"$dir/report"
	[ "$(grep -c "$name.*\[reconstruction\]" "$dir/report")" = 2 ]
	check $? "the report on $name does not call it a reconstruction"
	"$program" run oom --set kernel.token.policy="$name" --format json |
		grep -q '"reconstruction": true'
	check $? "the JSON report on $name does not call it a reconstruction"
done
summary
