import type { Agent, Scope, SettingsPlace } from "../core/agent.ts";
import type { Paths } from "../core/paths.ts";
import { type InspectedFile, inspectAgent } from "../settings/inspect.ts";
import { knownOwn } from "../settings/known-own.ts";
import { allRecords, type InstallRecord } from "../settings/record.ts";

/** What one of an agent's settings files says about beckon. */
export interface AgentFile {
  readonly scope: Scope;
  readonly path: string;
  /** Events, by the agent's own names, whose hooks call our launcher for this agent. */
  readonly events: readonly string[];
  /** Events whose entry is not the one that was installed: gone, doubled, or changed. */
  readonly changed: readonly string[];
  /** Why the agent does not read the file, or will not read it as meant. */
  readonly problem?: string;
  /** The setting that switches all hooks off, where it is set. */
  readonly offSwitch?: string;
}

/** The settings files of an agent that exist, in all scopes. */
export async function readAgentFiles(
  agent: Agent,
  place: SettingsPlace,
  paths: Pick<Paths, "state" | "launcher" | "app">,
): Promise<readonly AgentFile[]> {
  const records = await allRecords(paths);
  const files = await inspectAgent(agent, place, await knownOwn(paths, place.home));
  // In the home folder the scopes `user` and `project` are one file.
  const isFirst = ({ target }: InspectedFile, index: number) =>
    files.findIndex((file) => file.target === target) === index;
  return files
    .filter((file, index) => file.exists && isFirst(file, index))
    .map((file) =>
      describe(
        file,
        records.find(({ target, agent: name }) => target === file.target && name === agent.name),
      ),
    );
}

function describe(found: InspectedFile, record: InstallRecord | undefined): AgentFile {
  const { scope, file, own, offSwitches, problem, ignoredFor } = found;
  const [offSwitch] = offSwitches;
  const traits = ignoredFor.length > 0 && `${ignoredFor.join(" and ")}, for which this agent ignores the whole file`;
  const words = problem?.message.replace(`${file.path}: `, "") ?? (traits || undefined);
  return {
    scope,
    path: file.path,
    events: [...new Set(own.map(({ event }) => event))],
    changed: record === undefined || problem ? [] : changedEvents(own, record),
    ...(words !== undefined && { problem: words }),
    ...(offSwitch !== undefined && { offSwitch }),
  };
}

function changedEvents(own: InspectedFile["own"], { entries }: InstallRecord): string[] {
  return Object.entries(entries).flatMap(([event, { command }]) => {
    const there = own.filter((entry) => entry.event === event);
    return there.length === 1 && there[0]?.command === command ? [] : [event];
  });
}
