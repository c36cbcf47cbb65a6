import { execFile } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import picocolors from "picocolors";
import { expect } from "vitest";
import { agentNamed } from "../../../../src/agents/registry.ts";
import type { CheckResult } from "../../../../src/cli/commands/doctor/check.ts";
import type { CliContext } from "../../../../src/cli/context.ts";
import { runDoctor } from "../../../../src/cli/commands/doctor/doctor.ts";
import type { AgentSettings } from "../../../../src/core/agent-settings.ts";
import type { ExecPort } from "../../../../src/core/ports.ts";
import { createPorts } from "../../../../src/io/ports.ts";
import { makeSpool } from "../../../../src/spool/put.ts";
import { builtCli, type CliHome } from "../../cli-home.ts";

const repository = dirname(dirname(builtCli));
const dist = dirname(builtCli);
/** Programs are run for real; only where they are looked for is the test's. */
const exec = (path: readonly string[]): ExecPort => ({
  run: ({ file, args, timeoutMs }) =>
    new Promise((resolve) => {
      execFile(file, [...args], { timeout: timeoutMs }, (error, stdout, stderr) =>
        resolve({ exitCode: error ? 1 : 0, stdout, stderr }),
      );
    }),
  which: (name) => path.map((folder) => join(folder, name)).find((file) => existsSync(file)),
});

/** Hooks of ours for an agent, in Claude's form. */
export const hooksFor = (agent: string, ...events: string[]) =>
  Object.fromEntries(
    events.map((event) => {
      const command = `~/.beckon/hook ${event} --agent ${agent} || :`;
      return [event, [{ hooks: [{ type: "command", command }] }]];
    }),
  );

/** A machine on which all is well. */
export function makeWell(home: CliHome): void {
  const { paths } = home;
  mkdirSync(paths.app, { recursive: true, mode: 0o700 });
  mkdirSync(join(paths.app, "dist", "hooks"), { recursive: true });
  cpSync(join(dist, "worker.js"), paths.worker);
  cpSync(join(dist, "hooks", "hook.sh"), join(paths.app, "dist", "hooks", "hook.sh"));
  cpSync(join(dist, "hooks", "hook.sh"), paths.launcher);
  chmodSync(paths.launcher, 0o700);
  writeFileSync(paths.nodeRecord, `${process.execPath}\n`);
  makeSpool(paths.spool);
  cpSync(join(repository, "package.json"), join(paths.app, "package.json"));
  cpSync(builtCli, join(paths.app, "dist", "cli.js"));
  const events = Object.keys(agentNamed("claude")?.settings?.register ?? {});
  home.write(join(home.home, ".claude", "settings.json"), JSON.stringify({ hooks: hooksFor("claude", ...events) }));
  home.config({ notifiers: { team: { type: "slack", url: "https://example.org/canary-7Xw" } } });
  for (const event of ["Notification", "SessionEnd", "Stop"]) home.journal({ agent: "claude", event, status: "sent" });
}

/** Runs every check, with programs looked for in these folders only. */
export async function examine(
  home: CliHome,
  path: readonly string[] = ["/usr/bin", "/bin", dirname(process.execPath)],
  json = true,
) {
  let stdout = "";
  const context: CliContext = {
    paths: home.paths,
    place: { home: home.home, project: home.project, env: {}, platform: process.platform },
    print: (text: string) => {
      stdout += `${text}\n`;
    },
    printError: () => {},
    colors: picocolors.createColors(false),
    errorColors: picocolors.createColors(false),
    interruption: () => new AbortController().signal,
  };
  const exitCode = await runDoctor({ json }, context, { ...createPorts(), exec: exec(path) });
  expect(stdout).not.toContain("canary");
  return { exitCode, stdout, results: json ? (JSON.parse(stdout) as CheckResult[]) : [] };
}

/** What is not well. */
export const bad = (results: readonly CheckResult[]) => results.filter(({ status }) => status !== "ok");

/** Gives an agent other settings, over its own or over those of Claude, until the function it returns is called. */
export function alterAgent(name: string, change: Partial<AgentSettings>): () => void {
  const agent = agentNamed(name) as { settings?: AgentSettings | undefined };
  const before = agent.settings;
  const base = before ?? agentNamed("claude")?.settings;
  if (!base) throw new Error(`no settings: ${name}`);
  agent.settings = { ...base, ...change };
  return () => {
    if (before) agent.settings = before;
    else delete agent.settings;
  };
}
