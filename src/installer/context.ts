import type { InstallEnvironment } from "../core/agent-settings.ts";
import type { ExecPort } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";
import type { InstallableAgent } from "./agents/installable.ts";
import type { BeckonCommands } from "./beckon-commands.ts";

/** The machine and the package that the installer works with. Nothing in it talks to a person. */
export interface InstallerContext {
  /** Home folder, working directory, environment, platform: what decides where agents' settings are. */
  readonly environment: InstallEnvironment;
  readonly paths: Paths;
  /** Every agent that hooks can be installed into. */
  readonly agents: readonly InstallableAgent[];
  /** Folder of the built package that is installed. */
  readonly packageRoot: string;
  /** The Node that is running. */
  readonly execPath: string;
  /** Runs the agents' programs, to ask for their versions. */
  readonly exec: ExecPort;
}

/** What a plan is made from. */
export interface PlanContext extends InstallerContext {
  readonly beckonCommands: BeckonCommands;
}
