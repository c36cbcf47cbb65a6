#!/bin/bash
# Runs Node as an ordinary user in a root that makeRoot() laid out, with separate processes and a loopback network.
# Processes left running end with this script, which is process 1 and reaps them.
#   /opt/node     the Node of the root       /opt/beckon   this repository, read-only
#   /processes    /proc for the tests alone, as a root without /proc has processes, too
# usage: ROOT=… ROOT_PATH=… NODE=… BECKON=… REAL_ROOT=… unshare … enter-root.sh ARGUMENT…
set -eu
ip link set lo up
hostname devbox
mount --make-rprivate /
for folder in /usr/lib /usr/lib64 /usr/share /lib /lib64; do [ -L $folder ] || [ ! -d $folder ] || mount --rbind $folder "$ROOT$folder"; done
mount --bind "$NODE" "$ROOT/opt/node"
mount --bind "$BECKON" "$ROOT/opt/beckon"
for folder in node beckon; do mount -o remount,bind,ro "$ROOT/opt/$folder"; done
mount -t tmpfs -o mode=755 none "$ROOT/dev"
for device in null zero full random urandom tty; do
  : >"$ROOT/dev/$device"
  mount --bind /dev/$device "$ROOT/dev/$device"
done
mount -t tmpfs -o mode=1777 none "$ROOT/tmp"
for folder in processes proc; do [ ! -d "$ROOT/$folder" ] || mount --bind /proc "$ROOT/$folder"; done
if [ "$REAL_ROOT" ]; then
  chown -R 1000:1000 "$ROOT/home/dev"
  as_dev=(/usr/sbin/chroot --userspec=1000:1000 --groups= "$ROOT")
else
  as_dev=(/usr/bin/unshare --user --map-user=1000 --map-group=1000 --root="$ROOT")
fi
set +e
env -i HOME=/home/dev USER=dev LOGNAME=dev SHELL=/bin/sh LANG=C.UTF-8 PATH="$ROOT_PATH" \
  "${as_dev[@]}" /opt/node/bin/node "$@"
exit $?
