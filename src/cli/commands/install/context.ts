import { dirname } from "node:path";
import { findUp } from "../../../core/find-up.ts";
import { installable } from "../../../installer/agents/installable.ts";
import type { InstallerContext, PlanContext } from "../../../installer/context.ts";
import { createExec } from "../../../io/exec.ts";
import type { CliContext } from "../../context.ts";
import { askOnTerminal, type Choice } from "../../dialog.ts";

/** What `install`, `upgrade` and `uninstall` work with: a command's context, the installer's, and a person to ask. */
export interface InstallContext extends CliContext, InstallerContext {
  /** Whether there is a terminal to ask on. */
  readonly isInteractive: boolean;
  /** A yes-or-no question; false when it is cancelled. */
  ask(question: string): Promise<boolean>;
  /** Which of several, at least one; `usual` are selected at the beginning. Undefined when it is cancelled. */
  choose(
    question: string,
    choices: readonly Choice[],
    usual: readonly string[],
  ): Promise<readonly string[] | undefined>;
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
    ask: (question) => askOnTerminal((dialog) => dialog.confirm(question, true), false),
    choose: (...question) => askOnTerminal((dialog) => dialog.selectMany(...question), undefined),
    exec: createExec(context.environment.env),
  };
}

/** The folder of the package that this program belongs to: a clone, an installed package, or the installed app. */
export function packageRoot(): string {
  const manifest = findUp(import.meta.url, "package.json");
  if (manifest === undefined) throw new Error(`${import.meta.url}: no package.json above it`);
  return dirname(manifest);
}
