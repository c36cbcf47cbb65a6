import type { AgentFile } from "../../../installer/agents/agent-files.ts";
import { dedupeSwitches } from "../../../installer/agents/disabling-settings.ts";
import { cureForRelativeFolder, describeRelativeFolders } from "../../../installer/environment-warnings.ts";
import { agentCheck, type Check, type CheckedAgent, fail, type Observation, ok, warn } from "./check.ts";

/** Checks that settings files are valid, so that agents can read them. */
const brokenFiles = agentCheck("settings", ({ title, files, elsewhere }) =>
  [...files, ...elsewhere].flatMap(({ path, problem, ignoredBy }) => {
    if (problem === undefined) return [];
    const detail = `${path}: ${problem}`;
    if (ignoredBy === undefined) return fail(detail, `Correct ${path}; until then, ${title} may ignore it.`);
    const isCertain = ignoredBy === "all versions";
    const effect = `${isCertain ? "" : "some versions of "}${title} ignore${isCertain ? "s" : ""} the whole file`;
    return (isCertain ? fail : warn)(`${detail}: ${effect}`, `Correct it in ${path}, then restart ${title}.`);
  }),
);

/** Checks that files which only beckon writes have the text and mode that this version writes. */
const ownFiles = agentCheck("settings", ({ name, files, elsewhere }) =>
  [...files, ...elsewhere].flatMap(({ path, events, ownProblem }) => {
    if (ownProblem === "outdated") return warn(`${path} was written by another version`, "beckon upgrade");
    if (ownProblem !== "edited" || events.length === 0) return [];
    const cure = `Move your changes to another file and delete this one. Then: beckon install --agent ${name}`;
    return warn(`${path} was edited after beckon wrote it`, cure);
  }),
);

/** Checks that the agent and beckon use the same settings folder. */
const movedFolder = agentCheck("folder", ({ definition }, { environment }) =>
  describeRelativeFolders(definition, environment).map((problem) => fail(problem, cureForRelativeFolder)),
);

/** Checks that no setting disables the hooks: in the same file, in another file of the agent, or in a policy. */
const offSwitches = agentCheck("settings", async ({ title, files, switches }) => {
  const inHookFiles = files.flatMap(({ path, offSwitch }) => (offSwitch ? [{ path, setting: offSwitch }] : []));
  return (await dedupeSwitches([...inHookFiles, ...switches])).map(({ path, setting, isOurs, inOlderVersions }) => {
    const ourCure = `Remove beckon's hooks from ${setting} there.`;
    if (inOlderVersions) {
      const detail = `${path}: in older versions of ${title}, ${setting} disables ${isOurs ? "beckon's " : ""}hooks`;
      return warn(detail, isOurs ? ourCure : `Remove ${setting} from it.`);
    }
    if (isOurs) return fail(`${path}: beckon's hooks are disabled by ${setting}`, ourCure);
    const cure = `Remove ${setting} from it, or ask the administrator who manages that file.`;
    return fail(`${path}: hooks are disabled by ${setting}`, cure);
  });
});

/** Checks that all hooks are for known events, for agents in which an unknown event disables every hook. */
const unknownEvents = agentCheck("settings", ({ title, files, definition }) =>
  files.flatMap(({ path, unknownEvents: unknown = [] }) => {
    if (unknown.length === 0) return [];
    const version = definition.settings.onlyKnown?.version ?? "";
    const detail = `${path}: a hook for ${unknown.join(", ")} disables all hooks, because ${title} ${version} does not know that event`;
    return warn(detail, `Remove that hook from ${path}, or correct its event.`);
  }),
);

/** Checks that the hooks of a scope are in one file, because some agents read only the first of several files. */
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

