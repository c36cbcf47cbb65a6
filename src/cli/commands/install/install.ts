import { SettingsError } from "../../../core/errors.ts";
import { setUpApp } from "../../../installer/app/set-up-app.ts";
import { knownOwn } from "../../../settings/known-own.ts";
import type { OwnCommands } from "../../../installer/beckon-commands.ts";
import { reportLost, sayNoAgent, sayStillNeeded, tryOut } from "../../install/after-install.ts";
import { applyAll, changesAnything } from "./apply-plans.ts";
import type { InstallContext } from "./context.ts";
import { type InstallableAgent, installable, ownEvents, scopesOf } from "../../../installer/agents/installable.ts";
import { type AgentPlan, planAgent } from "../../install/jobs.ts";
import { type InstallOptions, wrongUsage } from "./options.ts";
import type { Choice } from "./choose-agents.ts";
import { sayFailure, sayRefusal, showPlan } from "./print-plan.ts";
import { type Survey, showSurveys, surveyAgents } from "../../../installer/survey.ts";
import { surroundings } from "../../../installer/environment-warnings.ts";

/** `beckon install`. Returns the exit code: 0 done, 1 something was not done, 2 wrong usage. */
export async function runInstall(options: InstallOptions, context: InstallContext): Promise<0 | 1 | 2> {
  const misuse = wrongUsage(options);
  if (misuse) {
    context.print(misuse);
    return 2;
  }
  try {
    return await install(options, context);
  } catch (error) {
    return sayFailure(context, error);
  }
}

async function install(options: InstallOptions, context: InstallContext): Promise<0 | 1> {
  const own = await knownOwn(context.paths, context.home);
  const surveys = await findAgents(options, own, context);
  const chosen = await chooseAgents(options, surveys, context);
  if (!chosen) {
    context.print("Nothing was changed.");
    return 1;
  }
  const { plans, refused } = await planAll(chosen, options, own, context);
  for (const plan of plans) showPlan(context, plan);
  if (options.dryRun) {
    context.print("Dry run: nothing was written.");
    return refused ? 1 : 0;
  }
  const changing = plans.filter(changesAnything).length;
  if (changing > 0 && !(await isAgreed(changing, options, context))) return 1;
  await setUpApp(context);
  context.print(`beckon is in ${context.paths.root}`);
  const applied = await applyAll(plans, context);
  await tryOut(applied, context);
  const lost = await reportLost(applied, context);
  if (!surveys.some(({ isUsed }) => isUsed) && applied.length === 0) sayNoAgent(context);
  await sayStillNeeded(applied, own, context);
  return refused || applied.length < plans.length || lost ? 1 : 0;
}

/** The agents that are named, or those that are here; and what was found of them. */
async function findAgents({ agents, scope = "user" }: InstallOptions, own: OwnCommands, context: InstallContext) {
  const surveyed = await surveyAgents(
    agents?.length ? installable.filter(({ name }) => agents.includes(name)) : installable,
    scope,
    own,
    context,
  );
  const here = agents?.length ? surveyed : surveyed.filter(({ isUsed, program }) => isUsed || program);
  const { home, columns, print } = context;
  if (here.length > 0) print(["On this machine:", ...showSurveys(here, home, columns), ""].join("\n"));
  return here;
}

/** Undefined: somebody was asked and does not want to go on. */
async function chooseAgents(options: InstallOptions, surveys: readonly Survey[], context: InstallContext) {
  const able = surveys.filter(({ agent }) => knowsAny(agent, options, context));
  const isNamed = (options.agents ?? []).length > 0;
  if (isNamed) return able;
  const used = able.filter(({ isUsed }) => isUsed);
  const choices = able.map(choiceOf);
  const isChoice = (able.length > 1 || used.length < able.length) && choices.some(({ isBarred }) => !isBarred);
  if (!context.isInteractive || options.yes || options.dryRun || !isChoice) return used;
  for (const { label } of choices.filter(({ isBarred }) => isBarred)) {
    context.print(`${label} cannot be chosen until its file is in order; run this again then.`);
  }
  const names = await context.choose("Which of them may call you?", choices);
  return names && able.filter(({ agent }) => names.includes(agent.name));
}

function choiceOf({ agent, isUsed, files }: Survey): Choice {
  const [main] = files;
  const hint = isUsed ? main?.state : "never started here";
  const isBarred = main?.isEditable === false;
  return { value: agent.name, label: agent.title, ...(hint && { hint }), isUsual: isUsed, isBarred };
}

function knowsAny(agent: InstallableAgent, { scope = "user", events = [] }: InstallOptions, { print }: InstallContext) {
  const hasScope = scopesOf(agent).includes(scope);
  if (hasScope && (events.length === 0 || events.some((event) => ownEvents(agent, event).length > 0))) return true;
  const lack = hasScope ? "none of these events" : `no settings of scope ${scope}`;
  print(`${agent.title} has ${lack} and is left as it is.`);
  return false;
}

async function planAll(
  chosen: readonly Survey[],
  options: InstallOptions,
  own: OwnCommands,
  context: InstallContext,
): Promise<{ plans: AgentPlan[]; refused: boolean }> {
  const plans: AgentPlan[] = [];
  let refused = false;
  const { scope = "user", events, waitSeconds } = options;
  const names = chosen.map(({ agent }) => agent.name);
  for (const { agent, program } of chosen) {
    try {
      const plan = await planAgent(agent, { scope, events, waitSeconds, version: program?.version }, own, context);
      plans.push({
        ...plan,
        warnings: [...plan.warnings, ...(await surroundings(plan, { program, own, chosen: names }, context))],
      });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      refused = true;
      sayRefusal(context, error, agent);
    }
  }
  return { plans, refused };
}

async function isAgreed(changing: number, { yes, agents }: InstallOptions, context: InstallContext): Promise<boolean> {
  if (yes) return true;
  if (context.isInteractive) {
    const agreed = await context.ask(`Make these changes to ${changing === 1 ? "one agent" : `${changing} agents`}?`);
    if (!agreed) context.print("Nothing was changed.");
    return agreed;
  }
  if (agents?.length) return true;
  context.print("Nothing was changed: nobody is here to agree. Run it with --yes, or name the agents with --agent.");
  return false;
}
