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

/** A person at a terminal who can be asked what they see. */
export interface SightDialog {
  /** A yes-or-no question, with the answer that Enter gives; false when it is cancelled. */
  ask(question: string, usual: boolean): Promise<boolean>;
  /** One of the choices by the key that is its value; Enter takes the first. Undefined when it is cancelled. */
  pick(question: string, choices: readonly Choice[]): Promise<string | undefined>;
}

/** What is asked with: a command's context, the person, and this machine. */
export interface SightContext extends CliContext, SightDialog {
  readonly ports: Ports;
  /** Sends a test message through one notifier, now. */
  test(name: string, config: Config, ports: Ports): Promise<{ readonly verdict: string; readonly detail: string }>;
}

/**
 * The programs of a notifier of which only the person can tell whether they see its messages, the one that is used
 * first; none where the machine tells, and where the notifier's settings have an error.
 */
export function unprovenPrograms({ notifier, settings }: ConfiguredNotifier, ports: Ports): readonly UnprovenProgram[] {
  const parsed = notifier.settings.safeParse(settings);
  return (parsed.success && notifier.sight?.programs({ settings: parsed.data, ports })) || [];
}

/**
 * Asks whether the message that a notifier has just sent was seen. Where not, says where the system's settings switch
 * it on, and shows it again or by the next program, as the person wants. What they see is remembered, and a program
 * other than the usual one is put into the configuration.
 */
export async function confirmSight(name: string, config: Config, context: SightContext): Promise<void> {
  const configured = config.notifiers.get(name);
  const programs = configured ? unprovenPrograms(configured, context.ports) : [];
  const setting = configured?.notifier.sight?.setting ?? "";
  let at = 0;
  while (programs[at] !== undefined) {
    const program = programs[at] as UnprovenProgram;
    if (await context.ask(`Did you see a notification of beckon's just now (${name})?`, true)) {
      noteSeen(context.paths, name, program.name);
      if (at > 0) await keepChoice(name, setting, program, context);
      return;
    }
    printSteps(program, context);
    const choice = await context.pick("What now?", choicesAfter(programs[at + 1]));
    if (choice !== "a" && choice !== "t") break;
    if (choice === "t") at += 1;
    await showAgain(name, { setting, program: programs[at] ?? program }, config, context);
  }
  if (programs.length > 0) leaveUnseen(name, context);
}

function choicesAfter(next: UnprovenProgram | undefined): Choice[] {
  const other = next ? [{ value: "t", label: `Try ${next.title}` }] : [];
  return [{ value: "a", label: "I have done that: show it again" }, ...other, { value: "l", label: "Leave it" }];
}

function printSteps({ title, steps }: UnprovenProgram, context: SightContext): void {
  say(`It was handed to ${title}, and the system does not tell whether it showed it. What usually helps:`, context);
  for (const [index, step] of steps.entries()) say(`  ${index + 1}. ${step}`, context, 5);
}

/** Sends a test message by one of the programs. */
async function showAgain(
  name: string,
  { setting, program }: { readonly setting: string; readonly program: UnprovenProgram },
  config: Config,
  context: SightContext,
): Promise<void> {
  const configured = config.notifiers.get(name);
  if (!configured) return;
  const settings = { ...configured.settings, [setting]: program.name };
  const notifiers = new Map(config.notifiers).set(name, { ...configured, settings });
  const { verdict, detail } = await context.test(name, { ...config, notifiers }, context.ports);
  if (verdict !== "sent") say(`${context.colors.red("✗")} ${detail}`, context, 2);
}

async function keepChoice(
  name: string,
  setting: string,
  { name: program }: UnprovenProgram,
  context: SightContext,
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

function leaveUnseen(name: string, context: SightContext): void {
  noteSeen(context.paths, name, undefined);
  say(`${context.colors.yellow("!")} ${name} stays as it is. \`beckon test ${name}\` asks again.`, context, 2);
}
