import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { builtCli } from "../world/cli-home.ts";
import { type Home, sleep } from "../world/home.ts";

/** Keys as a terminal sends them. */
export const keys = {
  enter: "\r",
  space: " ",
  up: "\u001b[A",
  down: "\u001b[B",
  escape: "\u001b",
  interrupt: "\u0003",
  yes: "y",
  no: "n",
} as const;

/** A program that runs at a terminal of its own. */
export type Terminal = ReturnType<typeof openTerminal>;

/** Runs a program at a pseudo-terminal, made by `script` (util-linux on Linux, BSD's own on macOS). */
export function openTerminal(command: readonly string[], env: NodeJS.ProcessEnv, cwd: string, columns = 120) {
  const words = command.map((word) => `'${word.replaceAll("'", "'\\''")}'`);
  const line = `stty cols ${columns} rows ${columns && 50}; exec ${words.join(" ")}`; // without a size every column is the last one
  const linux = ["-q", "-e", "-c", line, "/dev/null"];
  const args = process.platform === "linux" ? linux : ["-q", "/dev/null", "sh", "-c", line];
  const child = spawn("script", args, {
    cwd,
    env: { TERM: "xterm-256color", ...env },
    stdio: ["pipe", "pipe", "inherit"],
  });
  let shown = "";
  let seen = 0;
  child.stdout.on("data", (chunk: Buffer) => {
    shown += chunk.toString();
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject); // without `script` on this machine the test fails and says so
    child.on("close", (code) => resolve(code));
  });
  return {
    /** Returns the output without colours and cursor movements. */
    screen: () => stripVTControlCharacters(shown),
    /** Waits until a text appears after the last key, then presses keys. */
    async answer(expected: string, ...pressed: readonly string[]) {
      const deadline = Date.now() + 20_000;
      while (!stripVTControlCharacters(shown.slice(seen)).includes(expected)) {
        if (Date.now() > deadline) throw new Error(`${JSON.stringify(expected)} was not shown:\n${shown}`);
        await sleep(25);
      }
      for (const key of pressed) {
        seen = shown.length;
        child.stdin.write(key);
        await sleep(100); // a key that arrives with the previous one is read as one
      }
    },
    /** Resolves to the exit code. */
    ended,
  };
}

/** Opens an interactive shell at a terminal, in which `b` is `beckon run --`, and each script is a file. */
export function openShell({ paths: { root }, env }: Home, scripts: Readonly<Record<string, string>> = {}): Terminal {
  for (const [name, script] of Object.entries(scripts)) writeFileSync(join(root, name), script);
  writeFileSync(join(root, "bashrc"), `PS1='[$?]> '; PATH=${root}:$PATH\n`);
  const start = `#!/bin/sh\nexec '${process.execPath}' '${builtCli}' run -- "$@"\n`;
  writeFileSync(join(root, "b"), start, { mode: 0o700 });
  const rcfile = ["--noprofile", "--rcfile", join(root, "bashrc")];
  return openTerminal(["bash", ...rcfile, "-i"], { ...env, HISTFILE: "" }, root);
}
