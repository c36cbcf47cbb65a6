import { existsSync } from "node:fs";
import { isAlwaysSerial } from "../core/agent.ts";
import { type Scope, type SettingsFile, serverShapes } from "../core/agent-settings.ts";
import { catchSettingsError, SettingsError } from "../core/errors.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { resolvePaths } from "../files/paths.ts";
import { lastingPath } from "../io/which.ts";
import { isPortable } from "./agents/command-line.ts";
import { type InstallableAgent, knowsEvent, matchingNativeEvents } from "./agents/installable.ts";
import { wantedEntries } from "./agents/wanted-entries.ts";
import { type PlannedFile, previewInstall, previewUninstall } from "./apply.ts";
import { serverWords } from "./beckon-commands.ts";
import type { PlanContext } from "./context.ts";
import { readEvent } from "./editors/editor.ts";
import { joinWords, serverName } from "./editors/server-editors.ts";
import { resolveTarget } from "./files/read-settings-file.ts";
import { filesWithBeckonHooks } from "./inspect.ts";
import { chooseFiles, receives } from "./own-files.ts";
import type { InstallTask, SettingsTask } from "./plan-file.ts";
import { readRecord } from "./record.ts";

/** User's choice for an agent. */
export interface InstallChoice {
  readonly scope: Scope;
  /** Chosen events. Undefined means the events of an earlier install, or else the agent's default events. */
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
  readonly scope: Scope;
  /** Files that get the entries: one file, or one script for each event. */
  readonly mains: readonly { readonly task: InstallTask; readonly planned: PlannedFile }[];
  /** Files that lose their entries: others of the same scope, and private project files that the user's file covers. */
  readonly others: readonly { readonly task: SettingsTask; readonly planned: PlannedFile }[];
  readonly warnings: readonly string[];
}

/** Checks if a plan changes any settings file. */
export function changesAnything({ mains, others }: AgentPlan): boolean {
  return mains.some(({ planned }) => planned.changes) || others.length > 0;
}

/** Plans an agent's files, or just the file `only`. @throws {SettingsError} for a file that cannot be edited safely */
export async function planAgent(
  agent: InstallableAgent,
  choice: InstallChoice,
  context: PlanContext,
  only?: SettingsFile,
): Promise<AgentPlan> {
  const { scope } = choice;
  const files = only ? [only] : agent.settings.files(scope, context.environment);
  const chosen = await chooseFiles(files);
  if (chosen.length === 0) throw new Error(`${agent.name} has no settings file for the scope ${scope}`);
  const tasks = await installTasks(agent, chosen, choice, context);
  const mains: { task: InstallTask; planned: PlannedFile }[] = [];
  for (const task of tasks) mains.push({ task, planned: await previewInstall(context.paths, task) });
  const others: { task: SettingsTask; planned: PlannedFile }[] = [];
  const warnings = [
    ...mains.flatMap(({ planned }) => planned.warnings),
    ...(choice.waitSeconds && agent.settings.ownText
      ? [`${agent.title} does not wait for its hooks, so --wait has no effect there.`]
      : []),
    ...describeAsking(agent, choice, context),
  ];
  const { beckonCommands } = context;
  const sameScope = files
    .filter((each) => tasks.every(({ file }) => file !== each) && existsSync(each.path))
    .map((file): SettingsTask => ({ agent: agent.name, scope, file, beckonCommands }));
  for (const other of [...sameScope, ...(only ? [] : await coveredTasks(agent, tasks, context))]) {
    const error = await catchSettingsError(async () => {
      const otherPlan = await previewUninstall(context.paths, other);
      if (otherPlan.changes) others.push({ task: other, planned: otherPlan });
    });
    if (error) warnings.push(`${error.message}. If it also has beckon's hooks, each event fires twice.`);
  }
  return { agent, scope, mains, others, warnings };
}

