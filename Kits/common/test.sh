#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR 0BSD
# Runs the handler under bgrun: revokes its time half-way, then lets it continue. BGRUN names the program.
set -eu
cd "$(dirname "$0")"
bgrun=${BGRUN:-bgrun}
manifest=kit-name.yaml
task=com.example.kit-name.count
work=$(mktemp -d)
host=
trap 'test -z "$host" || kill "$host" 2>/dev/null || true; rm -rf "$work"' EXIT

# expect FILE TEXT: fails and prints the file unless it contains the text.
expect() {
    grep -qF -- "$2" "$work/$1" && return
    echo "test.sh: \"$2\" is missing from the $1:" >&2
    cat "$work/$1" >&2
    exit 1
}

"$bgrun" lint "$manifest"

: >"$work/log"
"$bgrun" --manifest "$manifest" --state "$work/state" --once 2>"$work/log" &
host=$!
tries=200 # of a tenth of a second
until grep -q " progress " "$work/log" || [ $tries = 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
done
expect log " progress "
"$bgrun" expire --manifest "$manifest" --state "$work/state" "$task"
wait "$host" || true # 1: an attempt expired
host=
"$bgrun" history --manifest "$manifest" --state "$work/state" >"$work/history"
expect history "expired (cancelled), reported no success"
expect history "stopped after"

"$bgrun" submit --manifest "$manifest" --state "$work/state" "$task"
"$bgrun" --manifest "$manifest" --state "$work/state" --once 2>"$work/log" || true
expect log "continues after"
expect log "counted 20 of 20 pieces"
expect log "Task completed with identifier $task"
echo "test.sh: stops when its time is revoked, continues where it was, and completes"
