import type { Scope } from "../core/agent.ts";
import { SettingsError } from "../core/errors.ts";
import { setUpApp } from "../settings/app-copy.ts";
import { applyInstall, applyUninstall } from "../settings/apply.ts";
import { inspectAgent } from "../settings/inspect.ts";
import { knownOwn } from "../settings/known-own.ts";
import type { OwnCommands } from "../settings/own.ts";
import { reportLost, sayNoAgent, tryOut } from "./after-install.ts";
import type { InstallContext } from "./install-context.ts";
import { type AgentPlan, agentsHere, type InstallableAgent, installable, placeOf, planAgent } from "./install-jobs.ts";
import { sayFailure, sayRefusal, showPlan } from "./install-report.ts";

export interface InstallOptions {
  /** Names of agents; none: those found on this machine. */
  readonly agents?: readonly string[];
  /** Default `user`. */
  readonly scope?: Scope;
  /** The agents' own event names; none: those each agent registers. */
  readonly events?: readonly string[];
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  /** Seconds a hook waits for the delivery; 0 takes an earlier choice back. */
  readonly waitSeconds?: number;
}

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

function wrongUsage({ agents = [], events = [], waitSeconds = 0 }: InstallOptions): string | undefined {
  const names = installable.map(({ name }) => name);
  const unknown = agents.find((name) => !names.includes(name));
  if (unknown !== undefined)
    return `Unknown agent ${JSON.stringify(unknown)}. Known to the installer: ${names.join(", ")}.`;
  const asked = installable.filter(({ name }) => agents.length === 0 || agents.includes(name));
  const stray = events.find((event) => !asked.some(({ firings }) => Object.hasOwn(firings, event)));
  const known = [...new Set(asked.flatMap(({ firings }) => Object.keys(firings)))];
  if (stray !== undefined) return `Unknown event ${JSON.stringify(stray)}. Known: ${known.join(", ")}.`;
  const isWait = Number.isInteger(waitSeconds) && waitSeconds >= 0 && waitSeconds <= 600;
  return isWait ? undefined : "--wait takes whole seconds, 0 to 600.";
}

async function install(options: InstallOptions, context: InstallContext): Promise<0 | 1> {
  const own = await knownOwn(context.paths, context.home);
  const isNamed = (options.agents ?? []).length > 0;
  const named = installable.filter(({ name }) => options.agents?.includes(name));
  const found = isNamed ? named : agentsHere(placeOf(context));
  const chosen = found.filter((agent) => knowsAny(agent, options.events, context));
  const { plans, refused } = await planAll(chosen, options, own, context);
  const changing = plans.filter(({ main, others }) => main.planned.changes || others.length > 0);
  for (const plan of plans) showPlan(context, plan);
  if (options.dryRun) {
    context.print("Dry run: nothing was written.");
    return refused ? 1 : 0;
  }
  if (changing.length > 0 && !(await isAgreed(options, isNamed, context))) return 1;
  await setUpApp(context);
  context.print(`beckon is in ${context.paths.root}`);
  const applied = await applyAll(plans, context);
  await tryOut(applied, context);
  const lost = await reportLost(applied, context);
  for (const { agent } of applied) {
    for (const sentence of agent.settings.afterInstall) context.print(`${agent.title}: ${sentence}`);
  }
  if (found.length === 0) sayNoAgent(context);
  return refused || applied.length < plans.length || lost ? 1 : 0;
}

function knowsAny({ title, firings }: InstallableAgent, events: InstallOptions["events"], { print }: InstallContext) {
  if (!events || events.length === 0 || events.some((event) => Object.hasOwn(firings, event))) return true;
  print(`${title} has none of these events and is left as it is.`);
  return false;
}

async function planAll(
  chosen: readonly InstallableAgent[],
  options: InstallOptions,
  own: OwnCommands,
  context: InstallContext,
): Promise<{ plans: AgentPlan[]; refused: boolean }> {
  const plans: AgentPlan[] = [];
  let refused = false;
  const { scope = "user", events, waitSeconds } = options;
  for (const agent of chosen) {
    try {
      const plan = await planAgent(agent, { scope, events, waitSeconds }, own, context);
      plans.push({ ...plan, warnings: [...plan.warnings, ...(await surroundings(plan, own, context))] });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      refused = true;
      sayRefusal(context, error, agent.name);
    }
  }
  return { plans, refused };
}

/** What elsewhere in an agent's settings makes our hooks fire twice, or not at all. */
async function surroundings({ agent, main }: AgentPlan, own: OwnCommands, context: InstallContext): Promise<string[]> {
  const files = await inspectAgent(agent, placeOf(context), own);
  return files.flatMap(({ file, target, scope, own: ours, offSwitches }) => [
    ...offSwitches.map((name) => `${file.path}: \`${name}\` switches all of ${agent.title}'s hooks off.`),
    ...(scope !== main.job.scope && target !== main.planned.snapshot.target && ours.length > 0
      ? [`${file.path} has beckon's hooks as well (scope ${scope}): where both apply, they may fire twice.`]
      : []),
  ]);
}

async function isAgreed({ yes }: InstallOptions, isNamed: boolean, context: InstallContext): Promise<boolean> {
  if (yes) return true;
  if (context.isInteractive) {
    const agreed = await context.ask("Make these changes?");
    if (!agreed) context.print("Nothing was changed.");
    return agreed;
  }
  if (isNamed) return true;
  context.print("Nothing was changed: nobody is here to agree. Run it with --yes, or name the agents with --agent.");
  return false;
}

/** Writes the files; returns the plans that came true. */
async function applyAll(plans: readonly AgentPlan[], context: InstallContext): Promise<AgentPlan[]> {
  const applied: AgentPlan[] = [];
  for (const plan of plans) {
    const { agent, main, others } = plan;
    try {
      const { changes, snapshot } = await applyInstall(context.paths, main.job);
      for (const { job } of others) await applyUninstall(context.paths, job);
      context.print(`${agent.title}: ${changes ? "hooks written to" : "hooks are already in"} ${snapshot.path}`);
      applied.push(plan);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      sayRefusal(context, error, agent.name);
    }
  }
  return applied;
}
