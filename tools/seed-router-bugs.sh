#!/usr/bin/env bash
# Puts the bugs of tools/seeded-router-bugs.txt (or of NACRE_BUGS) into a copy of the source, and counts those that the default
# runs of `nacre verify --engine router` find for a stack: `tools/seed-router-bugs.sh [STACK [FIRST [END]]]`.
# One build contains all bugs; NACRE_BUG activates one. Fails if fewer are found than NACRE_SHARE percent (65).
# NACRE_INJECTED_COPY: a folder for the copy, which is kept and built incrementally.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
stack=${1:-reliable_plain} first=${2:-0} end=${3:-1000} list=${NACRE_BUGS:-$root/tools/seeded-router-bugs.txt}
unset NACRE_BUG
copy=${NACRE_INJECTED_COPY:-$(mktemp -d)}
[ -n "${NACRE_INJECTED_COPY:-}" ] || trap 'rm -rf "$copy"' EXIT
mkdir -p "$copy"
git -C "$root" archive HEAD | tar -x -C "$copy"
mapfile -t names < <(sed -n 's/^bug //p' "$list")
(cd "$root" && cargo build -q --profile campaign -p nacre-tests --bin programs)
tool=$(realpath "${CARGO_TARGET_DIR:-$root/target}")/campaign/programs
for ((number = 0; number < ${#names[@]}; number++)); do "$tool" seed "$list" "$number" "$copy" > "$copy/changed"; done
# The runtime depends on no other crate.
sed -i 's/nacre_stack::is_chosen/crate::is_chosen/' "$copy"/runtime/src/*.rs "$copy"/runtime/src/router/*.rs
cat >> "$copy/runtime/src/lib.rs" <<'END'
pub(crate) fn is_chosen(number: usize) -> bool {
    static CHOSEN: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    *CHOSEN.get_or_init(|| std::env::var("NACRE_BUG").ok()?.parse().ok()) == Some(number)
}
END
cd "$copy"
export CARGO_TARGET_DIR=$copy/target
cargo build -q --release -p nacre
verify() { target/release/nacre verify examples/reliable.nacre --stack "$stack" --engine router; }
verify > without || { echo "a rule is violated without any bug"; cat without; exit 1; }

found=0 all=0
for ((number = first; number < end && number < ${#names[@]}; number++)); do
    all=$((all + 1)) status=0
    NACRE_BUG=$number verify > result 2> errors || status=$?
    case $status in
    0) echo "missed: ${names[number]}" && continue ;;
    1) ;;
    *) echo "the program failed with $status: ${names[number]}"; cat result errors; exit 1 ;;
    esac
    found=$((found + 1))
    printf '%s\n    %s\n' "found: ${names[number]}" "$(grep -m1 VIOLATED result); $(sed -n 's/.*--choices //p' result)"
done
echo "$found of $all bugs were found"
[ $((found * 100)) -ge $((all * ${NACRE_SHARE:-65})) ]
