import { existsSync } from "node:fs";
import { join } from "node:path";
import { answerEvent, promptEvent } from "../../../core/vocabulary.ts";
import { refusesOptions } from "../../../installer/agents/command-line.ts";
import { type DisablingSetting, dedupeByFile } from "../../../installer/agents/disabling-settings.ts";
import { knowsEvent } from "../../../installer/agents/installable.ts";
import { findOtherProgram, mayRunLoginShell, tooOldFor } from "../../../installer/agents/program.ts";
import { commandIn } from "../../../installer/app/command-link.ts";
import { serverWords } from "../../../installer/beckon-commands.ts";
import {
  cureForRefusal,
  cureForRelativeFolder,
  describeRefusal,
  describeRelativeFolders,
  describeSwitch,
} from "../../../installer/environment-warnings.ts";
import { cleanLine } from "../../../text/clean.ts";
import { dayMs, localTime, shortDuration } from "../../../text/time.ts";
import { compareVersions } from "../../../text/version.ts";
import type { AgentFile } from "../../status/agent-files.ts";
import type { AgentStatus } from "../../status/facts.ts";
import { agentCheck, type Check, type CheckContext, check, fail, named, type Observation, ok, warn } from "./check.ts";
import { readVersion } from "./installation.ts";

/** Time after an install during which a missing event is no warning: one day. */
const installGraceMs = dayMs;
/** Events that are often missing, because many people never use subagents. */
const rareEvents: readonly string[] = ["SubagentStop", answerEvent];

/** Checks that an agent is in use on this machine. */
const anyAgent = check("agents", ({ agents }) => {
  const found = agents.filter((agent) => agent.found);
  if (found.length > 0) return ok(found.map(({ title }) => title).join(", "));
  const supported = agents.map(({ title }) => title).join(", ");
  return warn("none found on this machine", `Supported agents: ${supported}.`);
});

/** Checks that each agent is new enough for its hooks to work reliably. */
const versions = agentCheck("version", ({ title, found, program, definition }) => {
  if (program?.version === undefined) {
    const unmeasured = found ? describeUnmeasured(definition, anyVersion) : "";
    return unmeasured === "" ? undefined : ok(`unknown${unmeasured}`);
  }
  const tooOld = tooOldFor(definition, program.version);
  if (tooOld === undefined) return ok(program.version + describeUnmeasured(definition, program.version));
  return warn(tooOld, `Update ${title} (${program.file}) and restart it.`);
});

/** An agent's `unmeasuredFrom` if none of its versions was measured. */
const anyVersion = "0.0.0";

function describeUnmeasured({ settings }: AgentStatus["definition"], version: string): string {
  const from = settings.program?.unmeasuredFrom;
  if (from === undefined || compareVersions(version, from) < 0) return "";
  return `: not measured; beckon follows the documentation${from === anyVersion ? "" : ` from ${from} on`}`;
}

/** Checks that hooks are installed for every agent in use on this machine. */
const hooks = agentCheck("hooks", async (agent, context) => {
  const { found, files, program, definition, installed } = agent;
  // Another check reports a file that cannot be read.
  const isUnknown = installed.size === 0 && files.some(({ problem }) => problem);
  if (!found || isUnknown) return undefined;
  const [lender] = agent.lenders;
  if (installed.size === 0 && lender) return ok(`none of its own; it runs the hooks of ${lender}`);
  const noneInstalled = context.agents.every((other) => other.installed.size === 0);
  if (installed.size === 0) {
    return withInstallCure({ status: noneInstalled ? "fail" : "warn", detail: "not installed" }, agent, context);
  }
  const chosen = files.flatMap((file) => file.chosen ?? []);
  const wanted = chosen.length > 0 ? chosen : Object.keys(definition.settings.defaultEvents);
  const missing = wanted.filter((event) => !installed.has(event) && knowsEvent(definition, event, program?.version));
  if (missing.length > 0) {
    return withInstallCure({ status: "warn", detail: `missing for ${missing.join(", ")}` }, agent, context);
  }
  const changed = new Set(files.flatMap((file) => file.changed.filter((event) => !isMoved(event, file, files))));
  const other = findOtherProgram(definition, context.environment);
  if (changed.size === 0 && other && !installed.has(other.event)) {
    const old = other.versions.find((version) => !knowsEvent(definition, other.event, version));
    const detail = `without ${other.event}, nothing notifies you of permission requests in ${other.title}`;
    return warn(detail, `${old === undefined ? "" : `Update ${old}, then: `}${other.command}`);
  }
  if (changed.size === 0) return ok([...installed].join(", "));
  const detail = `changed since they were installed: ${[...changed].join(", ")}`;
  return withInstallCure({ status: "warn", detail }, agent, context);
});

