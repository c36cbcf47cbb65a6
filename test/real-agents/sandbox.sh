#!/bin/bash
# Runs a command as an ordinary user in separate namespaces: a loopback network, processes that all end with the command,
# and nothing in /root, /home, /tmp, /run and /var/tmp except these:
#   /home/dev      the home, $SANDBOX/home         /home/out     results, $SANDBOX/out
#   /home/beckon   this repository, read-only      /home/agent   the agent's package, read-only
#   /home/node     Node for agents, read-only      /home/bin/node   the Node that runs the tests
# usage: SANDBOX=… BECKON=… AGENT=… AGENT_NODE=… NODE=… unshare … sandbox.sh COMMAND…
set -eu
ip link set lo up
hostname devbox
mount --make-rprivate /
mount -t tmpfs none /mnt
mkdir -p /mnt/{dev,out,beckon,agent,node,bin}
: >/mnt/bin/node
mount --bind "$SANDBOX/home" /mnt/dev
mount --bind "$SANDBOX/out" /mnt/out
mount --bind "$BECKON" /mnt/beckon
mount --bind "$AGENT" /mnt/agent
mount --bind "$AGENT_NODE" /mnt/node
mount --bind "$NODE" /mnt/bin/node
mount --rbind /mnt /home
umount -l /mnt
for folder in /root /tmp /run /var/tmp; do mount -t tmpfs none "$folder"; done
chmod 1777 /tmp /var/tmp
for folder in beckon agent node; do mount -o remount,bind,ro "/home/$folder"; done
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 none /dev/pts # input in another sandbox is not the user's
mount --bind /dev/pts/ptmx /dev/ptmx
printf 'root:x:0:0:root:/root:/bin/sh\ndev:x:1000:1000:Dev:/home/dev:/bin/bash\n' >/run/passwd
printf 'root:x:0:\ndev:x:1000:\n' >/run/group
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group
if [ "$REAL_ROOT" ]; then
  chown -R 1000:1000 /home/dev /home/out
  as_dev=(setpriv --reuid 1000 --regid 1000 --clear-groups --no-new-privs --pdeathsig KILL)
else
  as_dev=(unshare --user --map-user=1000 --map-group=1000)
fi
cd /home/beckon
exec "${as_dev[@]}" env -i HOME=/home/dev USER=dev LOGNAME=dev SHELL=/bin/bash LANG=C.UTF-8 TERM=xterm-256color \
  PATH=/home/agent/node_modules/.bin:/home/node/node_modules/node/bin:/usr/local/bin:/usr/bin:/bin "$@"
