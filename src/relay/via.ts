import { basename } from "node:path";

/** Options for SSH connections: never prompt, and end when the other side is gone. */
const sshOptions: readonly (readonly [name: string, value: string])[] = [
  ["BatchMode", "yes"],
  ["ConnectTimeout", "15"],
  ["ServerAliveInterval", "5"],
  ["ServerAliveCountMax", "3"],
];

/** Words at the end of a command that starts the other side itself. */
const serveWords = ["relay", "serve", "--stdio"];

/** Command that starts the other side, and a script if the command starts a shell. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly script?: string;
}

/**
 * Builds the start of `beckon relay serve --stdio` behind a command that connects standard input and output (`ssh
 * devbox`, `docker exec -i box`, `kubectl exec -i pod --`). The command starts a shell that reads one line of script.
 * If it ends in `beckon`, the words are appended; if it already ends in them, it is used unchanged.
 * @param via argv, never a shell string
 */
export function startServing(via: readonly string[]): Start {
  if (endsIn(via, serveWords)) return buildCommand(via);
  if (["beckon", "cli.js"].includes(basename(via.at(-1) ?? ""))) return buildCommand([...via, ...serveWords]);
  return startShell(via, runBeckon(serveWords));
}

/** Builds the start of a script behind a command. */
export function startShell(via: readonly string[], script: string): Start {
  return { ...buildCommand([...via, "sh"]), script };
}

/** Builds a shell line that runs the installed beckon with its recorded Node: over SSH, PATH is unpredictable. */
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
