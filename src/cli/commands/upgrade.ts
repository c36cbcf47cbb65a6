import type { Upgrade } from "../../../docs/output.d.ts";
import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { CommandError } from "../../core/errors.ts";
import { shellWord } from "../../installer/agents/command-line.ts";
import { commandFile } from "../../installer/app/command-link.ts";
import { setUpApp } from "../../installer/app/set-up-app.ts";
import { knownBeckonCommands } from "../../installer/beckon-commands.ts";
import { type FileUpgrade, planUpgrade } from "../../installer/plan-upgrade.ts";
import { compareVersions } from "../../text/version.ts";
import type { RegisterCommand } from "../context.ts";
import { sayIfCancelled } from "../errors.ts";
import { jsonLine } from "../output/json-line.ts";
import { say, shortPath, shortPaths } from "../say.ts";
import { readVersion } from "./doctor/installation.ts";
import { applyPlans, printNextSteps, reportOverwritten } from "./install/apply-plans.ts";
import {
  addChangeOptions,
  type ChangeOptions,
  createInstallContext,
  type InstallContext,
  readAsking,
} from "./install/context.ts";
import { askToAgree, changesIn, printDiffs, printSummary } from "./install/print-plan.ts";

/** Declares `beckon upgrade`: replaces the installed package with this one and updates the hooks. */
export const registerUpgrade: RegisterCommand = (command, run) => {
  addChangeOptions(command, "an upgrade that changes hooks then needs --yes").action((options: ChangeOptions) =>
    run((cli) => runUpgrade(options, createInstallContext(cli))),
  );
};

/** Runs `beckon upgrade`. Returns the exit code: 0 done, 1 incomplete. @throws {CommandError | SettingsError} */
export async function runUpgrade(options: ChangeOptions, context: InstallContext): Promise<number> {
  const quiet = options.json ? { ...context, isInteractive: false, print: () => {} } : context;
  requireOwnRoot(context);
  const versions = readVersions(context);
  const { report, exitCode } = await upgrade(versions, options, quiet);
  if (options.json) context.print(jsonLine(report));
  return exitCode;
}

type Versions = Pick<Upgrade, "from" | "to">;

/** Reads the installed and the new version. @throws {CommandError} if there is nothing to upgrade */
function readVersions({ paths, packageRoot, environment }: InstallContext): Versions {
  const from = readVersion(paths.app);
  const to = readVersion(packageRoot);
  const root = shortPath(paths.root, environment);
  if (from === undefined) throw new CommandError(`beckon is not installed in ${root}`, "To install it: beckon install");
  if (to === undefined) throw new CommandError(`the package in ${packageRoot} has no version`, "Rebuild it.");
  if (compareVersions(to, from) >= 0) return { from, to };
  throw new CommandError(
    `beckon ${from} is installed, which is newer than this version (${to})`,
    `To downgrade: node ${shellWord(commandFile({ app: packageRoot }))} install`,
  );
}

async function upgrade({ from, to }: Versions, options: ChangeOptions, context: InstallContext) {
  const { print, paths, environment } = context;
  const beckonCommands = await knownBeckonCommands(paths, context.environment.home);
  const files = await planUpgrade({ ...context, beckonCommands, asking: await readAsking(paths) });
  const result = (done: boolean, exitCode: number) => ({
    report: { from, to, done, files: files.map((file) => describeFile(file, done)) },
    exitCode,
  });
  const again = `beckon ${to} is already installed; installing it again. A newer clone or package brings a newer one.`;
  say(from === to ? again : `beckon ${from} → ${to}`, context);
  for (const file of files) show(file, context);
  const plans = files.flatMap(({ plan }) => plan ?? []);
  const changes = plans.flatMap(changesIn);
  printSummary(
    context,
    changes,
    plans.flatMap(({ warnings }) => warnings),
  );
  if (options.diff) printDiffs(context, changes);
  const isRefused = files.some(({ result: word }) => word === "refused");
  if (options.dryRun) {
    print("Dry run: nothing was written.");
    return result(false, isRefused ? 1 : 0);
  }
  const consent = { ...options, cure: "Run this with --yes." };
  const agree = () => askToAgree(() => "Make these changes?", changes, consent, context);
  if (!(await sayIfCancelled(agree, context, () => "Nothing was changed."))) return result(false, 1);
  await setUpApp(context);
  const next = `A running worker finishes its events first; the next one runs ${to}.`;
  say(`${shortPath(paths.app, environment)} is now ${to}. ${next}`, context);
  const updated = files.flatMap(({ result: word, plan }) => (word === "updated" && plan ? [plan] : []));
  const applied = await applyPlans(updated, context);
  const isOverwritten = await reportOverwritten(applied, context);
  await printNextSteps(applied, { ...context, beckonCommands });
  return result(true, isRefused || isOverwritten || applied.length < updated.length ? 1 : 0);
}

/** Describes a file for programs. */
function describeFile({ plan: _, ...file }: FileUpgrade, done: boolean): Upgrade["files"][number] {
  return { ...file, result: file.result === "updated" && !done ? "would-update" : file.result };
}

/** Prints the reason why a file is not upgraded. */
function show({ agent, path, result, message = "", hint, plan }: FileUpgrade, context: InstallContext): void {
  if (plan) return;
  const { environment } = context;
  if (result === "left") say(`${shortPath(path, environment)} (${agent}): ${message}; left unchanged.`, context);
  else say(`${shortPaths(message, environment)}.${hint === undefined ? "" : ` ${hint}`}`, context);
}
