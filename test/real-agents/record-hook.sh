#!/bin/sh
# Replaces beckon's launcher: records standard input, then runs the launcher with it.
base=/home/out/record/$(date +%s%N)-$1
cat >"$base.part"
mv "$base.part" "$base.json"
exec "${0%/*}/launcher" "$@" <"$base.json"
