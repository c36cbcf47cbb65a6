#!/bin/sh
# Installs the needs of the test project `real`, of the real agents in `npm run test:agents`, and of `npm run bench`, on
# Debian or Ubuntu.
set -eu
folder=$(dirname "$0")
"$folder/install-packages.sh" \
  acl attr bash bindfs bsdutils busybox chromium curl dbus dosfstools dunst espeak-ng fish fonts-dejavu-core \
  foot fusefat git imagemagick iproute2 jq kitty libnotify-bin libxfconf-0-3 mako-notifier nix-bin \
  notification-daemon openbox openssh-client openssh-server openssl poppler-utils pulseaudio pulseaudio-utils \
  python3-minimal ruby sway tmux util-linux vim xdotool xfconf xprintidle xterm xvfb zsh
"$folder/unpack-servers.sh"
