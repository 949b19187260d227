#!/bin/sh
# Runs every fuzz target of the repository, one after the other, for the time
# given. What one finds stays under its package's testdata/fuzz, as a test.
set -eu
cd "$(dirname "$0")/.."
time=${1:-60s}
grep -rl --include='*_test.go' '^func Fuzz' app views cmd | sort | while read -r file; do
	sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$file" | while read -r target; do
		echo "$(dirname "$file") $target"
		go test "./$(dirname "$file")" -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 2s </dev/null
	done
done
