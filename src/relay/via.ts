import { basename } from "node:path";

/** Options for SSH: never prompt, and end when the other side is gone. */
const sshOptions: readonly (readonly [name: string, value: string])[] = [
  ["BatchMode", "yes"],
  ["ConnectTimeout", "15"],
  ["ServerAliveInterval", "5"],
  ["ServerAliveCountMax", "3"],
];

/** Last words of a command that starts `relay serve` without a shell. */
const serveWords = ["relay", "serve", "--stdio"];

/** Command that starts the other side. If the command starts a shell, `script` is the shell's input. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly script?: string;
}

/**
 * Builds the command that starts `beckon relay serve --stdio` on another machine. `via` is a command that connects to
 * that machine: `ssh devbox`, `docker exec -i box`, `kubectl exec -i pod --`. Normally the built command starts a shell
 * there, which reads one line of script. If `via` ends in `beckon`, the words `relay serve --stdio` are appended
 * instead. A `via` that ends in these words is used unchanged.
 * @param via program and arguments, never a shell string
 */
export function startServing(via: readonly string[]): Start {
  if (endsIn(via, serveWords)) return buildCommand(via);
  if (["beckon", "cli.js"].includes(basename(via.at(-1) ?? ""))) return buildCommand([...via, ...serveWords]);
  return startShell(via, runBeckon(serveWords));
}

/** Builds a command that runs a shell script on another machine. */
export function startShell(via: readonly string[], script: string): Start {
  return { ...buildCommand([...via, "sh"]), script };
}

/**
 * Builds a shell line that runs the installed beckon with its recorded Node, or else `beckon` on PATH. Over SSH, PATH
 * is unpredictable.
 */
export function runBeckon(words: readonly string[]): string {
  return [
    'b="${BECKON_HOME:-$HOME/.beckon}"',
    `[ -r "$b/app/node" ] && exec "$(cat "$b/app/node")" "$b/app/dist/cli.js" ${words.join(" ")}`,
    `exec beckon ${words.join(" ")}\n`,
  ].join("; ");
}

function buildCommand([file = "", ...args]: readonly string[]): Start {
  if (!["ssh", "ssh.exe"].includes(basename(file))) return { file, args };
  const givenOptions = args.join(" ").toLowerCase();
  const options = sshOptions.filter(([name]) => !givenOptions.includes(name.toLowerCase()));
  return { file, args: ["-T", ...options.flatMap(([name, value]) => ["-o", `${name}=${value}`]), ...args] };
}

function endsIn(words: readonly string[], last: readonly string[]): boolean {
  return last.every((word, index) => words.at(index - last.length) === word);
}
