#!/bin/sh
# Puts hardshell on a Jetson, or takes it off again.
#
#   sudo ./install.sh [--binary FILE]   install, or update in place
#   sudo ./install.sh --remove          remove the program; state and config stay
#
# What a person may have changed (/etc/hardshell, the workspace) is never
# overwritten. --root DIR installs below DIR and starts nothing: for images.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root= binary= remove=

say() { printf 'install: %s\n' "$*"; }
die() { printf 'install: %s\n' "$*" >&2; exit 1; }

while [ $# -gt 0 ]; do
	case $1 in
	--root) root=${2:?--root needs a folder}; shift ;;
	--binary) binary=${2:?--binary needs a file}; shift ;;
	--remove) remove=yes ;;
	*) die "what is $1? usage: install.sh [--binary FILE] [--root DIR] [--remove]" ;;
	esac
	shift
done

[ -n "$root" ] || [ "$(id -u)" = 0 ] || die "run it with sudo: it writes to /usr/local, /etc and /var/lib"

# live runs a command on a running system, not below --root.
live() { [ -n "$root" ] || "$@"; }

# put installs a file that belongs to the program: mode, source, target.
put() {
	mkdir -p "$root$(dirname "$3")"
	install -m "$1" "$2" "$root$3"
	say "$3"
}

# offer installs a file that a person may change: kept when it is there.
offer() {
	if [ -e "$root$3" ]; then
		cmp -s "$2" "$root$3" || say "$3 is kept as it is; the new version lies in $2"
		return
	fi
	put "$1" "$2" "$3"
}

if [ -n "$remove" ]; then
	live systemctl disable --now hardshell.service || true
	for f in /usr/local/bin/agent /etc/systemd/system/hardshell.service \
		/etc/systemd/system/ollama.service.d/hardshell.conf \
		/etc/udev/rules.d/70-hardshell.rules /etc/sysusers.d/hardshell.conf \
		/usr/local/share/doc/hardshell/README.md; do
		rm -f "$root$f"
	done
	live systemctl daemon-reload
	say "removed; /etc/hardshell and /var/lib/hardshell stay: remove them by hand"
	exit 0
fi

if [ -z "$binary" ]; then
	for f in "$here/agent-arm64" "$here/../../bin/agent-arm64" "$here/agent"; do
		[ -f "$f" ] && binary=$f && break
	done
fi
[ -n "$binary" ] || die "there is no binary: run make build-arm64 first, or give one with --binary"

for f in hardshell.service ollama.conf hardshell.rules hardshell.sysusers README.md policy.toml config.toml; do
	[ -f "$here/$f" ] || die "$f is missing beside this script: copy the whole folder deploy/jetson"
done

put 755 "$binary" /usr/local/bin/agent
put 644 "$here/hardshell.service" /etc/systemd/system/hardshell.service
put 644 "$here/ollama.conf" /etc/systemd/system/ollama.service.d/hardshell.conf
put 644 "$here/hardshell.rules" /etc/udev/rules.d/70-hardshell.rules
put 644 "$here/hardshell.sysusers" /etc/sysusers.d/hardshell.conf
put 644 "$here/README.md" /usr/local/share/doc/hardshell/README.md

# The policy belongs to root: the agent reads what it may do, and can't change it.
offer 644 "$here/policy.toml" /etc/hardshell/policy.toml
offer 644 "$here/config.toml" /etc/hardshell/config.toml

live systemd-sysusers
live install -d -o hardshell -g hardshell -m 750 /var/lib/hardshell /var/lib/hardshell/workspace
mkdir -p "$root/var/lib/hardshell/workspace"
# The workspace is filled once. Later a file that lacks was taken away on purpose.
if [ -z "$(ls -A "$root/var/lib/hardshell/workspace")" ]; then
	(cd "$here/workspace" && find . -type f) | sed 's|^\./||' | while read -r f; do
		# The first conversation is for an agent that never ran.
		[ "$f" = BOOTSTRAP.md ] && [ -e "$root/var/lib/hardshell/hardshell.db" ] && continue
		put 644 "$here/workspace/$f" "/var/lib/hardshell/workspace/$f"
	done
	live chown -R hardshell:hardshell /var/lib/hardshell/workspace
fi
live udevadm control --reload && live udevadm trigger --subsystem-match=gpio --subsystem-match=i2c-dev ||
	say "udev does not run here: pins and buses get their groups with the next boot"
live systemctl daemon-reload
if [ -z "$root" ] && systemctl cat ollama.service >/dev/null 2>&1; then
	systemctl try-restart ollama.service
else
	say "Ollama is not installed as a service here: the agent needs it, see README.md"
fi
live systemctl enable hardshell.service
live systemctl restart hardshell.service
say "done; talk to it with: agent chat"
