#!/bin/sh
# Runs tests of the runtime with several threads under the thread sanitizer: listeners that share an address, UDP with its
# offloads, shared memory, wakers. First it must find planted races, in Rust and in the C of a stack.
#
# All crates and the stacks are instrumented, the standard library is not. Two of its parts synchronize in a way that is
# therefore not seen, and are suppressed: the end of an `Arc`, which needs a fence, and the channel of the test program.
#
# Needs clang. `-Zsanitizer` is not stable: RUSTC_BOOTSTRAP lets the stable compiler accept it.
set -eu
cd "$(dirname "$0")/.."
command -v clang > /dev/null || { echo "clang is not installed: apt-get install clang libclang-rt-dev" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
host=$(rustc -vV | sed -n 's/^host: //p')
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS="-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer -Clink-args=-rdynamic"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}/thread-sanitizer"
export TSAN_OPTIONS="suppressions=$work/suppressions"
printf '%s\n' 'race:drop_slow' 'race:CompletedTest' > "$work/suppressions"

tests() { cargo test --quiet --target "$host" --package nacre-runtime "$@"; }

tests --test races --test shards --test shared --test udp --test waking --no-run
# From here on, tests compile stacks with this.
printf '#!/bin/sh\nexec clang -fsanitize=thread -g "$@"\n' > "$work/cc"
chmod +x "$work/cc"
PATH="$work:$PATH"
unset CC
for where in rust c; do
    tests --test races "in_$where" -- --ignored > "$work/planted" 2>&1 || true
    if ! grep -q 'SUMMARY: ThreadSanitizer: data race' "$work/planted"; then
        cat "$work/planted"
        echo "the race in $where was not found" >&2
        exit 1
    fi
done
tests --test shards --test shared --test udp --test waking -- --test-threads=1
echo "both planted races were found, and no other one"
