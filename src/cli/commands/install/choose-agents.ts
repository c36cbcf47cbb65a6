import { omitUndefined } from "../../../core/omit-undefined.ts";
import { type InstallableAgent, listScopes, matchingNativeEvents } from "../../../installer/agents/installable.ts";
import { type Survey, surveyAgents } from "../../../installer/survey.ts";
import type { Choice } from "../../dialog.ts";
import { formatRows, say, shortPath } from "../../say.ts";
import type { InstallContext, InstallOptions, InstallPlanContext } from "./context.ts";

/** Looks for the named agents, or all agents on this machine, with their files and states, and prints the results. */
export async function findAgents(
  { agents: names = [], scope = "user" }: InstallOptions,
  context: InstallPlanContext,
): Promise<readonly Survey[]> {
  const isNamed = names.length > 0;
  const asked = isNamed ? context.agents.filter(({ name }) => names.includes(name)) : context.agents;
  const surveyed = await surveyAgents(asked, scope, context);
  const found = isNamed ? surveyed : surveyed.filter(({ isUsed, program }) => isUsed || program);
  const table = surveyTable(found, context);
  if (found.length > 0) context.print(["On this machine:", ...table, ""].join("\n"));
  return found;
}

/** Formats a table of agents: title, version, file, state. */
function surveyTable(surveys: readonly Survey[], context: InstallContext): string[] {
  const rows = surveys.flatMap(({ agent, isUsed, program, files }) =>
    files.map(({ path, state }, index) => [
      index === 0 ? agent.title : "",
      index === 0 ? (program?.version ?? "") : "",
      shortPath(path, context.environment),
      isUsed || index > 0 ? state : `${state}, never started here`,
    ]),
  );
  return formatRows(rows, context);
}

/**
 * Chooses the agents to install for, by asking if there are several. Agents that have beckon's hooks and that the user
 * deselects are `dropped`. @throws {CancelledError}
 */
export async function chooseAgents(
  options: InstallOptions,
  surveys: readonly Survey[],
  context: InstallContext,
): Promise<{ readonly chosen: readonly Survey[]; readonly dropped: readonly Survey[] }> {
  const able = surveys.filter(({ agent }) => canInstall(agent, options, context));
  const isNamed = (options.agents ?? []).length > 0;
  if (isNamed) return { chosen: able, dropped: [] };
  const started = able.filter(({ isUsed }) => isUsed);
  // In a new home, as in a container, no agent was started yet, so every installed agent counts.
  const used = started.length > 0 ? started : able;
  const choices = able.map(buildChoice);
  const isChoice = (able.length > 1 || started.length < able.length) && choices.some(({ disabled }) => !disabled);
  if (!context.isInteractive || options.yes || options.dryRun || !isChoice) return { chosen: used, dropped: [] };
  for (const { label } of choices.filter(({ disabled }) => disabled)) {
    say(`${label} is not available, because its settings file has a problem. Fix that, then try again.`, context);
  }
  const usual = used.filter((survey) => !isBroken(survey)).map(({ agent }) => agent.name);
  const names = await context.selectMany("Which agents should notify you?", choices, usual);
  const isChosen = ({ agent }: Survey): boolean => names.includes(agent.name);
  const { scope = "user" } = options;
  const hasHooks = ({ inspected }: Survey): boolean =>
    inspected.some((file) => file.scope === scope && file.beckonEntries.length > 0);
  const dropped = able.filter((survey) => !isChosen(survey) && hasHooks(survey));
  return { chosen: able.filter(isChosen), dropped };
}

function buildChoice(survey: Survey): Choice {
  const { agent, isUsed, files } = survey;
  const hint = isUsed ? files[0]?.state : "never started here";
  return omitUndefined<Choice>({ value: agent.name, label: agent.title, hint, disabled: isBroken(survey) });
}

function isBroken({ files: [main] }: Survey): boolean {
  return main?.isEditable === false;
}

/** Tells if an agent supports the scope and at least one of the events. If not, prints a note. */
function canInstall(
  agent: InstallableAgent,
  { scope = "user", events = [] }: InstallOptions,
  { print }: InstallContext,
) {
  const hasScope = listScopes(agent).includes(scope);
  if (hasScope && (events.length === 0 || events.some((event) => matchingNativeEvents(agent, event).length > 0)))
    return true;
  const lack = hasScope ? "none of these events" : `no settings of scope ${scope}`;
  print(`${agent.title} has ${lack}; skipped.`);
  return false;
}
