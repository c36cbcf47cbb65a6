import { spawn } from "node:child_process";
import { once } from "node:events";
import { basename } from "node:path";
import { CommandError, readErrno } from "../../../core/errors.ts";
import { collectEnd } from "../../../files/read-file.ts";
import { startShell } from "../../../relay/connect-over-pipes.ts";
import { cleanLine } from "../../../text/clean.ts";
import { readErrorLine } from "../../errors.ts";

/** Maximum number of bytes kept of each output stream. */
const maxOutputBytes = 64 * 1024;

/**
 * Shell function `beckon_`, which runs the other machine's beckon: the installed one with the Node recorded there, or
 * else the one on PATH.
 */
const prelude = `b="\${BECKON_HOME:-$HOME/.beckon}"
beckon_() {
  if [ -r "$b/app/node" ]; then "$(cat "$b/app/node")" "$b/app/dist/cli.js" "$@"; else command beckon "$@"; fi
}
`;

/**
 * Runs a POSIX shell script through a command such as `ssh HOST`, and waits until it exits. The script is sent over
 * standard input, so that no shell in between requires quoting.
 * @throws {CommandError} if the command cannot be started
 */
export async function runRemote(via: readonly string[], script: string, timeoutMs: number) {
  const start = startShell(via, `${prelude}${script}`);
  const child = spawn(start.file, start.args, { stdio: "pipe", timeout: timeoutMs, windowsHide: true });
  const stdout = collectEnd(child.stdout, maxOutputBytes);
  const stderr = collectEnd(child.stderr, maxOutputBytes);
  child.stdin.on("error", () => {}); // it need not read to the end
  child.stdin.end(start.script);
  const [exitCode] = await once(child, "close").catch((error) => {
    const why = `${basename(start.file)} could not be started (${readErrno(error) ?? "unknown error"})`;
    throw new CommandError(why, "Use a command on your PATH, such as ssh HOST.");
  });
  return { exitCode: exitCode as number | null, stdout: stdout(), stderr: stderr() };
}

/** Returns the last line of a failed script's output, for people. */
export function readLastError({ stderr, stdout, exitCode }: Awaited<ReturnType<typeof runRemote>>): string {
  const last = (text: string) => {
    const line = text.trim().split("\n").at(-1) ?? "";
    return cleanLine(readErrorLine(line) ?? line);
  };
  return last(stderr) || last(stdout) || `exit code ${exitCode}`;
}