function compareFiles(
  { name, title, definition }: CheckedAgent,
  [first, ...rest]: readonly AgentFile[],
): Observation[] {
  if (!first || definition.settings.ownText) return [];
  return rest.flatMap(({ scope, path, events, otherHooks }) => {
    if (events.length > 0) {
      const flags = scope === "user" ? "" : ` --scope ${scope}`;
      const detail = `beckon's hooks are in ${path}, but ${title} may only read ${first.path}, which exists too`;
      return warn(detail, `To move them: beckon install --agent ${name}${flags}`);
    }
    if (otherHooks === 0 || first.events.length + first.otherHooks === 0) return [];
    const detail = `${first.path} and ${path} both have hooks, but some versions of the agent read only the first`;
    return warn(detail, `If hooks in ${path} do not run, move them to ${first.path}.`);
  });
}

/** Checks that no event arrives twice: from two scopes, or from another agent's hooks that this agent also runs. */
const duplicates = agentCheck("duplicates", (agent) => {
  const lenders = agent.found && agent.installed.size > 0 ? agent.lenders : [];
  return [...inTwoScopes(agent), ...inPluginToo(agent), ...lenders.map((lender) => describeSharedHooks(lender, agent))];
});

function inTwoScopes({ name, files, definition }: CheckedAgent): Observation[] {
  if (definition.settings.runsCommandOnce) return [];
  const holders = files.filter(({ events }) => events.length > 0);
  const isTwice = (event: string) => holders.filter(({ events }) => events.includes(event)).length > 1;
  const events = [...new Set(holders.flatMap((file) => file.events))].filter(isTwice);
  if (events.length === 0) return [];
  const paths = holders.map(({ path }) => path).join(" and ");
  const spare = holders.find(({ scope }) => scope !== "user")?.scope ?? "user";
  const detail = `hooks for ${events.join(", ")} are in both ${paths}, so their events arrive twice`;
  return [warn(detail, `To remove one of them: beckon uninstall --agent ${name} --scope ${spare}`)];
}

/** Finds events that have a hook both in a settings file and in a plugin. */
function inPluginToo({ name, files, plugins }: CheckedAgent): Observation[] {
  const holders = files.filter(({ events }) => events.length > 0);
  const inFiles = new Set(holders.flatMap(({ events }) => events));
  return plugins.flatMap(({ word, path, events, uninstallCommand }) => {
    const twice = events.filter((event) => inFiles.has(event));
    if (twice.length === 0) return [];
    const where = `${holders.map((file) => file.path).join(" and ")} and in the ${word} ${path}`;
    const detail = `hooks for ${twice.join(", ")} are in ${where}, so their events arrive twice and beckon drops the second`;
    return [warn(detail, `To remove one of them: \`beckon uninstall --agent ${name}\` or \`${uninstallCommand}\``)];
  });
}

/**
 * Warns that events arrive twice. If payloads show which agent sent them, returns a note instead of a warning, because
 * beckon then drops the second event.
 */
function describeSharedHooks(lender: string, { name, title, definition }: CheckedAgent): Observation {
  const both = `${title} also runs the hooks of ${lender}`;
  if (definition.recognizes) return ok(`${both}; beckon drops the duplicate events`);
  const cure = `To get each event once, as an event of ${lender}: beckon uninstall --agent ${name}`;
  return warn(`${both}, so its events arrive twice`, cure);
}

/** Checks that hooks name the agent whose file they are in. Some agents import another agent's hooks unchanged. */
const copiedHooks = agentCheck("hooks", ({ name, files }) =>
  files.flatMap(({ path, copiedFrom }) => {
    if (copiedFrom === undefined) return [];
    const others = copiedFrom.join(", ");
    const detail = `${path} has hooks written for ${others}, imported or copied`;
    const effect = `its events are attributed to ${others}`;
    return warn(`${detail}: ${effect}`, `To replace them: beckon install --agent ${name}`);
  }),
);

/** Checks of the contents of an agent's settings files. */
export const agentSettingsChecks: readonly Check[] = [
  movedFolder,
  brokenFiles,
  ownFiles,
  offSwitches,
  unknownEvents,
  severalFiles,
  duplicates,
  copiedHooks,
];
