#!/bin/sh
# Unpacks test servers from Debian's newest packages, because the release's own are too old or missing. Installs
# nothing: the servers are in ~/.cache/beckon-servers, where test/world/servers.ts finds them.
set -eu
folder=${XDG_CACHE_HOME:-$HOME/.cache}/beckon-servers
[ ! -e "$folder/complete" ] || exit 0
apt=$folder/apt
rm -rf "$folder"
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial"
# This system's mirror and key for Debian; Ubuntu has neither.
# shellcheck disable=SC2016 # apt's own variable
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep '/debian$' | head -n 1) || true
key=/usr/share/keyrings/debian-archive-keyring.gpg
if [ -z "$mirror" ] || [ ! -e "$key" ]; then
  echo "No Debian mirror is configured: put nats-server and prometheus-alertmanager on PATH yourself." >&2
  exit 0
fi
echo "deb [signed-by=$key] $mirror sid main" >"$apt/sources.list"
quietly() {
  apt-get -qq -o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$apt/lists" \
    -o "Dir::Cache=$apt/cache" -o APT::Sandbox::User=root "$@"
}
quietly update
(cd "$apt" && quietly download nats-server prometheus-alertmanager)
for package in "$apt"/*.deb; do dpkg-deb -x "$package" "$folder"; done
rm -rf "$apt"
touch "$folder/complete"
