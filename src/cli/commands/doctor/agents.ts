import { existsSync } from "node:fs";
import { join } from "node:path";
import { answerEvent, promptEvent } from "../../../core/vocabulary.ts";
import type { AgentFile } from "../../../installer/agents/agent-files.ts";
import { refusesOptions } from "../../../installer/agents/command-line.ts";
import { knowsEvent } from "../../../installer/agents/installable.ts";
import { mayRunLoginShell, tooOldFor } from "../../../installer/agents/program.ts";
import { serverWords } from "../../../installer/beckon-commands.ts";
import { cureForRefusal, describeRefusal } from "../../../installer/environment-warnings.ts";
import { installRefusal } from "../../../installer/plan-agent.ts";
import { cleanLine } from "../../../text/clean.ts";
import { localTime, shortDuration } from "../../../text/time.ts";
import { compareVersions } from "../../../text/version.ts";
import { agentSettingsChecks } from "./agent-settings.ts";
import {
  agentCheck,
  type Check,
  type CheckContext,
  type CheckedAgent,
  check,
  fail,
  named,
  type Observation,
  ok,
  warn,
} from "./check.ts";
import { readVersion } from "./installation.ts";

/** Time after an install during which a missing event is no warning: one day. */
const installGraceMs = 24 * 3_600_000;
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

function describeUnmeasured({ settings }: CheckedAgent["definition"], version: string): string {
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
  if (changed.size === 0) return ok([...installed].join(", "));
  const detail = `changed since they were installed: ${[...changed].join(", ")}`;
  return withInstallCure({ status: "warn", detail }, agent, context);
});

/** Adds a cure to an observation: `beckon install`, or the installer's reason for refusing. */
async function withInstallCure(
  observation: Observation,
  { name, definition, program }: CheckedAgent,
  context: CheckContext,
): Promise<Observation> {
  const cure = `beckon install --agent ${name}`;
  const { ports, agents, installs, ...others } = context;
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

function lastEvent(agent: CheckedAgent, nowMs: number): Observation {
  const { lastEvent: last, definition } = agent;
  if (last) return ok(cleanLine(`${localTime(last.at)} ${last.event ?? ""}`));
  const ageMs = measureHookAge(agent, nowMs);
  if (ageMs < installGraceMs) return ok(`none yet; the hooks were installed ${shortDuration(ageMs)} ago`);
  const steps = [
    ...definition.settings.afterInstall,
    "Then let the agent finish a turn and run `beckon doctor` again.",
  ];
  const usedMs = Date.parse(agent.lastUse ?? "");
  if (!(usedMs > nowMs - ageMs)) return warn("never", steps.join(" "));
  const detail = `never, although ${agent.title} recorded a session at ${localTime(usedMs)}: it does not run the hooks`;
  const { path } = agent.files.find(({ events }) => events.length > 0) ?? { path: "its plugin" };
  const place = `Check that the agent lists the hooks (/hooks in most agents) and that it reads ${path}.`;
  return fail(detail, [place, ...steps].join(" "));
}

function observeEvents(agent: CheckedAgent, nowMs: number): Observation {
  const { lastSeen, definition, installed } = agent;
  const events = [...new Set([...installed].map((name) => definition.nativeEvents[name]?.event ?? name))];
  const seen = events.map((event) => {
    const at = lastSeen[event];
    return `${event} ${at === undefined ? "never" : localTime(at)}`;
  });
  const missing = events.filter((event) => lastSeen[event] === undefined && !rareEvents.includes(event));
  const detail = cleanLine(seen.join(", "));
  if (missing.length === 0 || measureHookAge(agent, nowMs) < installGraceMs) return ok(detail);
  return warn(detail, `${missing.map(describeTrigger).join(" ")} To watch for it: beckon log --follow --json`);
}

/** Explains how to make an agent send an event. */
function describeTrigger(event: string): string {
  if (event === "Notification") return "Ask the agent to do something that needs your permission.";
  if (event === "SessionEnd") return "End a session of the agent.";
  if (event === promptEvent) return "Send the agent a prompt.";
  if (event === answerEvent) return "Answer a request of the agent.";
  return event === "Stop" ? "Let the agent finish a turn." : `Make the agent send ${event}.`;
}

/**
 * Returns the time since the oldest hooks were installed, milliseconds. A time that is not on record counts as 1970.
 */
function measureHookAge({ files, plugins }: CheckedAgent, nowMs: number): number {
  const holders = files.filter(({ events }) => events.length > 0);
  const pluginInstalls = plugins.map(({ installedAt }) => installedAt ?? "1970-01-01");
  // Hooks that the agent has moved to another file are on record for the first one.
  const onRecord = (scope: string) => files.find((file) => file.scope === scope && file.installedAt)?.installedAt;
  const installs = holders.map(({ scope, installedAt }) => installedAt ?? onRecord(scope) ?? "1970-01-01");
  return Math.max(0, ...[...installs, ...pluginInstalls].map((at) => nowMs - Date.parse(at)));
}

/** Checks of the agents: programs, hooks and received events. */
export const agentChecks: readonly Check[] = [
  anyAgent,
  versions,
  hooks,
  shell,
  plugins,
  tools,
  ...agentSettingsChecks,
  trust,
  lastEvents,
];
