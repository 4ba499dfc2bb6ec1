#!/usr/bin/env bash
# Puts the bugs of tools/injected-bugs.txt into a copy of the tree, one after the other, and counts those that random programs
# find: `tools/inject-bugs.sh [PROGRAMS [FIRST [END]]]`, with at most so many programs for each of the bugs FIRST up to END.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
programs=${1:-200} first=${2:-0} end=${3:-1000}
copy=${NACRE_INJECTED_COPY:-$(mktemp -d)}
[ -n "${NACRE_INJECTED_COPY:-}" ] || trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy"
git -C "$root" archive HEAD | tar -x -C "$copy"
export CARGO_TARGET_DIR=$copy/target
cd "$copy"
cargo build -q -p nacre-tests --bin programs
cp target/debug/programs target/inject
found=0 all=0
for ((number = first; number < end; number++)); do
    name=$(target/inject inject "$number" "$copy") || break
    file=${name##* (} file=${file%)}
    all=$((all + 1))
    if ! cargo build -q -p nacre-tests --bin programs 2> build-errors; then
        echo "does not compile: $name"; cat build-errors; exit 1
    elif result=$(target/debug/programs run 0 "$programs" --until-failure 2> /dev/null); then
        echo "missed: $name"
    else
        found=$((found + 1)); echo "found: $name: $(grep -m1 -E '^program|rejected' <<< "$result" | cut -c1-140)"
    fi
    git -C "$root" show "HEAD:$file" > "$file"
done
echo "$found of $all bugs were found"
