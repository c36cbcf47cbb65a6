import { Option } from "commander";
import { scopes } from "../../../core/agent-settings.ts";
import { SettingsError } from "../../../core/errors.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { modelessRoot } from "../../../core/root-access.ts";
import { setUpApp } from "../../../installer/app/set-up-app.ts";
import { knownBeckonCommands } from "../../../installer/beckon-commands.ts";
import { environmentWarnings } from "../../../installer/environment-warnings.ts";
import { type AgentPlan, changesAnything, planAgent } from "../../../installer/plan-agent.ts";
import type { Survey } from "../../../installer/survey.ts";
import type { RegisterCommand } from "../../context.ts";
import { requireOwnRoot } from "../../require-own-root.ts";
import { agrees, applyPlans, printNextSteps, reportOverwritten } from "./apply-plans.ts";
import { chooseAgents, findAgents } from "./choose-agents.ts";
import { type InstallContext, type InstallPlanContext, installContextOf } from "./context.ts";
import { checkOptions, type InstallOptions } from "./options.ts";
import { printPlan, printRefusal } from "./print-plan.ts";
import { trySampleEvent } from "./sample-event.ts";

interface InstallFlags extends Omit<InstallOptions, "agents" | "waitSeconds"> {
  readonly agent?: readonly string[];
  readonly wait?: number;
}

/** `beckon install`: puts hooks into the settings of the agents on this machine and sends a sample event. */
export const registerInstall: RegisterCommand = (command, run) => {
  command
    .option("--agent <name...>", "only these agents; default: those found on this machine")
    .addOption(new Option("--scope <scope>", "which settings the hooks go into").choices(scopes).default("user"))
    .option("--events <event...>", "only these: Notification, Stop, SubagentStop, SessionEnd, or the agents' own names")
    .option("--wait <seconds>", "let each hook wait up to this long for the delivery", Number)
    .option("--dry-run", "show what would change, but change nothing")
    .option("--yes", "do not ask")
    .option("--unattended", "without a terminal to ask on, go ahead as with --yes")
    .action(({ agent: agents, wait: waitSeconds, ...flags }: InstallFlags) =>
      run((cli) => runInstall({ ...flags, ...omitUndefined({ agents, waitSeconds }) }, installContextOf(cli))),
    );
};

/**
 * Runs `beckon install`. Returns the exit code: 0 done, 1 something was not done.
 * @throws {UsageError} {CommandError} {SettingsError}
 */
export async function runInstall(options: InstallOptions, installContext: InstallContext): Promise<number> {
  checkOptions(options, installContext.agents);
  requireOwnRoot(installContext);
  const { paths, environment } = installContext;
  const context = { ...installContext, beckonCommands: await knownBeckonCommands(paths, environment.home) };
  const surveys = await findAgents(options, context);
  const chosen = await chooseAgents(options, surveys, context);
  if (!chosen) {
    context.print("Nothing was changed.");
    return 1;
  }
  const { plans, refused } = await planAll(chosen, options, context);
  for (const plan of plans) printPlan(context, plan);
  if (options.dryRun) {
    context.print("Dry run: nothing was written.");
    return refused ? 1 : 0;
  }
  const changing = plans.filter(changesAnything).length;
  if (changing > 0 && !(await isAgreed(changing, options, context))) return 1;
  await setUpApp(context);
  context.print(`beckon is in ${context.paths.root}`);
  const modeless = modelessRoot(context.paths);
  if (modeless) context.print(`Note: ${modeless.message}. ${modeless.cure}`);
  const applied = await applyPlans(plans, context);
  await trySampleEvent(applied, context);
  const isOverwritten = await reportOverwritten(applied, context);
  if (!surveys.some(({ isUsed }) => isUsed) && applied.length === 0) printNoAgent(context);
  await printNextSteps(applied, context);
  if (options.unattended && !context.isInteractive) context.print(howToUndo);
  return refused || applied.length < plans.length || isOverwritten ? 1 : 0;
}

/** Prints what to do on a machine where no agent has been used yet. */
function printNoAgent({ agents, print }: InstallContext): void {
  const titles = agents.map(({ title, name }) => `${title} (--agent ${name})`).join(", ");
  print(
    `No agent has been used on this machine yet. Once one has, run \`beckon install\` again; or name one now: ${titles}.`,
  );
}

/** For an install for which nobody was asked. */
const howToUndo =
  "\nTo undo all of this: `beckon uninstall --purge`, or, in a clone, `npm run beckon -- uninstall --purge`. " +
  "It removes the hooks, restores the settings files and removes beckon's folder.";

async function planAll(
  chosen: readonly Survey[],
  { scope = "user", events, waitSeconds }: InstallOptions,
  context: InstallPlanContext,
): Promise<{ plans: AgentPlan[]; refused: boolean }> {
  const plans: AgentPlan[] = [];
  let refused = false;
  const names = chosen.map(({ agent }) => agent.name);
  for (const survey of chosen) {
    const { agent, program } = survey;
    try {
      const plan = await planAgent(agent, { scope, events, waitSeconds, version: program?.version }, context);
      const warnings = await environmentWarnings(plan, survey, names, context);
      plans.push({ ...plan, warnings: [...plan.warnings, ...warnings] });
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      refused = true;
      printRefusal(context, error, agent);
    }
  }
  return { plans, refused };
}

async function isAgreed(changing: number, options: InstallOptions, context: InstallContext): Promise<boolean> {
  if (options.yes) return true;
  if (!context.isInteractive && (options.unattended || options.agents?.length)) return true;
  const question = `Make these changes to ${changing === 1 ? "one agent" : `${changing} agents`}?`;
  return agrees(question, "Run this with --yes, or name the agents with --agent.", context);
}
