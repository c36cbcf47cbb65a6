import { dirname } from "node:path";
import { findUp } from "../../../core/find-up.ts";
import { omitUndefined } from "../../../core/omit-undefined.ts";
import { installable } from "../../../installer/agents/installable.ts";
import type { InstallerContext, PlanContext } from "../../../installer/context.ts";
import { createExec } from "../../../io/exec.ts";
import type { CliContext } from "../../context.ts";

/** One of the options of a question. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
  /** Selected at the beginning. */
  readonly isDefault: boolean;
  /** Shown, but cannot be selected. */
  readonly isDisabled: boolean;
}

/** What `install`, `upgrade` and `uninstall` work with: a command's context, the installer's, and a person to ask. */
export interface InstallContext extends CliContext, InstallerContext {
  /** Whether there is a terminal to ask on. */
  readonly isInteractive: boolean;
  /** A yes-or-no question; false when it is cancelled. */
  ask(question: string): Promise<boolean>;
  /** Which of several, at least one; undefined when it is cancelled. */
  choose(question: string, choices: readonly Choice[]): Promise<readonly string[] | undefined>;
  /** How long to wait in the journal for the sample event, milliseconds. Default 8000. */
  readonly sampleWaitMs?: number;
  /** How long to wait for more of its lines after the last one, milliseconds. Default 700. */
  readonly sampleQuietMs?: number;
}

/** The context of a command that plans: beckon's commands are known. */
export type InstallPlanContext = InstallContext & PlanContext;

/** What the installer gets from the command line, this process and its terminal. */
export function installContextOf(context: CliContext): InstallContext {
  return {
    ...context,
    agents: installable,
    packageRoot: packageRoot(),
    execPath: process.execPath,
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    ask: askOnTerminal,
    choose: chooseOnTerminal,
    exec: createExec(context.environment.env),
  };
}

/** A question on the terminal that is answered with yes or no; false when it is cancelled. */
async function askOnTerminal(question: string): Promise<boolean> {
  // Loaded only when it is needed.
  const { confirm, isCancel } = await import("@clack/prompts");
  const answer = await confirm({ message: question });
  return !isCancel(answer) && answer;
}

/** Which of several, at least one; undefined when it is cancelled. */
async function chooseOnTerminal(question: string, choices: readonly Choice[]): Promise<string[] | undefined> {
  const { isCancel, multiselect } = await import("@clack/prompts");
  const answer = await multiselect({
    message: question,
    options: choices.map(({ value, label, hint, isDisabled: disabled }) =>
      omitUndefined({ value, label, hint, disabled }),
    ),
    initialValues: choices.filter(({ isDefault, isDisabled }) => isDefault && !isDisabled).map(({ value }) => value),
    required: true,
  });
  return isCancel(answer) ? undefined : answer;
}

/** The folder of the package that this program belongs to: a clone, an installed package, or the installed app. */
export function packageRoot(): string {
  const manifest = findUp(import.meta.url, "package.json");
  if (manifest === undefined) throw new Error(`${import.meta.url}: no package.json above it`);
  return dirname(manifest);
}
