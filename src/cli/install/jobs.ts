import { existsSync } from "node:fs";
import type { Scope, SettingsFile } from "../../core/agent-settings.ts";
import { SettingsError } from "../../core/errors.ts";
import { targetOf } from "../../installer/files/read-settings-file.ts";
import { previewInstall, previewUninstall } from "../../installer/apply.ts";
import { isPortable } from "../../installer/agents/command-line.ts";
import { inspectFile } from "../../installer/inspect.ts";
import type { FileJob, InstallJob, PlannedFile } from "../../installer/plan-agent.ts";
import type { OwnCommands } from "../../installer/beckon-commands.ts";
import { readRecord } from "../../installer/record.ts";
import { wantedEntries } from "../../installer/agents/wanted-entries.ts";
import { type InstallContext, placeOf } from "../commands/install/context.ts";
import { type InstallableAgent, knowsEvent, ownEvents } from "../../installer/agents/installable.ts";
import { ownFiles } from "./own-files.ts";

export interface InstallChoice {
  readonly scope: Scope;
  /** Undefined: what an earlier install chose, else the agent's own list. */
  readonly events: readonly string[] | undefined;
  readonly waitSeconds: number | undefined;
  /** Of the agent's program, as far as it is known: what it does not know is not registered. */
  readonly version: string | undefined;
}

/** What is to be done for one agent, planned; nothing is written yet. */
export interface AgentPlan {
  readonly agent: InstallableAgent;
  /** The file that gets the entries. */
  readonly main: { readonly job: InstallJob; readonly planned: PlannedFile };
  /** Files that lose theirs: others of the same scope, and private ones of projects where the user's cover them. */
  readonly others: readonly { readonly job: FileJob; readonly planned: PlannedFile }[];
  readonly warnings: readonly string[];
}

/**
 * Plans one agent's files; with `only`, that one alone.
 * @throws {SettingsError} for a file that cannot be edited safely; nothing has been written then
 */
export async function planAgent(
  agent: InstallableAgent,
  choice: InstallChoice,
  own: OwnCommands,
  context: InstallContext,
  only?: SettingsFile,
): Promise<AgentPlan> {
  const files = only ? [only] : agent.settings.files(choice.scope, placeOf(context));
  const file = files.find(({ path }) => existsSync(path)) ?? files.at(-1);
  if (!file) throw new Error(`${agent.name} has no settings file for the scope ${choice.scope}`);
  const job = await installJob(agent, file, choice, own, context);
  const planned = await previewInstall(context.paths, job);
  const others: { job: FileJob; planned: PlannedFile }[] = [];
  const warnings: string[] = [...planned.warnings];
  const beside = files.filter((each) => each !== file && existsSync(each.path));
  const sameScope = beside.map((other) => ({ agent: agent.name, scope: choice.scope, file: other, own }));
  for (const otherJob of [...sameScope, ...(only ? [] : await coveredJobs(agent, job, context))]) {
    try {
      const otherPlan = await previewUninstall(context.paths, otherJob);
      if (otherPlan.changes) others.push({ job: otherJob, planned: otherPlan });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      warnings.push(`${error.message}. If beckon's entries are in there as well, hooks fire twice.`);
    }
  }
  return { agent, main: { job, planned }, others, warnings };
}

/** Private files of projects whose every hook the user's own settings have as well: there each event fires twice. */
async function coveredJobs(agent: InstallableAgent, { scope, wanted, own }: InstallJob, context: InstallContext) {
  if (scope !== "user") return [];
  const covered: FileJob[] = [];
  for (const job of await ownFiles(context, { agents: [agent.name], scope: "local" })) {
    const there = await inspectFile(agent, job.scope, job.file, own);
    if (there.own.length > 0 && there.own.every(({ event }) => wanted.has(event))) covered.push(job);
  }
  return covered;
}

async function installJob(
  agent: InstallableAgent,
  file: SettingsFile,
  { scope, events, waitSeconds, version }: InstallChoice,
  own: OwnCommands,
  { paths, home, platform }: InstallContext,
): Promise<InstallJob> {
  const record = await readRecord(paths, await targetOf(file.path));
  const asked = events?.length ? events : record?.events;
  const known = asked && [...new Set(asked.flatMap((event) => ownEvents(agent, event)))];
  const chosen = { events: known?.length ? known : undefined, waitSeconds: waitSeconds ?? record?.waitSeconds };
  const registered = chosen.events ?? Object.keys(agent.settings.register);
  const wanted = wantedEntries({
    agent,
    events: registered.filter((event) => knowsEvent(agent, event, version)),
    waitSeconds: chosen.waitSeconds ?? 0,
    paths,
    home,
    platform,
  });
  if (scope === "project") refuseMachinePath(file.path, [...wanted.values()]);
  return {
    agent: agent.name,
    scope,
    file,
    own,
    wanted,
    ignoresFileWith: agent.settings.ignoresFileWith,
    ...(agent.settings.preamble && { preamble: agent.settings.preamble }),
    chosen: {
      ...(chosen.events ? { events: chosen.events } : {}),
      ...(chosen.waitSeconds === undefined ? {} : { waitSeconds: chosen.waitSeconds }),
    },
  };
}

/** A project's settings are committed: a path of this machine's would be wrong on every other. */
function refuseMachinePath(path: string, wanted: readonly { readonly command: string }[]): void {
  if (wanted.every(({ command }) => isPortable(command))) return;
  throw new SettingsError("settings.machine-path", path, `${path}: the entries would name a path of this machine's`, {
    hint: "Use --scope local or --scope user, or the default folder ~/.beckon. Nothing was changed.",
  });
}
