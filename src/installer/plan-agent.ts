import { existsSync } from "node:fs";
import type { Scope, SettingsFile } from "../core/agent-settings.ts";
import { catchSettingsError, SettingsError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { isPortable } from "./agents/command-line.ts";
import { type InstallableAgent, knowsEvent, matchingNativeEvents } from "./agents/installable.ts";
import { wantedEntries } from "./agents/wanted-entries.ts";
import { type PlannedFile, previewInstall, previewUninstall } from "./apply.ts";
import type { PlanContext } from "./context.ts";
import { resolveTarget } from "./files/read-settings-file.ts";
import { filesWithBeckonHooks } from "./inspect.ts";
import type { InstallTask, SettingsTask } from "./plan-file.ts";
import { readRecord } from "./record.ts";

/** User's choice for an agent. */
export interface InstallChoice {
  readonly scope: Scope;
  /** Events. Undefined: those of an earlier install if there was one, otherwise the agent's default events. */
  readonly events: readonly string[] | undefined;
  /** Additional events. */
  readonly also?: readonly string[] | undefined;
  readonly waitSeconds: number | undefined;
  /** Version of the agent, if known. Events that this version does not know are left out. */
  readonly version: string | undefined;
}

/** Plan for an agent, not yet applied. */
export interface AgentPlan {
  readonly agent: InstallableAgent;
  /** File that gets the entries. */
  readonly main: { readonly task: InstallTask; readonly planned: PlannedFile };
  /** Files that lose their entries: others of the same scope, and private project files that the user's file covers. */
  readonly others: readonly { readonly task: SettingsTask; readonly planned: PlannedFile }[];
  readonly warnings: readonly string[];
}

/** Checks if a plan changes any settings file. */
export function changesAnything({ main, others }: AgentPlan): boolean {
  return main.planned.changes || others.length > 0;
}

/** Plans an agent's files, or just the file `only`. @throws {SettingsError} for a file that cannot be edited safely */
export async function planAgent(
  agent: InstallableAgent,
  choice: InstallChoice,
  context: PlanContext,
  only?: SettingsFile,
): Promise<AgentPlan> {
  const files = only ? [only] : agent.settings.files(choice.scope, context.environment);
  const file = files.find(({ path }) => existsSync(path)) ?? files.at(-1);
  if (!file) throw new Error(`${agent.name} has no settings file for the scope ${choice.scope}`);
  const task = await installTask(agent, file, choice, context);
  const planned = await previewInstall(context.paths, task);
  const others: { task: SettingsTask; planned: PlannedFile }[] = [];
  const warnings: string[] = [...planned.warnings];
  const sameScope = files
    .filter((each) => each !== file && existsSync(each.path))
    .map((other) => ({ ...task, file: other }));
  for (const other of [...sameScope, ...(only ? [] : await coveredTasks(agent, task, context))]) {
    const error = await catchSettingsError(async () => {
      const otherPlan = await previewUninstall(context.paths, other);
      if (otherPlan.changes) others.push({ task: other, planned: otherPlan });
    });
    if (error) warnings.push(`${error.message}. If it also has beckon's hooks, each event fires twice.`);
  }
  return { agent, main: { task, planned }, others, warnings };
}

/** Finds private project files whose hooks are all in the user's settings too, so that each event would fire twice. */
async function coveredTasks(
  agent: InstallableAgent,
  { scope, wanted }: InstallTask,
  context: PlanContext,
): Promise<SettingsTask[]> {
  if (scope !== "user") return [];
  const found = await filesWithBeckonHooks(context, { agents: [agent.name], scope: "local" });
  return found.filter(
    ({ beckonEntries }) => beckonEntries.length > 0 && beckonEntries.every(({ event }) => wanted.has(event)),
  );
}

async function installTask(
  agent: InstallableAgent,
  file: SettingsFile,
  choice: InstallChoice,
  { paths, environment, beckonCommands }: PlanContext,
): Promise<InstallTask> {
  const { defaultEvents } = agent.settings;
  const record = await readRecord(paths, await resolveTarget(file.path));
  const asked = choice.events?.length ? choice.events : record?.events;
  const matching = (names: readonly string[] = []) => names.flatMap((event) => matchingNativeEvents(agent, event));
  const [known, also] = [matching(asked), matching(choice.also)];
  const usual = known.length > 0 ? known : Object.keys(defaultEvents);
  const events = known.length + also.length > 0 ? [...new Set([...usual, ...also])] : undefined;
  const waitSeconds = choice.waitSeconds ?? record?.waitSeconds;
  const registered = (events ?? Object.keys(defaultEvents)).filter((event) => knowsEvent(agent, event, choice.version));
  const { home, platform } = environment;
  const place = { paths, home, platform, loginShell: environment.env["SHELL"] };
  const wanted = wantedEntries({ agent, events: registered, waitSeconds: waitSeconds ?? 0, ...place });
  if (choice.scope === "project") refuseMachinePath(file.path, [...wanted.values()]);
  return {
    agent: agent.name,
    scope: choice.scope,
    file,
    beckonCommands,
    wanted,
    rules: agent.settings,
    chosen: omitUndefined({ events, waitSeconds }),
  };
}

/** Refuses paths of this machine in a project's committed settings. */
function refuseMachinePath(path: string, wanted: readonly { readonly command: string }[]): void {
  if (wanted.every(({ command }) => isPortable(command))) return;
  const hint = "Use --scope local or --scope user, or the default folder ~/.beckon. Nothing was changed.";
  throw new SettingsError(
    "settings.machine-path",
    path,
    "the entries would contain a path that only exists on this machine",
    hint,
  );
}

/** Returns the error that installing into an agent's user settings would cause now. Writes nothing. */
export function installRefusal(
  agent: InstallableAgent,
  version: string | undefined,
  context: PlanContext,
): Promise<SettingsError | undefined> {
  const choice = { scope: "user", events: undefined, waitSeconds: undefined, version } as const;
  return catchSettingsError(() => planAgent(agent, choice, context));
}
