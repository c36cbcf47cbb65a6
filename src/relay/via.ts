import { basename } from "node:path";

/** What a connection over SSH is told besides: it asks nobody anything, and ends when the other side is gone. */
const sshOptions: readonly (readonly [name: string, value: string])[] = [
  ["BatchMode", "yes"],
  ["ConnectTimeout", "15"],
  ["ServerAliveInterval", "5"],
  ["ServerAliveCountMax", "3"],
];

/** The words that end a command which starts the other side by itself. */
const serveWords = ["relay", "serve", "--stdio"];

/** How the other side is started: a command, and a script for the shell that it starts, if it starts one. */
export interface Start {
  readonly file: string;
  readonly args: readonly string[];
  readonly script?: string;
}

/**
 * How `beckon relay serve --stdio` is started at the other end of a command that gives standard input and output there
 * (`ssh devbox`, `docker exec -i box`, `kubectl exec -i pod --`): by a shell which reads one line of script. A command
 * that ends in `beckon` gets the words appended; one that ends in them is taken as it is.
 * @param via argv, never a shell string
 */
export function startServing(via: readonly string[]): Start {
  if (endsIn(via, serveWords)) return commandOf(via);
  if (["beckon", "cli.js"].includes(basename(via.at(-1) ?? ""))) return commandOf([...via, ...serveWords]);
  return startShell(via, runBeckon(serveWords));
}

/** How a script is run at the other end. */
export function startShell(via: readonly string[], script: string): Start {
  return { ...commandOf([...via, "sh"]), script };
}

/**
 * A line of shell script that runs the installed beckon with fixed words, with the Node that it was installed with:
 * what PATH a command over SSH has is anybody's guess.
 */
export function runBeckon(words: readonly string[]): string {
  return [
    'b="${BECKON_HOME:-$HOME/.beckon}"',
    `[ -r "$b/app/node" ] && exec "$(cat "$b/app/node")" "$b/app/dist/cli.js" ${words.join(" ")}`,
    `exec beckon ${words.join(" ")}\n`,
  ].join("; ");
}

function commandOf([file = "", ...args]: readonly string[]): Start {
  if (!["ssh", "ssh.exe"].includes(basename(file))) return { file, args };
  const given = args.join(" ").toLowerCase();
  const options = sshOptions.filter(([name]) => !given.includes(name.toLowerCase()));
  return { file, args: ["-T", ...options.flatMap(([name, value]) => ["-o", `${name}=${value}`]), ...args] };
}

function endsIn(words: readonly string[], last: readonly string[]): boolean {
  return last.every((word, index) => words.at(index - last.length) === word);
}
