#!/bin/sh
# Installs what `npm run test:platforms` makes other platforms of, on Debian or Ubuntu: shells, tools, Wine.
set -eu
# Windows' Node, and Wine for it, are for x64 alone.
wine=
[ "$(dpkg --print-architecture)" != amd64 ] || wine=wine64
exec "$(dirname "$0")/install-packages.sh" \
  bash busybox coreutils dash findutils iproute2 ksh93u+m mksh perl-base posh procps toybox util-linux yash zsh $wine
