import { type Command, Option } from "commander";
import { scopes } from "../core/agent.ts";
import { CommandError } from "./errors.ts";
import type { Finish } from "./program.ts";

/** What the installer's modules export: `runInstall`, `runUninstall` and `processContext`. */
interface Installer {
  readonly run: (options: object, context: unknown) => Promise<number>;
  readonly processContext: () => Promise<unknown>;
}

interface InstallerFlags {
  readonly agent?: readonly string[];
  readonly [option: string]: unknown;
}

/** Adds `install` and `uninstall`. */
export function addInstaller(program: Command, finish: Finish): void {
  const run = async (command: "install" | "uninstall", { agent, wait, ...flags }: InstallerFlags): Promise<void> => {
    const installer = await loadInstaller(command);
    const options = { ...flags, ...(agent && { agents: agent }), ...(wait !== undefined && { waitSeconds: wait }) };
    finish(await installer.run(options, await installer.processContext()));
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
    .action((flags: InstallerFlags) => run("install", flags));
  program
    .command("uninstall")
    .description("the exact way back")
    .option("--agent <name...>", "only these agents; default: all")
    .addOption(new Option("--scope <scope>", "only there").choices(scopes))
    .option("--purge", "remove beckon's own folder as well")
    .option("--dry-run", "show what would change, change nothing")
    .option("--yes", "do not ask")
    .action((flags: InstallerFlags) => run("uninstall", flags));
}

/** The one place that knows the installer's modules; the names are literal once they are part of this tree. */
async function loadInstaller(command: "install" | "uninstall"): Promise<Installer> {
  const [program, context]: readonly string[] = [`./${command}.ts`, "./install-context.ts"];
  try {
    const { runInstall, runUninstall } = await import(program ?? "");
    const { processContext } = await import(context ?? "");
    return { run: command === "install" ? runInstall : runUninstall, processContext };
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new CommandError("this build has no installer", "Build it from the whole repository.");
  }
}