/** Adds a cure to an observation: `beckon install`, or the installer's reason for refusing. */
async function withInstallCure(
  observation: Observation,
  { name, definition, program }: AgentStatus,
  context: CheckContext,
): Promise<Observation> {
  const cure = `beckon install --agent ${name}`;
  const { ports, agents, installs, ...others } = context;
  const { installRefusal } = await import("../../../installer/plan-agent.ts");
  const refusal = await installRefusal(definition, program?.version, {
    ...others,
    agents: agents.map((agent) => agent.definition),
    exec: ports.exec,
    execPath: process.execPath,
    beckonCommands: installs.beckonCommands,
  });
  if (!refusal) return { ...observation, cure };
  const hint = refusal.hint?.replace(" Nothing was changed.", "") ?? "";
  return {
    ...observation,
    detail: `${observation.detail}, and \`beckon install\` refuses: ${refusal.message}`,
    cure: `${hint} Then: ${cure}`,
  };
}

/** Tells if an event's hook is in another file than recorded. Droid moves hooks out of its settings file. */
function isMoved(event: string, from: AgentFile, files: readonly AgentFile[]): boolean {
  const isGone = !from.events.includes(event);
  return isGone && files.some(({ scope, events }) => scope === from.scope && events.includes(event));
}

/** Checks that the shell with which the agent runs hooks accepts its options and can parse the hooks' command lines. */
const shell = agentCheck("shell", async (agent, context) => {
  const program = context.environment.env["SHELL"] ?? "";
  if (!mayRunLoginShell(agent.definition, agent.program?.version) || agent.installed.size === 0) return undefined;
  if (refusesOptions(program)) {
    return warn(describeRefusal(agent.definition, program), cureForRefusal(agent.definition));
  }
  if (!agent.unparsed) return undefined;
  const detail = `${agent.title} runs hooks with ${program}, which cannot parse the hooks for ${agent.unparsed.join(", ")}`;
  return withInstallCure({ status: "fail", detail }, agent, context);
});

/** Checks that the installed beckon is at least as new as its plugins. A plugin sets beckon up only once. */
const plugins = agentCheck("plugin", (agent, { paths }) =>
  agent.plugins.flatMap(({ word, path, version }) => {
    const app = readVersion(paths.app);
    if (version === undefined || app === undefined || compareVersions(app, version) >= 0) return [];
    return warn(`the ${word} is ${version}, but ${paths.app} is ${app}`, `${join(path, "dist", "cli.js")} upgrade`);
  }),
);

/** Checks that agents can start beckon's MCP server, if it is registered with them. */
const tools = agentCheck("tools", ({ name, tools: registered }, { paths }) =>
  registered.map(({ path, command }) => {
    const [file = ""] = serverWords(paths);
    const cure = `beckon install --agent ${name} --mcp`;
    const end = ` ${serverWords(paths).join(" ")}`;
    if (!command.endsWith(end)) return warn(`${path} starts another beckon: ${command}`, cure);
    const missing = [command.slice(0, -end.length), file].find((program) => !existsSync(program));
    if (missing !== undefined) return fail(`the MCP server in ${path} cannot start: ${missing} does not exist`, cure);
    return ok(`registered in ${path}`);
  }),
);

