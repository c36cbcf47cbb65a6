import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { agents } from "../../src/agents/registry.ts";
import type { AgentPlugin } from "../../src/core/agent-settings.ts";
import { home, project, type RealAgent } from "./agents/agent.ts";
import type { Scenario } from "./scenarios.ts";
import { until } from "./terminal.ts";

const repository = join(import.meta.dirname, "..", "..");
/** Maximum time of an installation. A busy machine needs more than a minute for some agents' commands. */
const maxInstallSeconds = 180;
const app = join(home, ".beckon", "app");

/** Returns the agent's way of installing plugins; undefined if it has none. */
export function findPlugin({ name }: Pick<RealAgent, "name">): AgentPlugin | undefined {
  return agents.find((agent) => agent.name === name)?.plugin;
}

/**
 * Installs the plugin with the agent's own commands, from `packages/`, like a user who answers yes to every question.
 */
export function installPlugin(agent: RealAgent): void {
  const folder = join(repository, "packages", agent.name, "beckon");
  for (const command of findPlugin(agent)?.installCommands(folder) ?? []) {
    const env = { ...process.env, ...agent.env };
    const place = { cwd: project, env, timeout: maxInstallSeconds * 1000, encoding: "utf8" } as const;
    const { stdout, status, error } = spawnSync("bash", ["-c", `yes | ${command} 2>&1`], place);
    appendFileSync("/home/out/install.txt", stdout);
    if (error ?? status !== 0)
      throw new Error(`${command} ended with ${error?.message ?? status}: ${stdout.trim().slice(-300)}`);
  }
}

/**
 * Lists faults after a session with a plugin: beckon is not set up, or `doctor` does not report the duplicate
 * installation.
 */
export async function checkPlugin({ name }: RealAgent, installs: Scenario["installs"]): Promise<string[]> {
  const program = join(app, "dist", "cli.js");
  if (!(await until(() => existsSync(program), 30))) return ["the plugin has not set beckon up"];
  const { stdout } = spawnSync(process.execPath, [program, "doctor", "--json"], { cwd: project, encoding: "utf8" });
  appendFileSync("/home/out/doctor.json", stdout);
  const results = JSON.parse(stdout) as { readonly name: string; readonly status: string }[];
  const found = (subject: string) => results.find((result) => result.name.endsWith(`: ${subject}`))?.status;
  const isTwice = installs === "plugin and settings";
  return [
    ...(found("hooks") === "ok" ? [] : [`doctor does not see ${name}'s hooks`]),
    ...((found("duplicates") === "warn") === isTwice ? [] : [`doctor says of duplicates: ${found("duplicates")}`]),
  ];
}
