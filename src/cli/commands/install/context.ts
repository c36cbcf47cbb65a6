import { dirname } from "node:path";
import type { Command } from "commander";
import { loadConfig } from "../../../config/load.ts";
import type { Scope } from "../../../core/agent-settings.ts";
import { UsageError } from "../../../core/errors.ts";
import type { Ports } from "../../../core/ports.ts";
import { findUp, type Paths } from "../../../files/paths.ts";
import {
  type InstallableAgent,
  installable,
  listEvents,
  listScopes,
  matchingNativeEvents,
} from "../../../installer/agents/installable.ts";
import type { Asking, InstallerContext, PlanContext } from "../../../installer/context.ts";
import { createExec } from "../../../io/exec.ts";
import { anyPhoneApp } from "../../../notifiers/registry.ts";
import { correctTypo } from "../../../text/did-you-mean.ts";
import type { CliContext } from "../../context.ts";
import { type Dialog, terminalDialog } from "../../dialog.ts";
import type { JsonOption } from "../../output/json-line.ts";
import { createCliPorts } from "../../ports.ts";

/**
 * Context of `install`, `upgrade` and `uninstall`: the contexts of commands and of the installer, and a dialog
 * with the user.
 */
export interface InstallContext
  extends CliContext,
    InstallerContext,
    Pick<Dialog, "confirm" | "pressKey" | "selectMany"> {
  /** True if there is a terminal to ask on, and the command may ask. */
  readonly isInteractive: boolean;
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
    ...terminalDialog,
    agents: installable,
    packageRoot: packageRoot(),
    execPath: process.execPath,
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    addPhone: async () =>
      (await import("../config/add/add.ts")).runConfigAdd({ type: anyPhoneApp, test: true }, context),
    ports: () => createCliPorts(context.paths),
    exec: createExec(context.environment.env),
  };
}

/** Returns the package folder of the running program: a clone, an installed package, or the installed app. */
export function packageRoot(): string {
  const manifest = findUp(import.meta.url, "package.json");
  if (manifest === undefined) throw new Error(`${import.meta.url}: no package.json above it`);
  return dirname(manifest);
}

/** Options of a command that changes settings files. */
export interface ChangeOptions extends JsonOption {
  readonly dryRun?: boolean;
  /** True shows the changes as a diff too. */
  readonly diff?: boolean;
  readonly yes?: boolean;
}

/** Declares the options of a command that changes settings files. @param need what `--json` needs, as it never asks */
export function addChangeOptions(command: Command, need: string): Command {
  return command
    .option("--dry-run", "show the changes without making them")
    .option("--yes", "do not ask before making changes")
    .option("--json", `print one JSON object and never ask; ${need}`)
    .option("--diff", "also show the changes as a diff");
}

export interface InstallOptions extends ChangeOptions {
  /** Names of agents; default: those used on this machine, or all installed ones if none was used. */
  readonly agents?: readonly string[] | undefined;
  /** Scope of the settings files; default: `user`. */
  readonly scope?: Scope;
  /** Events, by the agents' names or by beckon's names; default: each agent's default events. */
  readonly events?: readonly string[];
  /** Events in addition to the default events. */
  readonly also?: readonly string[];
  /** True also registers beckon's tools with the agents. */
  readonly mcp?: boolean;
  /** True acts as if `yes` were set, if the command cannot ask. */
  readonly unattended?: boolean;
  /** Time that each hook waits for the delivery, in seconds; 0 removes the wait that an earlier install set. */
  readonly waitSeconds?: number | undefined;
}

/** Checks the options of `beckon install`. @throws {UsageError} */
export function checkOptions(options: InstallOptions, known: readonly InstallableAgent[]): void {
  const { agents = [], scope = "user", events = [], also = [], waitSeconds = 0 } = options;
  checkAgents(agents, known);
  const without = known.find((agent) => agents.includes(agent.name) && !listScopes(agent).includes(scope));
  if (without)
    throw new UsageError(
      `${without.title} has no settings of scope ${scope}`,
      `It has: ${listScopes(without).join(", ")}.`,
    );
  const asked = known.filter(({ name }) => agents.length === 0 || agents.includes(name));
  for (const event of [...events, ...also]) checkEvent(event, asked, agents.length > 0);
  if (Number.isInteger(waitSeconds) && waitSeconds >= 0 && waitSeconds <= 600) return;
  throw new UsageError("--wait must be a whole number of seconds, 0 to 600", "See `beckon install --help`.");
}

/** Checks names of agents. @throws {UsageError} for an unknown name */
export function checkAgents(agents: readonly string[], known: readonly InstallableAgent[]): void {
  const names = known.map(({ name }) => name);
  const unknown = agents.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  const near = correctTypo(unknown, names);
  const hint = near === undefined ? `Known agents: ${names.join(", ")}.` : `Did you mean ${near}?`;
  throw new UsageError(`unknown agent ${JSON.stringify(unknown)}`, hint);
}

/**
 * Checks that an event can be registered with at least one of the agents. If agents are named, none of them may forbid
 * the event.
 */
function checkEvent(event: string, asked: readonly InstallableAgent[], named: boolean): void {
  const supporting = asked.filter((agent) => matchingNativeEvents(agent, event).length > 0);
  const harmed = asked.find(({ settings }) => Object.hasOwn(settings.forbiddenEvents ?? {}, event));
  const known = `Known events: ${[...new Set(asked.flatMap(listEvents))].join(", ")}.`;
  if (harmed && (named || supporting.length === 0)) {
    const reason = harmed.settings.forbiddenEvents?.[event];
    throw new UsageError(`${event} must not be registered with ${harmed.title}: ${reason}`, known);
  }
  if (supporting.length === 0) throw new UsageError(`unknown event ${JSON.stringify(event)}`, known);
}

/** Reads from the configuration which agents' hooks wait for the user's answer; undefined if none do. */
export async function readAsking({ config }: Pick<Paths, "config">): Promise<Asking | undefined> {
  const { answers } = await loadConfig(config);
  return answers && { agents: answers.agents, waitSeconds: Math.ceil(answers.wait / 1000) };
}
