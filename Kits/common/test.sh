#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs the handler under bgrun: revoked half-way, on from there to its end. BGRUN: which bgrun.
set -eu
cd "$(dirname "$0")"
bgrun=${BGRUN:-bgrun}
task=com.example.kit-name.count
work=$(mktemp -d)
host=
trap 'test -z "$host" || kill "$host" 2>/dev/null || true; rm -rf "$work"' EXIT

# Fails with what bgrun said unless its log has the line.
expect() {
    grep -q -- "$1" "$work/log" && return
    echo "test.sh: bgrun did not say \"$1\":" >&2
    cat "$work/log" >&2
    exit 1
}

"$bgrun" lint kit-name.yaml

"$bgrun" --manifest kit-name.yaml --state "$work" --once 2>"$work/log" &
host=$!
tries=100
until grep -q "progress" "$work/log" || [ $tries = 0 ]; do
    sleep 0.1
    tries=$((tries - 1))
done
expect progress
"$bgrun" expire --manifest kit-name.yaml --state "$work" $task
wait $host && status=0 || status=$?
host=
[ $status = 1 ] || expect "expired, and exit status 1 (it was $status)"
expect "reported no success: stopped after"
if grep -q "SIGTERM" "$work/log"; then
    echo "test.sh: the handler did not stop within its grace:" >&2
    cat "$work/log" >&2
    exit 1
fi
echo "test.sh: stops when its time is revoked"

"$bgrun" submit --manifest kit-name.yaml --state "$work" $task
"$bgrun" --manifest kit-name.yaml --state "$work" --once 2>"$work/log" || true
expect "Task completed with identifier $task"
if grep -q "progress .*(1/20)" "$work/log"; then
    echo "test.sh: it began anew:" >&2
    cat "$work/log" >&2
    exit 1
fi
echo "test.sh: goes on where it was, and completes"
