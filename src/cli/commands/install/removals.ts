import type { RemovedFile } from "../../../../docs/output.d.ts";
import { catchSettingsError } from "../../../core/errors.ts";
import { applyUninstall, previewUninstall } from "../../../installer/apply.ts";
import { describeEntries } from "../../../installer/plan-agent.ts";
import type { SettingsTask } from "../../../installer/plan-file.ts";
import { shortPath } from "../../say.ts";
import type { InstallContext } from "./context.ts";
import { type FileChange, printRefusal } from "./print-plan.ts";

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
    await refusing(task, refused, context, async () => {
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
  for (const { task } of changes) {
    await refusing(task, results, context, async () => {
      const { snapshot, before, after, changes: isChanged } = await applyUninstall(context.paths, task);
      const path = shortPath(snapshot.path, context.environment);
      const what = describeEntries(task.file);
      if (before === undefined) context.print(`${path} no longer exists.`);
      else if (!isChanged) context.print(`${path} no longer has beckon's ${what}.`);
      else context.print(after === undefined ? `Removed ${path}` : `Removed beckon's ${what} from ${path}`);
      results.push({ agent: task.agent, path: snapshot.path, result: isChanged ? "removed" : "unchanged" });
    });
  }
  return results;
}

async function refusing(task: SettingsTask, results: RemovedFile[], context: InstallContext, act: () => Promise<void>) {
  const error = await catchSettingsError(act);
  if (!error) return;
  printRefusal(context, error);
  results.push({ agent: task.agent, path: task.file.path, result: "refused", message: error.message });
}
