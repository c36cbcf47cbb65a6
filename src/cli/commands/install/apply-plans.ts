import type { InstalledFile, RemovedFile } from "../../../../docs/output.d.ts";
import { catchSettingsError, SettingsError } from "../../../core/errors.ts";
import { readTrust } from "../../../installer/agents/disabling-settings.ts";
import type { InstallableAgent } from "../../../installer/agents/installable.ts";
import { applyInstall, applyUninstall, previewInstall, previewUninstall } from "../../../installer/apply.ts";
import { inspectAgent } from "../../../installer/inspect.ts";
import { type AgentPlan, changesAnything, describeEntries, isServerFile } from "../../../installer/plan-agent.ts";
import type { InstallTask, SettingsTask } from "../../../installer/plan-file.ts";
import { say, shortPath } from "../../say.ts";
import type { InstallContext, InstallPlanContext } from "./context.ts";
import { type FileChange, printRefusal } from "./print-plan.ts";

/** Writes the files of each plan and prints the results. Returns the applied plans. */
export async function applyPlans(plans: readonly AgentPlan[], context: InstallContext): Promise<AgentPlan[]> {
  const applied: AgentPlan[] = [];
  for (const plan of plans) {
    const { agent, mains, others } = plan;
    try {
      for (const { task } of mains) await applyTask(agent.title, task, context);
      for (const { task } of others) await applyUninstall(context.paths, task);
      applied.push(plan);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      printRefusal(context, error, isServerPlan(plan) ? undefined : agent);
    }
  }
  return applied;
}

async function applyTask(title: string, task: InstallTask, context: InstallContext): Promise<void> {
  const { changes, snapshot } = await applyInstall(context.paths, task);
  const path = shortPath(snapshot.path, context.environment);
  say(`${title}: ${describeEntries(task.file)} ${changes ? "written to" : "are already in"} ${path}`, context, 2);
}

/**
 * Reports agents whose settings lost the new hooks again, because a running agent may save its old settings. Returns
 * true if there are any.
 */
export async function reportOverwritten(applied: readonly AgentPlan[], context: InstallContext): Promise<boolean> {
  let isOverwritten = false;
  for (const { title, task } of applied.flatMap(({ agent, mains }) => mains.map((main) => ({ ...agent, ...main })))) {
    const now = await previewInstall(context.paths, task).catch((error: unknown) => {
      if (error instanceof SettingsError) return undefined;
      throw error;
    });
    if (now && !now.changes) continue;
    isOverwritten = true;
    const path = shortPath(task.file.path, context.environment);
    say(
      `${title} has overwritten ${path}, and beckon's ${describeEntries(task.file)} are gone. ` +
        `Close ${title}, then run this command again.`,
      context,
    );
  }
  return isOverwritten;
}

/** Prints the steps left for the user before hooks run: a restart, trusting a folder, a review in the agent. */
export async function printNextSteps(applied: readonly AgentPlan[], context: InstallPlanContext): Promise<void> {
  const { environment, beckonCommands } = context;
  const lines: string[] = [];
  for (const plan of applied) {
    const { title, settings } = plan.agent;
    if (isServerPlan(plan)) {
      if (changesAnything(plan)) lines.push(`  ${title}: Restart running sessions: tools are loaded at start.`);
      continue;
    }
    const ofProject = plan.scope === "user" ? [] : (settings.afterProjectInstall ?? []);
    const files = await inspectAgent(plan.agent, environment, beckonCommands);
    const isChanged = changesAnything(plan);
    const trust = isChanged ? undefined : await readTrust(plan.agent, environment, files, beckonCommands);
    const trustSteps = trust?.state === "untrusted" || trust?.state === "undecided" ? [trust.cure ?? ""] : [];
    const steps = isChanged ? [...settings.afterInstall, ...ofProject] : trustSteps;
    const ignored = files.filter(({ scope, ignoredFor }) => scope === plan.scope && ignoredFor.length > 0);
    const repairs = ignored.map(({ file, ignoredFor }) => {
      const problems = ignoredFor.map(({ problem }) => problem).join("; ");
      return `It ignores ${shortPath(file.path, environment)} until you repair this: ${problems}.`;
    });
    const named = (sentence: string) => (sentence.startsWith(title) ? sentence : `${title}: ${sentence}`);
    lines.push(...[...repairs, ...steps].map((sentence) => `  ${named(sentence)}`));
  }
  if (lines.length > 0) context.print("\nNext steps:");
  for (const line of lines) say(line, context, 4);
}

/** True for a plan that registers tools. */
function isServerPlan({ mains }: AgentPlan): boolean {
  return mains.every(({ task }) => isServerFile(task.file));
}

/** Planned removal of hooks from files. */
export interface Removals {
  readonly changes: readonly FileChange[];
  /** Files that cannot be edited safely, whose reasons are already printed. */
  readonly refused: readonly RemovedFile[];
}

/** Plans to remove beckon's hooks from files, without writing them. */
export async function planRemovals(tasks: readonly SettingsTask[], context: InstallContext): Promise<Removals> {
  const changes: FileChange[] = [];
  const refused: RemovedFile[] = [];
  for (const task of tasks) {
    const title = context.agents.find(({ name }) => name === task.agent)?.title ?? task.agent;
    await refusing({ agent: task.agent, path: task.file.path }, refused, context, async () => {
      changes.push({ title, task, planned: await previewUninstall(context.paths, task) });
    });
  }
  return { changes, refused };
}

/** Removes beckon's hooks from files and prints the results. */
export async function applyRemovals(
  changes: readonly FileChange[],
  context: InstallContext,
): Promise<readonly RemovedFile[]> {
  const results: RemovedFile[] = [];
  const home = shortPath(context.paths.root, context.environment); // the file may have hooks of another one
  for (const { task } of changes) {
    await refusing({ agent: task.agent, path: task.file.path }, results, context, async () => {
      const { snapshot, before, after, changes: isChanged } = await applyUninstall(context.paths, task);
      const path = shortPath(snapshot.path, context.environment);
      const what = describeEntries(task.file);
      if (before === undefined) context.print(`${path} no longer exists.`);
      else if (!isChanged) context.print(`${path} no longer has ${what} of ${home}.`);
      else context.print(after === undefined ? `Removed ${path}` : `Removed beckon's ${what} from ${path}`);
      results.push({ agent: task.agent, path: snapshot.path, result: isChanged ? "removed" : "unchanged" });
    });
  }
  return results;
}

/**
 * Acts on an agent's settings. If they are refused, prints the reason and adds it to the results.
 * @param about.path file of the result; default: the refused one
 * @param about.hooksOf agent whose hooks the advice is about
 */
export async function refusing(
  about: { readonly agent: string; readonly path?: string; readonly hooksOf?: InstallableAgent },
  results: { push(refused: InstalledFile & { readonly result: "refused" }): unknown },
  context: InstallContext,
  act: () => Promise<void>,
): Promise<void> {
  const error = await catchSettingsError(act);
  if (!error) return;
  const { agent, path = error.file, hooksOf } = about;
  printRefusal(context, error, hooksOf);
  results.push({ agent, path, result: "refused", message: error.message });
}
