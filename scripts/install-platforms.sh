#!/bin/sh
# Installs shells, tools and Wine, with which `npm run test:platforms` imitates other platforms, on Debian or Ubuntu.
set -eu
# Node for Windows, and Wine to run it, need x64.
wine=
[ "$(dpkg --print-architecture)" != amd64 ] || wine=wine64
exec "$(dirname "$0")/install-packages.sh" \
  bash busybox coreutils dash findutils iproute2 ksh93u+m mksh perl-base posh procps toybox util-linux yash zsh $wine
