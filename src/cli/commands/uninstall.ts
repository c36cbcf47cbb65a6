import { existsSync } from "node:fs";
import { readdir, readFile, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { Option } from "commander";
import type { RemovedFile, Uninstall } from "../../../docs/output.d.ts";
import { requireOwnRoot } from "../../actions/require-own-root.ts";
import { resolveAgent } from "../../agents/registry.ts";
import { type Scope, scopes } from "../../core/agent-settings.ts";
import { CommandError, readErrno } from "../../core/errors.ts";
import type { Paths } from "../../files/paths.ts";
import type { InstallableAgent } from "../../installer/agents/installable.ts";
import {
  addedPathLines,
  commandIn,
  commandLinks,
  createdPaths,
  removeCreated,
  removePathLines,
  unlinkCommand,
} from "../../installer/app/command-link.ts";
import { isCopy } from "../../installer/app/set-up-app.ts";
import { cureForRelativeFolder, describeRelativeRoot } from "../../installer/environment-warnings.ts";
import { filesWithBeckonHooks } from "../../installer/inspect.ts";
import { installedPlugins } from "../../installer/plugins/plugin-files.ts";
import { cleanLine } from "../../text/clean.ts";
import type { RegisterCommand } from "../context.ts";
import { sayIfCancelled } from "../errors.ts";
import { jsonLine } from "../output/json-line.ts";
import { say, shortPath } from "../say.ts";
import { applyRemovals, planRemovals } from "./install/apply-plans.ts";
import {
  addChangeOptions,
  type ChangeOptions,
  checkAgents,
  createInstallContext,
  type InstallContext,
} from "./install/context.ts";
import { askToAgree, describeChange, type FileChange, printDiffs, printSummary } from "./install/print-plan.ts";

interface UninstallOptions extends ChangeOptions {
  /** Names of agents; default: all. */
  readonly agents?: readonly string[] | undefined;
  /** Scope of the settings files; default: all scopes. */
  readonly scope?: Scope;
  /** True also deletes beckon's folder: program, configuration, secrets, journal and waiting events. */
  readonly purge?: boolean;
}

interface UninstallFlags extends Omit<UninstallOptions, "agents"> {
  readonly agent?: readonly string[];
}

/** Declares `beckon uninstall`: removes the hooks, and with `--purge` everything else. */
export const registerUninstall: RegisterCommand = (command, run) => {
  const declared = command
    .option("--agent <name...>", "only these agents; default: all")
    .addOption(
      new Option(
        "--scope <scope>",
        "only settings files of this scope: yours, a project's, or yours for one project; default: all",
      ).choices(scopes),
    )
    .option(
      "--purge",
      "if no hooks are left, also delete beckon's folder: program, configuration, secrets, journal, waiting events",
    );
  const need = "changed settings files then need --yes or --agent, and --purge needs --yes";
  addChangeOptions(declared, need).action(({ agent, ...flags }: UninstallFlags) => {
    const agents = agent?.map(resolveAgent);
    return run((cli) => runUninstall({ ...flags, agents }, createInstallContext(cli)));
  });
};

/**
 * Runs `beckon uninstall`. Returns the exit code: 0 done, 1 incomplete.
 * @throws {UsageError | CommandError | SettingsError}
 */
export async function runUninstall(options: UninstallOptions, context: InstallContext): Promise<number> {
  checkAgents(options.agents ?? [], context.agents);
  requireOwnRoot(context);
  const relative = describeRelativeRoot(context.environment, context.paths.root);
  if (relative !== undefined) throw new CommandError(relative, cureForRelativeFolder);
  const quiet = options.json ? { ...context, isInteractive: false, print: () => {} } : context;
  const removed: RemovedFile[] = [];
  const report = await sayIfCancelled(
    () => uninstall(options, quiet, removed),
    context,
    () => (removed.length > 0 ? `The hooks are removed. Kept ${shownRoot(context)}` : "Nothing was changed."),
  );
  if (options.json) context.print(jsonLine(report));
  return report.done || options.dryRun ? Number(report.files.some(({ result }) => result === "refused")) : 1;
}

/** @param removed gets the files that were changed */
async function uninstall(
  options: UninstallOptions,
  context: InstallContext,
  removed: RemovedFile[],
): Promise<Uninstall> {
  const { changes, refused } = await planRemovals(await filesWithBeckonHooks(context, options), context);
  const changing = changes.filter(({ planned }) => planned.changes);
  if (options.dryRun) printSummary(context, changes);
  else if (!options.yes) printSummary(context, changing);
  if (options.diff) printDiffs(context, changing);
  if (options.dryRun && options.purge) await printPurge(context);
  if (options.dryRun) context.print("Dry run: nothing was written.");
  if (options.dryRun || !(await askToAgree(question, changing, options, context))) {
    const files = [
      ...refused,
      ...changes.map((change) => describeChange<RemovedFile["result"]>(change, "would-remove", "unchanged")),
    ];
    return { done: false, files, folder: options.purge ? "would-remove" : "kept" };
  }
  removed.push(...(await applyRemovals(changes, context)));
  const results = [...refused, ...removed];
  const usual = join(context.environment.home, ".beckon");
  if (context.paths.root !== usual && removed.length > 0 && existsSync(join(usual, "hook")))
    say(`To let the hooks call ${usual} instead: ${commandIn(usual, "install")}`, context);
  if (results.length === 0) context.print(`No settings files contain hooks of ${shownRoot(context)}.`);
  await printPlugins(options, context);
  const isRefused = results.some(({ result }) => result === "refused");
  if (!options.purge) {
    if (!options.agents && !options.scope) printKept(context);
    return { done: !isRefused, files: results, folder: "kept" };
  }
  const isPurged = !isRefused && (await purge(options, context));
  if (isRefused) say(`Kept ${shownRoot(context)}: beckon's hooks are still in a settings file.`, context);
  return { done: isPurged, files: results, folder: isPurged ? "removed" : "kept" };
}

/** Prints what stays after the hooks are gone, with the command that deletes it. */
function printKept(context: InstallContext): void {
  const kept = [context.paths.root, ...commandLinks(context)].filter((path) => existsSync(path));
  const lines = addedPathLines(context).map(({ file }) => `a line in ${shortPath(file, context.environment)}`);
  const names = [...kept.map((path) => shortPath(path, context.environment)), ...lines].join(", ");
  if (names !== "") say(`Kept: ${names}. To delete everything: beckon uninstall --purge`, context);
}

/** Prints what `--purge` would delete. */
async function printPurge(context: InstallContext): Promise<void> {
  const { paths, environment } = context;
  const names = (await readdir(paths.root).catch(() => [])).filter((name) => isOurs(name) && !isCopy(name)).toSorted();
  if (names.length > 0) say(`Would delete from ${shownRoot(context)}: ${names.join(", ")}`, context);
  const service = (await import("./relay/user-service.ts")).relayService(context, process.execPath)?.file ?? "";
  for (const path of [service, ...commandLinks(context)].filter((file) => existsSync(file)))
    say(`Would remove ${shortPath(path, environment)}`, context);
  for (const { file } of addedPathLines(context))
    say(`Would remove beckon's line from ${shortPath(file, environment)}`, context);
  for (const path of createdPaths(context)) say(`Would remove ${shortPath(path, environment)}, if empty then`, context);
}

/** Prints the agents that run beckon as a plugin, with the commands that remove it. */
async function printPlugins({ agents: names = [], purge }: UninstallOptions, context: InstallContext): Promise<void> {
  const isSelected = ({ name }: InstallableAgent) => names.length === 0 || names.includes(name);
  for (const agent of context.agents.filter(isSelected)) {
    for (const { word, uninstallCommand } of await installedPlugins(agent, context.environment)) {
      const effect = purge ? ", which would set beckon up again" : "";
      say(`${agent.title} still has beckon's ${word}${effect}. To remove it: ${uninstallCommand}`, context);
    }
  }
}

function question({ length }: readonly FileChange[]): string {
  return `Remove beckon's hooks from ${length === 1 ? "this file" : `these ${length} files`}?`;
}

/** Deletes beckon's folder, if the user agrees and no hooks are left. Returns true if nothing of the folder is left. */
async function purge({ yes }: UninstallOptions, context: InstallContext): Promise<boolean> {
  const { print, paths, isInteractive, confirm } = context;
  const root = shownRoot(context);
  const others = await filesWithBeckonHooks(context);
  if (others.length > 0) {
    const files = others.map(({ file }) => shortPath(file.path, context.environment)).join(", ");
    say(`Kept ${root}: beckon's hooks are still in ${files}.`, context);
    return false;
  }
  const question = `Delete ${root} with the configuration, saved secrets, journal and waiting events? This cannot be undone.`;
  if (!yes && !(isInteractive && (await confirm(question, false)))) {
    if (isInteractive) printKept(context);
    else print(`Kept ${root}, because there is no terminal to ask on. Use --yes to delete it.`);
    return false;
  }
  const service = existsSync(paths.relay)
    ? await (await import("./relay/user-service.ts")).removeService(context)
    : undefined;
  if (service !== undefined) say(`Removed ${shortPath(service, context.environment)}`, context);
  for (const link of await unlinkCommand(context)) say(`Removed ${shortPath(link, context.environment)}`, context);
  for (const file of await removePathLines(context))
    say(`Removed beckon's line from ${shortPath(file, context.environment)}`, context);
  for (const path of removeCreated(context))
    say(`Removed ${shortPath(path, context.environment)}, which beckon had created`, context);
  const left = await purgeRoot(paths);
  if (left === undefined) say(`${root} no longer exists.`, context);
  else if (left.length === 0) say(`Removed ${root}`, context);
  else say(`Kept ${root}, because it contains other files: ${left.map(cleanLine).join(", ")}`, context);
  return !left?.length;
}

function shownRoot({ paths, environment }: InstallContext): string {
  return shortPath(paths.root, environment);
}

/** Names of the files and folders that beckon keeps in its root. */
const beckonNames = "app hook config.jsonc config.schema.json secrets spool journal state relay asks".split(" ");

/** Suffix of a temporary file that an installer left behind. */
const tempFileSuffix = /\.[0-9a-f]{16}\.tmp$/;

function isOurs(name: string): boolean {
  return beckonNames.includes(name.replace(tempFileSuffix, "")) || isCopy(name);
}

/**
 * Removes beckon's files from its root, and then the root if it is empty. Removes nothing from a folder that is not
 * beckon's root. Returns the names of the files that stay; undefined if there is no root.
 */
async function purgeRoot({ root }: Pick<Paths, "root">): Promise<string[] | undefined> {
  const names = await readdir(root).catch((error: unknown) => {
    if (readErrno(error) === "ENOENT") return undefined;
    throw error;
  });
  if (!names) return undefined;
  if (names.length > 0 && !(await isRoot(root))) return names;
  // A worker may be writing its last lines there.
  const options = { recursive: true, force: true, maxRetries: 5 };
  for (const name of names.filter(isOurs)) await rm(join(root, name), options);
  const left = names.filter((name) => !isOurs(name));
  if (left.length === 0) await rmdir(root);
  return left;
}

/**
 * Checks if a folder is beckon's root by the content of its app or launcher, because other folders may have a `state`
 * and a `hook` too.
 */
async function isRoot(root: string): Promise<boolean> {
  const read = (path: string) => readFile(path, "utf8").catch(() => ""); // missing, or not a file
  if (/"name": "beckon"/.test(await read(join(root, "app", "package.json")))) return true;
  return (await read(join(root, "hook"))).includes("beckon");
}
