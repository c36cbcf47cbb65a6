import { agentNamed } from "../../../agents/registry.ts";
import type { AgentFile } from "../../../installer/agents/agent-files.ts";
import { eachOnce } from "../../../installer/agents/hook-switches.ts";
import type { AgentOverview } from "../../status/agent-status.ts";
import { eventsOf, lendersOf } from "./agents.ts";
import { type Check, type CheckResult, fail, ok, warn } from "./check.ts";

/** Agents that run a command once although several of their files list it. Measured. */
const runOnce: readonly string[] = ["claude", "gemini", "qwen"];

/** Settings files that an agent ignores because of their form. */
export const brokenFiles: Check = ({ overview }) =>
  overview.agents.flatMap(({ title, files, elsewhere }) =>
    [...files, ...elsewhere].flatMap(({ path, problem }): CheckResult[] =>
      problem === undefined
        ? []
        : [fail(`${title}: settings`, `${path}: ${problem}`, `Mend ${path}; until then it may be ignored.`)],
    ),
  );

/** Hooks are not switched off: by a setting beside them, by another file of the agent's, by a policy. */
export const offSwitches: Check = ({ overview }) =>
  overview.agents.flatMap(({ title, files, switches }) => {
    const besideHooks = files.flatMap(({ path, offSwitch }) => (offSwitch ? [{ path, setting: offSwitch }] : []));
    return eachOnce([...besideHooks, ...switches]).map(({ path, setting, isOurs }) =>
      fail(
        `${title}: settings`,
        `${path}: hooks ${isOurs ? "of beckon's " : ""}are switched off by ${setting}`,
        isOurs
          ? `Take beckon's hooks out of ${setting} there.`
          : `Remove ${setting} from it, or ask whoever manages that file.`,
      ),
    );
  });

/** Of several files with hooks in one scope the agent may read one alone; ours belong into the first. */
export const severalFiles: Check = ({ overview }) =>
  overview.agents.flatMap((agent) => {
    const scopes = [...new Set(agent.files.map(({ scope }) => scope))];
    const ofScope = (scope: string) => agent.files.filter((file) => file.scope === scope);
    return [...scopes.flatMap((scope) => compareFiles(agent, ofScope(scope))), ...besideFiles(agent)];
  });

function besideFiles({ title, files, beside }: AgentOverview): CheckResult[] {
  const main = files.find(({ events, foreign }) => events.length + foreign > 0);
  if (!main) return [];
  return beside.map(({ path, effect }) =>
    warn(`${title}: several files`, `${path} holds hooks too. ${effect}`, `Move those hooks to ${main.path}.`),
  );
}

function compareFiles({ name, title }: AgentOverview, [first, ...rest]: readonly AgentFile[]): CheckResult[] {
  if (!first) return [];
  return rest.flatMap(({ scope, path, events, foreign }): CheckResult[] => {
    const result = (detail: string, cure: string) => [warn(`${title}: several files`, detail, cure)];
    if (events.length > 0) {
      const flags = scope === "user" ? "" : ` --scope ${scope}`;
      const detail = `beckon's hooks are in ${path}, and ${first.path} is there too: it may be the only one that counts`;
      return result(detail, `beckon install --agent ${name}${flags} moves them.`);
    }
    if (foreign === 0 || first.events.length + first.foreign === 0) return [];
    const detail = `${first.path} and ${path} both hold hooks: some versions read the first alone`;
    return result(detail, `If hooks in ${path} do not run, move them to ${first.path}.`);
  });
}

/** No event comes in twice: from two scopes, or from another agent's file that this agent runs as well. */
export const doubles: Check = ({ overview }) =>
  overview.agents.flatMap((agent): CheckResult[] => {
    const lent = eventsOf(agent).size === 0 || !agent.found ? [] : lendersOf(agent, overview);
    return [...doubleScopes(agent), ...lent.map((lender) => lentTwice(agent, lender))];
  });

function doubleScopes({ name, title, files }: AgentOverview): CheckResult[] {
  if (runOnce.includes(name)) return [];
  const holders = files.filter(({ events }) => events.length > 0);
  const twice = (event: string) => holders.filter(({ events }) => events.includes(event)).length > 1;
  const events = [...new Set(holders.flatMap((file) => file.events))].filter(twice);
  if (events.length === 0) return [];
  const paths = holders.map(({ path }) => path).join(" and ");
  const spare = holders.find(({ scope }) => scope !== "user")?.scope ?? "user";
  const detail = `${events.join(", ")} fire twice: from ${paths}`;
  return [warn(`${title}: twice`, detail, `Keep one: beckon uninstall --agent ${name} --scope ${spare}`)];
}

/** Of an event whose payload tells whose it is, the second is dropped as a repeat, and no word is needed of the user. */
function lentTwice({ name, title }: AgentOverview, lender: AgentOverview): CheckResult {
  const both = `${title} also runs the hooks of ${lender.title}`;
  if (agentNamed(name)?.isOwn) return ok(`${title}: twice`, `${both}: beckon tells them apart, and drops the second`);
  const detail = `${both}: its events come in twice`;
  const cure = `Keep one: after \`beckon uninstall --agent ${name}\` they come in as ${lender.title}'s alone.`;
  return warn(`${title}: twice`, detail, cure);
}

/** Entries in an agent's file name this agent: some agents import those of another as they are. */
export const copies: Check = ({ overview }) =>
  overview.agents.flatMap(({ name, title, files }) =>
    files.flatMap(({ path, copiedFrom }) =>
      copiedFrom === undefined
        ? []
        : [
            warn(
              `${title}: hooks`,
              `${path}: entries written for ${copiedFrom.join(", ")}, imported or copied; its events count as theirs`,
              `beckon install --agent ${name} mends them.`,
            ),
          ],
    ),
  );

/** All checks of what an agent's settings say. */
export const agentSettingsChecks: readonly Check[] = [brokenFiles, offSwitches, severalFiles, doubles, copies];
