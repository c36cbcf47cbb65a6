import { Option } from "commander";
import { type Scope, scopes } from "../../core/agent-settings.ts";
import { cleanLine } from "../../core/clean.ts";
import { SettingsError } from "../../core/errors.ts";
import { omitUndefined } from "../../core/omit-undefined.ts";
import { purgeRoot } from "../../installer/app/purge-root.ts";
import { applyUninstall, type PlannedFile, previewUninstall } from "../../installer/apply.ts";
import { filesWithBeckonHooks } from "../../installer/inspect.ts";
import type { SettingsTask } from "../../installer/plan-file.ts";
import type { RegisterCommand } from "../context.ts";
import { requireOwnRoot } from "../require-own-root.ts";
import { type InstallContext, installContextOf } from "./install/context.ts";
import { checkAgents } from "./install/options.ts";
import { printDiff, printRefusal } from "./install/print-plan.ts";

export interface UninstallOptions {
  /** Names of agents; none: all. */
  readonly agents?: readonly string[];
  /** None: all. */
  readonly scope?: Scope;
  /** Remove beckon's folder as well: program, configuration, journal and waiting events. */
  readonly purge?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

interface UninstallFlags extends Omit<UninstallOptions, "agents"> {
  readonly agent?: readonly string[];
}

/** `beckon uninstall`: removes the hooks, and with `--purge` everything else. */
export const registerUninstall: RegisterCommand = (command, run) => {
  command
    .option("--agent <name...>", "only these agents; default: all")
    .addOption(new Option("--scope <scope>", "only these settings; default: all").choices(scopes))
    .option("--purge", "remove beckon's own folder as well: program, configuration, journal, waiting events")
    .option("--dry-run", "show what would change, but change nothing")
    .option("--yes", "do not ask")
    .action(({ agent: agents, ...flags }: UninstallFlags) =>
      run((cli) => runUninstall({ ...flags, ...omitUndefined({ agents }) }, installContextOf(cli))),
    );
};

/**
 * Runs `beckon uninstall`. Returns the exit code: 0 done, 1 something was not done.
 * @throws {UsageError} {CommandError} {SettingsError}
 */
export async function runUninstall(options: UninstallOptions, context: InstallContext): Promise<number> {
  checkAgents(options.agents ?? [], context.agents);
  requireOwnRoot(context);
  const tasks = await filesWithBeckonHooks(context, options);
  const run = options.dryRun ? previewUninstall : applyUninstall;
  let failed = false;
  let removed = 0;
  for (const task of tasks) {
    try {
      const planned = await run(context.paths, task);
      if (planned.changes) removed += 1;
      report(context, options, planned);
    } catch (error) {
      if (!(error instanceof SettingsError)) throw error;
      failed = true;
      printRefusal(context, error);
    }
  }
  if (removed === 0 && !failed) context.print("No settings file has beckon's hooks.");
  if (!options.purge || options.dryRun) return failed ? 1 : 0;
  const others = await filesWithBeckonHooks(context);
  return failed || others.length > 0 ? keepRoot(others, context) : purge(options, context);
}

function report(context: InstallContext, { dryRun }: UninstallOptions, planned: PlannedFile): void {
  const { snapshot, before, after, changes } = planned;
  if (dryRun) printDiff(context, planned);
  else if (before === undefined) context.print(`${snapshot.path} does not exist any more.`);
  else if (!changes) context.print(`${snapshot.path} no longer has beckon's hooks.`);
  else context.print(after === undefined ? `Removed ${snapshot.path}` : `Removed beckon's hooks from ${snapshot.path}`);
}

/** Keeps the root while hooks are left: they call the launcher, and restoring their files needs the original bytes. */
function keepRoot(others: readonly SettingsTask[], { print, paths }: InstallContext): number {
  const files = others.map(({ file }) => file.path).join(", ");
  print(`Kept ${paths.root}: beckon's hooks are still in ${files || "a settings file"}.`);
  return 1;
}

async function purge({ yes }: UninstallOptions, context: InstallContext): Promise<number> {
  const { print, paths, isInteractive, ask } = context;
  if (!yes && isInteractive && !(await ask(`Remove ${paths.root}, with configuration, journal and waiting events?`))) {
    print(`Kept ${paths.root}`);
    return 1;
  }
  const left = await purgeRoot(paths);
  if (left === undefined) print(`${paths.root} does not exist any more.`);
  else if (left.length === 0) print(`Removed ${paths.root}`);
  else print(`Kept ${paths.root}, which holds files that are not beckon's: ${left.map(cleanLine).join(", ")}`);
  return left?.length ? 1 : 0;
}
