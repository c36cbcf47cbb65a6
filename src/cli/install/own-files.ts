import { type Scope, scopes } from "../../core/agent-settings.ts";
import { inspectAgent } from "../../installer/inspect.ts";
import type { FileJob } from "../../installer/plan-agent.ts";
import { knownOwn } from "../../settings/known-own.ts";
import { allRecords } from "../../installer/record.ts";
import { type InstallContext, placeOf } from "../commands/install/context.ts";
import { installable } from "../../installer/agents/installable.ts";

/** Which files are meant; nothing: all. */
export interface OwnFilesFilter {
  readonly agents?: readonly string[];
  readonly scope?: Scope;
}

/**
 * Every file that an install wrote to, wherever its project is, and every file known of an agent's that has an entry of
 * ours; those of the user first.
 * @throws {SettingsError} `settings.record`
 */
export async function ownFiles(context: InstallContext, filter: OwnFilesFilter = {}): Promise<FileJob[]> {
  const own = await knownOwn(context.paths, context.home);
  const isAskedAgent = (agent: string) => !filter.agents?.length || filter.agents.includes(agent);
  const isAsked = (agent: string, scope: Scope) => isAskedAgent(agent) && (!filter.scope || filter.scope === scope);
  const jobs = new Map<string, FileJob>();
  for (const { agent, scope, file, shape, target } of await allRecords(context.paths)) {
    if (isAsked(agent, scope)) jobs.set(target, { agent, scope, file: { path: file, shape }, own });
  }
  for (const agent of installable.filter(({ name }) => isAskedAgent(name))) {
    for (const found of await inspectAgent(agent, placeOf(context), own)) {
      const isOurs = found.own.length > 0 && isAsked(agent.name, found.scope);
      if (isOurs && !jobs.has(found.target)) {
        jobs.set(found.target, { agent: agent.name, scope: found.scope, file: found.file, own });
      }
    }
  }
  return [...jobs.values()].sort((a, b) => scopes.indexOf(a.scope) - scopes.indexOf(b.scope));
}
