import { type Command, Option } from "commander";
import { scopes } from "../core/agent.ts";
import type { InstallOptions } from "./install.ts";
import type { Finish } from "./program.ts";
import type { UninstallOptions } from "./uninstall.ts";

interface InstallerFlags extends Omit<InstallOptions & UninstallOptions, "agents" | "waitSeconds"> {
  readonly agent?: readonly string[];
  readonly wait?: number;
}

const loadContext = async () => (await import("./install-context.ts")).processContext();

/** Adds `install` and `uninstall`. */
export function addInstaller(program: Command, finish: Finish): void {
  const install = async ({ agent, wait, ...flags }: InstallerFlags): Promise<void> => {
    const [{ runInstall }, context] = [await import("./install.ts"), await loadContext()];
    finish(
      await runInstall(
        { ...flags, ...(agent && { agents: agent }), ...(wait !== undefined && { waitSeconds: wait }) },
        context,
      ),
    );
  };
  const uninstall = async ({ agent, ...flags }: InstallerFlags): Promise<void> => {
    const [{ runUninstall }, context] = [await import("./uninstall.ts"), await loadContext()];
    finish(await runUninstall({ ...flags, ...(agent && { agents: agent }) }, context));
  };
  program
    .command("install")
    .description("set up the hooks of the agents on this machine, and try them")
    .option("--agent <name...>", "only these agents; default: those found here")
    .addOption(new Option("--scope <scope>", "where the hooks go").choices(scopes).default("user"))
    .option("--events <event...>", "only these events, by the agents' own names")
    .option("--wait <seconds>", "let each hook wait so long for the delivery", Number)
    .option("--dry-run", "show what would change, change nothing")
    .option("--yes", "do not ask")
    .action(install);
  program
    .command("uninstall")
    .description("the exact way back")
    .option("--agent <name...>", "only these agents; default: all")
    .addOption(new Option("--scope <scope>", "only there").choices(scopes))
    .option("--purge", "remove beckon's own folder as well")
    .option("--dry-run", "show what would change, change nothing")
    .option("--yes", "do not ask")
    .action(uninstall);
}
