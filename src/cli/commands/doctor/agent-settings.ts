import type { AgentFile } from "../../../installer/agents/agent-files.ts";
import { eachOnce } from "../../../installer/agents/hook-switches.ts";
import { cureForRelativeFolder, describeRelativeFolders } from "../../../installer/relative-folders.ts";
import { agentCheck, type Check, type CheckedAgent, fail, type Observation, ok, warn } from "./check.ts";

/** No settings file has a form for which its agent ignores it. */
const brokenFiles = agentCheck("settings", ({ title, files, elsewhere }) =>
  [...files, ...elsewhere].flatMap(({ path, problem, ignoredBy }) => {
    if (problem === undefined) return [];
    const detail = `${path}: ${problem}`;
    if (ignoredBy === undefined) return fail(detail, `Fix ${path}; until then ${title} may ignore it.`);
    const isCertain = ignoredBy === "all versions";
    const effect = `${isCertain ? "" : "some versions of "}${title} ignore${isCertain ? "s" : ""} the whole file`;
    return (isCertain ? fail : warn)(`${detail}: ${effect}`, `Correct it in ${path}, then restart ${title}.`);
  }),
);

/** The agent reads the settings from the folder in which beckon looks for them. */
const movedFolder = agentCheck("folder", ({ definition }, { environment }) =>
  describeRelativeFolders(definition, environment).map((problem) => fail(problem, cureForRelativeFolder)),
);

/** Hooks are not disabled: by a setting in the same file, by another file of the agent's, by a policy. */
const offSwitches = agentCheck("settings", async ({ title, files, switches }) => {
  const inHookFiles = files.flatMap(({ path, offSwitch }) => (offSwitch ? [{ path, setting: offSwitch }] : []));
  return (await eachOnce([...inHookFiles, ...switches])).map(({ path, setting, isOurs, inOlderVersions }) => {
    const ourCure = `Remove beckon's hooks from ${setting} there.`;
    if (inOlderVersions) {
      const detail = `${path}: in older versions of ${title}, ${setting} disables ${isOurs ? "beckon's " : ""}hooks`;
      return warn(detail, isOurs ? ourCure : `Remove ${setting} from it.`);
    }
    if (isOurs) return fail(`${path}: beckon's hooks are disabled by ${setting}`, ourCure);
    const cure = `Remove ${setting} from it, or ask whoever manages that file.`;
    return fail(`${path}: hooks are disabled by ${setting}`, cure);
  });
});

/** No hook is for an event that the agent does not know, where one such hook switches all off. */
const unknownEvents = agentCheck("settings", ({ title, files, definition }) =>
  files.flatMap(({ path, unknownEvents: unknown = [] }) => {
    if (unknown.length === 0) return [];
    const version = definition.settings.onlyKnown?.version ?? "";
    const detail = `${path}: a hook for ${unknown.join(", ")}, which ${title} ${version} does not know, disables all hooks`;
    return warn(detail, `Remove that hook from ${path}, or correct its event.`);
  }),
);

/** The hooks of one scope are in one file: of several, some agents read only the first. */
const severalFiles = agentCheck("several files", (agent) => {
  const scopes = [...new Set(agent.files.map(({ scope }) => scope))];
  const ofScope = (scope: string) => agent.files.filter((file) => file.scope === scope);
  return [...scopes.flatMap((scope) => compareFiles(agent, ofScope(scope))), ...otherHookFiles(agent)];
});

function otherHookFiles({ files, beside }: CheckedAgent): Observation[] {
  const main = files.find(({ events, otherHooks }) => events.length + otherHooks > 0);
  if (!main) return [];
  return beside.map(({ path, effect }) =>
    warn(`${path} has hooks too. ${effect}`, `Move those hooks to ${main.path}.`),
  );
}

