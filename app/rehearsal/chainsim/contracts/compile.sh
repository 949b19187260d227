#!/bin/sh
# Recompiles the Solidity of the local chain and of app/chain. Needs node and
# npm; the compiler is installed in a temporary folder and removed again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
npm install --silent --no-fund --no-audit --prefix "$tmp" solc@0.8.37 >/dev/null
NODE_PATH="$tmp/node_modules" node "$here/compile.cjs" "$here" "$here/../../../chain/contracts"
