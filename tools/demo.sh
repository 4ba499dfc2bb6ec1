#!/usr/bin/env bash
# The main job in one minute: shows the stack `reliable`, then sends a file from one process to another over a bad network.
# Usage: tools/demo.sh NACRE MEBIBYTES
set -euo pipefail
nacre=$1
size=$2
source=examples/reliable.nacre
folder=$(mktemp -d)
receiver=
trap '[ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true; rm -rf "$folder"' EXIT

echo "== The stack"
"$nacre" explain "$source" --stack reliable

echo
echo "== A file of $size MiB from one process to another, with 5 % of frames lost, 2 % duplicated, 2 % reordered, 1 % corrupted"
head -c "$((size * 1024 * 1024))" /dev/urandom >"$folder/sent"
port=$((20000 + RANDOM % 20000))
"$nacre" run "$source" --stack reliable receive --listen "127.0.0.1:$port" --out "$folder/received" --once &
receiver=$!
"$nacre" run "$source" --stack reliable send --to "127.0.0.1:$port" --file "$folder/sent" \
    --loss 5% --duplicate 2% --reorder 2% --corrupt 1% --seed 1
wait "$receiver"
receiver=
sent=$(sha256sum <"$folder/sent" | cut -d' ' -f1)
received=$(sha256sum <"$folder/received" | cut -d' ' -f1)
echo "sent      $sent"
echo "received  $received"
if [ "$sent" != "$received" ]; then
    echo "the files differ" >&2
    exit 1
fi
echo "equal"
