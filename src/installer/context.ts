import { type Command, Option } from "commander";
import { scopes } from "../core/agent-settings.ts";
import type { CliContext, Finish } from "../cli/context.ts";
import type { InstallContext } from "../cli/commands/install/context.ts";
import type { InstallOptions } from "../cli/commands/install/options.ts";
import type { UninstallOptions } from "../cli/commands/uninstall.ts";
import type { UpgradeOptions } from "../cli/commands/upgrade.ts";

interface InstallerFlags extends Omit<InstallOptions & UninstallOptions, "agents" | "waitSeconds"> {
  readonly agent?: readonly string[];
  readonly wait?: number;
}

/** The installer sees the same world as every other command. */
async function loadContext({ paths, place, print }: CliContext): Promise<InstallContext> {
  const { processContext } = await import("../cli/commands/install/context.ts");
  const { home, project: cwd, env, platform } = place;
  const { createExec } = await import("../io/exec.ts");
  return { ...(await processContext()), paths, home, cwd, env, platform, print, exec: createExec(env) };
}

/** Adds `install`, `upgrade` and `uninstall`. */
export function addInstaller(program: Command, cli: CliContext, finish: Finish): void {
  addInstall(program, cli, finish);
  addUpgrade(program, cli, finish);
  addUninstall(program, cli, finish);
}

function addInstall(program: Command, cli: CliContext, finish: Finish): void {
  program
    .command("install")
    .description("set up the hooks of the agents on this machine, and try them")
    .option("--agent <name...>", "only these agents; default: those found here")
    .addOption(new Option("--scope <scope>", "where the hooks go").choices(scopes).default("user"))
    .option("--events <event...>", "only these: Notification, Stop, SubagentStop, SessionEnd, or the agents' own names")
    .option("--wait <seconds>", "let each hook wait so long for the delivery", Number)
    .option("--dry-run", "show what would change, change nothing")
    .option("--yes", "do not ask")
    .action(async ({ agent, wait, ...flags }: InstallerFlags) => {
      const options = { ...flags, ...(agent && { agents: agent }), ...(wait !== undefined && { waitSeconds: wait }) };
      const [{ runInstall }, context] = [await import("../cli/commands/install/install.ts"), await loadContext(cli)];
      finish(await runInstall(options, context));
    });
}

function addUpgrade(program: Command, cli: CliContext, finish: Finish): void {
  program
    .command("upgrade")
    .description("put this version in place of the installed one, and bring the hooks to its form")
    .option("--dry-run", "show what would change, change nothing")
    .option("--yes", "do not ask")
    .option("--json", "as one object; asks nothing")
    .action(async (options: UpgradeOptions) => {
      const [{ runUpgrade }, context] = [await import("../cli/commands/upgrade.ts"), await loadContext(cli)];
      finish(await runUpgrade(options, context));
    });
}

function addUninstall(program: Command, cli: CliContext, finish: Finish): void {
  program
    .command("uninstall")
    .description("the exact way back")
    .option("--agent <name...>", "only these agents; default: all")
    .addOption(new Option("--scope <scope>", "only there").choices(scopes))
    .option("--purge", "remove beckon's own folder as well")
    .option("--dry-run", "show what would change, change nothing")
    .option("--yes", "do not ask")
    .action(async ({ agent, ...flags }: InstallerFlags) => {
      const [{ runUninstall }, context] = [await import("../cli/commands/uninstall.ts"), await loadContext(cli)];
      finish(await runUninstall({ ...flags, ...(agent && { agents: agent }) }, context));
    });
}
