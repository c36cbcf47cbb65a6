#!/bin/sh
# Installs beckon into a dev container, for the user whom it is used by. Options come in variables:
# https://containers.dev/implementors/features/
set -eu

here=$(cd "$(dirname "$0")" && pwd)
user=${_REMOTE_USER:-root}

command -v npm >/dev/null || {
  echo "beckon needs Node 20.19 or newer: add the feature ghcr.io/devcontainers/features/node." >&2
  exit 1
}
package=${PACKAGE:-$(find "$here" -maxdepth 1 -name 'beckon-*.tgz' | sort | tail -n 1)}
[ -n "$package" ] || {
  echo "No package: put beckon's tarball, made by \`npm run packages\`, beside this file, or set the option \"package\"." >&2
  exit 1
}
npm install --global "$package"

# As the user, in the user's home: settings, hooks and spool are theirs.
as_user() { su -s /bin/sh -c 'cd && exec beckon "$@"' -- "$user" beckon "$@"; }
set -- install --yes --wait "${WAIT:-10}"
for agent in ${AGENTS:-}; do set -- "$@" --agent "$agent"; done
as_user "$@"
[ "${TERMINAL:-true}" != true ] || as_user config add terminal --alone --no-test
