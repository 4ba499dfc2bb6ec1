#!/usr/bin/env bash
# Puts the bugs of tools/injected-bugs.txt into a copy of the tree, one after the other, and counts those that random programs
# find: `tools/inject-bugs.sh [PROGRAMS [FIRST [END]]]`, with so many programs for each of the bugs FIRST up to END.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
programs=${1:-200} first=${2:-1} end=${3:-1000}
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git -C "$root" archive HEAD | tar -x -C "$copy"
export CARGO_TARGET_DIR=${NACRE_INJECTED_TARGET:-$copy/target}
found=0 all=0 number=0
while IFS= read -r line; do
    case $line in '#'* | '') continue ;; esac
    number=$((number + 1))
    [ "$number" -ge "$first" ] && [ "$number" -lt "$end" ] || continue
    name=${line%% | *} rest=${line#* | }
    file=${rest%% | *} rest=${rest#* | }
    old=${rest%% | *} new=${rest#* | }
    git -C "$root" show "HEAD:$file" > "$copy/$file"
    OLD=$old NEW=$new perl -0pi -e '
        my ($old, $new) = @ENV{qw(OLD NEW)}; s/\\n/\n/g for $old, $new;
        my $at = index($_, $old); die "not found\n" if $at < 0; substr($_, $at, length $old) = $new;' "$copy/$file" ||
        { echo "$name: the text is not in $file"; exit 1; }
    all=$((all + 1))
    if ! (cd "$copy" && cargo build -q -p nacre-tests --bin programs 2> "$copy/build"); then
        echo "does not compile: $name"; cat "$copy/build"; exit 1
    elif result=$("$CARGO_TARGET_DIR/debug/programs" run 0 "$programs" --until-failure 2> /dev/null); then
        echo "missed: $name"
    else
        found=$((found + 1)); echo "found: $name ($(grep -m1 -E '^program|rejected' <<< "$result" | cut -c1-140))"
    fi
    git -C "$root" show "HEAD:$file" > "$copy/$file"
done < "$root/tools/injected-bugs.txt"
echo "$found of $all bugs were found"
