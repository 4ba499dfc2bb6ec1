#!/usr/bin/env bash
# Puts the bugs of tools/injected-bugs.txt into a copy of the tree, and counts those that random programs find:
# `tools/inject-bugs.sh [PROGRAMS [FIRST [END]]]`, with at most so many programs for each of the bugs FIRST up to END.
# One program has all bugs, and shows the one that NACRE_BUG says. A bug is found when a program fails or is rejected that
# is equal without it. Only those programs run of which the compiler makes something else with the bug: the others cannot fail.
# NACRE_INJECTED_COPY: a folder for the copy, which stays; what is in it already is not built again.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
programs=${1:-200} first=${2:-0} end=${3:-1000}
unset NACRE_BUG
copy=${NACRE_INJECTED_COPY:-$(mktemp -d)}
[ -n "${NACRE_INJECTED_COPY:-}" ] || trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy"
git -C "$root" archive HEAD | tar -x -C "$copy"
(cd "$root" && cargo run -q -p nacre-tests --bin programs -- inject "$copy") > "$copy/names"
cd "$copy"
export CARGO_TARGET_DIR=$copy/target
cargo build -q --profile campaign -p nacre-tests --bin programs
tool=target/campaign/programs

# Fails unless the program of a seed is equal without a bug.
is_equal_without() {
    "$tool" print "$1" > program.nacre
    "$tool" examine program.nacre --seed "$1" > without || { echo "program $1 fails without any bug"; cat without; exit 1; }
}

"$tool" digests 0 "$programs" > digests
found=0 all=0
while read -r number name; do
    [ "$number" -ge "$first" ] && [ "$number" -lt "$end" ] || continue
    all=$((all + 1))
    status=0
    NACRE_BUG=$number "$tool" run 0 "$programs" --until-failure --unlike digests > result 2> run-errors || status=$?
    seed=$(sed -nE 's/^program ([0-9]+): .*/\1/p; s/.* Error: .*\(seed ([0-9]+)\)$/\1/p' result | sort -n | head -1)
    case $status in
    0) echo "missed: $name" && continue ;;
    1) [ -n "$seed" ] || { echo "no program failed: $name"; cat result; exit 1; } ;;
    *) echo "the tool failed with $status: $name"; cat result run-errors; exit 1 ;;
    esac
    is_equal_without "$seed"
    found=$((found + 1))
    echo "found by program $((seed + 1)): $name: $(grep -m1 -E '^program [0-9]+: |Error: ' result | cut -c1-140)"
done < names
echo "$found of $all bugs were found"
