import { join } from "node:path";
import { formatPatch, OMIT_HEADERS, structuredPatch } from "diff";
import { scopes } from "../../../core/agent-settings.ts";
import { clean, cleanLine } from "../../../core/clean.ts";
import type { SettingsError } from "../../../core/errors.ts";
import { defaultRoot, shellWord } from "../../../installer/agents/command-line.ts";
import { type InstallableAgent, snippetOf } from "../../../installer/agents/installable.ts";
import type { PlannedFile } from "../../../installer/apply.ts";
import type { AgentPlan } from "../../../installer/plan-agent.ts";
import type { InstallContext } from "./context.ts";

/** Prints what is going to change, file by file, and the warnings. */
export function printPlan(context: InstallContext, { agent, main, others, warnings }: AgentPlan): void {
  if (!main.planned.changes && others.length === 0)
    context.print(`${agent.title}: ${main.task.file.path} is up to date.`);
  for (const { planned } of [main, ...others]) printDiff(context, planned);
  for (const warning of warnings) context.print(`Note: ${warning}`);
}

/** Prints one file's change as a unified diff; nothing where nothing changes. */
export function printDiff({ print, colors: { green, red } }: InstallContext, planned: PlannedFile): void {
  if (!planned.changes) return;
  const { snapshot, before, after } = planned;
  const diff = unifiedDiff(snapshot.path, before?.toString("utf8"), after?.toString("utf8"));
  if (diff === "") return;
  const paint = (line: string) => (line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line);
  print(diff.split("\n").map(paint).join("\n"));
}

/**
 * A unified diff with three lines of context, cleaned of terminal sequences. Empty where nothing differs. An absent side
 * is an empty file by the name of `/dev/null`.
 */
export function unifiedDiff(path: string, before: string | undefined, after: string | undefined): string {
  if (before === after) return "";
  const patch = structuredPatch(path, path, before ?? "", after ?? "", undefined, undefined, { context: 3 });
  const hunks = patch.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(cleaned) }));
  const name = (side: string | undefined) => (side === undefined ? "/dev/null" : cleanLine(path));
  const body = formatPatch({ ...patch, hunks }, OMIT_HEADERS).replace(/\n$/, "");
  return [`--- ${name(before)}`, `+++ ${name(after)}`, body].join("\n");
}

/** A line of a diff, made safe to show. It stays one line: a lone `\r` in a file must not begin another. */
function cleaned(line: string): string {
  return clean(line.replace(/\r$/, "")).replaceAll("\n", " ");
}

/** Prints why a file was not changed and what to do about it; with an agent, also how to add its hooks by hand. */
export function printRefusal(
  context: InstallContext,
  { message, hint, file }: SettingsError,
  agent?: InstallableAgent,
) {
  context.print(`${message}.${hint ? ` ${hint}` : ""}`);
  if (agent) context.print(`To add the hooks by hand, copy from ${snippetFor(agent, file, context)}`);
}

/** The snippet with an agent's entries, and how it differs for this file and this root. */
function snippetFor(agent: InstallableAgent, file: string, context: InstallContext): string {
  const { packageRoot, paths, environment } = context;
  const files = scopes.flatMap((scope) => agent.settings.files(scope, environment));
  const isBare = files.find(({ path }) => path === file)?.shape === "bare";
  const isMoved = paths.launcher !== defaultRoot(environment.home).launcher;
  return [
    join(packageRoot, "templates", "settings", snippetOf(agent)),
    ...(isBare ? ["only what is under `hooks`"] : []),
    ...(isMoved ? [`with ${shellWord(paths.launcher)} in place of ~/.beckon/hook`] : []),
  ].join(", ");
}