/** Checks that agents trust beckon's hooks, according to the agents' files. */
const trust = agentCheck("trust", ({ trust: found, lastEvent }) => {
  if (!found) return undefined;
  const { state, detail, cure = "" } = found;
  if (state === "untrusted") return warn(detail, cure);
  if (state === "trusted") return ok(detail);
  if (state === "undecided") return lastEvent ? undefined : warn(detail, cure);
  // An agent that has sent an event trusts the hooks somewhere.
  return lastEvent ? undefined : ok(`${detail}. ${cure}`);
});

/** Checks that every agent with hooks has sent each of its events at least once. */
const lastEvents: Check = ({ agents, nowMs }) =>
  agents
    .filter(({ installed }) => installed.size > 0)
    .flatMap((agent) => [
      ...named(`${agent.title}: last event`, lastEvent(agent, nowMs)),
      ...named(`${agent.title}: events seen`, agent.lastEvent && observeEvents(agent, nowMs)),
    ]);

function lastEvent(agent: AgentStatus, nowMs: number): Observation {
  const { lastEvent: last, definition } = agent;
  if (last) return ok(cleanLine(`${localTime(last.at)} ${last.event ?? ""}`));
  const ageMs = measureHookAge(agent, nowMs);
  if (ageMs < installGraceMs) return ok(`none yet; the hooks were installed ${shortDuration(ageMs)} ago`);
  const steps = [
    ...definition.settings.afterInstall,
    "Then let the agent finish a turn and run `beckon doctor` again.",
  ];
  const usedMs = Date.parse(agent.lastUsedAt ?? "");
  if (!(usedMs > nowMs - ageMs)) return warn("never", steps.join(" "));
  const detail = `never, although ${agent.title} recorded a session at ${localTime(usedMs)}: it does not run the hooks`;
  const { path } = agent.files.find(({ events }) => events.length > 0) ?? { path: "its plugin" };
  const place = `Check that the agent lists the hooks (/hooks in most agents) and that it reads ${path}.`;
  return fail(detail, [place, ...steps].join(" "));
}

function observeEvents(agent: AgentStatus, nowMs: number): Observation {
  const { lastSeenAt, definition, installed } = agent;
  const events = [...new Set([...installed].map((name) => definition.nativeEvents[name]?.event ?? name))];
  const seen = events.map((event) => {
    const at = lastSeenAt[event];
    const names = [...installed].filter((name) => (definition.nativeEvents[name]?.event ?? name) === event);
    return `${names.join(" or ")} ${at === undefined ? "never" : localTime(at)}`;
  });
  const missing = events.filter((event) => lastSeenAt[event] === undefined && !rareEvents.includes(event));
  const detail = cleanLine(seen.join(", "));
  if (missing.length === 0 || measureHookAge(agent, nowMs) < installGraceMs) return ok(detail);
  return warn(
    detail,
    `${missing.map((event) => triggers[event] ?? `Make the agent send ${event}.`).join(" ")} To watch for it: beckon log --follow --json`,
  );
}

/** Instructions that make an agent send an event, by event. */
const triggers: Readonly<Record<string, string>> = {
  Notification: "Ask the agent to do something that needs your permission.",
  SessionEnd: "End a session of the agent.",
  [promptEvent]: "Send the agent a prompt.",
  [answerEvent]: "Answer a request of the agent.",
  Stop: "Let the agent finish a turn.",
};

/**
 * Returns the time since the oldest hooks were installed, milliseconds. A time that is not on record counts as 1970.
 */
