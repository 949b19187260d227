#!/bin/sh
# Fetches axe-core, which finds what keeps people off a page: a test runs it on
# every page. Without it that test says that it was skipped.
set -eu
cd "$(dirname "$0")/.."

version=4.14.1
sha256=29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c
to=app/internal/testbrowser/testdata/axe.min.js

is_axe() { echo "$sha256  $1" | sha256sum -c --status 2>/dev/null; }

fetch() {
	command -v npm >/dev/null || return 1
	(cd "$folder" && npm pack --silent --fetch-retries=1 --fetch-timeout=30000 "axe-core@$version" >/dev/null &&
		tar -xzf "axe-core-$version.tgz" package/axe.min.js) && is_axe "$folder/package/axe.min.js"
}

if is_axe "$to"; then exit 0; fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
if fetch; then
	mkdir -p "$(dirname "$to")"
	mv "$folder/package/axe.min.js" "$to"
else
	echo "axe: going on without axe-core $version (it takes npm): pages are not searched for barriers" >&2
fi
