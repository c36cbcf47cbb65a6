import { dirname } from "node:path";
import type { Ports } from "../../../core/ports.ts";
import { findUp } from "../../../files/find-up.ts";
import { installable } from "../../../installer/agents/installable.ts";
import type { InstallerContext, PlanContext } from "../../../installer/context.ts";
import { createExec } from "../../../io/exec.ts";
import { anyPhoneApp } from "../../../notifiers/registry.ts";
import type { CliContext } from "../../context.ts";
import { askOnTerminal, type Choice, type Dialog } from "../../dialog.ts";
import { createCliPorts } from "../../ports.ts";

/** Answer to the question about making changes. */
export type Decision = "yes" | "no" | "diff";

/**
 * Context of `install`, `upgrade` and `uninstall`: the contexts of commands and of the installer, and functions that
 * ask the user.
 */
export interface InstallContext extends CliContext, InstallerContext {
  /** True if there is a terminal to ask on, and the command may ask. */
  readonly isInteractive: boolean;
  /** Asks a yes-or-no question. Returns `usual` if the user only presses Enter, and false if the user cancels. */
  ask(question: string, usual: boolean): Promise<boolean>;
  /** Asks for consent to changes. Returns "no" if the user cancels. */
  decide(question: string): Promise<Decision>;
  /** Asks for one or more choices; `usual` are preselected. Returns undefined if the user cancels. */
  choose(
    question: string,
    choices: readonly Choice[],
    usual: readonly string[],
  ): Promise<readonly string[] | undefined>;
  /** Asks for one choice, with the arrow keys or the choice's own key. Returns undefined if the user cancels. */
  pick(question: string, choices: readonly Choice[]): Promise<string | undefined>;
  /** Asks which app to use on the phone, and adds a notifier for it. */
  addPhone(): Promise<unknown>;
  /** Creates the ports of this machine. */
  ports(): Ports;
  /** Time limit for the deliveries of the sample event, milliseconds. Default 10,000. */
  readonly sampleWaitMs?: number;
}

/** Context for planning, which also has beckon's known command lines in hooks. */
export type InstallPlanContext = InstallContext & PlanContext;

/** Creates the installer's context from the command line, this process and its terminal. */
export function createInstallContext(context: CliContext): InstallContext {
  return {
    ...context,
    agents: installable,
    packageRoot: packageRoot(),
    execPath: process.execPath,
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    ask: (question, usual) => askOnTerminal((dialog) => dialog.confirm(question, usual), false),
    decide: (question) => askOnTerminal((dialog) => decideBy(dialog, question), "no"),
    pick: (...question) => askOnTerminal((dialog) => dialog.pressKey(...question), undefined),
    addPhone: async () =>
      (await import("../config/add/add.ts")).runConfigAdd({ type: anyPhoneApp, test: true }, context),
    ports: () => createCliPorts(context.paths),
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

/** Returns the package folder of the running program: a clone, an installed package, or the installed app. */
export function packageRoot(): string {
  const manifest = findUp(import.meta.url, "package.json");
  if (manifest === undefined) throw new Error(`${import.meta.url}: no package.json above it`);
  return dirname(manifest);
}
