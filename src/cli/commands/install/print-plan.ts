import { join } from "node:path";
import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import { scopes } from "../../../core/agent-settings.ts";
import type { SettingsError } from "../../../core/errors.ts";
import { defaultRoot, shellWord } from "../../../installer/agents/command-line.ts";
import { type InstallableAgent, nameSnippet } from "../../../installer/agents/installable.ts";
import type { PlannedFile } from "../../../installer/apply.ts";
import { isBeckonCommand } from "../../../installer/beckon-commands.ts";
import { findPlace } from "../../../installer/editors/editor.ts";
import { editors } from "../../../installer/editors/registry.ts";
import { type Content, decodeSettings, isBlank } from "../../../installer/files/read-settings-file.ts";
import { type AgentPlan, isServerFile } from "../../../installer/plan-agent.ts";
import type { Plan, SettingsTask } from "../../../installer/plan-file.ts";
import { clean, cleanLine } from "../../../text/clean.ts";
import { counted } from "../../../text/time.ts";
import { formatRows, say, shortPath, shortPaths } from "../../say.ts";
import type { InstallContext, InstallOptions } from "./context.ts";

/** Planned change of a settings file. */
export interface FileChange {
  /** Title of the agent. */
  readonly title: string;
  readonly task: SettingsTask;
  readonly planned: PlannedFile;
}

/** Lists the file changes of a plan. */
export function changesIn({ agent: { title }, mains, others }: AgentPlan): FileChange[] {
  return [...mains, ...others].map(({ task, planned }) => ({ title, task, planned }));
}

/** Describes a file's change for programs, in one of two words. */
export function describeChange<Word>(
  { task, planned: { snapshot, changes } }: FileChange,
  word: Word,
  unchanged: Word,
) {
  return { agent: task.agent, path: snapshot.path, result: changes ? word : unchanged };
}

/** Prints the planned changes, one line per file, then the notes. */
export function printSummary(context: InstallContext, changes: readonly FileChange[], notes: readonly string[] = []) {
  const rows = changes.map(({ title, task, planned }, at) => [
    title === changes[at - 1]?.title ? "" : title,
    changeText(task, planned),
    shortPath(cleanLine(planned.snapshot.path), context.environment),
  ]);
  const { green, red } = context.colors;
  const paint = (cell: string, at: number) =>
    at === 1 && /^[+-]/.test(cell) ? (cell[0] === "+" ? green : red)(cell) : cell;
  if (rows.length > 0) context.print(["Changes:", ...formatRows(rows, context, paint)].join("\n"));
  for (const note of notes) say(`Note: ${shortPaths(note, context.environment)}`, context, 6);
}

/** Formats changes as `+4 hooks`, `-1 hook, 2 updated`, `up to date`. */
function changeText(task: SettingsTask, planned: PlannedFile): string {
  if (!planned.changes) return "up to date";
  const { added, removed, updated } = countChanges(task, planned);
  const what = isServerFile(task.file) ? "MCP server" : "hook";
  const parts = [
    added > 0 ? `+${counted(added, what)}` : "",
    removed > 0 ? `-${counted(removed, what)}` : "",
    updated > 0 ? `${counted(updated, what)} updated` : "",
  ].filter(Boolean);
  const file = planned.before === undefined ? ["new file"] : planned.after === undefined ? ["file removed"] : [];
  return [...(parts.length > 0 ? parts : ["changed"]), ...file].join(", ");
}

/** Prints the files' changes as unified diffs. */
export function printDiffs(
  { print, colors: { green, red }, environment }: InstallContext,
  changes: readonly FileChange[],
): void {
  const paint = (line: string) => (line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line);
  for (const { planned } of changes.filter(({ planned: { changes: isChanged } }) => isChanged)) {
    const { snapshot, before, after } = planned;
    const path = shortPath(snapshot.path, environment);
    const diff = unifiedDiff(path, before?.toString("utf8"), after?.toString("utf8"));
    if (diff !== "") print(diff.split("\n").map(paint).join("\n"));
  }
}

