#!/bin/sh
# What must hold beside the tests. Runs every check, then says which failed.
set -u
cd "$(dirname "$0")/.."
failed=

check() {
	name=$1
	shift
	if ! "$@"; then
		failed="$failed, $name"
		echo "check: $name failed" >&2
	fi
}

formatted() {
	wrong=$(gofmt -l app cmd migrations prompts specs static templates views)
	[ -z "$wrong" ] || { echo "run gofmt -w on:" $wrong >&2; return 1; }
}

pinned() {
	(cd prompts && LC_ALL=C sha256sum ./*.md | sed 's#\./##') | diff specs/prompts.lock - >&2 ||
		{ echo "a prompt is not the one in specs/prompts.lock; if that is meant: make pin" >&2; return 1; }
}

# Compares before and after, so that it holds in an uncommitted change too.
fresh() {
	before=$(hashes)
	make --no-print-directory -s generate || return 1
	[ "$before" = "$(hashes)" ] || { echo "generated code was stale and is now made anew: commit it" >&2; return 1; }
}

hashes() { { find views -name '*_templ.go'; find app/postgres/dbsqlc -name '*.go'; } | LC_ALL=C sort | xargs sha256sum; }

lint() {
	if command -v golangci-lint >/dev/null; then golangci-lint run; fi
}

check formatting formatted
check "pinned prompts" pinned
check "generated code" fresh
check vet go vet ./...
check layers go test ./app
check lint lint

[ -z "$failed" ] || { echo "check: failed: ${failed#, }" >&2; exit 1; }
echo "check: all hold"
