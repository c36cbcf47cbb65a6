import { chmodSync, cpSync, existsSync, mkdirSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { expect } from "vitest";
import type { CheckResult } from "../../src/cli/commands/doctor/check.ts";
import { runDoctor } from "../../src/cli/commands/doctor/doctor.ts";
import type { ExecPort, Ports } from "../../src/core/ports.ts";
import { type InstallableAgent, installable } from "../../src/installer/agents/installable.ts";
import { createExec } from "../../src/io/exec.ts";
import { makeSpool } from "../../src/spool/put.ts";
import { builtCli, type CliHome, makeContext } from "./cli-home.ts";
import { recordNode } from "./home.ts";
import { readOutput } from "./json-output.ts";
import { localPorts } from "./local-ports.ts";

const dist = dirname(builtCli);
const repository = dirname(dist);
const systemPath = (process.env["PATH"] ?? "").split(delimiter);

/** Makes a port that runs the real programs in these folders, but fakes Node's version and checks unless it runs Node. */
const execFrom = (folders: readonly string[], runsNode: boolean): ExecPort => ({
  run: async (request) => {
    const { file, args } = request;
    const printed = args?.includes("--check") ? "ok" : process.version;
    if (file === process.execPath && !runsNode) return { exitCode: 0, stdout: `${printed}\n`, stderr: "" };
    return createExec().run(request);
  },
  which: (name) => find(folders, name),
  driver: (name) => find(folders, name),
});

const find = (folders: readonly string[], name: string): string | undefined =>
  folders.map((folder) => join(folder, name)).find((file) => existsSync(file));

/** Makes beckon's hooks for an agent, in Claude Code's form. */
export function hooksFor(agent: string, ...events: string[]) {
  const buildCommand = (event: string) => `~/.beckon/hook ${event} --agent ${agent} || :`;
  return Object.fromEntries(
    events.map((event) => [event, [{ hooks: [{ type: "command", command: buildCommand(event) }] }]]),
  );
}

export const droidEvents = ["UserPromptSubmit", "Notification", "Stop", "SubagentStop", "SessionEnd"];

/** Installs beckon for Claude Code, with a notifier and recent events, so that every check passes. */
export function installHealthy(home: CliHome): void {
  const { paths } = home;
  mkdirSync(join(paths.app, "dist", "hooks"), { recursive: true, mode: 0o700 });
  cpSync(join(dist, "worker.cjs"), paths.worker);
  cpSync(join(dist, "hooks", "hook.sh"), join(paths.app, "dist", "hooks", "hook.sh"));
  cpSync(join(dist, "hooks", "hook.sh"), paths.launcher);
  chmodSync(paths.launcher, 0o700);
  recordNode(paths, process.execPath);
  makeSpool(paths.spool);
  cpSync(join(repository, "package.json"), join(paths.app, "package.json"));
  cpSync(builtCli, join(paths.app, "dist", "cli.js"));
  const events = Object.keys(findAgent("claude").settings.defaultEvents);
  home.write(join(home.home, ".claude", "settings.json"), JSON.stringify({ hooks: hooksFor("claude", ...events) }));
  home.config({ notifiers: { team: { type: "slack", url: "https://example.org/canary-7Xw" } } });
  addEvents(home, "claude", "UserPromptSubmit", "Notification", "SessionEnd", "Stop");
}

/** Installs beckon's hooks for Droid as well, with other settings and events of every kind. */
export function addDroid(home: CliHome, others: object = {}): void {
  const settings = JSON.stringify({ hooks: hooksFor("droid", ...droidEvents), ...others });
  home.write(join(home.home, ".factory", "settings.json"), settings);
  addEvents(home, "droid", ...droidEvents);
}

/** Installs beckon's plugin into Claude Code, as Claude Code does. */
export function addPlugin(home: CliHome, events: readonly string[], version = "0.0.1"): void {
  const plugins = join(home.home, ".claude", "plugins");
  const installPath = join(plugins, "cache", "beckon");
  const hooks = Object.fromEntries(events.map((event) => [event, []]));
  home.write(join(installPath, "hooks", "hooks.json"), JSON.stringify({ hooks }));
  home.write(join(installPath, "package.json"), JSON.stringify({ version }));
  const list = { plugins: { "beckon@beckon": [{ scope: "user", installPath }] } };
  home.write(join(plugins, "installed_plugins.json"), JSON.stringify(list));
}

/** Writes a line into the journal for each event, by the agent's own names. */
export function addEvents(home: CliHome, agent: string, ...names: string[]): void {
  const { nativeEvents } = findAgent(agent);
  for (const name of names) home.journal({ agent, event: nativeEvents[name]?.event ?? name, status: "sent" });
}

/** Puts a shell script into the first folder of PATH. Returns its path. */
export function addProgram(home: CliHome, name: string, script: string): string {
  return home.write(join(home.home, "bin", name), `#!/bin/sh\n${script}\n`, 0o755);
}

interface ChecksOptions {
  /** Search folders for programs. */
  readonly path?: readonly string[];
  readonly agents?: readonly InstallableAgent[];
  /** The environment variables; empty by default. */
  readonly env?: NodeJS.ProcessEnv;
  /** True to print ok results for people. */
  readonly all?: boolean;
  /** True to run Node, for the worker's own check. */
  readonly runsNode?: boolean;
  /** Width of the terminal. */
  readonly columns?: number;
  /** The ports, in place of those with the programs of `path`. */
  readonly ports?: Ports;
}

/** Runs every check. */
export async function runChecks(home: CliHome, options: ChecksOptions = {}) {
  const { exitCode, stdout } = await doctor(home, true, options);
  return { exitCode, results: readOutput("doctor", stdout) as unknown as CheckResult[] };
}

/** Returns the output of `beckon doctor` for people. */
export async function printChecks(home: CliHome, options: ChecksOptions = {}): Promise<string> {
  return (await doctor(home, false, { all: true, ...options })).stdout;
}

async function doctor(home: CliHome, json: boolean, options: ChecksOptions = {}) {
  const { path, agents = installable, all = false, columns, env = {}, runsNode = false } = options;
  let stdout = "";
  const environment = { home: home.home, project: home.project, env, platform: process.platform };
  const context = {
    ...makeContext({ paths: home.paths, environment }),
    print: (text: string) => {
      stdout += `${text}\n`;
    },
    ...(columns !== undefined && { terminal: { columns: () => columns, write: () => {} } }),
  };
  const exec = execFrom(path ?? [join(home.home, "bin"), ...systemPath], runsNode);
  const { ports = { ...localPorts(), exec } } = options;
  const exitCode = await runDoctor({ all, json }, context, { ports, agents });
  expect(stdout).not.toContain("canary");
  return { exitCode, stdout };
}

/** Lists every result that is not ok, as `status name: detail | cure`. */
export function problemsIn(results: readonly CheckResult[]): string[] {
  return results
    .filter(({ status }) => status !== "ok")
    .map(({ status, name, detail, cure }) => `${status} ${name}: ${detail} | ${cure}`);
}

/** Finds an agent that can be installed into. */
export function findAgent(name: string): InstallableAgent {
  const found = installable.find((agent) => agent.name === name);
  if (!found) throw new Error(`no agent ${name}`);
  return found;
}

/** Installs beckon's hooks for an agent whose hooks have Claude Code's form, with an event for each. */
export function addHooks(home: CliHome, name: "codex" | "gemini", others: object = {}): void {
  const file = { codex: "hooks.json", gemini: "settings.json" }[name];
  const { settings } = findAgent(name);
  const hooks = hooksFor(name, ...Object.keys(settings.defaultEvents));
  home.write(join(home.home, `.${name}`, file), JSON.stringify({ ...others, hooks }));
  addEvents(home, name, ...Object.keys(hooks));
}

/** Makes Codex's record in `config.toml` of hooks that its user trusts, by event in snake case. */
export function codexTrust({ home }: CliHome, ...events: string[]): string {
  const file = join(home, ".codex", "hooks.json");
  return events.map((event) => `[hooks.state."${file}:${event}:0:0"]\ntrusted_hash = "sha256:ab"\n`).join("\n");
}
