#!/bin/sh
# shellcheck disable=SC2015,SC2016,SC2154,SC3028 # A && B || C, $ in the text of a program, eval, RANDOM
# beckon's launcher, which agents run: stores standard input in the spool, sees to it that a worker lives, exits with 0.

trap 'exit 0' EXIT # whatever fails from here on
trap '' PIPE XFSZ
trap : TERM HUP INT # from an agent that loses patience: what has come by then is stored
[ -t 0 ] && { echo "usage: hook EVENT [--agent NAME] [--wait SECONDS] < payload.json" >&2; exit 0; }
[ "$BECKON_DEBUG" = 1 ] || exec 2>/dev/null
umask 077
set -C # no redirection overwrites a file

# beckon's folder: this file's own, else an absolute BECKON_HOME, else ~/.beckon. In an agent's plugin the programs lie
# beside this file.
case $0 in /*) here=${0%/*} ;; *) here=$PWD/${0%/*} ;; esac
root=$here
[ -d "$root/spool" ] || case $BECKON_HOME in /*) root=$BECKON_HOME ;; *) root=$HOME/.beckon ;; esac
spool=$root/spool dist=$root/app/dist
[ -d "$dist" ] || dist=$here/dist

# The system's programs come first, whatever an agent put on PATH; then those in the folders that `install` recorded;
# then the inherited ones, but for a project's. The worker gets PATH as it was.
path=$PATH PATH=/usr/bin:/bin
has() { command -v "$1" >/dev/null; }
add_recorded() { [ -f "$root/app/path" ] && read -r folders <"$root/app/path" && PATH=$PATH:$folders; }
add_inherited() {
  rest=$path: project=$PWD
  [ "$PWD" = "$HOME" ] && project=//
  while [ "$rest" ]; do
    folder=${rest%%:*} rest=${rest#*:}
    case $folder in "$project" | "$project"/* | */node_modules/.bin) ;; /*) PATH=$PATH:$folder ;; esac
  done
}
{ has timeout && has setsid; } || add_recorded || add_inherited

find_node() {
  [ -f "$root/app/node" ] && read -r node <"$root/app/node" && [ -x "$node" ] && return
  add_inherited
  node=$(command -v node)
}

# Where no program can end the reading in time, and in posh, which lacks `test -O`, the entrypoint does all of this.
if { ! has timeout && ! has perl; } || [ "$POSH_VERSION" ]; then
  find_node || exit 0
  BECKON_HOME=$root PATH=$path
  export BECKON_HOME PATH
  exec "$node" "$dist/hooks/event.cjs" "$@"
fi

event=${1:-unknown} agent='' wait='' json=''
while [ $# -gt 1 ]; do
  shift
  case $1 in
    --agent) agent=${2-} ;;
    --wait) wait=${2-} ;;
    '{'*) json=$1 ;; # Codex's notify passes its payload as the last argument
  esac
done
case $event in *[!A-Za-z0-9_-]*) event=unknown ;; esac
case $agent in *[!a-z0-9_-]*) agent='' ;; esac
case $wait in *[!0-9]*) wait='' ;; esac
wait=${wait#"${wait%%[!0]*}"} # a number in JSON has no leading zero

# Copies standard input to standard output: 2 MiB and two seconds at most, half a second at the end of a session, where
# some agents kill their hook after a second. perl's own alarm knows whole seconds only.
read_input() {
  seconds=2 fraction=''
  [ "$event" = SessionEnd ] && seconds=0.5 fraction=-MTime::HiRes=alarm
  ulimit -f 4096 # blocks of 512 bytes: maxStoredBytes of src/spool/record.ts
  has timeout && exec timeout "$seconds" cat
  exec perl $fraction -e 'alarm shift; while (sysread STDIN, $_, 65536) { syswrite STDOUT, $_ or exit 1 }' "$seconds"
}

# What an agent's hooks print to stay invisible to its user; all others print nothing. Written by `npm run docs`.
reply() {
  case $agent in
    # begin neutral replies
    droid) printf '%s' '{"suppressOutput":true}' ;;
    cursor) printf '%s' '{}' ;;
    # end neutral replies
  esac
}

# Only folders of this user's own are used: root in another user's home (sudo) would leave files there that the user
# cannot read. A root that is missing may be made in a folder of one's own, or, by others than root, in one of root's.
owns_root() {
  case $root in /*) owner=$root ;; *) return 1 ;; esac
  while [ ! -e "$owner" ]; do owner=${owner%/*} owner=${owner:-/}; done
  [ -O "$owner" ] || { [ "$owner" != "$root" ] && [ ! -O / ]; } || return 1
  for folder in "$spool" "$spool/tmp" "$spool/new"; do
    [ ! -L "$folder" ] && { [ -O "$folder" ] || [ ! -e "$folder" ]; } || return 1
  done
}
if [ "$BECKON_DISABLE" = 1 ] || ! owns_root; then
  (read_input) >/dev/null
  reply; exit 0
fi
[ -d "$spool/tmp" ] && [ -d "$spool/new" ] || mkdir -p "$spool/tmp" "$spool/new" "$spool/cur" "$spool/dead"

# A unique id: a random one from the kernel, else process numbers and a random number.
read -r id </proc/sys/kernel/random/uuid || id=$$-$PPID-${RANDOM:-$(date +%s)}
while [ -e "$spool/tmp/$id" ] || [ -e "$spool/new/$id.json" ]; do id=${id}_; done

# Who called the hook, with names: its parent, mostly a shell, then the agent, and who started that; eight at most.
callers='' pid=$PPID env=''
for _ in 1 2 3 4 5 6 7 8; do
  name='' parent=''
  while read -r field value _; do
    case $field in Name:) name=$value ;; PPid:) parent=$value && break ;; esac
  done <"/proc/$pid/status"
  case $parent in '' | *[!0-9]*) break ;; esac
  case $name in *[!A-Za-z0-9._:+-]*) name='' ;; esac
  callers=$callers,[$pid,\"$name\"] pid=$parent
done

# Where it runs: its folder, the agent's project, and its terminal, so that it can be brought to the front later.
for name in PWD CLAUDE_PROJECT_DIR CURSOR_PROJECT_DIR DROID_PROJECT_DIR FACTORY_PROJECT_DIR GEMINI_PROJECT_DIR \
  QWEN_PROJECT_DIR TMUX TMUX_PANE ZELLIJ_SESSION_NAME ZELLIJ_PANE_ID KITTY_LISTEN_ON KITTY_WINDOW_ID WEZTERM_PANE \
  WEZTERM_UNIX_SOCKET TERM_PROGRAM ITERM_SESSION_ID TERM_SESSION_ID WARP_FOCUS_URL SSH_TTY WINDOWID DISPLAY \
  WAYLAND_DISPLAY SWAYSOCK NIRI_SOCKET HYPRLAND_INSTANCE_SIGNATURE; do
  eval "value=\$$name"
  case $value in '' | *[[:cntrl:]]*) continue ;; esac
  text='' rest=$value # as a JSON string
  while case $rest in *[\"\\]*) ;; *) false ;; esac; do
    head=${rest%%[\"\\]*} rest=${rest#"${rest%%[\"\\]*}"}
    text=$text$head\\${rest%"${rest#?}"} rest=${rest#?}
  done
  [ ${#value} -gt 1024 ] || env=$env,\"$name\":\"$text$rest\"
done

# The record: a header line, the payload byte for byte, and an end line that proves it whole, for a worker to take it.
{
  printf '{"v":1,"event":"%s","agent":"%s","callers":[%s],"env":{%s}%s}\n' "$event" "$agent" "${callers#,}" "${env#,}" \
    "${wait:+,\"wait\":$wait}" && {
    if [ "$json" ]; then printf '%s' "$json"; else (read_input); fi
    printf '\n{"end":%s}\n' $?
  }
} >"$spool/tmp/$id" || { rm -f "$spool/tmp/$id"; : >"$spool/$id.lost"; } # a full disk has room for an empty file

# A worker that lives says so in one line: its process number and until when it promises to be awake, in seconds on a
# clock that nobody sets, four ahead at most. So does the mark of one that is being started.
read -r now _ </proc/uptime && now=${now%.*} || now=$(date +%s)
is_awake() {
  [ -f "$1" ] && [ ! -L "$1" ] && read -r pid until _ <"$1" || return 1
  case $pid:$until in *[!0-9:]* | *: | :* | *:0*) return 1 ;; esac
  [ ${#until} -lt 12 ] && [ "$until" -gt "$now" ] && [ "$until" -le $((now + 4)) ] || return
  kill -0 "$pid" && { [ ! -e /proc/self/exe ] || [ -e "/proc/$pid/exe" ]; } # a zombie has no program
}

# Starts a worker in a session or group of its own: a signal to the agent's must not reach it. Of several hooks the one
# that makes the mark starts it.
start_worker() {
  main=$root/app/dist/worker.cjs
  [ -f "$main" ] || main=$here/dist/set-up.js # in a plugin: sets beckon up, then works
  [ -f "$main" ] && find_node || return
  mark=$spool/worker.starting promise="$((now + 4)) ."
  [ ! -e "$mark" ] || [ -f "$mark" ] || rm -f "$mark" # a pipe would have no reader
  make_mark() { echo "$$ $promise" >"$mark"; }
  make_mark || { { is_awake "$mark" || { sleep 0.1; is_awake "$mark"; }; } && return; rm -f "$mark"; make_mark; }
  if has setsid; then set -- setsid; else set -- perl -e 'setpgrp 0, 0; exec @ARGV'; fi
  {
    export BECKON_HOME="$root" BECKON_PROJECT="$PWD" UV_THREADPOOL_SIZE=16 MALLOC_ARENA_MAX=1
    unset NODE_OPTIONS
    cd / && "$@" /bin/sh -c 'PATH=$1 mark=$2; shift 2; "$@" & echo "$! '"$promise"'" >|"$mark"' hook \
      "$path" "$mark" "$node" "$main"
  } </dev/null >/dev/null 2>&1
}
is_awake "$spool/worker.lock" || is_awake "$spool/worker.starting" || start_worker
reply
[ "$wait" ] && exec /bin/sh "$dist/hooks/wait.sh" "$spool" "$id" "$wait"
