import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { setUpApp } from "../../installer/app/set-up-app.ts";
import { knownBeckonCommands } from "../../installer/beckon-commands.ts";
import { type FileUpgrade, planUpgrade } from "../../installer/plan-upgrade.ts";
import { compareVersions } from "../../text/version.ts";
import type { RegisterCommand } from "../context.ts";
import { readVersion } from "./doctor/installation.ts";
import { applyPlans, printNextSteps, reportOverwritten } from "./install/apply-plans.ts";
import { askToAgree } from "./install/confirm-changes.ts";
import { createInstallContext, type InstallContext } from "./install/context.ts";
import { changesIn, printDiff, printSummary } from "./install/print-plan.ts";

interface UpgradeOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Output of `upgrade --json`. */
export interface UpgradeReport {
  readonly from: string;
  readonly to: string;
  /** True if the upgrade was done; false for a dry run, or if the user declined. */
  readonly done: boolean;
  readonly files: readonly Omit<FileUpgrade, "plan">[];
}

/** Declares `beckon upgrade`: replaces the installed package with this one and updates the hooks. */
export const registerUpgrade: RegisterCommand = (command, run) => {
  command
    .option("--dry-run", "show the changes without making them")
    .option("--yes", "do not ask before making changes")
    .option("--json", "print one JSON object and never ask, so that changes need --yes")
    .action((options: UpgradeOptions) => run((cli) => runUpgrade(options, createInstallContext(cli))));
};

/** Runs `beckon upgrade`. Returns the exit code: 0 done, 1 incomplete. @throws {CommandError} {SettingsError} */
export async function runUpgrade(options: UpgradeOptions, context: InstallContext): Promise<number> {
  const quiet = options.json ? { ...context, isInteractive: false, print: () => {} } : context;
  requireOwnRoot(context);
  const versions = readVersions(context);
  if (typeof versions === "string") {
    context.print(options.json ? JSON.stringify({ done: false, message: versions }) : versions);
    return 1;
  }
  const { report, exitCode } = await upgrade(versions, options, quiet);
  if (options.json) context.print(JSON.stringify(report));
  return exitCode;
}

type Versions = Pick<UpgradeReport, "from" | "to">;

/** Reads the installed and the new version, or returns the reason why there is nothing to do. */
function readVersions({ paths, packageRoot }: InstallContext): Versions | string {
  const from = readVersion(paths.app);
  const to = readVersion(packageRoot);
  if (from === undefined) return `beckon is not installed in ${paths.root}. To install it: beckon install`;
  if (to === undefined) return `the package in ${packageRoot} has no version. Rebuild it.`;
  if (compareVersions(to, from) >= 0) return { from, to };
  return (
    `beckon ${from} is installed, which is newer than this version (${to}). ` +
    `To downgrade, run \`beckon install\` from ${packageRoot}.`
  );
}

async function upgrade({ from, to }: Versions, options: UpgradeOptions, context: InstallContext) {
  const { print, paths } = context;
  const beckonCommands = await knownBeckonCommands(paths, context.environment.home);
  const files = await planUpgrade({ ...context, beckonCommands });
  const result = (done: boolean, exitCode: number) => ({
    report: { from, to, done, files: files.map(({ plan: _, ...file }) => file) },
    exitCode,
  });
  print(from === to ? `beckon ${to} is already installed; installing it again.` : `beckon ${from} → ${to}`);
  for (const file of files) show(file, context);
  const plans = files.flatMap(({ plan }) => plan ?? []);
  const changes = plans.flatMap(changesIn);
  if (options.dryRun) for (const { planned } of changes) printDiff(context, planned);
  printSummary(
    context,
    changes,
    plans.flatMap(({ warnings }) => warnings),
  );
  const isRefused = files.some(({ result: word }) => word === "refused");
  if (options.dryRun) {
    print("Dry run: nothing was written.");
    return result(false, isRefused ? 1 : 0);
  }
  const consent = { ...options, cure: "Run this with --yes." };
  if (!(await askToAgree(() => "Make these changes?", changes, consent, context))) return result(false, 1);
  await setUpApp(context);
  print(`${paths.app} is now ${to}. A running worker finishes its events first; the next one runs ${to}.`);
  const updated = files.flatMap(({ result: word, plan }) => (word === "updated" && plan ? [plan] : []));
  const applied = await applyPlans(updated, context);
  const isOverwritten = await reportOverwritten(applied, context);
  await printNextSteps(applied, { ...context, beckonCommands });
  return result(true, isRefused || isOverwritten || applied.length < updated.length ? 1 : 0);
}

/** Prints the reason why a file is not upgraded. */
function show({ agent, path, result, message = "", hint, plan }: FileUpgrade, context: InstallContext): void {
  if (plan) return;
  if (result === "left") context.print(`${path} (${agent}): ${message}; left unchanged.`);
  else context.print(`${message}.${hint === undefined ? "" : ` ${hint}`}`);
}
