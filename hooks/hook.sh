#!/bin/sh
# shellcheck disable=SC1007,SC2015,SC2154,SC3013,SC3028,SC3045 # six shells agree on these; the list shrinks
# beckon's launcher, the command that agents run: standard input -> spool, wake the worker, exit 0.
# Usage: hook EVENT [--agent NAME] [--wait SECONDS] < payload.json
# The agent waits for every line of this file, and for one process: cat, or what ends cat in time.

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
case $0 in /*) here=${0%/*} ;; *) here=$PWD/${0%/*} ;; esac
root=$here
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
  [ ! -O "$folder" ] && [ -e "$folder" ] && mine=
done

# The system's programs, whatever the agent or a project put on PATH; where the system lacks one, also those in the
# folders that `install` recorded, and only where even cat is missing the inherited ones. The worker gets PATH as it
# was.
path=$PATH
PATH=/usr/bin:/bin
has() { for program; do command -v "$program" || return 1; done; } # its output is for nobody
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
has cat timeout setsid >/dev/null || {
  read -r recorded <"$root/app/path" && PATH=$PATH${recorded:+:$recorded}
  has cat >/dev/null || add_inherited
}

# Copies standard input to standard output, for two seconds at most, and half of one at the end of a session: some
# agents kill that hook after a second. macOS has no timeout; there perl reads, whose own alarm knows whole seconds
# only. A locale would take each of them longer to load than the copy takes.
seconds=2 fraction=
[ "$event" = SessionEnd ] && seconds=0.5 fraction=-MTime::HiRes=alarm
copy_input() {
  LC_ALL=C
  export LC_ALL
  case $timer in
    timeout) exec timeout "$seconds" cat ;;
    perl)
      exec perl $fraction -e 'alarm shift; while (sysread STDIN, $_, 65536) { syswrite STDOUT, $_ or exit 1 }' "$seconds"
      ;;
    *) exec cat ;;
  esac
}
# What ends the reading in time: a program, or this script itself.
timer=shell
for program in perl timeout; do has "$program" && timer=$program; done >/dev/null

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
  (copy_input) >/dev/null
  reply
  exit 0
fi

[ -d "$spool/tmp" ] && [ -d "$spool/new" ] || mkdir -p "$spool/tmp" "$spool/new" "$spool/cur" "$spool/dead"

# A unique id: a random one from the kernel, else process numbers and a random number.
read -r id </proc/sys/kernel/random/uuid || id=$$-$PPID-${RANDOM:-$(date +%s)}
n=0
while [ -e "$spool/tmp/$id" ] || [ -e "$spool/new/$id.json" ]; do n=$((n + 1)) id=${id%_*}_$n; done
tmp=$spool/tmp/$id

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
# Shells read byte by byte, so that a long line takes time: not from "stat".
processes=
while read -r field parent _; do [ "$field" = PPid: ] && break; done <"/proc/$PPID/status"
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

lock=$spool/worker.lock mark=$spool/worker.starting
proc=
[ -r /proc/self/stat ] && proc=1
# Whether the process whose number a file holds is running, under which name, and since when; Z is a zombie.
process_in() {
  name='' state='' started=
  read -r pid _ <"$1" || return 1
  [ "$proc" ] || { kill -0 "$pid"; return; }
  read -r _ name state _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ started _ <"/proc/$pid/stat" && [ "$state" != Z ]
}
# Whether a file was written or touched within ten seconds; only a BSD's find is asked, where there is no /proc.
is_young() { [ -n "$(find "$1" -mtime -10s)" ]; }
# The name is checked because the number may belong to another process by now; a zombie has no memory.
worker_lives() {
  read -r pid _ <"$lock" || return 1
  [ "$proc" ] || { kill -0 "$pid"; return; }
  read -r name <"/proc/$pid/comm" && [ "$name" = beckon-worker ] || return 1
  read -r pages _ <"/proc/$pid/statm" && [ "$pages" != 0 ]
}
# The mark stays behind when a worker is killed while it starts: only a young process of a name that a starting worker
# has counts. Ages are in hundredths of a second since boot; without /proc the age is the file's.
worker_starts() {
  [ ! -O "$mark" ] && return 1 # none, or another user's, which says nothing
  process_in "$mark" || return 1
  [ -n "$started" ] || { is_young "$mark"; return; }
  case $name in
    '(hook)' | '(sh)' | '(setsid)' | '(perl)' | '(node)' | '(MainThread)' | '(beckon-worker)') ;;
    *) return 1 ;;
  esac
  read -r uptime _ </proc/uptime && [ $((${uptime%.*} * 100 - started)) -lt 1000 ] # less than 0 in some containers
}
# Whether a worker ends the reading in time (src/spool/watch-readers.ts): one that this script has just started, whose
# program has run before; or one that says so by the time of a file, which it keeps in the near future: one that hangs
# does not. Its looks are too few for the end of a session.
is_watched() {
  [ "$event" != SessionEnd ] || return 1
  if [ "$worker" ]; then [ -e "$root/app/dist/chunks/worker/main.compiled" ]
  else [ "$spool/worker.watching" -nt "$tmp" ] && worker_lives; fi
}
# A worker that neither says that it watches nor touches its lock, which it does every second, hangs: if many records
# are newer than that. A busy one has so many beside it, from as many agents at once. One that has moved this record does
# not.
worker_hangs() {
  [ "$spool/worker.watching" -nt "$tmp" ] || [ ! -e "$tmp" ] && return 1
  set -- "$spool"/tmp/* "$spool"/new/*
  [ $# -lt 16 ] && return 1
  newer=0
  for record; do [ "$record" -nt "$lock" ] && newer=$((newer + 1)); done
  [ "$newer" -ge 16 ]
}

# Where PATH has a program.
find_program() {
  rest=$PATH:
  while [ "$rest" ]; do
    program=${rest%%:*}/$1 rest=${rest#*:}
    [ -f "$program" ] && [ -x "$program" ] && return
  done
  return 1
}

# Starts a worker, in a session or a group of its own: a signal to the agent's group must not kill it too.
start_worker() {
  read -r node <"$root/app/node"
  [ -x "$node" ] || { add_inherited && find_program node && node=$program; } || return
  main=$root/app/dist/worker.cjs
  [ -f "$main" ] || main=$here/dist/set-up.js # in an agent's plugin: sets beckon up, then works
  [ -f "$main" ] || return
  set -- "$node" "$main"
  group=1
  if find_program setsid; then set -- "$program" "$@"
  elif [ "$BASH_VERSION" ]; then set -m
  elif find_program perl; then set -- "$program" -e 'setpgrp 0, 0; exec @ARGV' "$@"
  else group= # it dies with the agent's; the next hook starts another
  fi
  {
    PATH=$path BECKON_HOME=$root BECKON_PROJECT=$PWD UV_THREADPOOL_SIZE=16 MALLOC_ARENA_MAX=1
    export PATH BECKON_HOME BECKON_PROJECT UV_THREADPOOL_SIZE MALLOC_ARENA_MAX
    unset NODE_OPTIONS
    cd / && exec "$@"
  } </dev/null >/dev/null 2>&1 &
  worker=$!
  [ ! "$BASH_VERSION" ] || set +m
  [ ! -L "$mark" ] || rm -f "$mark"
  echo "$worker" >|"$mark"
}
# Whether the worker that was started is there still; to posh kill is a program.
worker_runs() { if [ "$proc" ]; then [ -e "/proc/$worker" ]; else kill -0 "$worker"; fi; }
# Before this script ends, the worker must have left its group; mostly it has by then. Between two looks another process
# runs, and lets it.
wait_for_group() {
  tries=0
  until kill -0 "-$worker" || [ "$tries" = 50 ]; do
    sleep 0
    worker_runs || return
    tries=$((tries + 1))
  done
}

# Where nothing speaks of a worker, one starts while the input is read. Of several hooks the one that makes the mark
# starts it.
worker= group=
[ ! -e "$mark" ] && [ ! -e "$lock" ] && echo $$ >"$mark" && start_worker

# Reading ends at 2 MiB; ulimit counts 512-byte blocks. In the background a signal to this script ends the wait for it;
# its standard input would be /dev/null there.
read_timed() {
  { { ulimit -c 0; ulimit -f 4096; copy_input; } <&3 3<&- & reader=$!; } 3<&0
  wait "$reader"
  end=$?
  [ "$end" = 127 ] && has cat >/dev/null && end=0 # mksh and zsh forget a job that ends before its number is asked for
  # What the wait says of a signal differs from shell to shell.
  [ "$end" -gt 128 ] || [ "$asked" ] && { kill "$reader"; wait "$reader"; end=124; }
}
# The foreground spares most shells a copy of themselves. A signal to this script alone is heard only when the reading
# is over, which a worker sees to. False where this script's own limit could not be lifted again.
read_watched() {
  ulimit -S -f unlimited && ulimit -S -f 4096 || return
  LC_ALL=C cat
  end=$?
  ulimit -S -f unlimited
  [ "$end" -le 128 ] || end=124
}

# The record: a header line, the payload byte for byte, an end line that proves it complete: a worker takes it as soon
# as that is there. What has arrived when the time is up is kept, as it is when a signal asks this script to end.
asked=
trap asked=1 TERM HUP INT
watch=
whole=
{
  is_watched && timer=worker
  [ "$timer" != shell ] || { { sleep "$seconds"; kill $$; } </dev/null >/dev/null 2>&1 & watch=$!; }
  hook=
  [ "$timer" != worker ] || hook='"hook":'$$,
  header='{"v":1,'$hook'"event":"'$event'","agent":"'$agent'","cwd":"'$cwd\"$processes$terminal${wait:+,\"wait\":$wait}\}
  # To mksh and posh printf is a program; to some others echo changes backslashes.
  case $header in *\\*) printf '%s\n' "$header" ;; *) echo "$header" ;; esac && {
    end=0
    if [ -n "$json" ]; then printf '%s' "$json"
    elif [ "$timer" = worker ] && [ "$proc" ] && read_watched; then :
    else read_timed; fi
    echo "
{\"end\":$end}"
  } && whole=1
} >"$tmp"
[ "$watch" ] && kill "$watch"
[ "$whole" ] || rm -f "$tmp" # a full disk

# Checked once the record is whole: a worker looks for records after it has started, and for the last time after it has
# released its lock.
if [ "$worker" ] && [ -e "$mark" ] && worker_runs; then : # the one from above has not looked yet
elif worker_starts; then :
elif ! worker_lives || worker_hangs; then start_worker
# Without names any process may have the number of a dead worker, unless one was watching within the last three seconds.
# A living one touches its lock every second; nobody waits for the answer, which takes longer than all the rest.
elif [ ! "$proc" ] && [ ! "$spool/worker.watching" -nt "$tmp" ]; then
  { is_young "$lock" || worker_starts || start_worker; } </dev/null >/dev/null 2>&1 &
fi
[ ! "$group" ] || wait_for_group
reply

trap 'exit 0' TERM HUP INT
# Whether the record is in the spool, asked in the order in which it moves. A pattern without a match stays as it is.
is_pending() {
  [ -e "$tmp" ] && return
  for file in "$spool/new/$id".* "$spool/cur/$id".*; do
    case $file in *'*') ;; *) return 0 ;; esac
  done
  return 1
}
ticks=0
while [ "$ticks" -lt "${wait:-0}0" ] && is_pending; do
  sleep 0.1 || sleep 1
  ticks=$((ticks + 1))
done
exit 0
