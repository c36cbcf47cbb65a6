import { existsSync } from "node:fs";
import { Option } from "commander";
import type { Install, InstalledFile } from "../../../../docs/output.d.ts";
import packageFile from "../../../../package.json" with { type: "json" };
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { fallbackAgent, resolveAgent } from "../../../agents/registry.ts";
import { loadConfig } from "../../../config/load.ts";
import { scopes } from "../../../core/agent-settings.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { modelessRoot } from "../../../files/root-access.ts";
import { commandIn } from "../../../installer/app/command-link.ts";
import { setUpApp } from "../../../installer/app/set-up-app.ts";
import { knownBeckonCommands, serverWords } from "../../../installer/beckon-commands.ts";
import {
  cureForRelativeFolder,
  describeRelativeRoot,
  environmentWarnings,
} from "../../../installer/environment-warnings.ts";
import { filesWithBeckonHooks, findOtherHomes } from "../../../installer/inspect.ts";
import { type AgentPlan, planAgent, planServer } from "../../../installer/plan-agent.ts";
import type { Survey } from "../../../installer/survey.ts";
import type { RegisterCommand } from "../../context.ts";
import { sayIfCancelled } from "../../errors.ts";
import { addExamples } from "../../options.ts";
import { jsonLine } from "../../output/json-line.ts";
import { say, shellPath, shortPath } from "../../say.ts";
import { confirmVisibility } from "../../visibility/confirm-visibility.ts";
import { readVersion } from "../doctor/installation.ts";
import {
  applyPlans,
  applyRemovals,
  planRemovals,
  printNextSteps,
  type Removals,
  refusing,
  reportOverwritten,
} from "./apply-plans.ts";
import { chooseAgents, findAgents } from "./choose-agents.ts";
import {
  addChangeOptions,
  checkOptions,
  createInstallContext,
  type InstallContext,
  type InstallOptions,
  type InstallPlanContext,
  readAsking,
} from "./context.ts";
import { offerEvents, offerLink, offerPhone, offerWithoutDesktop } from "./offers.ts";
import { askToAgree, changesIn, describeChange, type FileChange, printDiffs, printSummary } from "./print-plan.ts";
import { nothingWorks, type SampleReport, trySampleEvent } from "./sample-event.ts";

interface InstallFlags extends Omit<InstallOptions, "agents" | "waitSeconds"> {
  readonly agent?: readonly string[];
  readonly wait?: number;
}

/** Declares `beckon install`: adds hooks to the settings of the agents on this machine and sends a sample event. */
export const registerInstall: RegisterCommand = (command, run) => {
  const example = fallbackAgent;
  addExamples(command, {
    "beckon install": "choose agents, review changes, install",
    "beckon install --dry-run": "show the changes without making them",
    [`beckon install --agent ${example.name} --yes`]: `install for ${example.title} without asking`,
    "beckon install --scope project": "use this project's settings, not yours",
  });
  const declared = command
    .option(
      "--agent <name...>",
      "only these agents; default: those used on this machine, or all installed ones if none was used; at a terminal, beckon asks if there are several",
    )
    .addOption(
      new Option("--scope <scope>", "settings file for the hooks: yours, the project's, or yours for this project")
        .choices(scopes)
        .default("user"),
    )
    .option(
      "--events <event...>",
      "only these events: Notification, Stop, SubagentStop, SessionEnd, Prompt, or names that the agents use",
    )
    .option("--also <event...>", "install these events as well as the default ones, by the names that the agents use")
    .option("--wait <seconds>", "make the agent wait for each delivery, at most this many seconds", Number)
    .option("--mcp", "also register tools with which the agents can notify you; see `beckon mcp`");
  addChangeOptions(declared, "changed settings files then need --yes, --unattended or --agent")
    .option("--unattended", "act as with --yes if there is no terminal to ask on")
    .action(({ agent, wait: waitSeconds, ...flags }: InstallFlags) => {
      const agents = agent?.map(resolveAgent);
      return run((cli) => runInstall({ ...flags, agents, waitSeconds }, createInstallContext(cli)));
    });
};

/**
 * Runs `beckon install`. Returns the exit code: 0 done, 1 incomplete.
 * @throws {UsageError | CommandError | SettingsError}
 */
