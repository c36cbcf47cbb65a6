#!/bin/sh
# Waits until an event has left the spool, for `hook --wait`, and exits with 0.
# Usage: wait.sh SPOOL ID SECONDS

trap 'exit 0' EXIT TERM HUP INT
spool=$1 id=$2 ticks=$3"0"

# Checks the folders in the order in which an event moves through them. A glob without a match stays unexpanded.
is_pending() {
  [ -e "$spool/tmp/$id" ] && return
  for file in "$spool/new/$id".* "$spool/cur/$id".*; do
    case $file in *'*') ;; *) return 0 ;; esac
  done
  return 1
}
while [ "$ticks" -gt 0 ] && is_pending; do
  sleep 0.1 || sleep 1
  ticks=$((ticks - 1))
done
