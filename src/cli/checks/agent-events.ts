import { agentNamed } from "../../agents/registry.ts";
import { cleanLine } from "../../core/clean.ts";
import type { AgentOverview } from "../status/agent-status.ts";
import { localTime, shortDuration } from "../local-time.ts";
import { eventsOf } from "../commands/doctor/agents.ts";
import { type Check, type CheckResult, ok, warn } from "../commands/doctor/check.ts";

/** Until then it means nothing that an agent has not fired. */
const patienceMs = 24 * 3_600_000;
/** Many people never use a sub-agent. */
const rareEvents: readonly string[] = ["SubagentStop"];

/** Agents that are set up have fired, each of their events at least once. */
export const lastEvents: Check = ({ overview, nowMs }) =>
  overview.agents
    .filter((agent) => eventsOf(agent).size > 0)
    .flatMap((agent) =>
      agent.lastEvent ? [newest(agent.title, agent.lastEvent), ...perEvent(agent, nowMs)] : never(agent, nowMs),
    );

function newest(title: string, { at, event = "" }: NonNullable<AgentOverview["lastEvent"]>): CheckResult {
  return ok(`${title}: last event`, cleanLine(`${localTime(at)} ${event}`));
}

function never(agent: AgentOverview, nowMs: number): CheckResult[] {
  const name = `${agent.title}: last event`;
  const ageMs = ageOf(agent, nowMs);
  if (ageMs < patienceMs) return [ok(name, `none yet; the hooks are there for ${shortDuration(ageMs)}`)];
  const steps = agentNamed(agent.name)?.settings?.afterInstall ?? [];
  const cure = [...steps, "Then let the agent finish a turn and look again."].join(" ");
  return [warn(name, "never", cure)];
}

function perEvent(agent: AgentOverview, nowMs: number): CheckResult[] {
  const name = `${agent.title}: events seen`;
  const firings = agentNamed(agent.name)?.firings ?? {};
  const events = [...new Set([...eventsOf(agent)].map((firing) => firings[firing]?.event ?? firing))];
  const seen = events.map((event) => {
    const at = agent.lastSeen[event];
    return `${event} ${at === undefined ? "never" : localTime(at)}`;
  });
  const missing = events.filter((event) => agent.lastSeen[event] === undefined && !rareEvents.includes(event));
  const detail = cleanLine(seen.join(", "));
  if (missing.length === 0 || ageOf(agent, nowMs) < patienceMs) return [ok(name, detail)];
  return [warn(name, detail, `${missing.map(occasion).join(" ")} Then look again: beckon log --follow`)];
}

/** What makes an agent fire an event. */
function occasion(event: string): string {
  if (event === "Notification") return "Ask the agent for something that needs your permission.";
  if (event === "SessionEnd") return "Leave a session of the agent.";
  return event === "Stop" ? "Let the agent finish a turn." : `Make the agent fire ${event}.`;
}

/** How long the oldest entries are there; for ever where no install is on record. */
function ageOf({ files }: AgentOverview, nowMs: number): number {
  const holders = files.filter(({ events }) => events.length > 0);
  // Hooks that the agent has moved to another of its files are on record for the first one.
  const onRecord = (scope: string) => files.find((file) => file.scope === scope && file.installedAt)?.installedAt;
  const installs = holders.map(({ scope, installedAt }) => installedAt ?? onRecord(scope) ?? "1970-01-01");
  return Math.max(0, ...installs.map((at) => nowMs - Date.parse(at)));
}
