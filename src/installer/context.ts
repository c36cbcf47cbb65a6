import type { InstallEnvironment } from "../core/agent-settings.ts";
import type { ExecPort } from "../core/ports.ts";
import type { Paths } from "../files/paths.ts";
import type { InstallableAgent } from "./agents/installable.ts";
import type { BeckonCommands } from "./beckon-commands.ts";

/** Facts about the machine and the package that the installer needs. */
export interface InstallerContext {
  /** Home folder, working directory, environment and platform, which determine the places of agents' settings. */
  readonly environment: InstallEnvironment;
  readonly paths: Paths;
  /** Agents that hooks can be installed for. */
  readonly agents: readonly InstallableAgent[];
  /** Folder of the built package to install. */
  readonly packageRoot: string;
  /** Path of the running Node. */
  readonly execPath: string;
  /** Port that runs agents' programs to find out their versions. */
  readonly exec: ExecPort;
}

/** Agents whose permission hooks wait for the user's answer, and the maximum wait. */
export interface Asking {
  readonly agents: readonly string[];
  readonly waitSeconds: number;
}

/** Context for planning. */
export interface PlanContext extends InstallerContext {
  /** Set if the user wants to answer permission requests outside the agent. */
  readonly asking?: Asking | undefined;
  readonly beckonCommands: BeckonCommands;
  /** Roots of other beckon homes, from which an install takes over the hooks; default: none. */
  readonly otherHomes?: readonly string[];
}
