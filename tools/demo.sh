#!/usr/bin/env bash
# The main job in one minute: shows the stack `secure`, then sends a file from one user to another over a bad network.
# Usage: tools/demo.sh NACRE MEBIBYTES
set -euo pipefail
nacre=$1
size=$2
source=examples/secure.nacre
folder=$(mktemp -d)
receiver=
trap '[ -z "$receiver" ] || kill "$receiver" 2>/dev/null || true; rm -rf "$folder"' EXIT

echo "== The stack, and the most frequent of its frames"
"$nacre" explain "$source" --stack secure | awk '/^  short 1:/ { rest = 1 } !rest'
echo "The rest: nacre explain $source --stack secure"

echo
echo "== A file of $size MiB from one user to another, encrypted"
echo "   5 % of frames are lost, 2 % duplicated, 2 % reordered, 1 % corrupted: the window stays as narrow as that of TCP would"
head -c "$((size * 1024 * 1024))" /dev/urandom >"$folder/original"
port=$((20000 + RANDOM % 20000))
# Two users, each with keys of its own, which are made now.
XDG_CONFIG_HOME="$folder/one" "$nacre" run "$source" --stack secure receive --listen "127.0.0.1:$port" --out "$folder/copy" --once \
    >"$folder/receiver" 2>&1 &
receiver=$!
until grep -q listening "$folder/receiver"; do
    kill -0 "$receiver" || { cat "$folder/receiver" >&2; exit 1; }
    sleep 0.1
done
echo "-- the sender, which requires the key of the receiver"
key=$(XDG_CONFIG_HOME="$folder/one" "$nacre" keys show)
XDG_CONFIG_HOME="$folder/two" "$nacre" run "$source" --stack secure send --to "127.0.0.1:$port" --peer "$key" \
    --file "$folder/original" --loss 5% --duplicate 2% --reorder 2% --corrupt 1% --seed 1
wait "$receiver"
receiver=
echo "-- the receiver"
cat "$folder/receiver"
echo "-- what sha256sum says"
sent=$(sha256sum <"$folder/original" | cut -d' ' -f1)
received=$(sha256sum <"$folder/copy" | cut -d' ' -f1)
echo "sent      $sent"
echo "received  $received"
if [ "$sent" != "$received" ]; then
    echo "the files differ" >&2
    exit 1
fi
echo "equal"
