import { dirname } from "node:path";
import type { Ports } from "../../../core/ports.ts";
import { findUp } from "../../../files/find-up.ts";
import { installable } from "../../../installer/agents/installable.ts";
import type { InstallerContext, PlanContext } from "../../../installer/context.ts";
import { createExec } from "../../../io/exec.ts";
import type { CliContext } from "../../context.ts";
import { askOnTerminal, type Choice, type Dialog } from "../../dialog.ts";
import { portsOf } from "../../ports.ts";

/** An answer to whether changes are to be made. */
export type Decision = "yes" | "no" | "diff";

/** What `install`, `upgrade` and `uninstall` work with: a command's context, the installer's, and a person to ask. */
export interface InstallContext extends CliContext, InstallerContext {
  /** Whether there is a terminal to ask on. */
  readonly isInteractive: boolean;
  /** A yes-or-no question, with the answer that Enter gives; false when it is cancelled. */
  ask(question: string, usual: boolean): Promise<boolean>;
  /** Whether to make changes, or to show them first; "no" when it is cancelled. */
  decide(question: string): Promise<Decision>;
  /** Which of several, at least one; `usual` are selected at the beginning. Undefined when it is cancelled. */
  choose(
    question: string,
    choices: readonly Choice[],
    usual: readonly string[],
  ): Promise<readonly string[] | undefined>;
  /** One of the choices by the key that is its value; Enter takes the first. Undefined when it is cancelled. */
  pick(question: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** The ports of this machine, made where they are needed. */
  ports(): Ports;
  /** How long to wait for the outcomes of the sample event, milliseconds. Default 10,000. */
  readonly sampleWaitMs?: number;
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
    ask: (question, usual) => askOnTerminal((dialog) => dialog.confirm(question, usual), false),
    decide: (question) => askOnTerminal((dialog) => decideBy(dialog, question), "no"),
    pick: (...question) => askOnTerminal((dialog) => dialog.pressKey(...question), undefined),
    ports: () => portsOf(context.paths),
    choose: (...question) => askOnTerminal((dialog) => dialog.selectMany(...question), undefined),
    exec: createExec(context.environment.env),
  };
}

const decisions: Readonly<Record<string, Decision>> = { y: "yes", n: "no", d: "diff" };

async function decideBy(dialog: Dialog, question: string): Promise<Decision> {
  const choices = [
    { value: "y", label: "Yes" },
    { value: "n", label: "No" },
    { value: "d", label: "Show the diff" },
  ];
  return decisions[await dialog.pressKey(question, choices)] ?? "no";
}

/** The folder of the package that this program belongs to: a clone, an installed package, or the installed app. */
export function packageRoot(): string {
  const manifest = findUp(import.meta.url, "package.json");
  if (manifest === undefined) throw new Error(`${import.meta.url}: no package.json above it`);
  return dirname(manifest);
}
