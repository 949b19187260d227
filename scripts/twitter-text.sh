#!/bin/sh
# Holds app/xtext against the npm package twitter-text: what a post counts,
# whether X takes it, and which links, cashtags and names it has. Prints each
# difference and ends with 1 if there is one.
#   scripts/twitter-text.sh [compare [TEXTS]]   5,000 random texts beside all characters
#   scripts/twitter-text.sh write               make the tables and the kept texts anew
set -eu
cd "$(dirname "$0")/.."

packages="twitter-text@3.1.0 twemoji-parser@11.0.2 punycode@1.4.1"
tables=app/xtext/tables.go
kept=app/xtext/testdata/twitter-text.jsonl

for program in node npm; do
	command -v $program >/dev/null || { echo "twitter-text: $program is missing: apt-get install nodejs npm" >&2; exit 2; }
done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# shellcheck disable=SC2086
(cd "$folder" && npm init -y >/dev/null && npm install --silent --no-fund --no-audit --ignore-scripts --save-exact --fetch-retries=1 --fetch-timeout=30000 $packages) ||
	{ echo "twitter-text: npm could not fetch $packages: is its registry reached?" >&2; exit 2; }

node scripts/twitter-text/tables.js "$folder" | gofmt >"$folder/tables.go"
case ${1:-compare} in
write)
	mkdir -p "$(dirname "$kept")"
	mv "$folder/tables.go" $tables
	node scripts/twitter-text/texts.js "$folder" 400 7 >$kept
	;;
compare)
	cmp "$folder/tables.go" $tables || { echo "twitter-text: $tables is not what the packages hold: scripts/twitter-text.sh write" >&2; exit 1; }
	node scripts/twitter-text/texts.js "$folder" "${2:-5000}" >"$folder/texts.jsonl"
	CGO_ENABLED=0 go test ./app/xtext -count=1 -v -run '^TestAsTwitterText$' -args -twitter-text="$folder/texts.jsonl"
	;;
*)
	echo "twitter-text: compare or write, not $1" >&2
	exit 2
	;;
esac
