#!/bin/sh
# Installs what the tests of the project `real` and the real agents of `npm run test:agents` need, on Debian or Ubuntu; as root, or through sudo.
set -eu
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -qq --no-install-recommends \
  acl attr bash bindfs bsdutils busybox chromium dbus dosfstools dunst espeak-ng fish fonts-dejavu-core \
  foot fusefat git imagemagick iproute2 kitty libnotify-bin mako-notifier openbox openssl poppler-utils pulseaudio \
  pulseaudio-utils python3-minimal sway tmux util-linux xdotool xfconf xprintidle xterm xvfb zsh
