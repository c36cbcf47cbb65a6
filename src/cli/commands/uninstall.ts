import type { Scope } from "../../core/agent-settings.ts";
import { cleanLine } from "../../core/clean.ts";
import { SettingsError } from "../../core/errors.ts";
import { applyUninstall, previewUninstall } from "../../installer/apply.ts";
import type { FileJob, PlannedFile } from "../../installer/plan-agent.ts";
import { purgeRoot } from "../../installer/app/purge-root.ts";
import type { InstallContext } from "./install/context.ts";
import { unknownAgent } from "./install/options.ts";
import { ownFiles } from "../install/own-files.ts";
import { sayFailure, sayRefusal, showDiff } from "./install/print-plan.ts";

export interface UninstallOptions {
  /** Names of agents; none: all. */
  readonly agents?: readonly string[];
  /** None: all. */
  readonly scope?: Scope;
  /** Remove beckon's own folder as well: configuration, journal and events that wait. */
  readonly purge?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `beckon uninstall`. Returns the exit code: 0 done, 1 something was not done, 2 wrong usage. */
export async function runUninstall(options: UninstallOptions, context: InstallContext): Promise<0 | 1 | 2> {
  const unknown = unknownAgent(options.agents ?? []);
  if (unknown !== undefined) {
    context.print(unknown);
    return 2;
  }
  try {
    return await uninstall(options, context);
  } catch (error) {
    return sayFailure(context, error);
  }
}

async function uninstall(options: UninstallOptions, context: InstallContext): Promise<0 | 1> {
  const jobs = await ownFiles(context, options);
  const run = options.dryRun ? previewUninstall : applyUninstall;
  let failed = false;
  let removed = 0;
  for (const job of jobs) {
    try {
      const planned = await run(context.paths, job);
      if (planned.changes) removed += 1;
      report(context, options, planned);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      failed = true;
      sayRefusal(context, error);
    }
  }
  if (removed === 0 && !failed) context.print("No settings file has hooks of beckon's.");
  if (!options.purge || options.dryRun) return failed ? 1 : 0;
  const others = await ownFiles(context);
  return failed || others.length > 0 ? keepRoot(others, context) : purge(options, context);
}

function report(context: InstallContext, { dryRun }: UninstallOptions, planned: PlannedFile): void {
  const { snapshot, before, after, changes } = planned;
  if (dryRun) showDiff(context, planned);
  else if (before === undefined) context.print(`${snapshot.path} is gone already.`);
  else if (!changes) context.print(`${snapshot.path} has no hooks of beckon's any more.`);
  else context.print(after === undefined ? `${snapshot.path} removed.` : `${snapshot.path} has lost beckon's hooks.`);
}

/** The launcher and the original bytes must outlive the last entry that calls the one and needs the other. */
function keepRoot(others: readonly FileJob[], { print, paths }: InstallContext): 1 {
  const files = others.map(({ file }) => file.path).join(", ");
  print(`${paths.root} stays, beckon's hooks are still in ${files || "a settings file"}.`);
  return 1;
}

async function purge({ yes }: UninstallOptions, context: InstallContext): Promise<0 | 1> {
  const { print, paths, isInteractive, ask } = context;
  if (!yes && isInteractive && !(await ask(`Remove ${paths.root}, with configuration, journal and waiting events?`))) {
    print(`${paths.root} stays.`);
    return 1;
  }
  const left = await purgeRoot(paths);
  if (left === undefined) print(`${paths.root} is gone already.`);
  else if (left.length === 0) print(`${paths.root} removed.`);
  else print(`${paths.root} stays, there is more in it than beckon's: ${left.map(cleanLine).join(", ")}`);
  return left?.length ? 1 : 0;
}
