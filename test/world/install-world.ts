import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { InstallContext } from "../../src/cli/commands/install/context.ts";
import { reportError } from "../../src/cli/errors.ts";
import { resolvePaths } from "../../src/files/paths.ts";
import { installable } from "../../src/installer/agents/installable.ts";
import { createExec } from "../../src/io/exec.ts";
import { makeContext } from "./cli-home.ts";
import { localPorts } from "./local-ports.ts";

/** An outcome that a launcher writes into the journal; in `reason`, `$*` stands for its arguments. */
export interface LauncherOutcome {
  readonly status: string;
  readonly reason: string;
}

/** Makes a launcher that delivers at once: each outcome becomes a journal line. */
export function recordingLauncher(...outcomes: readonly LauncherOutcome[]): string {
  const lines = outcomes.map(
    ({ status, reason }) =>
      `printf '{"at":"2026-11-22T00:00:00.000Z","id":"sample","sessionId":"%s","notifier":"desk","status":"${status}","tookMs":12,"reason":"%s"}\\n' "$session" "${reason}" >>"$root/journal/2026-11.jsonl"`,
  );
  const head = `#!/bin/sh
# stands in for beckon's launcher
root=\${0%/*}
session=$(sed 's/.*"session_id":"\\([^"]*\\)".*/\\1/')`;
  return `${[head, ...lines].join("\n")}\n`;
}

/** Path of Droid's settings, below the home folder. */
export const droid = ".factory/settings.json";
/** Path of Claude Code's settings, below the home folder. */
export const claude = ".claude/settings.json";
export const both = { [droid]: '{\n  // mine\n  "model": "x"\n}\n', [claude]: '{"a":1}' };

/** Returns the exit code of a command. A failure is reported as the command line reports it. */
export function readExitCode(command: Promise<number>, context: InstallContext): Promise<number> {
  return command.catch((error: unknown) => reportError(error, context));
}

/** Lists every file below a folder with its bytes, inode and time of change. */
export function listTree(folder: string): unknown[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort()
    .map((path) => [path, statSync(path).ino, statSync(path).mtimeMs, readFileSync(path, "utf8")]);
}

/** Makes a new home folder and a built package to install from, and records all output. */
export function installWorld(change: Partial<InstallContext> & { readonly files?: Record<string, string> } = {}) {
  const base = mkdtempSync(join(tmpdir(), "beckon-install-"));
  const home = join(base, "home");
  const packageRoot = join(base, "package");
  const write = (path: string, content: string) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  };
  mkdirSync(join(home, "project"), { recursive: true });
  write(join(packageRoot, "package.json"), '{ "name": "beckon", "version": "1.2.0" }');
  write(join(packageRoot, "dist", "hooks", "hook.sh"), recordingLauncher({ status: "sent", reason: "$*" }));
  chmodSync(join(packageRoot, "dist", "hooks", "hook.sh"), 0o755);
  write(join(packageRoot, "dist", "cli.js"), "");
  write(join(packageRoot, "templates", "config.jsonc"), "{}");
  write(join(packageRoot, "templates", "config.schema.json"), '{"v":1}');
  for (const [path, content] of Object.entries(change.files ?? {})) write(join(home, path), content);
  const env = { PATH: process.env["PATH"], HOME: home };
  const environment = { env, home, project: join(home, "project"), platform: process.platform };
  const printed: string[] = [];
  const asked: string[] = [];
  const note = <Answer>(question: string, answer: Answer): Answer => {
    asked.push(question);
    return answer;
  };
  const context: InstallContext = {
    ...makeContext({ environment, paths: resolvePaths(join(home, ".beckon")) }),
    packageRoot,
    execPath: process.execPath,
    agents: installable,
    isInteractive: false,
    print: (text) => printed.push(text),
    printError: (text) => printed.push(text),
    confirm: async (question) => note(question, true),
    selectMany: async (question, _, usual) => note(question, [...usual]),
    pressKey: async (question, choices) => note(question, choices.some(({ value }) => value === "y") ? "y" : "l"),
    addPhone: async () => 0,
    ports: localPorts,
    exec: createExec({ PATH: join(home, "bin"), HOME: home }),
    sampleWaitMs: 3000,
    ...change,
  };
  return {
    home,
    packageRoot,
    context,
    asked,
    /** Makes the same context with another project, below the home folder. */
    inProject(path: string): InstallContext {
      return { ...context, environment: { ...context.environment, project: join(home, path) } };
    },
    /** Writes a file below the home folder. Returns its path. */
    write: (path: string, content: string) => {
      write(join(home, path), content);
      return join(home, path);
    },
    output: () => printed.join("\n"),
    at: (path: string) => join(home, path),
  };
}
