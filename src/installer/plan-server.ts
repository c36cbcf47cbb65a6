import { type SettingsFile, serverShapes } from "../core/agent-settings.ts";
import { lastingPath } from "../io/which.ts";
import type { InstallableAgent } from "./agents/installable.ts";
import { previewInstall } from "./apply.ts";
import { serverWords } from "./beckon-commands.ts";
import type { PlanContext } from "./context.ts";
import { joinWords, serverName } from "./editors/servers/server-entry.ts";
import { chooseFiles } from "./own-files.ts";
import type { AgentPlan } from "./plan-agent.ts";
import type { InstallTask } from "./plan-file.ts";

/** True for a file with MCP servers instead of hooks. */
export function isServerFile({ shape }: Pick<SettingsFile, "shape">): boolean {
  return serverShapes.includes(shape);
}

/** Names what beckon writes into a settings file. */
export function describeEntries(file: Pick<SettingsFile, "shape">): "hooks" | "tools" {
  return isServerFile(file) ? "tools" : "hooks";
}

/**
 * Plans to register beckon's MCP server with an agent, or in just the file `only`. Undefined for an agent with which
 * beckon cannot register it.
 * @throws {SettingsError} for a file that cannot be edited safely
 */
export async function planServer(
  agent: InstallableAgent,
  context: PlanContext,
  only?: SettingsFile,
): Promise<AgentPlan | undefined> {
  const { paths, environment, execPath, beckonCommands } = context;
  const [file] = only ? [only] : await chooseFiles(agent.settings.servers?.(environment) ?? []);
  if (!file) return undefined;
  const words = [await lastingPath(execPath, environment.home), ...serverWords(paths)];
  const task: InstallTask = {
    ...{ agent: agent.name, scope: "user", file, beckonCommands },
    wanted: new Map([[serverName, { command: joinWords(words), words, timeout: 0, leastTimeout: 0 }]]),
    ...{ rules: {}, chosen: {} },
  };
  const planned = await previewInstall(paths, task);
  return { agent, scope: "user", mains: [{ task, planned }], others: [], warnings: planned.warnings };
}
