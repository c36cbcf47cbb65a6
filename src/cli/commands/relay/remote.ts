import { spawn } from "node:child_process";
import { basename } from "node:path";
import { CommandError, errnoOf } from "../../../core/errors.ts";
import { startShell } from "../../../relay/via.ts";
import { cleanLine } from "../../../text/clean.ts";

/** What a script at the other end came to. */
export interface RemoteResult {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Most of either stream that is kept, characters. */
const maxChars = 64 * 1024;

/**
 * Defines `beckon_`, which runs the beckon that is installed for that user, with the Node that it was installed with.
 */
const prelude = `b="\${BECKON_HOME:-$HOME/.beckon}"
beckon_() {
  if [ -r "$b/app/node" ]; then "$(cat "$b/app/node")" "$b/app/dist/cli.js" "$@"; else command beckon "$@"; fi
}
`;

/**
 * Runs a script of a POSIX shell at the other end of a command, and waits for its end. The script is read from standard
 * input, so that no shell on the way has anything to quote.
 * @throws {CommandError} where the command cannot be started, or does not end in time
 */
export async function runRemote(via: readonly string[], script: string, timeoutMs: number): Promise<RemoteResult> {
  const start = startShell(via, `${prelude}${script}`);
  const child = spawn(start.file, start.args, { stdio: "pipe", windowsHide: true });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] = (output[name] + text).slice(-maxChars);
    });
  }
  child.stdin.on("error", () => {}); // it need not read to the end
  child.stdin.end(start.script);
  const timer = setTimeout(() => child.kill(), timeoutMs);
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.once("error", (error) => {
      const why = `${basename(start.file)} could not be started (${errnoOf(error) ?? "unknown error"})`;
      reject(new CommandError(why, "Give a command that is on your PATH, such as ssh HOST."));
    });
    child.once("close", resolve);
  }).finally(() => clearTimeout(timer));
  return { exitCode, ...output };
}

/** The last line of what went wrong there, for people. */
export function lastWords({ stderr, stdout, exitCode }: RemoteResult): string {
  const last = (text: string) => cleanLine(text.trim().split("\n").at(-1) ?? "");
  return last(stderr) || last(stdout) || `it ended with code ${exitCode}`;
}
