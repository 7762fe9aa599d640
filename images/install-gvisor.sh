#!/bin/sh
# Installs gVisor's runsc, one pinned release, and registers it with the Docker engine of this machine.
#
#   images/install-gvisor.sh [--prefix DIR] [--config FILE] [--runsc FILE] [--print]
#
#   --prefix   where the program goes (default /usr/local/bin)
#   --config   the engine's configuration (default /etc/docker/daemon.json); the rest of it stays
#   --runsc    register this runsc, and download nothing
#   --print    say what would be downloaded and registered, and do nothing
#
# Needs root. Reload the engine afterwards: systemctl reload docker. To take another release, change
# the three values below together.
set -eu

release=20260622
sha256_x86_64=f18a948bf9c8bbb54eb998549a3a8d719a1c7de2efbe8fdd2ff0ee5fecd06f19
sha256_aarch64=62eee121f8c188e347c428acc96f111568ede3be37b906046b6f28bbe2cc40c0
# systrap needs no hardware; a container has no network, and gVisor is not to set one up.
flags='--platform=systrap --network=none'

say() { printf 'install-gvisor: %s\n' "$*"; }
fail() { say "$*" >&2; exit 1; }
usage() { sed -n '2,12s/^# \{0,1\}//p' "$0"; }

prefix=/usr/local/bin config=/etc/docker/daemon.json program='' print=0
while [ $# -gt 0 ]; do
  case $1 in
    --prefix | --config | --runsc)
      [ $# -gt 1 ] || { usage >&2; exit 2; }
      case $1 in
        --prefix) prefix=$2 ;;
        --config) config=$2 ;;
        *) program=$2 ;;
      esac
      shift 2 ;;
    --print) print=1; shift ;;
    --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

arch=$(uname -m)
case $arch in
  x86_64) expected=$sha256_x86_64 ;;
  aarch64) expected=$sha256_aarch64 ;;
  *) fail "gVisor is not released for $arch" ;;
esac
url=https://storage.googleapis.com/gvisor/releases/release/$release/$arch/runsc

if [ "$print" = 1 ]; then
  [ -n "$program" ] || say "$url, SHA-256 $expected, to $prefix/runsc"
  say "runtime runsc in $config: ${program:-$prefix/runsc} $flags"
  exit 0
fi

if [ -z "$program" ]; then
  program=$prefix/runsc
  # Beside its place, so that it gets there whole or not at all.
  fresh=$(mktemp "$prefix/.runsc.XXXXXX")
  trap 'rm -f "$fresh"' EXIT
  curl --fail --silent --show-error --location --proto '=https' --tlsv1.2 --max-filesize 400000000 \
    --output "$fresh" "$url" || fail "could not download $url"
  echo "$expected  $fresh" | sha256sum --check --status ||
    fail "$url is not what was pinned; nothing was installed"
  chmod 0755 "$fresh"
  mv "$fresh" "$program"
  say "installed $program ($release)"
fi
# Debian's runsc of 2022 has no systrap.
case $("$program" flags 2>&1) in
  *systrap*) ;;
  *) flags='--platform=ptrace --network=none' ;;
esac
# shellcheck disable=SC2086 # a list of flags
"$program" install --config_file="$config" --runtime=runsc -- $flags ||
  fail "could not register the runtime in $config"
say "registered runsc in $config: $flags"
say 'now: systemctl reload docker, and see docs/gvisor.md for how to check it'
