import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ConfigRemove, ConfigSet } from "../../../../docs/output.d.ts";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { type Config, type Finding, listUnrouted, takesRequests } from "../../../config/config.ts";
import { removeNotifier, setValue, unsetValue } from "../../../config/edit/edit-config.ts";
import { editConfig } from "../../../config/edit/store.ts";
import { lastGoodNote, loadConfig } from "../../../config/load.ts";
import { parseConfig } from "../../../config/parse.ts";
import { CommandError, UsageError } from "../../../core/errors.ts";
import { parseJson, toObject } from "../../../core/json-value.ts";
import { isPrivate, referencePattern } from "../../../core/secret.ts";
import { expandHome } from "../../../files/paths.ts";
import { isPattern } from "../../../text/glob.ts";
import type { CliContext } from "../../context.ts";
import { type JsonOption, jsonLine } from "../../output/json-line.ts";
import { printFindings, say, shortPath } from "../../say.ts";

/**
 * Runs `beckon config set` and `beckon config unset`: changes one setting in the file, unless the file would then have
 * a problem that it did not have before. Returns exit code 0.
 * @param name path of the setting: `attention.quiet`, `routes.0.kinds`
 * @param text new value, as JSON or as a plain text; undefined removes the setting
 * @throws {UsageError | CommandError | SettingsError} if the setting cannot be changed; the file is then unchanged
 */
export async function runConfigSet(
  name: string,
  text: string | undefined,
  { json }: JsonOption,
  context: CliContext,
): Promise<number> {
  const { paths, environment, print } = context;
  requireOwnRoot(context);
  const path = readPath(name);
  const value = text === undefined ? undefined : (parseJson(text) ?? text);
  const { findings, routes } = await loadConfig(paths.config);
  await editConfig(
    paths,
    (before) =>
      value === undefined ? unsetValue(before, paths.config, path) : setValue(before, paths.config, path, value),
    async (after) => {
      const config = await parseConfig(after);
      if (value !== undefined) refuseSecret(path, value, config);
      refuseNewProblem(config.findings, findings);
      if (value !== undefined && /^answers(\.projects.*)?$/.test(path.join("."))) refuseMissingFolder(config);
    },
  );
  if (json) print(jsonLine({ path: name, file: paths.config, isSet: value !== undefined } satisfies ConfigSet));
  else {
    const route = path[0] === "routes" ? routes[Number(path[1])] : undefined; // other output counts routes from 1
    const setting = route ? `${name} (the route to ${route.to.join(", ")})` : name;
    const change = value === undefined ? `Removed ${setting} from` : `Set ${setting} in`;
    say(`${change} ${shortPath(paths.config, environment)}`, context);
    const now = await loadConfig(paths.config);
    printFindings(findNew(now.findings, findings).filter(isNotice), context);
    const unrouted = path[0] === "routes" ? listUnrouted(now) : [];
    if (unrouted.length > 0) say(`Without a route, and so without events: ${unrouted.join(", ")}`, context);
    if (now.findings.includes(lastGoodNote))
      say("It does not apply before the file's errors are corrected: beckon config check", context);
    if (/^answers(\.(agents|wait)|$)/.test(path.join(".")))
      say("To let the agents' hooks follow: beckon install", context);
  }
  return 0;
}

/** Lists the findings that were not there before. */
function findNew(after: readonly Finding[], before: readonly Finding[]): Finding[] {
  return after.filter(({ path, message }) => !before.some((old) => old.path === path && old.message === message));
}

/** True for a warning about a setting that may be meant. */
function isNotice({ level, path }: Finding): boolean {
  return level === "warning" && ["routes", "answers.when"].includes(path);
}

/** Explains that a folder does not exist; undefined for a pattern, which may match later. */
export function explainMissingFolder(folder: string): string | undefined {
  return isPattern(folder) || existsSync(expandHome(folder)) ? undefined : `there is no folder ${folder}`;
}

/** @throws {CommandError} if a folder whose requests may be answered does not exist */
function refuseMissingFolder({ answers }: Pick<Config, "answers">): void {
  const problem = answers?.projects.map(explainMissingFolder).find((text) => text !== undefined);
  if (problem !== undefined)
    throw new CommandError(`answers.projects: ${problem}`, "The configuration was not changed.");
}

/** Splits `routes.0.kinds` or `routes[0].kinds` into its names and numbers. */
function readPath(name: string): (string | number)[] {
  const parts = name.replace(/\[(\d+)\]/g, ".$1").split(".");
  if (parts.includes("")) throw new UsageError(`${JSON.stringify(name)} is not a setting`, "Try `attention.quiet`.");
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

/** @throws {UsageError} if the value at a path is or has a notifier's secret, or a name that `config add` hides */
function refuseSecret(path: readonly (string | number)[], value: unknown, { notifiers }: Pick<Config, "notifiers">) {
  const given = toObject(path.reduceRight((inner, part) => ({ [part]: inner }), value));
  for (const [name, settings] of Object.entries(toObject(given.notifiers))) {
    const { shape = {} } = notifiers.get(name)?.notifier.settings ?? {};
    for (const [key, setting] of Object.entries(toObject(settings))) {
      const isPlain = typeof setting === "string" && !referencePattern.test(setting);
      if (!isPlain || !shape[key] || !isPrivate(shape[key])) continue;
      const hint = `Other users can see it in the list of processes. Use a reference such as \${env:NAME} or \${file:/path}.`;
      throw new UsageError(`notifiers.${name}.${key} is private and must not be on the command line`, hint);
    }
  }
}

/** @throws {CommandError} for the first problem that was not there before, but for notices */
export function refuseNewProblem(after: readonly Finding[], before: readonly Finding[]): void {
  const found = findNew(after, before).find((finding) => !isNotice(finding));
  if (!found) return;
  const { path, hint = "The configuration was not changed." } = found;
  const message = found.message.replace(", ignored", "");
  throw new CommandError(path === "" || message.startsWith(path) ? message : `${path}: ${message}`, hint);
}

/**
 * Runs `beckon config remove`: removes a notifier from the configuration, and the secrets that `config add` saved for
 * it. Returns exit code 0.
 * @throws {CommandError | SettingsError} if there is no such notifier, or the file cannot be changed
 */
export async function runConfigRemove(name: string, { json }: JsonOption, context: CliContext): Promise<number> {
  const { paths, environment, print } = context;
  requireOwnRoot(context);
  const secrets: string[] = [];
  await editConfig(paths, (text) => {
    const after = removeNotifier(text, paths.config, name);
    const start = join(paths.root, "secrets", `${name}-`);
    // A file that the configuration still refers to stays.
    for (const [reference, file = ""] of text.matchAll(/\$\{file:([^}"]+)\}/g))
      if (expandHome(file).startsWith(start) && !after.includes(reference)) secrets.push(expandHome(file));
    return after;
  });
  for (const file of secrets) rmSync(file, { force: true });
  const { routes, hasRoutes } = await loadConfig(paths.config);
  if (json) {
    const removed = { name, file: paths.config, secretFiles: secrets, hasRoutes: !hasRoutes || routes.length > 0 };
    print(jsonLine(removed satisfies ConfigRemove));
    return 0;
  }
  say(`Removed ${name} from ${shortPath(paths.config, environment)}`, context);
  for (const file of secrets) say(`Removed its secret, ${shortPath(file, environment)}`, context);
  if (!takesRequests(routes))
    say("No route takes requests (needs-you) to a notifier now. To add a notifier: beckon config add", context);
  return 0;
}
