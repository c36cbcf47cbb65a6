import { isAbsolute } from "node:path";
import type { Agent } from "../core/agent.ts";
import type { InstallEnvironment } from "../core/agent-settings.ts";
import { canParse, refusesOptions } from "./agents/command-line.ts";
import { type DisablingSetting, dedupeByFile, readOtherHookFiles, readSwitches } from "./agents/disabling-settings.ts";
import type { InstallableAgent } from "./agents/installable.ts";
import { mayRunLoginShell, tooOldFor } from "./agents/program.ts";
import type { PlanContext } from "./context.ts";
import { inspectAgent } from "./inspect.ts";
import type { AgentPlan } from "./plan-agent.ts";
import { installedPlugins } from "./plugins/plugin-files.ts";
import type { Survey } from "./survey.ts";

/**
 * Warns about everything on this machine that makes the planned hooks fire twice or never, such as a disabling setting
 * or a plugin. `chosen` names the agents to install for.
 */
export async function environmentWarnings(
  plan: AgentPlan,
  { program, inspected }: Survey,
  chosen: readonly string[],
  context: PlanContext,
): Promise<string[]> {
  const { agent, mains, others } = plan;
  const { environment, beckonCommands } = context;
  const inFiles = inspected.flatMap(({ file: { path }, offSwitches }) =>
    offSwitches.map((setting) => ({ path, setting })),
  );
  const elsewhereOff = await readSwitches(agent, environment, beckonCommands);
  const switches = await dedupeByFile<DisablingSetting>([...inFiles, ...elsewhereOff], ({ setting }) => setting);
  const planned = [...mains, ...others].map(({ planned: { snapshot } }) => snapshot.target);
  const elsewhere = inspected.filter(
    ({ scope, target, beckonEntries }) => scope !== plan.scope && !planned.includes(target) && beckonEntries.length > 0,
  );
  const plugins = await installedPlugins(agent, environment);
  const tooOld = tooOldFor(agent, program?.version);
  return [
    ...shellWarnings(plan, program?.version, environment),
    ...describeRelativeFolders(agent, environment).map((problem) => `${problem}. ${cureForRelativeFolder}`),
    ...(tooOld === undefined ? [] : [`${agent.title} ${tooOld}. Update it.`]),
    ...switches.map((found) => `${describeSwitch(found, agent.title)}.`),
    ...elsewhere.map(
      ({ file, scope }) =>
        `${file.path} also has beckon's hooks, so an event may fire twice; beckon drops the second. To keep only one, run: beckon uninstall --agent ${agent.name} --scope ${scope}`,
    ),
    ...plugins.map(
      ({ word, uninstallCommand }) =>
        `${agent.title} also has beckon's ${word}, so each event fires twice; beckon drops the second. To keep only one, run: ${uninstallCommand}`,
    ),
    ...(await readOtherHookFiles(agent, environment)).map(({ path, effect }) => `${path} has hooks too. ${effect}.`),
    ...(await alsoRunWarnings(plan, chosen, context)),
  ];
}

function shellWarnings(
  { agent, mains }: AgentPlan,
  version: string | undefined,
  { env }: PlanContext["environment"],
): string[] {
  const shell = env["SHELL"];
  const commands = mains.flatMap(({ task }) => [...task.wanted.values()].map(({ command }) => command));
  if (!mayRunLoginShell(agent, version)) return [];
  if (refusesOptions(shell)) return [`${describeRefusal(agent, shell)}. ${cureForRefusal(agent)}`];
  if (commands.every((command) => canParse(shell, command))) return [];
  return [
    `${agent.title} runs hooks with ${shell}, which cannot parse ${commands[0]}. Set BECKON_HOME to a plain path.`,
  ];
}

/** Explains why older versions of an agent run no hooks with a login shell that refuses `-lc`. */
export function describeRefusal({ title, settings }: InstallableAgent, shell: string | undefined): string {
  const before = settings.runsLoginShell?.before ?? "";
  return `${title} before ${before} runs hooks with \`${shell} -lc\`, which that shell does not support`;
}

/** Returns the cure for a login shell that refuses `-lc`. */
export function cureForRefusal({ title, settings }: InstallableAgent): string {
  return `Update ${title}, or start it with another shell: SHELL=/bin/sh ${settings.program?.files[0] ?? ""}`;
}

/** Describes a setting that disables hooks, as a sentence without its full stop. */
export function describeSwitch({ path, setting, isOurs, inOlderVersions }: DisablingSetting, title: string): string {
  const hooks = isOurs ? "beckon's hooks" : `all hooks of ${title}`;
  return `${path}: ${inOlderVersions ? `in older versions of ${title}, ` : ""}\`${setting}\` disables ${hooks}`;
}

/** Warns if the plan's agent also runs another agent's hooks, unless beckon recognizes the agent by its payloads. */
async function alsoRunWarnings(
  { agent, scope }: AgentPlan,
  chosen: readonly string[],
  { agents, environment, beckonCommands }: PlanContext,
): Promise<string[]> {
  if (agent.recognizes) return [];
  const warnings = (agent.settings.alsoRuns ?? []).map(async ({ agent: name, scopes }) => {
    const lender = agents.find((each) => each.name === name);
    const files = lender ? await inspectAgent(lender, environment, beckonCommands) : [];
    const isInstalled = files.some(({ scope, beckonEntries }) => scopes.includes(scope) && beckonEntries.length > 0);
    const isTwice = isInstalled || (chosen.includes(name) && scopes.includes(scope));
    return isTwice ? [`${agent.title} also runs the hooks of ${lender?.title}, so its events may arrive twice.`] : [];
  });
  return (await Promise.all(warnings)).flat();
}

/** Finds environment variables with a relative path instead of an absolute one, such as an unexpanded `~`. */
function findRelative(variables: readonly string[], env: NodeJS.ProcessEnv) {
  return variables.flatMap((variable) => {
    const value = env[variable];
    return value && !isAbsolute(value) ? [{ variable, value }] : [];
  });
}

/** Describes variables that make beckon and an agent use different folders, one sentence each. */
export function describeRelativeFolders(
  { title, settings }: Pick<Agent, "title" | "settings">,
  environment: InstallEnvironment,
): string[] {
  if (!settings) return [];
  const used = settings.folder(environment);
  return findRelative(settings.folder.variables, environment.env).map(
    ({ variable, value }) =>
      `${variable} is ${value}, which is not an absolute path: ${title} may resolve it in each project, while beckon uses ${used}`,
  );
}

/** Describes a BECKON_HOME that is not used; undefined if it is unset or absolute. */
export function describeRelativeRoot({ env }: InstallEnvironment, root: string): string | undefined {
  const [found] = findRelative(["BECKON_HOME"], env);
  return found && `BECKON_HOME is ${found.value}, which is not an absolute path, so beckon uses ${root}`;
}

/** Sentence that tells how to correct a variable with a relative path. */
export const cureForRelativeFolder =
  "Change it to an absolute path (unit files and .env files do not expand ~), or unset it.";
