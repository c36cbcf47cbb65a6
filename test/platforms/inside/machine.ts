import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { type HookResult, homeAt, type RunOptions, repository, run, sleep } from "../../world/home.ts";
import type { Root } from "../roots.ts";

/** The machine under test: a root, or Windows under Wine. */
export type Machine = ReturnType<typeof createMachine>;

/** Claude Code's settings, below the home folder. */
export const claudeSettings = join(".claude", "settings.json");

/** @param root undefined on Windows */
export function createMachine(root: Root | undefined) {
  const userHome = homedir();
  /** The installation. */
  const home = homeAt(join(userHome, ".beckon"), userHome);
  const { BECKON_HOME: _, ...inherited } = home.env;
  const node = process.platform === "win32" ? `${dirname(process.execPath)}${delimiter}` : "";
  const env = { ...inherited, PATH: `${node}${process.env["PATH"] ?? ""}` };
  /** The command line that `install` wrote for an event of Claude Code. */
  const command = (event: string): string => {
    const settings = JSON.parse(readFileSync(join(userHome, claudeSettings), "utf8"));
    return settings.hooks[event][0].hooks[0].command;
  };
  /** Runs a command line in the shell of the platform, as agents do. */
  const runLine = (line: string, input: string | Buffer, options?: RunOptions): Promise<HookResult> => {
    const [file, ...args] = shellFor(line);
    return run(file, args, input, { ...options, env: { ...env, ...options?.env }, isVerbatim: true });
  };
  return {
    ...{ root, userHome, home, command, runLine },
    /** Fires an event as Claude Code does: its shell runs the installed command line. */
    fire: (event: string, input: string | Buffer, options?: RunOptions) => runLine(command(event), input, options),
    beckon: (...args: readonly string[]) =>
      run(process.execPath, [join(repository, "dist", "cli.js"), ...args], "", { env }),
    /** Empties spool, journal and state, ends the worker, and writes a configuration. */
    async startAfresh(config: object) {
      await home.killWorker();
      await sleep(50);
      for (const folder of ["tmp", "new", "cur", "dead"]) empty(join(home.paths.spool, folder));
      for (const folder of [home.paths.journal, join(home.paths.state, "alerts")]) empty(folder);
      const { lock, starting, state } = home.paths;
      for (const file of [lock, starting, join(state, "recent.json")]) rmSync(file, { force: true });
      home.writeConfig(config);
    },
  };
}

/** Builds the command of the platform's shell for a command line, as Node's `exec` runs it. */
export function shellFor(line: string): [string, ...string[]] {
  return process.platform === "win32" ? ["cmd", "/d", "/s", "/c", `"${line}"`] : ["/bin/sh", "-c", line];
}

function empty(folder: string): void {
  if (!existsSync(folder)) return void mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}
