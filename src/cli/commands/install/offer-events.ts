import { existsSync, readdirSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { InstallableAgent } from "../../../installer/agents/installable.ts";
import type { Survey } from "../../../installer/survey.ts";
import { hasHooks } from "./choose-agents.ts";
import type { InstallContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";

/**
 * Result of the offer: install options with the events that the user accepted, and notes on how to add the events about
 * which the user was not asked.
 */
interface Offered {
  readonly options: Pick<InstallOptions, "also">;
  readonly notes: readonly string[];
}

/**
 * Offers the events that another program of an agent sends, such as its desktop app, if that program is installed and
 * the agent has no hooks yet. Offers nothing if the options name events.
 */
export async function offerEvents(
  chosen: readonly Survey[],
  options: InstallOptions,
  context: InstallContext,
): Promise<Offered> {
  const also = [...(options.also ?? [])];
  const notes: string[] = [];
  const isNew = (survey: Survey) => !hasHooks(survey, options) && isOtherProgramHere(survey.agent, context);
  for (const { agent } of options.events || options.also ? [] : chosen.filter(isNew)) {
    const { title, event } = agent.settings.otherProgram ?? { title: "", event: "" };
    if (!context.isInteractive || options.yes || options.dryRun) {
      const command = `beckon install --agent ${agent.name} --also ${event}`;
      notes.push(`${title} needs the event ${event}, which is not set up. To add it: ${command}`);
    } else if (await context.ask(`Notify you about ${title} too?`, true)) also.push(event);
  }
  return { options: also.length > 0 ? { also } : {}, notes };
}

function isOtherProgramHere({ settings }: InstallableAgent, { environment }: InstallContext): boolean {
  return settings.otherProgram?.paths(environment).some(exists) ?? false;
}

function exists(path: string): boolean {
  if (!path.endsWith("*")) return existsSync(path);
  const start = basename(path).slice(0, -1);
  const folder = dirname(path);
  return existsSync(folder) && readdirSync(folder).some((name) => name.toLowerCase().startsWith(start));
}
