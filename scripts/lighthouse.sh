#!/bin/sh
# Measures the public pages with Lighthouse's phone profile: the front page, a
# live page at its real pace and a pre-report, three times each. Prints the medians and ends with
# 1 if one is under what is promised: 100 for accessibility, best practices and
# search engines, 98 for performance. Measure on a quiet machine.
#   scripts/lighthouse.sh          on a rehearsal of its own
#   scripts/lighthouse.sh URL      on the site at that address
set -eu
cd "$(dirname "$0")/.."

version=12.2.3
runs=3
for program in node npm; do
	command -v $program >/dev/null || { echo "lighthouse: $program is missing: apt-get install nodejs npm" >&2; exit 2; }
done
folder=$(mktemp -d)
site=
trap '[ -z "$site" ] || kill "$site" 2>/dev/null; wait; rm -rf "$folder"' EXIT
(cd "$folder" && npm init -y >/dev/null && npm install --silent --no-fund --no-audit --ignore-scripts --save-exact --fetch-retries=1 --fetch-timeout=30000 "lighthouse@$version") ||
	{ echo "lighthouse: npm could not fetch lighthouse@$version: is its registry reached?" >&2; exit 2; }

base=${1:-}
if [ -z "$base" ]; then
	base=http://localhost:8765
	CGO_ENABLED=0 go build -o "$folder/rehearse" ./cmd/rehearse
	"$folder/rehearse" serve --addr localhost:8765 --speed 1 --patience 1s >"$folder/site.log" 2>&1 &
	site=$!
fi

# pages are the paths to measure, once there is one of each kind.
pages() {
	map=$(curl -fsS "$base/sitemap.xml" 2>/dev/null) || return 1
	paths=$(echo "$map" | grep -o '<loc>[^<]*' | sed -E 's#<loc>https?://[^/]*##')
	live=$(echo "$paths" | grep -m1 '^/operations/') && report=$(echo "$paths" | grep -m1 '^/candidates/[0-9]') || return 1
	echo / "$live" "$report"
}
tries=0
until found=$(pages); do
	tries=$((tries + 1))
	[ $tries -lt 300 ] || { echo "lighthouse: $base has no live page or no pre-report yet" >&2; cat "$folder/site.log" 2>/dev/null >&2; exit 2; }
	sleep 1
done

for page in $found; do
	run=1
	while [ $run -le $runs ]; do
		CHROME_PATH=$(command -v chromium || command -v chromium-browser || command -v google-chrome) \
			"$folder/node_modules/.bin/lighthouse" "$base$page" --quiet --output=json --output-path="$folder/run-$run.json" --chrome-flags="--headless=new --no-sandbox"
		run=$((run + 1))
	done
	node scripts/lighthouse.js "$page" "$folder"/run-*.json || failed=1
done
[ -z "${failed:-}" ]
