#!/usr/bin/env bash
# Puts the bugs of a list into a copy of the library, one at a time, and counts those that the default tests find:
# `tools/seed-protocol-bugs.sh [FIRST [END]]`, the bugs FIRST up to END of tools/seeded-protocol-bugs.txt (or of NACRE_BUGS).
# A bug is found by a run that `nacre verify` shows of a file with the layer, or by a test that fails.
# Fails if fewer are found than NACRE_SHARE percent (90).
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
first=${1:-0} end=${2:-100000} list=${NACRE_BUGS:-$root/tools/seeded-protocol-bugs.txt}
cd "$root"
cargo build -q --profile campaign -p nacre -p nacre-tests --bin nacre --bin programs
target=$(realpath "${CARGO_TARGET_DIR:-target}")/campaign
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
mapfile -t names < <(sed -n 's/^bug //p' "$list")

# The changed file, and those that import it, with a line that begins with a text.
files_with() {
    { echo "$1"; grep -lE "^import \"(.*/)?$(basename "$1")\"" layers/*.nacre layers/*/*.nacre examples/*.nacre; } |
        xargs grep -l "^$2" || true
}

# Prints how the bug in a file is found, and the evidence.
evidence() {
    local file out status
    for file in $(files_with "$1" configuration); do
        status=0
        out=$("$target/nacre" verify "$file" --brief --threads 1 --states 1000000 2>&1) || status=$?
        if grep -q VIOLATED <<< "$out"; then
            echo "verify: $file:$(grep -m1 VIOLATED <<< "$out")" && return
        fi
        [ "$status" != 1 ] || { echo "none: not a program: $out" && return; }
    done
    for file in $(files_with "$1" test); do
        out=$("$target/nacre" test "$file" 2>&1) ||
            { echo "test: $file: $(grep -m1 -iE 'fail|error' <<< "$out")" && return; }
    done
    echo none
}

found=0 all=0
for ((number = first; number < end && number < ${#names[@]}; number++)); do
    rm -rf "${copy:?}"/*
    cp -r layers examples "$copy"
    file=$("$target/programs" seed "$list" "$number" "$copy")
    found_by=$(cd "$copy" && evidence "$file")
    printf '%s\n    %s\n' "$number ${names[number]}" "$found_by"
    all=$((all + 1))
    [[ $found_by = none* ]] || found=$((found + 1))
done
echo "$found of $all bugs were found"
[ $((found * 100)) -ge $((all * ${NACRE_SHARE:-90})) ]
