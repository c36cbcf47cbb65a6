import { realpathSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { SettingsPlace } from "../../../core/agent-settings.ts";
import { homeDirectory, type Paths, pathsOf, rootDirectory } from "../../../core/paths.ts";
import type { ExecPort } from "../../../core/ports.ts";
import { createExec } from "../../../io/exec.ts";
import { findPackageRoot } from "../../../installer/app/set-up-app.ts";
import { askOnTerminal, type Choice, chooseOnTerminal } from "./choose-agents.ts";

/** Everything that `install` and `uninstall` see of the world around them. */
export interface InstallContext {
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly paths: Paths;
  /** Folder of the built package that is installed. */
  readonly packageRoot: string;
  readonly execPath: string;
  /** Whether somebody is there to answer. */
  readonly isInteractive: boolean;
  /** Width of the terminal; absent where there is none. */
  readonly columns?: number;
  /** One line, or several, for people. */
  print(text: string): void;
  /** A question that is answered with yes or no; false when it is cancelled. */
  ask(question: string): Promise<boolean>;
  /** Which of several, at least one; undefined when it is cancelled. */
  choose(question: string, choices: readonly Choice[]): Promise<readonly string[] | undefined>;
  /** Runs the agents' programs, to ask for their versions. */
  readonly exec: ExecPort;
  /** How long the journal is watched for the sample event, milliseconds. Default 8000. */
  readonly sampleWaitMs?: number;
  /** Once something is known of it, how long for more, milliseconds. Default 700. */
  readonly sampleQuietMs?: number;
}

/** The context of this process. */
export async function processContext(): Promise<InstallContext> {
  return {
    env: process.env,
    home: homeDirectory(),
    cwd: process.cwd(),
    platform: process.platform,
    paths: pathsOf(rootDirectory()),
    packageRoot: await ownPackageRoot(),
    execPath: process.execPath,
    isInteractive: process.stdin.isTTY === true && process.stdout.isTTY === true,
    ...(process.stdout.columns > 0 && { columns: process.stdout.columns }),
    print: (text) => console.log(text),
    ask: askOnTerminal,
    choose: chooseOnTerminal,
    exec: createExec(),
  };
}

/** The folder of the package that this program belongs to: a clone, an installed package, or the app itself. */
export function ownPackageRoot(): Promise<string> {
  return findPackageRoot(realpathSync(fileURLToPath(import.meta.url)));
}

/** Where agents' settings are looked for. */
export function placeOf({ home, cwd, env, platform }: InstallContext): SettingsPlace {
  return { home, project: cwd, env, platform };
}
