import { join } from "node:path";
import picocolors from "picocolors";
import { scopes } from "../../../core/agent-settings.ts";
import { BeckonError, errnoOf, SettingsError } from "../../../core/errors.ts";
import { defaultRoot, shellWord } from "../../../installer/agents/command-line.ts";
import { unifiedDiff } from "../../../settings/diff.ts";
import type { PlannedFile } from "../../../installer/plan-agent.ts";
import { type InstallContext, placeOf } from "./context.ts";
import { type InstallableAgent, snippetOf } from "../../../installer/agents/installable.ts";
import type { AgentPlan } from "../../install/jobs.ts";

/** Shows what is going to change, file by file, and what to know about it. */
export function showPlan(context: InstallContext, { agent, main, others, warnings }: AgentPlan): void {
  if (!main.planned.changes && others.length === 0)
    context.print(`${agent.title}: ${main.job.file.path} has everything.`);
  for (const { planned } of [main, ...others]) showDiff(context, planned);
  for (const warning of warnings) context.print(`Note: ${warning}`);
}

/** Shows one file's change as a unified diff; nothing for none. */
export function showDiff({ print, env, isInteractive }: InstallContext, planned: PlannedFile): void {
  if (!planned.changes) return;
  const { snapshot, before, after } = planned;
  const diff = unifiedDiff(snapshot.path, before?.toString("utf8"), after?.toString("utf8"));
  if (diff === "") return;
  const { green, red } = picocolors.createColors(isInteractive && !env["NO_COLOR"]);
  const paint = (line: string) => (line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line);
  print(diff.split("\n").map(paint).join("\n"));
}

/** Says why something was not done, and what to do about it. */
export function sayRefusal(context: InstallContext, error: BeckonError, agent?: InstallableAgent): void {
  context.print(`${error.message}.${error.hint ? ` ${error.hint}` : ""}`);
  if (!agent) return;
  const file = error instanceof SettingsError ? error.file : undefined;
  context.print(`The entries to add by hand: ${snippetFor(agent, file, context)}`);
}

/** The snippet with an agent's entries, and what of it is different for this file and this root. */
function snippetFor(agent: InstallableAgent, file: string | undefined, context: InstallContext): string {
  const { packageRoot, paths, home } = context;
  const files = scopes.flatMap((scope) => agent.settings.files(scope, placeOf(context)));
  const isBare = files.find(({ path }) => path === file)?.shape === "bare";
  const isMoved = paths.launcher !== defaultRoot(home).launcher;
  return [
    join(packageRoot, "templates", "settings", snippetOf(agent)),
    ...(isBare ? ["what is under its `hooks`"] : []),
    ...(isMoved ? [`with ${shellWord(paths.launcher)} for ~/.beckon/hook`] : []),
  ].join(", ");
}

/** Says why nothing more could be done: a refusal, or what the system said. Throws everything else on. */
export function sayFailure(context: InstallContext, error: unknown): 1 {
  if (error instanceof BeckonError) sayRefusal(context, error);
  // "EACCES: permission denied, mkdir '/x'" is all there is to say.
  else if (errnoOf(error) !== undefined) context.print((error as Error).message);
  else throw error;
  return 1;
}
