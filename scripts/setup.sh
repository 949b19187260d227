#!/bin/sh
# Installs what Vivra needs beside Go: PostgreSQL, Chromium, fonts, bubblewrap.
# What it can't install it names, with the command. Quick when nothing is missing.
set -eu
cd "$(dirname "$0")/.."

need_go=1.26

have_postgres() {
	for dir in "${PG_BIN_DIR:-}" $(dirname "$(readlink -f "$(command -v postgres || echo /)")") /usr/lib/postgresql/*/bin; do
		if [ -n "$dir" ] && [ -x "$dir/postgres" ] && [ -x "$dir/initdb" ]; then return 0; fi
	done
	return 1
}

have_chromium() {
	for name in chromium google-chrome google-chrome-stable chromium-browser; do
		path=$(command -v "$name") || continue
		# Ubuntu's chromium-browser only points at a snap, which may not be there.
		if [ -x /snap/bin/chromium ] || ! head -c 1000 "$path" | grep -q /snap/bin/; then return 0; fi
	done
	return 1
}

have_font() { [ -n "$(find /usr/share/fonts /usr/local/share/fonts -name "$1*" -print -quit 2>/dev/null)" ]; }

# The word before each package says what goes without it: all (nothing runs), or some.
missing() {
	have_postgres || echo all postgresql
	have_chromium || echo all "$chromium"
	have_font NotoSans-Regular || echo some fonts-noto-core
	have_font NotoColorEmoji || echo some fonts-noto-color-emoji
	have_font NotoSansCJK || echo some fonts-noto-cjk
	command -v bwrap >/dev/null || echo some bubblewrap
}

check_go() {
	if ! command -v go >/dev/null; then
		echo "setup: Go is not installed. Vivra needs Go $need_go or newer: https://go.dev/dl/" >&2
		exit 1
	fi
	# Here, where go.mod names the version, an older Go answers with the newer one it fetched.
	version=$(go env GOVERSION 2>/dev/null) || version=$(GOTOOLCHAIN=local go env GOVERSION 2>/dev/null) || version=none
	oldest=$(printf '%s\n' "go$need_go" "$version" | sort -V | head -n 1)
	if [ "$oldest" != "go$need_go" ]; then
		echo "setup: this Go is $version. Vivra needs $need_go or newer: https://go.dev/dl/" >&2
		exit 1
	fi
}

apt() { $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=120 "$@" >&2; }

install_packages() {
	apt update
	case " $* " in *" postgresql "*) without_cluster ;; esac
	apt install --no-install-recommends "$@"
}

# Debian's package starts a server of its own when it is installed. Vivra runs
# a private one, so the package is told not to, for this installation only.
without_cluster() {
	apt install --no-install-recommends postgresql-common
	dropin=/etc/postgresql-common/createcluster.d/vivra-setup.conf
	trap '$sudo rm -f "$dropin"' EXIT
	$sudo mkdir -p "$(dirname "$dropin")"
	echo 'create_main_cluster = false' | $sudo tee "$dropin" >/dev/null
}

chromium=chromium
if grep -qs '^ID=ubuntu' /etc/os-release; then chromium=chromium-browser; fi

check_go
wanted=$(missing)
[ -n "$wanted" ] || exit 0
packages=$(echo "$wanted" | cut -d ' ' -f 2 | tr '\n' ' ')

sudo=
[ "$(id -u)" = 0 ] || sudo="sudo -n"
if command -v apt-get >/dev/null && { [ -z "$sudo" ] || sudo -n true 2>/dev/null; }; then
	echo "setup: installing $packages" >&2
	# shellcheck disable=SC2086 # one word per package
	install_packages $packages || true
	wanted=$(missing)
fi
[ -n "$wanted" ] || exit 0

packages=$(echo "$wanted" | cut -d ' ' -f 2 | tr '\n' ' ')
echo "setup: still missing: $packages" >&2
if command -v apt-get >/dev/null; then
	echo "setup: run: sudo apt-get update && sudo apt-get install -y --no-install-recommends $packages" >&2
else
	echo "setup: install them with this system's package manager (the names are Debian's)." >&2
fi
case $wanted in *"all "*) exit 1 ;; esac
echo "setup: going on without: text in emoji, Chinese, Japanese or Korean may show as boxes, and utilities can't be tried in a sandbox." >&2
