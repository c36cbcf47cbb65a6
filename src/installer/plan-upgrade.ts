import { dirname } from "node:path";
import type { Scope } from "../core/agent-settings.ts";
import { SettingsError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { type InstallableAgent, listEvents } from "./agents/installable.ts";
import { findProgram } from "./agents/program.ts";
import type { PlanContext } from "./context.ts";
import { filesWithBeckonHooks, type HookFile } from "./inspect.ts";
import {
  type AgentPlan,
  changesAnything,
  describeEntries,
  type InstallChoice,
  isServerFile,
  planAgent,
  planServer,
} from "./plan-agent.ts";
import { type InstallRecord, readRecord } from "./record.ts";

/** Upgrade of a settings file. */
export interface FileUpgrade {
  readonly agent: string;
  readonly scope: Scope;
  readonly path: string;
  /** Result; `left` for a file without entries to upgrade. */
  readonly result: "updated" | "current" | "left" | "refused";
  /** Reason for `left` and `refused`. */
  readonly message?: string;
  readonly hint?: string;
  /** Plan for `updated` and `current`. */
  readonly plan?: AgentPlan;
}

/** Plans upgrades of all files with beckon's entries, for every agent, scope and project on record. Writes nothing. */
export async function planUpgrade(context: PlanContext): Promise<FileUpgrade[]> {
  const files = await filesWithBeckonHooks(context);
  // Run each program once for all files, and only if events depend on its version.
  const isAsked = ({ name, settings }: InstallableAgent) => settings.since && files.some(({ agent }) => agent === name);
  const versions = context.agents.filter(isAsked).map(async (agent) => {
    const program = await findProgram(agent, context.exec);
    return [agent.name, program?.version] as const;
  });
  const versionByAgent = new Map(await Promise.all(versions));
  const found: FileUpgrade[] = [];
  for (const file of files) {
    const planned = found.flatMap(({ plan }) => (plan ? [...plan.mains, ...plan.others] : []));
    // Moving entries from one file to another is a single plan.
    if (planned.some(({ task }) => task.file.path === file.file.path)) continue;
    found.push(await planFile(file, versionByAgent.get(file.agent), context));
  }
  return found;
}

async function planFile(found: HookFile, version: string | undefined, context: PlanContext): Promise<FileUpgrade> {
  const { scope, file } = found;
  const about = { agent: found.agent, scope, path: file.path };
  const agent = context.agents.find(({ name }) => name === found.agent);
  if (!agent) return { ...about, result: "left", message: "this version of beckon does not support the agent" };
  if (!found.exists) return { ...about, result: "left", message: "the file no longer exists" };
  try {
    if (found.problem) throw found.problem;
    // A server that the user has removed stays removed.
    const plan = isServerFile(file)
      ? found.beckonEntries.length > 0 && (await planServer(agent, context, file))
      : await planHooksUpgrade(agent, found, version, context);
    if (!plan) return { ...about, result: "left", message: `it no longer has beckon's ${describeEntries(file)}` };
    return { ...about, result: changesAnything(plan) ? "updated" : "current", plan };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const { message, hint } = error;
    return { ...about, result: "refused", message, ...omitUndefined({ hint }) };
  }
}

/** Plans the upgrade of a file with hooks; undefined if it has none of beckon's. */
async function planHooksUpgrade(
  agent: InstallableAgent,
  found: HookFile,
  version: string | undefined,
  context: PlanContext,
): Promise<AgentPlan | undefined> {
  const choice = choiceFor(agent, found, await readRecord(context.paths, found.target));
  if (!choice) return undefined;
  const project = findProject(agent, found, context);
  const environment = { ...context.environment, ...omitUndefined({ project }) };
  // A script that the user has removed stays removed.
  const only = project === undefined || found.file.shape === "script" ? found.file : undefined;
  return planAgent(agent, { ...choice, version }, { ...context, environment }, only);
}

/**
 * Returns the user's choice at install, without events whose entries the user has removed since; undefined if no entry
 * is left.
 */
function choiceFor(
  agent: InstallableAgent,
  { scope, beckonEntries }: HookFile,
  record: InstallRecord | undefined,
): Omit<InstallChoice, "version"> | undefined {
  const present = new Set(beckonEntries.map(({ event }) => event));
  const isRemoved = (event: string) => record?.entries[event] !== undefined && !present.has(event);
  const defaults = record ? Object.keys(agent.settings.defaultEvents) : [...present];
  const events = (record?.events ?? defaults).filter((event) => listEvents(agent).includes(event) && !isRemoved(event));
  if (present.size === 0 || events.length === 0) return undefined;
  const isDefault = record !== undefined && !record.events && events.length === defaults.length;
  return { scope, events: isDefault ? undefined : events, waitSeconds: record?.waitSeconds };
}

/** Finds the project folder of a file; undefined if the agent would no longer read that file. */
function findProject({ settings }: InstallableAgent, { scope, file }: HookFile, { environment }: PlanContext) {
  const reads = (project: string) =>
    settings.files(scope, { ...environment, project }).some(({ path }) => path === file.path);
  if (reads(environment.project)) return environment.project;
  for (let folder = dirname(file.path); folder !== dirname(folder); folder = dirname(folder)) {
    if (reads(folder)) return folder;
  }
  return undefined;
}