export async function runInstall(options: InstallOptions, installContext: InstallContext): Promise<number> {
  checkOptions(options, installContext.agents);
  requireOwnRoot(installContext);
  const { paths, environment } = installContext;
  const quiet = options.json ? { isInteractive: false, print: () => {} } : {};
  const beckonCommands = await knownBeckonCommands(paths, environment.home);
  const asking = await readAsking(paths);
  const later: string[] = [];
  const act = () => install(options, { ...installContext, ...quiet, beckonCommands, asking }, later);
  const report = await sayIfCancelled(act, installContext, () =>
    later.length === 0 ? "Nothing was changed." : `The hooks are installed. Skipped: ${later.join(", ")}.`,
  );
  if (options.json) installContext.print(jsonLine(report));
  const isDryRun = options.dryRun && report.files.every(({ result }) => result !== "refused");
  return report.done || isDryRun ? 0 : 1;
}

/** @param later gets the questions that remain once the hooks are written */
async function install(options: InstallOptions, found: InstallPlanContext, later: string[]): Promise<Install> {
  const { paths, environment } = found;
  const surveys = await findAgents(options, found);
  // Only the user's own files are believed: a project's could name a home of its author's.
  const files = surveys.flatMap(({ inspected }) => inspected).filter(({ scope }) => scope === "user");
  const commands = (options.scope ?? "user") === "user" ? files.flatMap((file) => file.commands) : [];
  const otherHomes = findOtherHomes(commands, paths.root, environment.home);
  const beckonCommands = await knownBeckonCommands(paths, environment.home, otherHomes);
  const context = { ...found, otherHomes, beckonCommands };
  const choice = await chooseAgents(options, surveys, context);
  const offer = offerEvents(choice.chosen, options, context);
  const { plans, refused } = await planAll(choice.chosen, { ...options, ...offer.options }, context);
  const tools = await planTools(choice.chosen, options, context);
  const dropped = await planDropped(choice.dropped, options, context);
  const all = [...plans, ...tools.plans];
  const names = all.map(({ agent }) => agent.name); // an agent's plans follow one another
  const planned = all.toSorted((a, b) => names.indexOf(a.agent.name) - names.indexOf(b.agent.name)).flatMap(changesIn);
  const changes = [...planned, ...dropped.changes];
  const root = describeRelativeRoot(context.environment, context.paths.root);
  const rootNote = root === undefined ? [] : [`${root}. ${cureForRelativeFolder}`];
  const warnings = all.flatMap((plan) => plan.warnings);
  const back = (other: string) => `To have them call it again, even after an uninstall: ${commandIn(other, "install")}`;
  const moves = otherHomes.map((other) => `The hooks called ${other} so far, which stays unchanged. ${back(other)}`);
  const notes = [...rootNote, ...moves, ...offer.notes, ...tools.notes, ...warnings];
  const filesAs = (changed: "updated" | "would-update") => [
    ...refused,
    ...tools.refused,
    ...changes.map((change) => describeChange<InstalledFile["result"]>(change, changed, "current")),
  ];
  printSummary(context, changes, notes);
  if (options.diff) printDiffs(context, changes);
  if (options.dryRun) context.print("Dry run: nothing was written.");
  if (options.dryRun || !(await askToAgree(question, changes, options, context)))
    return { done: false, files: filesAs("would-update"), notes };
  const isFirst = !existsSync(context.paths.launcher);
  const isNew = isFirst || changes.some(({ planned }) => planned.changes);
  const versions = new Set([readVersion(paths.app) ?? packageFile.version, packageFile.version]);
  await setUpApp(context);
  context.print(`beckon ${[...versions].join(" → ")} is in ${shortPath(paths.root, environment)}`);
  const modeless = modelessRoot(context.paths);
  if (modeless) say(`Note: ${modeless.message}. ${modeless.cure}`, context, 6);
  const applied = await applyPlans(plans, context);
  const appliedTools = await applyPlans(tools.plans, context);
  await applyRemovals(dropped.changes, context);
  later.push("the `beckon` command", "the terminal", "your phone");
  const sample = isNew ? await trySampleEvent(applied, context) : undefined;
  if (!isNew) say("No hook has changed, so no sample event was sent. To send a test message: beckon test", context);
  if (sample && context.isInteractive && !options.yes) await askWhatWasSeen(sample, context);
  const isOverwritten = await reportOverwritten([...applied, ...appliedTools], context);
  if (!surveys.some(({ isUsed }) => isUsed) && applied.length === 0)
    context.print("No agent has been used here yet. Use one first, or name one now:\n  beckon install [--agent NAME]");
  await printNextSteps([...applied, ...appliedTools], context);
  const beckon = await offerLink({ yes: options.yes === true || applied.length === 0 }, context);
  if (options.unattended && !context.isInteractive) context.print(howToUndo);
  later.shift();
  // Comes last, to stay on the screen.
  if (sample && (await nothingWorks(sample, context))) await offerWithoutDesktop(beckon, sample, options, context);
  later.shift();
  if (sample && isFirst && planned.some((change) => change.planned.changes)) await offerPhone(options, context);
  const isRefused = [...refused, ...tools.refused].length > 0;
  const isWhole = applied.length === plans.length && appliedTools.length === tools.plans.length;
  const done = !isRefused && isWhole && !isOverwritten;
  return { done, files: filesAs("updated"), notes, ...omitUndefined({ sample }) };
}

