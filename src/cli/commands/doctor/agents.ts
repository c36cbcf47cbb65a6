import { agentNamed } from "../../../agents/registry.ts";
import type { AgentFile } from "../../../installer/agents/agent-files.ts";
import type { AgentOverview } from "../../status/agent-status.ts";
import { tooOldFor } from "../../../installer/agents/program.ts";
import { knowsEvent } from "../../../installer/agents/installable.ts";
import type { Overview } from "../../overview/overview.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check.ts";

/** Somebody is there to fire hooks. */
export const anyAgent: Check = ({ overview }) => {
  const found = overview.agents.filter((agent) => agent.found);
  if (found.length > 0) return [ok("agents", found.map(({ title }) => title).join(", "))];
  const known = overview.agents.map(({ title }) => title).join(", ");
  return [warn("agents", "none found on this machine", `beckon knows ${known}: use one of them once.`)];
};

/** Its program is new enough for its hooks to be relied upon. */
export const versions: Check = ({ overview }) =>
  overview.agents.flatMap(({ name, title, program }): CheckResult[] => {
    if (program?.version === undefined) return [];
    const tooOld = tooOldFor(agentNamed(name) ?? {}, program.version);
    if (tooOld === undefined) return [ok(`${title}: version`, program.version)];
    return [warn(`${title}: version`, tooOld, `Update ${title} (${program.file}) and restart it.`)];
  });

/** Our entries are in the settings of every agent that is used here. */
export const entries: Check = ({ overview }) => {
  const nobody = overview.agents.every((agent) => eventsOf(agent).size === 0);
  // What is in a file that cannot be read nobody knows; that it cannot be read is told.
  const isKnown = (agent: AgentOverview) => eventsOf(agent).size > 0 || agent.files.every(({ problem }) => !problem);
  return overview.agents
    .filter((agent) => agent.found && isKnown(agent))
    .map((agent) => checkEntries(agent, overview, nobody));
};

function checkEntries(agent: AgentOverview, overview: Overview, nobody: boolean): CheckResult {
  const name = `${agent.title}: hooks`;
  const cure = `beckon install --agent ${agent.name}`;
  const there = eventsOf(agent);
  const lender = lendersOf(agent, overview)[0];
  if (there.size === 0 && lender) return ok(name, `none of its own; it runs those of ${lender.title}`);
  if (there.size === 0) return nobody ? fail(name, "not set up", cure) : warn(name, "not set up for this agent", cure);
  const chosen = agent.files.flatMap((file) => file.chosen ?? []);
  const wanted = chosen.length > 0 ? chosen : Object.keys(agentNamed(agent.name)?.settings?.register ?? {});
  const known = agentNamed(agent.name) ?? {};
  const missing = wanted.filter((event) => !there.has(event) && knowsEvent(known, event, agent.program?.version));
  if (missing.length > 0) return warn(name, `missing for ${missing.join(", ")}`, cure);
  const changed = [
    ...new Set(agent.files.flatMap((file) => file.changed.filter((event) => !isMoved(event, file, agent)))),
  ];
  if (changed.length > 0) return warn(name, `not as they were installed: ${changed.join(", ")}`, cure);
  return ok(name, [...there].join(", "));
}

/** Droid moves hooks from its settings to a file of their own: they are there, and only the record is another file's. */
function isMoved(event: string, from: AgentFile, { files }: AgentOverview): boolean {
  const isLeft = from.events.includes(event);
  return !isLeft && files.some(({ scope, events }) => scope === from.scope && events.includes(event));
}

/** What earlier installs wrote down can be read: without it, uninstall does not find the exact way back. */
export const installRecords: Check = ({ overview: { installProblem } }) =>
  installProblem === undefined
    ? []
    : [fail("install records", installProblem, "Move it away: beckon then tells its entries by their command lines.")];

/** The agent trusts our hooks, as far as its own files say. */
export const trust: Check = ({ overview }) =>
  overview.agents.flatMap(({ title, trust: found, lastEvent }): CheckResult[] => {
    if (!found) return [];
    const { state, detail, cure = "" } = found;
    if (state === "untrusted") return [warn(`${title}: trust`, detail, cure)];
    if (state === "trusted") return [ok(`${title}: trust`, detail)];
    // Whoever has fired is trusted somewhere.
    return lastEvent ? [] : [ok(`${title}: trust`, `${detail}. ${cure}`)];
  });

/** Events, by the agent's own names, that call our launcher. */
export function eventsOf({ files }: AgentOverview): Set<string> {
  return new Set(files.flatMap(({ events }) => events));
}

/** Agents whose hooks of ours this one runs as well, from their settings files. */
export function lendersOf({ name }: AgentOverview, { agents }: Overview): AgentOverview[] {
  const loans = agentNamed(name)?.settings?.alsoRuns ?? [];
  return agents.filter((other) =>
    loans.some(
      ({ agent, scopes }) =>
        agent === other.name && other.files.some(({ scope, events }) => scopes.includes(scope) && events.length > 0),
    ),
  );
}