function compareFiles({ name, title }: CheckedAgent, [first, ...rest]: readonly AgentFile[]): Observation[] {
  if (!first) return [];
  return rest.flatMap(({ scope, path, events, otherHooks }) => {
    if (events.length > 0) {
      const flags = scope === "user" ? "" : ` --scope ${scope}`;
      const detail = `beckon's hooks are in ${path}, but ${first.path} exists too, and ${title} may read only that one`;
      return warn(detail, `\`beckon install --agent ${name}${flags}\` moves them.`);
    }
    if (otherHooks === 0 || first.events.length + first.otherHooks === 0) return [];
    const detail = `${first.path} and ${path} both have hooks: some versions read only the first`;
    return warn(detail, `If hooks in ${path} do not run, move them to ${first.path}.`);
  });
}

/** No event arrives twice: from two scopes, or from another agent's file that this agent runs as well. */
const duplicates = agentCheck("duplicates", (agent) => {
  const lenders = agent.found && agent.installed.size > 0 ? agent.lenders : [];
  return [...inTwoScopes(agent), ...inPluginToo(agent), ...lenders.map((lender) => alsoRunsHooksOf(lender, agent))];
});

function inTwoScopes({ name, files, definition }: CheckedAgent): Observation[] {
  if (definition.settings.runsCommandOnce) return [];
  const holders = files.filter(({ events }) => events.length > 0);
  const isTwice = (event: string) => holders.filter(({ events }) => events.includes(event)).length > 1;
  const events = [...new Set(holders.flatMap((file) => file.events))].filter(isTwice);
  if (events.length === 0) return [];
  const paths = holders.map(({ path }) => path).join(" and ");
  const spare = holders.find(({ scope }) => scope !== "user")?.scope ?? "user";
  const detail = `hooks for ${events.join(", ")} are in both ${paths}, so these events arrive twice`;
  return [warn(detail, `Keep one: beckon uninstall --agent ${name} --scope ${spare}`)];
}

/** The same event by a hook in a settings file and by one in a plugin. */
function inPluginToo({ name, files, plugins }: CheckedAgent): Observation[] {
  const holders = files.filter(({ events }) => events.length > 0);
  const inFiles = new Set(holders.flatMap(({ events }) => events));
  return plugins.flatMap(({ word, path, events, uninstallCommand }) => {
    const twice = events.filter((event) => inFiles.has(event));
    if (twice.length === 0) return [];
    const where = `${holders.map((file) => file.path).join(" and ")} and in the ${word} ${path}`;
    const detail = `hooks for ${twice.join(", ")} are in ${where}: these events arrive twice, and beckon drops the second`;
    return [warn(detail, `Keep one: \`beckon uninstall --agent ${name}\`, or \`${uninstallCommand}\`.`)];
  });
}

/** Where payloads show which agent sent them, the second event is dropped as a repeat, and there is nothing to do. */
function alsoRunsHooksOf(lender: string, { name, title, definition }: CheckedAgent): Observation {
  const both = `${title} also runs the hooks of ${lender}`;
  if (definition.recognizes) return ok(`${both}: beckon recognizes and drops the second event`);
  const cure = `Keep one: after \`beckon uninstall --agent ${name}\` they arrive once, as events of ${lender}.`;
  return warn(`${both}, so its events arrive twice`, cure);
}

/** The hooks in an agent's file name this agent: some agents import those of another unchanged. */
const copiedHooks = agentCheck("hooks", ({ name, files }) =>
  files.flatMap(({ path, copiedFrom }) => {
    if (copiedFrom === undefined) return [];
    const others = copiedFrom.join(", ");
    const detail = `${path} has hooks written for ${others}, imported or copied`;
    const effect = `its events are taken for those of ${others}`;
    return warn(`${detail}: ${effect}`, `\`beckon install --agent ${name}\` fixes them.`);
  }),
);

/** Checks of what an agent's settings files say. */
export const agentSettingsChecks: readonly Check[] = [
  movedFolder,
  brokenFiles,
  offSwitches,
  unknownEvents,
  severalFiles,
  duplicates,
  copiedHooks,
];