/** Asks the user whether a message was visible, for each notifier that cannot tell. */
async function askWhatWasSeen({ outcomes }: SampleReport, context: InstallPlanContext): Promise<void> {
  const config = await loadConfig(context.paths.config);
  const ports = context.ports();
  for (const { notifier, status } of outcomes) {
    if (status === "sent" && notifier !== undefined) await confirmVisibility(notifier, config, { ...context, ports });
  }
}

/** Note that an unattended install prints at the end. */
const howToUndo =
  "\nTo undo all of this: `beckon uninstall --purge --yes`. " +
  "This removes the hooks, restores the settings files and deletes beckon's folder.";

async function planAll(
  chosen: readonly Survey[],
  { scope = "user", events, also, waitSeconds }: InstallOptions,
  context: InstallPlanContext,
): Promise<{ plans: AgentPlan[]; refused: InstalledFile[] }> {
  const plans: AgentPlan[] = [];
  const refused: InstalledFile[] = [];
  const names = chosen.map(({ agent }) => agent.name);
  for (const survey of chosen) {
    const { agent, program } = survey;
    const plan = async () => {
      const plan = await planAgent(agent, { scope, events, also, waitSeconds, version: program?.version }, context);
      const warnings = await environmentWarnings(plan, survey, names, context);
      plans.push({ ...plan, warnings: [...plan.warnings, ...warnings] });
    };
    await refusing({ agent: agent.name, hooksOf: agent }, refused, context, plan);
  }
  return { plans, refused };
}

/** Asks for consent to remove the hooks of deselected agents, and plans the removal. */
async function planDropped(
  dropped: readonly Survey[],
  { scope = "user" }: InstallOptions,
  context: InstallPlanContext,
): Promise<Removals> {
  const titles = dropped.map(({ agent }) => agent.title).join(", ");
  const question = `You deselected ${titles}. Remove beckon's hooks from it?`;
  if (dropped.length === 0 || !(await context.confirm(question, true))) return { changes: [], refused: [] };
  const agents = dropped.map(({ agent }) => agent.name);
  return planRemovals(await filesWithBeckonHooks(context, { agents, scope }), context);
}

function question(changing: readonly FileChange[]): string {
  const [title, ...others] = new Set(changing.map((change) => change.title));
  return `Make these changes to ${others.length === 0 ? title : `${1 + others.length} agents`}?`;
}

/**
 * Plans to register beckon's tools with agents, if the user asked for it. Prints refusals. The notes are instructions
 * for agents with which beckon cannot register its tools.
 */
async function planTools(chosen: readonly Survey[], { mcp }: Pick<InstallOptions, "mcp">, context: InstallPlanContext) {
  const plans: AgentPlan[] = [];
  const refused: InstalledFile[] = [];
  const others: string[] = [];
  if (!mcp) return { plans, refused, notes: [] };
  for (const { agent } of chosen) {
    await refusing({ agent: agent.name }, refused, context, async () => {
      const plan = await planServer(agent, context);
      if (plan) plans.push(plan);
      else others.push(agent.title);
    });
  }
  const [file = "", ...args] = serverWords(context.paths);
  const command = ["node", shellPath(file, context.environment), ...args].join(" ");
  const note = `--mcp does not work for ${others.join(", ")}. Add an MCP server with this command there: ${command}`;
  return { plans, refused, notes: others.length > 0 ? [note] : [] };
}
