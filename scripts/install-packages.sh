#!/bin/sh
# Installs packages on Debian or Ubuntu, as root or through sudo: `install-packages.sh NAME…`
set -eu
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -qq --no-install-recommends "$@"
