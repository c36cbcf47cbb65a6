import { setUpApp } from "../../installer/app/set-up-app.ts";
import { knownOwn } from "../../settings/known-own.ts";
import { compareVersions } from "../agents/versions.ts";
import { versionOf } from "./doctor/installation.ts";
import { reportLost, sayStillNeeded } from "../install/after-install.ts";
import { applyAll } from "./install/apply-plans.ts";
import type { InstallContext } from "./install/context.ts";
import { sayFailure, showPlan } from "./install/print-plan.ts";
import { type FileUpgrade, planUpgrade } from "../../installer/plan-upgrade.ts";

export interface UpgradeOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** What `upgrade --json` prints. */
export interface UpgradeReport {
  readonly from: string;
  readonly to: string;
  /** False for a dry run, and where nobody agreed. */
  readonly done: boolean;
  readonly files: readonly Omit<FileUpgrade, "plan">[];
}

/** `beckon upgrade`: this package in place of the installed one. Returns the exit code: 0 done, 1 something was not. */
export async function runUpgrade(options: UpgradeOptions, context: InstallContext): Promise<0 | 1> {
  const quiet = options.json ? { ...context, isInteractive: false, print: () => {} } : context;
  try {
    const versions = readVersions(context);
    if (typeof versions === "string") {
      context.print(options.json ? JSON.stringify({ done: false, message: versions }) : versions);
      return 1;
    }
    const { report, exitCode } = await upgrade(versions, options, quiet);
    if (options.json) context.print(JSON.stringify(report));
    return exitCode;
  } catch (error) {
    return sayFailure(context, error);
  }
}

interface Versions {
  readonly from: string;
  readonly to: string;
}

/** Old and new version, or why there is nothing to be done. */
function readVersions({ paths, packageRoot }: InstallContext): Versions | string {
  const from = versionOf(paths.app);
  const to = versionOf(packageRoot);
  if (from === undefined) return `beckon is not installed in ${paths.root}. Run: beckon install`;
  if (to === undefined) return `${packageRoot}: a package without a version. Build it anew.`;
  if (compareVersions(to, from) >= 0) return { from, to };
  return (
    `beckon ${from} is installed, this is ${to}: that would be no upgrade. ` +
    `If you mean to go back, run \`beckon install\` from ${packageRoot}.`
  );
}

async function upgrade({ from, to }: Versions, options: UpgradeOptions, context: InstallContext) {
  const { print, paths } = context;
  const own = await knownOwn(paths, context.home);
  const files = await planUpgrade(own, context);
  const result = (done: boolean, exitCode: 0 | 1) => ({
    report: { from, to, done, files: files.map(plain) },
    exitCode,
  });
  print(from === to ? `beckon ${to}, the version that is installed` : `beckon ${from} → ${to}`);
  for (const file of files) show(file, context);
  const isRefused = files.some(({ result: word }) => word === "refused");
  if (options.dryRun) {
    print("Dry run: nothing was written.");
    return result(false, isRefused ? 1 : 0);
  }
  if (!(await isAgreed(files, options, context))) return result(false, 1);
  await setUpApp(context);
  print(`${paths.app} is ${to}. A worker that runs goes on with what it has; the next one is the new one.`);
  const plans = files.flatMap(({ result: word, plan }) => (word === "updated" && plan ? [plan] : []));
  const applied = await applyAll(plans, context);
  const isLost = await reportLost(applied, context);
  await sayStillNeeded(applied, own, context);
  return result(true, isRefused || isLost || applied.length < plans.length ? 1 : 0);
}

function show({ agent, path, result, message = "", hint, plan }: FileUpgrade, context: InstallContext): void {
  if (plan) showPlan(context, plan);
  else if (result === "left") context.print(`${path} (${agent}): ${message}; left as it is.`);
  else context.print(`${message}.${hint === undefined ? "" : ` ${hint}`}`);
}

/** The toolkit is ours to replace; settings files are the user's. */
async function isAgreed(files: readonly FileUpgrade[], { yes }: UpgradeOptions, context: InstallContext) {
  const changing = files.filter(({ result }) => result === "updated").length;
  if (yes || changing === 0) return true;
  const agreed = context.isInteractive && (await context.ask("Make these changes?"));
  if (!agreed)
    context.print(`Nothing was changed.${context.isInteractive ? "" : " Nobody is here to agree: --yes does."}`);
  return agreed;
}

function plain({ plan: _, ...file }: FileUpgrade): Omit<FileUpgrade, "plan"> {
  return file;
}