function measureHookAge({ files, plugins }: AgentStatus, nowMs: number): number {
  const holders = files.filter(({ events }) => events.length > 0);
  const pluginInstalls = plugins.map(({ installedAt }) => installedAt ?? "1970-01-01");
  // Hooks that the agent has moved to another file are on record for the first one.
  const onRecord = (scope: string) => files.find((file) => file.scope === scope && file.installedAt)?.installedAt;
  const installs = holders.map(({ scope, installedAt }) => installedAt ?? onRecord(scope) ?? "1970-01-01");
  return Math.max(0, ...[...installs, ...pluginInstalls].map((at) => nowMs - Date.parse(at)));
}

/** Checks that the agent and beckon use the same settings folder. */
const movedFolder = agentCheck("folder", ({ definition }, { environment }) =>
  describeRelativeFolders(definition, environment).map((problem) => fail(problem, cureForRelativeFolder)),
);

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

/** Checks that no setting disables the hooks: in the same file, in another file of the agent, or in a policy. */
const offSwitches = agentCheck("settings", async ({ title, files, switches }) => {
  const inHookFiles = files.flatMap(({ path, offSwitch }) => (offSwitch ? [{ path, setting: offSwitch }] : []));
  const all = await dedupeByFile<DisablingSetting>([...inHookFiles, ...switches], ({ setting }) => setting);
  return all.map((found) => {
    const { setting, isOurs, inOlderVersions } = found;
    const orAsk = inOlderVersions ? "" : ", or ask the administrator who manages that file";
    const cure = isOurs ? `Remove beckon's hooks from ${setting} there.` : `Remove ${setting} from it${orAsk}.`;
    return (inOlderVersions ? warn : fail)(describeSwitch(found, title), cure);
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

/** Checks that no event arrives twice: from two scopes, or from another agent's hooks that this agent also runs. */
const duplicates = agentCheck("duplicates", (agent) => {
  const lenders = agent.found && agent.installed.size > 0 ? agent.lenders : [];
  return [...inTwoScopes(agent), ...inPluginToo(agent), ...lenders.map((lender) => describeSharedHooks(lender, agent))];
});

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

/** Checks that no hook calls another beckon home, which has a configuration of its own. */
const otherHomes = agentCheck("hooks", ({ name, files, elsewhere }) =>
  [...files, ...elsewhere].flatMap(({ path, otherHomes: homes = [] }) =>
    homes.map((home) => {
      const cure = `To move them here: beckon install --agent ${name}; to remove them: ${commandIn(home, "uninstall")}`;
      return warn(`hooks in ${path} call another beckon home, ${home}, with its own configuration`, cure);
    }),
  ),
);

/** Checks of the agents: programs, hooks, settings files and received events. */
export const agentChecks: readonly Check[] = [
  anyAgent,
  versions,
  hooks,
  shell,
  plugins,
  tools,
  movedFolder,
  brokenFiles,
  ownFiles,
  offSwitches,
  unknownEvents,
  severalFiles,
  duplicates,
  copiedHooks,
  otherHomes,
  trust,
  lastEvents,
];

function otherHookFiles({ files, beside }: AgentStatus): Observation[] {
  const main = files.find(({ events, otherHooks }) => events.length + otherHooks > 0);
  if (!main) return [];
  return beside.map(({ path, effect }) =>
    warn(`${path} has hooks too. ${effect}`, `Move those hooks to ${main.path}.`),
  );
}

function compareFiles({ name, title, definition }: AgentStatus, [first, ...rest]: readonly AgentFile[]): Observation[] {
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

function inTwoScopes({ name, files, definition }: AgentStatus): Observation[] {
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
function inPluginToo({ name, files, plugins }: AgentStatus): Observation[] {
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
function describeSharedHooks(lender: string, { name, title, definition }: AgentStatus): Observation {
  const both = `${title} also runs the hooks of ${lender}`;
  if (definition.recognizes) return ok(`${both}; beckon drops the duplicate events`);
  const cure = `To get each event once, as an event of ${lender}: beckon uninstall --agent ${name}`;
  return warn(`${both}, so its events arrive twice`, cure);
}
