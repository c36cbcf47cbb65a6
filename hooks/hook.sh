#!/bin/sh
# beckon's launcher, the command that agents run: standard input -> spool, wake the worker, exit 0.
# Usage: hook EVENT [--agent NAME] [--wait SECONDS] < payload.json
# An agent waits for every line of this file. Only cat (under timeout) and setsid or mv are processes of their own.

[ -t 0 ] && { echo "usage: hook EVENT [--agent NAME] [--wait SECONDS] < payload.json" >&2; exit 0; }
[ "$BECKON_DEBUG" = 1 ] || exec 2>/dev/null
trap 'exit 0' EXIT
trap '' PIPE
umask 077
set -C # a file that exists is never written to

event=${1:-unknown} agent= wait=0 json=
while [ $# -gt 1 ]; do
  shift
  case $1 in
    --agent) agent=${2-} ;;
    --wait) wait=${2-} ;;
    '{'*) json=$1 ;; # Codex's notify passes its payload as the last argument
  esac
done
case $event in *[!A-Za-z0-9_-]*) event=unknown ;; esac
case $agent in *[!a-z0-9_-]*) agent= ;; esac
case $wait in *[!0-9]* | '') wait=0 ;; esac

# Nothing the agent put in front of PATH stands in for the system's own programs; the worker gets PATH as it was.
path=$PATH
PATH=/usr/bin:/bin:$PATH
limit=
command -v timeout >/dev/null && limit='timeout 2'

# The one reply that spares an agent's user a line; everybody else gets silence.
reply() {
  case $agent in
    droid) printf '%s' '{"suppressOutput":true}' ;;
    cursor) printf '{}' ;;
  esac
}

if [ "$BECKON_DISABLE" = 1 ]; then
  $limit cat >/dev/null
  reply
  exit 0
fi

root=${0%/*}
[ -d "$root/spool" ] || root=${BECKON_HOME:-$HOME/.beckon}
spool=$root/spool
[ -d "$spool/tmp" ] && [ -d "$spool/new" ] || mkdir -p "$spool/tmp" "$spool/new" "$spool/cur" "$spool/dead"

# A name no other event has: the kernel's random one, else process numbers and a random number.
read -r id </proc/sys/kernel/random/uuid || id=$$-$PPID-${RANDOM:-$(date +%s)}
n=0
while [ -e "$spool/tmp/$id" ] || [ -e "$spool/new/$id.json" ]; do n=$((n + 1)) id=${id%_*}_$n; done
tmp=$spool/tmp/$id new=$spool/new/$id.json

# The working directory as a JSON string; left out if it holds control characters.
cwd= rest=$PWD
case $rest in *[[:cntrl:]]*) rest= ;; esac
while :; do
  case $rest in
    *[\"\\]*)
      head=${rest%%[\"\\]*} rest=${rest#"${rest%%[\"\\]*}"}
      cwd=$cwd$head\\${rest%"${rest#?}"} rest=${rest#?}
      ;;
    *) break ;;
  esac
done
cwd=$cwd$rest

# Who fired the hook, for notices in the agent's own terminal: a shell, mostly, and the agent that started it.
processes=
read -r _ _ _ parent _ <"/proc/$PPID/stat"
case $parent in '' | *[!0-9]*) ;; *) processes=',"processes":['$PPID,$parent']' ;; esac

# The record: a header line, the payload byte by byte, an end line that proves it whole. No more than 2 MiB are taken
# (ulimit counts 512-byte blocks) and no more than two seconds are waited; what came by then is kept.
{
  printf '{"v":1,"event":"%s","agent":"%s","cwd":"%s"%s}\n' "$event" "$agent" "$cwd" "$processes"
  if [ -n "$json" ]; then printf '%s' "$json"; else (ulimit -c 0; ulimit -f 4096; exec $limit cat); fi
  printf '\n{"end":%s}\n' $?
} >"$tmp"

# The process whose number a file holds: gone, dead and not yet buried (Z), or alive under some name.
process_in() {
  name='' state=''
  read -r pid _ <"$spool/$1" || return 1
  [ -r /proc/self/stat ] || { kill -0 "$pid" && name='(beckon-worker)'; return; }
  read -r _ name state _ <"/proc/$pid/stat" && [ "$state" != Z ]
}
# Its name is asked for, since a number may belong to another process by now.
worker_lives() { process_in worker.lock && [ "$name" = '(beckon-worker)' ]; }
worker_starts() { process_in worker.starting; }
# A worker touches its lock every second: of many events that wait, one is older than that unless the worker hangs.
worker_hangs() {
  set -- "$spool"/new/*
  [ $# -lt 16 ] && return 1
  for event; do [ "$spool/worker.lock" -nt "$event" ] && return 1; done
  return 0
}

# Starts a worker: in a session of its own before this script ends, or a signal to the agent's group would take it along.
start_worker() {
  read -r node <"$root/app/node"
  [ -x "$node" ] || node=node
  [ -f "$root/app/dist/worker.js" ] || node=:
  start='cd /; [ ! -e "$1" ] || mv "$1" "$2"; PATH=$3 BECKON_HOME=$4 exec "$5" "$4/app/dist/worker.js"'
  mark='{ '$start'; } & echo $! >|"$4/spool/worker.starting"'
  unset NODE_OPTIONS
  set -- "$tmp" "$new" "$path" "$root" "$node"
  if command -v setsid >/dev/null; then
    setsid sh -c "$mark" beckon "$@" </dev/null >/dev/null 2>&1
  elif [ -n "$BASH_VERSION" ]; then
    set -m
    sh -c "$mark" beckon "$@" </dev/null >/dev/null 2>&1 &
  else
    perl -MPOSIX -e 'fork and exit; POSIX::setsid(); exec @ARGV' sh -c "$mark" beckon "$@" </dev/null >/dev/null 2>&1 ||
      mv "$tmp" "$new"
  fi
}

# Both are asked again once the event is visible: a worker that starts looks after that, and one that leaves gives up its
# lock first and looks last.
if { worker_lives || worker_starts; } && mv "$tmp" "$new"; then
  worker_starts || { worker_lives && ! worker_hangs; } || start_worker
else
  start_worker
fi
reply

ticks=0
while [ "$ticks" -lt "${wait}0" ]; do
  set -- "$spool/new/$id".* "$spool/cur/$id".*
  [ -e "$1" ] || [ -e "$2" ] || [ -e "${3-$1}" ] || [ -e "$tmp" ] || break
  sleep 0.1 || sleep 1
  ticks=$((ticks + 1))
done
exit 0
