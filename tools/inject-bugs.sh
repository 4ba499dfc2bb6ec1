#!/usr/bin/env bash
# Puts the bugs of tools/injected-bugs.txt into a copy of the tree, one after the other, and counts those that random programs
# find: `tools/inject-bugs.sh [PROGRAMS [FIRST [END]]]`, with at most so many programs for each of the bugs FIRST up to END.
# A bug is found when a program fails that is equal without it; a tool that cannot be built or ends otherwise is an error.
# Only the programs run of which the compiler makes something else with the bug: the others cannot fail.
# NACRE_INJECTED_COPY: a folder for the copy, which stays.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
programs=${1:-200} first=${2:-0} end=${3:-1000}
copy=${NACRE_INJECTED_COPY:-$(mktemp -d)}
[ -n "${NACRE_INJECTED_COPY:-}" ] || trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy"
git -C "$root" archive HEAD | tar -x -C "$copy"
export CARGO_TARGET_DIR=$copy/target
cd "$copy"

build() {
    cargo build -q --profile campaign -p nacre-tests --bin programs 2> build-errors || { echo "does not compile: $1"; cat build-errors; exit 1; }
}

# Sets `status` and `result`; prints both and ends where the tool neither finished nor said which program failed.
run() {
    status=0
    result=$(target/campaign/programs run 0 "$2" --until-failure "${@:3}" 2> run-errors) || status=$?
    case $status in
    0) return ;;
    1) grep -qE '^program [0-9]+: |^ +[0-9]+ .*Error: ' <<< "$result" && return ;;
    esac
    echo "the tool failed with $status: $1"
    echo "$result"
    cat run-errors
    exit 1
}

build "no bug"
run "no bug" "$programs"
[ "$status" = 0 ] || { echo "a program fails without any bug"; echo "$result"; exit 1; }
cp target/campaign/programs target/inject
target/inject digests 0 "$programs" > digests
found=0 all=0
for ((number = first; number < end; number++)); do
    name=$(target/inject inject "$number" "$copy") || break
    file=${name##* (} file=${file%)}
    all=$((all + 1))
    build "$name"
    run "$name" "$programs" --unlike digests
    if [ "$status" = 0 ]; then
        echo "missed: $name"
    else
        found=$((found + 1))
        echo "found: $name: $(grep -m1 -E '^program [0-9]+: |Error: ' <<< "$result" | cut -c1-140)"
    fi
    git -C "$root" show "HEAD:$file" > "$file"
done
echo "$found of $all bugs were found"
