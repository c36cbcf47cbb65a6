import { removalAdvice } from "../../../actions/assess-notifiers.ts";
import { readAudience } from "../../../config/config.ts";
import { loadConfig } from "../../../config/load.ts";
import { knowsEvent } from "../../../installer/agents/installable.ts";
import { findOtherProgram } from "../../../installer/agents/program.ts";
import {
  addPathLine,
  commandFile,
  folderForLink,
  hasPathLine,
  isOnPath,
  linkCommand,
  pathLine,
} from "../../../installer/app/command-link.ts";
import type { Survey } from "../../../installer/survey.ts";
import { anyPhoneApp, notifierLoaders, withoutDesktop } from "../../../notifiers/registry.ts";
import { homePrefix, say, shortPath } from "../../say.ts";
import { runConfigAdd } from "../config/add/add.ts";
import type { InstallContext, InstallOptions } from "./context.ts";
import type { SampleReport } from "./sample-event.ts";

/**
 * Adds the events that another program of an agent needs, such as its editor extension, if that program is installed
 * and every version of the agent here knows the event. Adds nothing if the options, or the hooks there, name events.
 */
export function offerEvents(
  chosen: readonly Survey[],
  options: InstallOptions,
  { environment }: Pick<InstallContext, "environment">,
): { readonly options: Pick<InstallOptions, "also">; readonly notes: readonly string[] } {
  const also: string[] = [];
  const notes: string[] = [];
  for (const survey of options.events || options.also ? [] : chosen) {
    const { agent, program } = survey;
    const other = findOtherProgram(agent, environment);
    const present = survey.inspected.flatMap(({ scope, beckonEntries }) =>
      scope === (options.scope ?? "user") ? beckonEntries.map(({ event }) => event) : [],
    );
    const isUsual = (event: string) => present.includes(event) || !knowsEvent(agent, event, program?.version);
    const isChosen = present.length > 0 && !Object.keys(agent.settings.defaultEvents).every(isUsual);
    if (!other || isChosen || present.includes(other.event)) continue;
    const old = [program?.version, ...other.versions].find((version) => !knowsEvent(agent, other.event, version));
    if (old === undefined) also.push(other.event);
    notes.push(
      old === undefined
        ? `${other.title} asks through ${other.event}, so that event is set up too.`
        : `${other.title} needs the event ${other.event}, which version ${old} does not know. Update it, then: ${other.command}`,
    );
  }
  return { options: also.length > 0 ? { also } : {}, notes };
}

/**
 * Offers to link a missing `beckon` command into a folder on PATH that the user owns, or else into `~/.local/bin`. If
 * that folder is not on PATH, offers to add the line that puts it there. Returns the command that works now: `beckon`, or the
 * program's path. If it is the path, prints it.
 */
export async function offerLink(
  { yes }: Pick<InstallOptions, "yes">,
  context: Pick<InstallContext, "environment" | "paths" | "isInteractive" | "confirm" | "print" | "terminal">,
): Promise<string> {
  const { environment, paths, isInteractive, confirm } = context;
  const prefix = homePrefix(context);
  if (isOnPath(context)) return `${prefix}beckon`;
  const found = await folderForLink(context);
  let isLinked = found?.isLinked === true;
  if (found && !isLinked && isInteractive && !yes) {
    const folder = shortPath(found.folder, environment);
    isLinked = await confirm(`There is no \`beckon\` command yet. Link it in ${folder}?`, true);
    if (isLinked) say(`Created the link ${shortPath(await linkCommand(found.folder, paths), environment)}`, context);
  }
  if (isLinked && found?.isOnPath) return `${prefix}beckon`;
  const file = prefix + shortPath(commandFile(paths), environment);
  if (isLinked && found) {
    const added = pathLine(found.folder, environment);
    const startup = shortPath(added.file, environment);
    const hasLine = hasPathLine(added);
    if (!hasLine) {
      say(`\n${shortPath(found.folder, environment)} is not on your PATH. This line in ${startup} adds it:`, context);
      context.print(`  ${added.line}`);
    }
    if (!hasLine && isInteractive && !yes && (await confirm(`Add the line to ${startup}?`, true))) {
      await addPathLine(added, paths);
      say(`Added it to ${startup}`, context);
    }
    const event = startup.endsWith("profile") ? "log in again" : "open a new terminal";
    const until = hasPathLine(added) ? `Until you ${event} or run \`. ${startup}\`` : "Until it is there";
    say(`${until}, run ${file} instead of \`beckon\`.`, context);
  } else say(`\nThere is no \`beckon\` command on your PATH. Instead of \`beckon …\`, run: ${file} …`, context);
  return file;
}

/**
 * Offers notifications on the phone, if the command may ask and no notifier reaches the user away from this machine.
 */
export async function offerPhone({ yes }: Pick<InstallOptions, "yes">, context: InstallContext): Promise<void> {
  if (!context.isInteractive || yes) return;
  const { notifiers } = await loadConfig(context.paths.config);
  const isPhone = [...notifiers.values()].some(
    (configured) =>
      readAudience(configured) === "person" && configured.notifier.at !== "desk" && configured.notifier.relays !== true,
  );
  if (isPhone) return;
  const question = "Get notifications on your phone too? It takes two minutes.";
  if (await context.confirm(question, false)) await context.addPhone();
  else say("To add your phone, a chat or mail later: beckon config add", context);
}

/** Sources of answers for a notifier whose settings all have defaults, so that nothing is asked. */
const unattendedAnswers = { dialog: undefined, secretLines: async () => [] };

/**
 * Offers notifications in the agent's terminal, for a machine on which no notifier works, such as a server, a container
 * or a session over SSH. `beckon` is the form of the command that works on this machine.
 */
export async function offerWithoutDesktop(
  beckon: string,
  { outcomes }: SampleReport,
  { yes }: Pick<InstallOptions, "yes">,
  context: InstallContext,
): Promise<void> {
  const { platforms } = (await notifierLoaders[withoutDesktop]?.()) ?? {};
  const isPossible = !platforms || platforms.includes(context.environment.platform);
  say("\nNone of your notifiers works on this machine.", context);
  if (isPossible && context.isInteractive && !yes) {
    const question = "Show notifications in the agent's terminal? This needs no desktop and works over SSH.";
    const isWanted = await context.confirm(question, true);
    if (isWanted && (await runConfigAdd({ type: withoutDesktop, test: true }, context, unattendedAnswers)) === 0)
      return say(removalAdvice([...new Set(outcomes.flatMap(({ notifier }) => notifier ?? []))]), context);
  } else if (isPossible) {
    say("To show notifications in the agent's terminal (works over SSH):", context);
    context.print(`  ${beckon} config add ${withoutDesktop} --alone`);
  }
  if (context.isInteractive && !yes) return; // the next question is about the phone
  say("To get notifications on your phone, or by chat or mail:", context);
  context.print(`  ${beckon} config add ${anyPhoneApp}\n  ${beckon} config add`);
}
