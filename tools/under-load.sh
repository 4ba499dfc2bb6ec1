#!/usr/bin/env bash
# Runs the tests that involve processes, signals, sockets or time again and again on a busy machine: no test may depend on
# scheduling. docs/testing.md says why each is here; tests/tests/under_load.rs finds those that are not.
#
# usage: tools/under-load.sh [TIMES [PATTERN]]
#   TIMES    runs of each (20)
#   PATTERN  only the lines of the list that match this extended regular expression
# NACRE_LOAD: how many processes keep the processors busy (8). They are started here, and end with this script.
set -euo pipefail
cd "$(dirname "$0")/.."
times=${1:-20}
pattern=${2:-.}

# Package, target, and the names of its tests; all of them if none is named.
list() {
    cat <<'LIST'
nacre-runtime udp
nacre-runtime connections
nacre-runtime networks
nacre-runtime c_interface
nacre-runtime waking
nacre-runtime namespaces
nacre-runtime links
nacre-runtime many_connections
nacre-runtime stopped
nacre-runtime hostile
nacre-runtime full
nacre-runtime shards
nacre-encapsulation udp
nacre-encapsulation tun
nacre-encapsulation isolate
nacre-runtime shared
nacre-runtime shared_peers
nacre-runtime descriptors
nacre-runtime documents
nacre-tokio connections
nacre-tokio slow_readers
nacre-tokio reconnect
nacre transfer
nacre trees
nacre resume
nacre peers
nacre addresses
nacre new
nacre install
nacre faults
nacre secure
nacre user_keys
nacre examples
nacre documents
nacre exits output_that_is_not_read_or_not_written_leaves_no_verdict long_simulations_report_progress
nacre worlds programs_that_check_end_with_us verdict_that_cannot_be_printed_is_none
nacre verbs closed_reader_is_not_an_error
nacre-spin spin a_verifier_that_does_not_end_is_stopped search_that_reaches_a_limit_does_not_report_holds
nacre-syntax mutations
nacre-syntax layout_mutations
nacre-tests imports
nacre-tests test_programs
nacre-tests path_mtu
nacre-tests signatures
nacre-tests receipts
nacre-tests reconnect
nacre-tests adapters
LIST
}
chosen=$(list | grep -E -- "$pattern") || { echo "nothing on the list matches $pattern" >&2; exit 2; }

# Built before the load begins, and run as built: what is edited meanwhile does not count.
programs=() folders=()
while read -r package target _; do
    said=$(cargo test -p "$package" --test "$target" --no-run 2>&1) || { echo "$said" >&2; exit 1; }
    program=$(sed -nE 's/^ *Executable .*\((.*)\)$/\1/p' <<<"$said")
    [[ $program = /* ]] || program=$PWD/$program
    programs+=("$program")
    folders+=("$(cargo pkgid -p "$package" | sed -E 's|^path\+file://||; s|#.*||')")
done <<<"$chosen"

busy=()
trap 'kill "${busy[@]}" 2>/dev/null || true' EXIT
for ((i = 0; i < ${NACRE_LOAD:-8}; i++)); do
    (while :; do :; done) &
    busy+=($!)
done

log=$(mktemp)
failed=0
at=0
while read -r package target names; do
    bad=0
    for ((run = 1; run <= times; run++)); do
        # Word by word: the names are as many arguments.
        # shellcheck disable=SC2086
        (cd "${folders[at]}" && "${programs[at]}" --quiet $names) >"$log" 2>&1 </dev/null || {
            bad=$((bad + 1))
            echo "--- $package $target, run $run"
            cat "$log"
        }
    done
    echo "$package $target ${names:-(all)}: $bad of $times runs failed"
    failed=$((failed + bad))
    at=$((at + 1))
done <<<"$chosen"
rm -f "$log"
[ "$failed" -eq 0 ]
