#!/bin/sh
# shellcheck disable=SC2015,SC2046,SC3041,SC3067 # A && B || C, words, set, test -O
# Waits until an event has left the spool (`hook --wait`), or until its permission request is answered (`hook --ask`).
# Exits with 0.
# Usage: wait.sh SPOOL ID SECONDS [wait|ask [FOLDER CALLERS]]

{ POSIXLY_CORRECT=1; case $- in *[Hk]*) set +Hk ;; esac; case $- in *[abCefmuvx]*) set +abCefmuvx ;; esac # see hook.sh
unset -f cd date head kill mv printf ps pwd read sleep wc [; unset GLOBIGNORE; } 2>/dev/null
trap 'exit 0' EXIT TERM HUP INT

# Checks the folders in the order in which an event moves through them. A glob without a match stays unexpanded.
is_pending() {
  [ -e "$spool/tmp/$id" ] && return
  for file in "$spool/new/$id".* "$spool/cur/$id".*; do
    case $file in *'*') ;; *) return 0 ;; esac
  done
  return 1
}

wait_for_delivery() {
  ticks=$seconds"0"
  while [ "$ticks" -gt 0 ] && is_pending; do
    sleep 0.1 || sleep 1
    ticks=$((ticks - 1))
  done
}

# Sets `now`, in seconds.
read_clock() {
  read -r now _ </proc/uptime && now=${now%.*} || now=$(date +%s)
}

# Sets `parent` to the process that started or adopted another one; empty if that one has ended.
find_parent() {
  parent=''
  if [ -e /proc/self/status ]; then
    while read -r field value _; do
      [ "$field" = PPid: ] && parent=$value && break
    done <"/proc/$1/status"
  else
    parent=$(ps -o ppid= -p "$1")
  fi
}

# Succeeds while the worker that was seen first is awake; see is_awake in hook.sh. Another worker does not know this
# request.
is_same_worker_awake() {
  [ -f "$lock" ] && [ ! -L "$lock" ] && set -- $(head -c 256 "$lock") && pid=$1 until=$2 || return 1
  case $pid:$until in *[!0-9:]* | *: | :* | *:0*) return 1 ;; esac
  [ ${#until} -lt 12 ] && [ "$until" -gt "$now" ] && [ "$until" -le $((now + 4)) ] || return
  kill -0 "$pid" && { [ ! -e /proc/self/exe ] || [ -e "/proc/$pid/exe" ]; } || return
  [ "${worker:=$pid}" = "$pid" ]
}

# Succeeds if a sandboxed agent may be able to write answers, because beckon's folder is in the project or among
# temporary files.
is_exposed() {
  root=$(cd -P "${spool%/*}" && pwd) || return 0
  for folder in "$cwd" "$CLAUDE_PROJECT_DIR" "$QWEN_PROJECT_DIR" /tmp /var/tmp /dev/shm "$TMPDIR"; do
    [ "$folder" ] && folder=$(cd -P "$folder" && pwd) || continue
    case $root/ in "${folder%/}"/*) return 0 ;; esac
  done
  return 1
}

is_off() { [ -e "$asks/off" ] || [ -L "$asks/off" ]; }

# Succeeds if no worker can put an answer into the folder of answers. A missing folder will be made.
is_unusable() {
  [ -L "$asks" ] || { [ -e "$asks" ] && { [ ! -d "$asks" ] || [ ! -O "$asks" ]; }; }
}

# Moves an answer away, and prints it if it is exactly one of two replies. Anything else, such as the empty
# file of a worker that does not hold the request, leaves the decision to the agent.
take_answer() {
  taken=$answer.taken
  mv -f "$answer" "$taken" || return
  [ -f "$taken" ] && [ ! -L "$taken" ] && [ -O "$taken" ] && size=$(($(wc -c <"$taken"))) || return
  [ "$size" -le 2048 ] && IFS= read -r reply <"$taken" || return
  [ "$(($(printf '%s\n' "$reply" | wc -c)))" -eq "$size" ] || return # more lines, or bytes that the shell drops
  head='{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"'
  case $reply in
    "${head}allow\"}}}") ;;
    *updatedPermissions*) return ;;
    "${head}deny\",\"message\":\""*'"}}}')
      message=${reply#"${head}deny\",\"message\":\""}
      message=${message%'"}}}'}
      case $message in *[\"\\]* | *[[:cntrl:]]*) return ;; esac
      ;;
    *) return ;;
  esac
  printf '%s\n' "$reply"
}

# Gives up silently, so that the agent's own dialog decides: when time is up, when the agent has ended, when answers are
# switched off, and after five seconds without the worker.
wait_for_answer() {
  set -f # the lock's words are no patterns
  asks=${spool%/*}/asks answer=${spool%/*}/asks/$id lock=$spool/worker.lock worker=''
  agent=${callers#*'],['} # hook.sh found the callers before the agent could end
  agent=${agent%%,*}
  case $agent in '' | *[!0-9]*)
    find_parent "$PPID"
    agent=$parent
    ;;
  esac
  [ "$agent" ] && ! is_exposed && ! is_unusable || return
  read_clock
  begun=$now awake=$now ticks=0
  while [ ! -e "$answer" ] && [ ! -L "$answer" ]; do
    sleep 0.2 || sleep 1
    read_clock
    ticks=$((ticks + 1))
    [ $((now - begun)) -lt "$seconds" ] && [ "$ticks" -lt $((seconds * 5)) ] || return
    find_parent "$PPID"
    [ "$parent" = "$agent" ] && ! is_off && ! is_unusable || return
    if is_same_worker_awake; then awake=$now; fi
    [ $((now - awake)) -lt 5 ] || return
  done
  ! is_unusable && ! is_off && take_answer
}

main() {
  spool=$1 id=$2 seconds=$3 cwd=$5 callers=$6
  if [ "$4" = ask ]; then wait_for_answer; else wait_for_delivery; fi
  exit 0
}
main "$@"
