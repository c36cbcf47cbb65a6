#!/bin/sh
# beckon's launcher, the command that agents run: standard input -> spool, wake the worker, exit 0.
# Usage: hook EVENT [--agent NAME] [--wait SECONDS] < payload.json
# The agent waits for every line of this file. Only cat (under timeout) and setsid or mv start a process.

# First of all: whatever fails from here on, and where a limit of the system leaves no descriptor or no byte, it is 0.
trap 'exit 0' EXIT
trap '' PIPE XFSZ
[ -t 0 ] && { echo "usage: hook EVENT [--agent NAME] [--wait SECONDS] < payload.json" >&2; exit 0; }
[ "$BECKON_DEBUG" = 1 ] || exec 2>/dev/null
umask 077
set -C # never overwrite a file that exists

event=${1:-unknown} agent= wait= json=
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
case $wait in *[!0-9]*) wait= ;; esac
wait=${wait#"${wait%%[!0]*}"} # a number in JSON has no leading zero

# beckon's folder: this file's own, else an absolute BECKON_HOME, else ~/.beckon.
case $0 in /*) root=${0%/*} ;; *) root=$PWD/${0%/*} ;; esac
[ -d "$root/spool" ] || case $BECKON_HOME in /*) root=$BECKON_HOME ;; *) root=$HOME/.beckon ;; esac
spool=$root/spool

# Only a folder of this user's own is used: root in another user's home (sudo) would leave files there that the user
# cannot read. The folder may be a link to one; where it is missing, that counts which it would be made in, for root.
# To a shell that does not know -O (posh) everything is its own.
mine=1 owner=$root
case $root in /*) ;; *) owner=/ mine= ;; esac
while [ ! -e "$owner" ]; do owner=${owner%/*} owner=${owner:-/}; done
[ ! -O "$owner" ] && { [ "$owner" = "$root" ] || [ -O / ]; } && mine=
for folder in "$spool" "$spool/tmp" "$spool/new"; do
  [ -L "$folder" ] && mine=
  [ -e "$folder" ] && [ ! -O "$folder" ] && mine=
done

# The system's programs, whatever the agent or a project put on PATH; where the system lacks one, also those in the
# folders that `install` recorded, and only where even cat is missing the inherited ones. The worker gets PATH as it was.
path=$PATH
PATH=/usr/bin:/bin
has() { for program; do command -v "$program" >/dev/null || return 1; done; }
# The absolute entries of the inherited PATH, but for a project's: below the working directory, unless that is the home
# folder, or in node_modules.
add_inherited() {
  rest=$path: project=$PWD
  [ "$PWD" = "$HOME" ] && project=//
  while [ "$rest" ]; do
    folder=${rest%%:*} rest=${rest#*:}
    case $folder in "$project" | "$project"/* | */node_modules/.bin) ;; /*) PATH=$PATH:$folder ;; esac
  done
}
has cat timeout setsid || { read -r recorded <"$root/app/path" && PATH=$PATH${recorded:+:$recorded}; }
has cat || add_inherited
limit=
command -v timeout >/dev/null && limit='timeout 2'

# What an agent's hooks print to stay invisible to its user; all others print nothing. Written by `npm run docs`.
reply() {
  case $agent in
    # begin neutral replies
    droid) printf '%s' '{"suppressOutput":true}' ;;
    cursor) printf '%s' '{}' ;;
    # end neutral replies
  esac
}

if [ "$BECKON_DISABLE" = 1 ] || [ ! "$mine" ]; then
  $limit cat >/dev/null
  reply
  exit 0
fi

[ -d "$spool/tmp" ] && [ -d "$spool/new" ] || mkdir -p "$spool/tmp" "$spool/new" "$spool/cur" "$spool/dead"

# A unique id: a random one from the kernel, else process numbers and a random number.
read -r id </proc/sys/kernel/random/uuid || id=$$-$PPID-${RANDOM:-$(date +%s)}
n=0
while [ -e "$spool/tmp/$id" ] || [ -e "$spool/new/$id.json" ]; do n=$((n + 1)) id=${id%_*}_$n; done
tmp=$spool/tmp/$id new=$spool/new/$id.json

# The working directory as a JSON string; empty if it contains control characters.
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

# Who called the hook, for notifications in the agent's terminal: the parent, mostly a shell, and its parent, the agent.
processes=
read -r _ _ _ parent _ <"/proc/$PPID/stat"
case $parent in '' | *[!0-9]*) ;; *) processes=',"processes":['$PPID,$parent']' ;; esac

# Where its terminal is, so that it can be brought to the front later. What cannot stand in JSON as it is, is left out.
terminal=
for name in TMUX TMUX_PANE ZELLIJ_SESSION_NAME ZELLIJ_PANE_ID KITTY_LISTEN_ON KITTY_WINDOW_ID WEZTERM_PANE \
  WEZTERM_UNIX_SOCKET TERM_PROGRAM ITERM_SESSION_ID TERM_SESSION_ID WARP_FOCUS_URL SSH_TTY WINDOWID DISPLAY \
  WAYLAND_DISPLAY SWAYSOCK NIRI_SOCKET HYPRLAND_INSTANCE_SIGNATURE; do
  eval "value=\$$name"
  case $value in '' | *[[:cntrl:]]* | *[\"\\]*) continue ;; esac
  [ ${#value} -gt 256 ] || terminal=$terminal,\"$name\":\"$value\"
done
terminal=${terminal:+',"terminal":{'${terminal#,}\}}

# The record: a header line, the payload byte for byte, an end line that proves it complete. At most 2 MiB are read
# (ulimit counts 512-byte blocks), for two seconds at most, and half of one at the end of a session: some agents kill that
# hook after a second. What has arrived by then is kept, as it is when a signal asks this script to end.
[ "$event" = SessionEnd ] && [ "$limit" ] && limit='timeout 0.5'
trap : TERM HUP INT
whole=
{
  printf '{"v":1,"event":"%s","agent":"%s","cwd":"%s"%s%s%s}\n' "$event" "$agent" "$cwd" "$processes" "$terminal" \
    "${wait:+,\"wait\":$wait}" && {
    end=0
    if [ -n "$json" ]; then printf '%s' "$json"; else
      # In the background, where a signal ends the wait for it; its standard input would be /dev/null there.
      { { ulimit -c 0; ulimit -f 4096; exec $limit cat; } <&3 3<&- & } 3<&0
      wait $!
      end=$?
      [ "$end" -le 128 ] || { kill $!; wait $!; end=124; }
    fi
    printf '\n{"end":%s}\n' "$end"
  } && whole=1
} >"$tmp"
[ "$whole" ] || rm -f "$tmp" # a full disk: what is torn does not become visible, and a worker delivers what is whole

# Whether the process whose number a file holds is running, under which name, and since when; Z is a zombie.
process_in() {
  name='' state='' started=
  read -r pid _ <"$spool/$1" || return 1
  [ -r /proc/self/stat ] || { kill -0 "$pid" && name='(beckon-worker)'; return; }
  read -r _ name state _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ started _ <"/proc/$pid/stat" && [ "$state" != Z ]
}
# The name is checked because the number may belong to another process by now.
worker_lives() { process_in worker.lock && [ "$name" = '(beckon-worker)' ]; }
# The mark stays behind when a worker is killed while it starts: only a young process of a name that a starting worker has
# counts. Ages are in hundredths of a second since boot; without /proc the age is the file's.
worker_starts() {
  [ ! -O "$spool/worker.starting" ] && return 1 # none, or another user's, which says nothing
  process_in worker.starting || return 1
  [ -n "$started" ] || { [ -n "$(find "$spool/worker.starting" -mtime -10s)" ]; return; }
  case $name in '(sh)' | '(node)' | '(MainThread)' | '(beckon-worker)') ;; *) return 1 ;; esac
  read -r uptime _ </proc/uptime && [ $((${uptime%.*} * 100 - started)) -lt 1000 ] # less than 0 in some containers
}
# A healthy worker touches its lock every second: if many events wait and all are newer than the lock, it hangs.
worker_hangs() {
  set -- "$spool"/new/*
  [ $# -lt 16 ] && return 1
  for event; do [ "$spool/worker.lock" -nt "$event" ] && return 1; done
  return 0
}

# Node, where the recorded one is gone: of the folders that programs come from, then of the inherited ones.
find_node() {
  add_inherited
  rest=$PATH:
  while [ "$rest" ]; do
    node=${rest%%:*}/node rest=${rest#*:}
    [ -f "$node" ] && [ -x "$node" ] && return
  done
  node=:
}

# Starts a worker, in a session of its own before this script ends: a signal to the agent's group must not kill it too.
start_worker() {
  read -r node <"$root/app/node"
  [ -x "$node" ] || find_node
  [ -f "$root/app/dist/worker.js" ] || node=:
  start='cd /; [ ! -e "$1" ] || mv "$1" "$2"
    PATH=$3 BECKON_HOME=$4 BECKON_PROJECT=$6 UV_THREADPOOL_SIZE=16 exec "$5" "$4/app/dist/worker.js"'
  mark='{ '$start'; } & [ ! -L "$4/spool/worker.starting" ] || rm -f "$4/spool/worker.starting"
    echo $! >|"$4/spool/worker.starting"'
  unset NODE_OPTIONS
  set -- "$tmp" "$new" "$path" "$root" "$node" "$PWD"
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

# Both are checked again once the event is visible: a worker that starts looks for events after that, and one that leaves
# releases its lock before it looks for the last time.
if { worker_lives || worker_starts; } && { [ ! "$whole" ] || mv "$tmp" "$new"; }; then
  worker_starts || { worker_lives && ! worker_hangs; } || start_worker
else
  start_worker
fi
reply

trap 'exit 0' TERM HUP INT
ticks=0
while [ "$ticks" -lt "${wait:-0}0" ]; do
  set -- "$spool/new/$id".* "$spool/cur/$id".*
  [ -e "$1" ] || [ -e "$2" ] || [ -e "${3-$1}" ] || [ -e "$tmp" ] || break
  sleep 0.1 || sleep 1
  ticks=$((ticks + 1))
done
exit 0