/**
 * Creates a unified diff with three lines of context, without terminal sequences; empty for equal texts. A file that
 * does not exist is named `/dev/null`.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const patch = structuredPatch(path, path, before ?? "", after ?? "", undefined, undefined, { context: 3 });
  // A lone `\r` must not move the cursor to the start of the line.
  const cleaned = (line: string) => clean(line.replace(/\r$/, "")).replaceAll("\n", " ");
  const hunks = patch.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(cleaned) }));
  const name = (side: string | undefined) => (side === undefined ? "/dev/null" : cleanLine(path));
  const body = formatPatch({ ...patch, hunks }, OMIT_HEADERS).replace(/\n$/, "");
  return [`--- ${name(before)}`, `+++ ${name(after)}`, body].join("\n");
}

/** Prints the reason for refusing a file, the cure and, with an agent, how to add its hooks manually. */
export function printRefusal(
  context: InstallContext,
  { message, hint, file }: SettingsError,
  agent?: InstallableAgent,
) {
  say(`${message}.${hint ? ` ${hint}` : ""}`, context);
  const snippet = agent && describeSnippet(agent, file, context);
  if (snippet) say(`To add the hooks yourself, copy them from ${snippet}`, context);
}

/** Describes the snippet with an agent's entries, if it has one, and how to adapt it for this file and beckon's folder. */
function describeSnippet(agent: InstallableAgent, file: string, context: InstallContext): string | undefined {
  const { packageRoot, paths, environment } = context;
  const name = nameSnippet(agent);
  if (name === undefined) return undefined;
  const files = scopes.flatMap((scope) => agent.settings.files(scope, environment));
  const isBare = files.find(({ path }) => path === file)?.shape === "bare";
  const isMoved = paths.launcher !== defaultRoot(environment.home).launcher;
  return [
    join(packageRoot, "templates", "settings", name),
    ...(isBare ? ["without the `hooks` level around them"] : []),
    ...(isMoved ? [`with ${shellWord(paths.launcher)} in place of ~/.beckon/hook`] : []),
  ].join(", ");
}

interface Consent extends Pick<InstallOptions, "agents" | "yes" | "unattended"> {
  /** Advice to print if there is no terminal to ask on. */
  readonly cure?: string;
}

/**
 * Asks whether settings files may be changed, and shows the changes on request. If the user declines, prints that
 * nothing was changed. Returns true without asking if no file changes or `yes` is set. Otherwise, if the command is not
 * interactive, returns true only if agents are named or `unattended` is set.
 */
export async function askToAgree(
  question: (changing: readonly FileChange[]) => string,
  changes: readonly FileChange[],
  { agents, yes, unattended, cure = "Run this with --yes, or name the agents with --agent." }: Consent,
  context: InstallContext,
): Promise<boolean> {
  const { isInteractive, print } = context;
  const changing = changes.filter(({ planned }) => planned.changes);
  if (changing.length === 0 || yes || (!isInteractive && (unattended || agents?.length))) return true;
  if (!isInteractive) {
    print(`Nothing was changed, because there is no terminal to ask on. ${cure}`);
    return false;
  }
  for (;;) {
    const decision = await context.pressKey(question(changing), decisions);
    if (decision === "y") return true;
    if (decision !== "d") break;
    printDiffs(context, changing);
  }
  print("Nothing was changed.");
  return false;
}

const decisions = [
  { value: "y", label: "Yes" },
  { value: "n", label: "No" },
  { value: "d", label: "Show the diff" },
];

/** Counts a plan's changes to beckon's hooks in a file. @throws {SettingsError} for an unreadable file */
function countChanges({ file, beckonCommands }: SettingsTask, { before, after }: Plan) {
  const [old, next] = [before, after].map((content) => hooksIn(content));
  const places = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])];
  const count = (isCounted: (was: string | undefined, is: string | undefined) => boolean): number =>
    places.filter((place) => isCounted(old?.get(place), next?.get(place))).length;
  return {
    added: count((was) => was === undefined),
    removed: count((_, is) => is === undefined),
    updated: count((was, is) => was !== undefined && is !== undefined && was !== is),
  };

  /** Formats beckon's hooks by place, for comparison. */
  function hooksIn(content: Content): Map<string, string> {
    const source = content && decodeSettings(file.path, content);
    if (!source || isBlank(source)) return new Map();
    const listed = editors[file.shape].list({ ...file, text: source.text });
    const ours = listed.filter(({ command }) => isBeckonCommand(beckonCommands, command));
    return new Map(ours.map((entry) => [findPlace(entry), JSON.stringify(entry)]));
  }
}
