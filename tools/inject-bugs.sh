#!/usr/bin/env bash
# Inserts the bugs of tools/injected-bugs.txt into a copy of the source, and counts those that random programs find:
# `tools/inject-bugs.sh [PROGRAMS [FIRST [END]]]` runs at most PROGRAMS programs for each bug from FIRST to END - 1.
# One build contains all bugs; NACRE_BUG activates one. A bug is found if a program fails or is rejected with the bug and
# passes without it. Only programs that the compiler translates differently with the bug run: the others cannot fail.
# NACRE_INJECTED_COPY: a folder for the copy, which is kept and built incrementally.
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

# Fails unless the program of a seed passes without any bug.
passes_without() {
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
    passes_without "$seed"
    found=$((found + 1))
    echo "found by program $((seed + 1)): $name: $(grep -m1 -E '^program [0-9]+: |Error: ' result | cut -c1-140)"
done < names
echo "$found of $all bugs were found"
