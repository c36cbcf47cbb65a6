import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { InstallContext } from "../../src/cli/commands/install/context.ts";
import { pathsOf } from "../../src/core/paths.ts";
import { createExec } from "../../src/io/exec.ts";

/** What a launcher notes of the event it is called with; `$*` is what it is called with. */
export interface Noted {
  readonly status: string;
  readonly reason: string;
}

/** A launcher that delivers at once: each outcome becomes a journal line. */
export function launcherThatNotes(...outcomes: readonly Noted[]): string {
  const lines = outcomes.map(
    ({ status, reason }) =>
      `printf '{"sessionId":"%s","notifier":"desk","status":"${status}","tookMs":12,"reason":"%s"}\\n' "$session" "${reason}" >>"$root/journal/2026-11.jsonl"`,
  );
  const head = `#!/bin/sh
# stands in for beckon's launcher
root=\${0%/*}
session=$(sed 's/.*"session_id":"\\([^"]*\\)".*/\\1/')`;
  return `${[head, ...lines].join("\n")}\n`;
}

/** A home folder of its own, a built package to install from, and everything that was printed. */
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
  write(join(packageRoot, "dist", "hooks", "hook.sh"), launcherThatNotes({ status: "sent", reason: "$*" }));
  chmodSync(join(packageRoot, "dist", "hooks", "hook.sh"), 0o755);
  write(join(packageRoot, "dist", "cli.js"), "");
  write(join(packageRoot, "templates", "config.jsonc"), "{}");
  write(join(packageRoot, "templates", "config.schema.json"), '{"v":1}');
  for (const [path, content] of Object.entries(change.files ?? {})) write(join(home, path), content);
  const printed: string[] = [];
  const asked: string[] = [];
  const context: InstallContext = {
    env: { PATH: process.env["PATH"], HOME: home },
    home,
    cwd: join(home, "project"),
    platform: process.platform,
    paths: pathsOf(join(home, ".beckon")),
    packageRoot,
    execPath: process.execPath,
    isInteractive: false,
    print: (text) => printed.push(text),
    ask: async (question) => {
      asked.push(question);
      return true;
    },
    choose: async (question, choices) => {
      asked.push(question);
      return choices.filter(({ isUsual, isBarred }) => isUsual && !isBarred).map(({ value }) => value);
    },
    exec: createExec({ PATH: join(home, "bin"), HOME: home }),
    sampleWaitMs: 3000,
    sampleQuietMs: 0,
    ...change,
  };
  return {
    home,
    packageRoot,
    context,
    asked,
    /** A file below the home folder. Returns its path. */
    write: (path: string, content: string) => {
      write(join(home, path), content);
      return join(home, path);
    },
    output: () => printed.join("\n"),
    at: (path: string) => join(home, path),
  };
}
