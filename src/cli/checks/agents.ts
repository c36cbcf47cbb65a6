import { agentNamed } from "../../agents/registry.ts";
import { cleanLine } from "../../core/clean.ts";
import { localTime } from "../local-time.ts";
import type { AgentOverview } from "../overview.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check.ts";

/** Somebody is there to fire hooks. */
export const anyAgent: Check = ({ overview }) => {
  const found = overview.agents.filter((agent) => agent.found);
  if (found.length > 0) return [ok("agents", found.map(({ title }) => title).join(", "))];
  const known = overview.agents.map(({ title }) => title).join(", ");
  return [warn("agents", "none found on this machine", `beckon knows ${known}: use one of them once.`)];
};

/** Our entries are in the settings of every agent that is used here. */
export const entries: Check = ({ overview }) => {
  const nobody = overview.agents.every((agent) => eventsOf(agent).size === 0);
  return overview.agents.filter(({ found }) => found).map((agent) => checkEntries(agent, nobody));
};

function checkEntries(agent: AgentOverview, nobody: boolean): CheckResult {
  const name = `${agent.title}: hooks`;
  const cure = `beckon install --agent ${agent.name}`;
  const there = eventsOf(agent);
  const chosen = agent.files.flatMap((file) => file.chosen ?? []);
  const wanted = chosen.length > 0 ? chosen : Object.keys(agentNamed(agent.name)?.settings?.register ?? {});
  const missing = wanted.filter((event) => !there.has(event));
  if (there.size === 0) return nobody ? fail(name, "not set up", cure) : warn(name, "not set up for this agent", cure);
  if (missing.length > 0) return warn(name, `missing for ${missing.join(", ")}`, cure);
  const changed = [...new Set(agent.files.flatMap((file) => file.changed))];
  if (changed.length > 0) return warn(name, `not as they were installed: ${changed.join(", ")}`, cure);
  return ok(name, [...there].join(", "));
}

/** Settings files that an agent ignores because of their form, or that switch all hooks off. */
export const settingsFiles: Check = ({ overview }) =>
  overview.agents.flatMap(({ title, files }) =>
    files.flatMap(({ path, problem, offSwitch }): CheckResult[] => [
      ...(problem
        ? [fail(`${title}: settings`, `${path}: ${problem}`, `Mend ${path}; until then it may be ignored.`)]
        : []),
      ...(offSwitch
        ? [
            fail(
              `${title}: settings`,
              `${path}: hooks are switched off by ${offSwitch}`,
              `Remove ${offSwitch} from it.`,
            ),
          ]
        : []),
    ]),
  );

/** What earlier installs wrote down can be read: without it, uninstall does not find the exact way back. */
export const installRecords: Check = ({ overview: { installProblem } }) =>
  installProblem === undefined
    ? []
    : [fail("install records", installProblem, "Move it away: beckon then tells its entries by their command lines.")];

/** Agents that are set up have fired at least once. */
export const lastEvents: Check = ({ overview }) =>
  overview.agents
    .filter((agent) => eventsOf(agent).size > 0)
    .map(({ name, title, lastEvent }) => {
      if (lastEvent)
        return ok(`${title}: last event`, cleanLine(`${localTime(lastEvent.at)} ${lastEvent.event ?? ""}`));
      const cure = agentNamed(name)?.settings?.afterInstall.join(" ") ?? "";
      return warn(`${title}: last event`, "never", `${cure} Then let the agent finish a turn.`.trim());
    });

function eventsOf({ files }: AgentOverview): Set<string> {
  return new Set(files.flatMap(({ events }) => events));
}

/** All checks of agents. */
export const agentChecks: readonly Check[] = [anyAgent, entries, settingsFiles, installRecords, lastEvents];