/** Finds private project files whose hooks are all in the user's settings too, so that each event would fire twice. */
async function coveredTasks(
  agent: InstallableAgent,
  tasks: readonly InstallTask[],
  context: PlanContext,
): Promise<SettingsTask[]> {
  if (tasks.some(({ scope }) => scope !== "user")) return [];
  const isWanted = ({ event }: { readonly event: string }) => tasks.some(({ wanted }) => wanted.has(event));
  const found = await filesWithBeckonHooks(context, { agents: [agent.name], scope: "local" });
  return found.filter(({ beckonEntries }) => beckonEntries.length > 0 && beckonEntries.every(isWanted));
}

/**
 * Finds the event whose hook is to wait for the user's answer; undefined if there is none. Only user settings on Linux
 * get such a hook, because other people use a project's settings too.
 */
function findAsking({ name, permissionHook }: InstallableAgent, { scope }: InstallChoice, context: PlanContext) {
  const { asking, environment } = context;
  const mayAsk = scope === "user" && environment.platform === "linux" && typeof permissionHook === "object";
  if (!mayAsk || !asking?.agents.includes(name)) return undefined;
  return { event: permissionHook.event, seconds: asking.waitSeconds };
}

function describeAsking(agent: InstallableAgent, choice: InstallChoice, context: PlanContext): string[] {
  if (!context.asking?.agents.includes(agent.name)) return [];
  const asking = findAsking(agent, choice, context);
  if (asking === undefined)
    return [
      "Answering outside the agent needs Linux and hooks in your user settings, so these hooks do not wait for answers.",
    ];
  const limits = isAlwaysSerial(agent) ? ", but only while you are away: any key in its terminal ends the wait" : "";
  return [
    `The hook for ${asking.event} waits up to ${asking.seconds} s for your answer with \`beckon answer\`, on the board or with the buttons that \`answers\` in the configuration allows${limits || ", while you are away unless `answers.when` is always"}.`,
  ];
}

async function installTasks(
  agent: InstallableAgent,
  files: readonly SettingsFile[],
  choice: InstallChoice,
  context: PlanContext,
): Promise<InstallTask[]> {
  const { paths, environment, beckonCommands, otherHomes = [] } = context;
  const { defaultEvents } = agent.settings;
  const homes = [paths, ...otherHomes.map((root) => resolvePaths(root))];
  const recorded = files.map(async ({ path }) => {
    const target = await resolveTarget(path);
    const found = await Promise.all(homes.map((home) => readRecord(home, target)));
    return found.find((known) => known !== undefined);
  });
  const records = await Promise.all(recorded);
  const record = records.find((known) => known !== undefined);
  const asked = choice.events?.length ? choice.events : record?.events;
  const matching = (names: readonly string[] = []) => names.flatMap((event) => matchingNativeEvents(agent, event));
  const [known, also] = [matching(asked), matching(choice.also)];
  const usual = known.length > 0 ? known : Object.keys(defaultEvents);
  const events = known.length + also.length > 0 ? [...new Set([...usual, ...also])] : undefined;
  const waitSeconds = choice.waitSeconds ?? record?.waitSeconds;
  const asking = findAsking(agent, choice, context);
  const chosen = [...(events ?? Object.keys(defaultEvents)), ...(asking ? [asking.event] : [])];
  const registered = [...new Set(chosen)].filter((event) => knowsEvent(agent, event, choice.version));
  const { home, platform } = environment;
  const place = { paths, home, platform, loginShell: environment.env["SHELL"] };
  const all = wantedEntries({ agent, events: registered, waitSeconds: waitSeconds ?? 0, asking, ...place });
  if (choice.scope === "project") refuseMachinePath(files[0]?.path ?? "", [...all.values()]);
  const task = { agent: agent.name, scope: choice.scope, beckonCommands, rules: agent.settings };
  return files.flatMap((file, index) => {
    const wanted = new Map([...all].filter(([place]) => receives(file, readEvent(place))));
    const isScriptWithoutEvent = file.shape === "script" && wanted.size === 0;
    const about = { file, wanted, chosen: omitUndefined({ events, waitSeconds }), takenOver: records[index] };
    return isScriptWithoutEvent ? [] : [{ ...task, ...about }];
  });
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
