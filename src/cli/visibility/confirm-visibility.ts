import type { Config, ConfiguredNotifier } from "../../config/config.ts";
import { setNotifierSetting } from "../../config/edit/edit-config.ts";
import { editConfig } from "../../config/edit/store.ts";
import { own } from "../../config/written.ts";
import type { UnprovenProgram } from "../../core/machine-ports.ts";
import type { Ports } from "../../core/ports.ts";
import type { CliContext } from "../context.ts";
import type { Choice } from "../dialog.ts";
import { say } from "../say.ts";
import { shortPath } from "../short-path.ts";
import { noteSeen } from "./seen-programs.ts";

/** A user at a terminal who can be asked what they see. */
export interface VisibilityDialog {
  /** A yes-or-no question, with the answer that Enter gives; false when it is cancelled. */
  ask(question: string, usual: boolean): Promise<boolean>;
  /** One of the choices by the key that is its value; Enter takes the first. Undefined when it is cancelled. */
  pick(question: string, choices: readonly Choice[]): Promise<string | undefined>;
}

/** Means of asking: a command's context, the user, and this machine. */
export interface VisibilityContext extends CliContext, VisibilityDialog {
  readonly ports: Ports;
  /** Sends a test message through one notifier, now. */
  test(name: string, config: Config, ports: Ports): Promise<{ readonly verdict: string; readonly detail: string }>;
}

/**
 * The programs of a notifier whose messages only the user can say to have seen, the one that is used first; none if
 * the machine tells, or if the notifier's settings have an error.
 */
export function unprovenPrograms({ notifier, settings }: ConfiguredNotifier, ports: Ports): readonly UnprovenProgram[] {
  const parsed = notifier.settings.safeParse(settings);
  return (parsed.success && notifier.verification?.visibility?.programs({ settings: parsed.data, ports })) || [];
}

/**
 * Asks whether the message that a notifier has just sent was seen. Where not, says where the system's settings switch
 * it on, and shows it again or by the next program, as the user wants. What they see is remembered, and a program
 * other than the usual one is put into the configuration.
 */
export async function confirmVisibility(name: string, config: Config, context: VisibilityContext): Promise<void> {
  const configured = config.notifiers.get(name);
  if (!configured) return;
  const programs = unprovenPrograms(configured, context.ports);
  const setting = configured.notifier.verification?.visibility?.setting ?? "";
  let at = 0;
  while (programs[at] !== undefined) {
    const program = programs[at] as UnprovenProgram;
    if (await context.ask(`Did you see a notification from beckon just now (${name})?`, true)) {
      noteSeen(context.paths, name, program.name);
      if (at > 0) await keepChoice(name, setting, program, context);
      return;
    }
    printSteps(program, context);
    const choice = await context.pick("What now?", choicesAfter(programs[at + 1]));
    if (choice !== "a" && choice !== "t") break;
    if (choice === "t") at += 1;
    const settings = { ...configured.settings, [setting]: (programs[at] ?? program).name };
    await showAgain({ ...configured, settings }, config, context);
  }
  if (programs.length > 0) leaveUnseen(name, context);
}

function choicesAfter(next: UnprovenProgram | undefined): Choice[] {
  const other = next ? [{ value: "t", label: `Try ${next.title}` }] : [];
  return [{ value: "a", label: "I have done that: show it again" }, ...other, { value: "l", label: "Leave it" }];
}

function printSteps({ title, steps }: UnprovenProgram, context: VisibilityContext): void {
  say(`It was handed to ${title}, and the system does not tell whether it showed it. What usually helps:`, context);
  for (const [index, step] of steps.entries()) say(`  ${index + 1}. ${step}`, context, 5);
}

/** Sends a test message by the program that is now set. */
async function showAgain(configured: ConfiguredNotifier, config: Config, context: VisibilityContext): Promise<void> {
  const { name } = configured;
  const notifiers = new Map(config.notifiers).set(name, configured);
  const { verdict, detail } = await context.test(name, { ...config, notifiers }, context.ports);
  if (verdict !== "sent") say(`${context.colors.red("✗")} ${detail}`, context, 2);
}

async function keepChoice(
  name: string,
  setting: string,
  { name: program }: UnprovenProgram,
  context: VisibilityContext,
): Promise<void> {
  const { paths, environment, colors } = context;
  await editConfig(paths, (text) =>
    setNotifierSetting(text, paths.config, name, { key: setting, value: own(program) }),
  );
  say(
    `${colors.green("✓")} ${name} has "${setting}": "${program}" in ${shortPath(paths.config, environment)}`,
    context,
    2,
  );
}

function leaveUnseen(name: string, context: VisibilityContext): void {
  noteSeen(context.paths, name, undefined);
  say(`${context.colors.yellow("!")} ${name} stays unchanged. \`beckon test ${name}\` asks again.`, context, 2);
}
