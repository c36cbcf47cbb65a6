import { dirname } from "node:path";
import type { Scope } from "../core/agent-settings.ts";
import { SettingsError } from "../core/errors.ts";
import { type InspectedFile, inspectFile } from "./inspect.ts";
import type { FileJob } from "./plan-agent.ts";
import type { OwnCommands } from "./beckon-commands.ts";
import { type InstallRecord, readRecord } from "./record.ts";
import { findProgram } from "./agents/program.ts";
import { changesAnything } from "../cli/commands/install/apply-plans.ts";
import { type InstallContext, placeOf } from "../cli/commands/install/context.ts";
import { eventsOf, type InstallableAgent, installable } from "./agents/installable.ts";
import { type AgentPlan, type InstallChoice, planAgent } from "../cli/install/jobs.ts";
import { ownFiles } from "../cli/install/own-files.ts";

/** What an upgrade does with one settings file. */
export interface FileUpgrade {
  readonly agent: string;
  readonly scope: Scope;
  readonly path: string;
  /** `left`: there is nothing of ours in it to bring forward. */
  readonly result: "updated" | "current" | "left" | "refused";
  /** Why it was left or refused. */
  readonly message?: string;
  readonly hint?: string;
  /** For `updated` and `current`. */
  readonly plan?: AgentPlan;
}

/** Plans every file that has entries of ours, of every agent, scope and project on record. Writes nothing. */
export async function planUpgrade(own: OwnCommands, context: InstallContext): Promise<FileUpgrade[]> {
  const found: FileUpgrade[] = [];
  const versionOf = versionsAsked(context);
  for (const job of await ownFiles(context)) {
    const planned = found.flatMap(({ plan }) => (plan ? [plan.main, ...plan.others] : []));
    // Entries that move from one file to another are one plan.
    if (planned.some(({ job: { file } }) => file.path === job.file.path)) continue;
    found.push(await planFile(job, own, versionOf, context));
  }
  return found;
}

type VersionOf = (agent: InstallableAgent) => Promise<string | undefined>;

/** The version of an agent's program where events depend on it. Each program is asked once, for all files. */
function versionsAsked({ exec }: InstallContext): VersionOf {
  const asked = new Map<string, ReturnType<typeof findProgram>>();
  return async (agent) => {
    if (!agent.settings.since) return undefined;
    const program = asked.get(agent.name) ?? findProgram(agent, exec);
    asked.set(agent.name, program);
    return (await program)?.version;
  };
}

async function planFile(
  job: FileJob,
  own: OwnCommands,
  versionOf: VersionOf,
  context: InstallContext,
): Promise<FileUpgrade> {
  const { scope, file } = job;
  const about = { agent: job.agent, scope, path: file.path };
  const agent = installable.find(({ name }) => name === job.agent);
  if (!agent) return { ...about, result: "left", message: "an agent this version cannot install into" };
  const there = await inspectFile(agent, scope, file, own);
  if (!there.exists) return { ...about, result: "left", message: "not there any more" };
  try {
    if (there.problem) throw there.problem;
    const record = await readRecord(context.paths, there.target);
    const kept = choiceFor(agent, there, record);
    if (!kept) return { ...about, result: "left", message: "no hooks of beckon's in it any more" };
    const choice = { ...kept, version: await versionOf(agent) };
    const cwd = projectOf(agent, job, context);
    const plan = await planAgent(agent, choice, own, { ...context, cwd: cwd ?? context.cwd }, cwd ? undefined : file);
    return { ...about, result: changesAnything(plan) ? "updated" : "current", plan };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const { message, hint } = error;
    return { ...about, result: "refused", message, ...(hint !== undefined && { hint }) };
  }
}

/** What the user chose at install, less what they have taken out of the file by hand since. */
function choiceFor(
  agent: InstallableAgent,
  { scope, own }: InspectedFile,
  record: InstallRecord | undefined,
): Omit<InstallChoice, "version"> | undefined {
  const there = new Set(own.map(({ event }) => event));
  const isTakenOut = (event: string) => record?.entries[event] !== undefined && !there.has(event);
  const usual = record ? Object.keys(agent.settings.register) : [...there];
  const events = (record?.events ?? usual).filter((event) => eventsOf(agent).includes(event) && !isTakenOut(event));
  if (there.size === 0 || events.length === 0) return undefined;
  const isUsual = record !== undefined && !record.events && events.length === usual.length;
  return { scope, events: isUsual ? undefined : events, waitSeconds: record?.waitSeconds };
}

/** The project folder to which a file belongs; undefined where the agent would not look for that file any more. */
function projectOf({ settings }: InstallableAgent, { scope, file }: FileJob, context: InstallContext) {
  const place = placeOf(context);
  const knows = (project: string) =>
    settings.files(scope, { ...place, project }).some(({ path }) => path === file.path);
  if (knows(place.project)) return place.project;
  for (let folder = dirname(file.path); folder !== dirname(folder); folder = dirname(folder)) {
    if (knows(folder)) return folder;
  }
  return undefined;
}
