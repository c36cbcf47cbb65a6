import { existsSync } from "node:fs";
import { requireOwnRoot } from "../../../actions/require-own-root.ts";
import { loadConfig } from "../../../config/load.ts";
import { CommandError } from "../../../core/errors.ts";
import { openInEditor } from "../../../io/foreground.ts";
import type { CliContext } from "../../context.ts";
import { askOnTerminal } from "../../dialog.ts";
import { printFindings } from "../../findings.ts";
import { shortPath } from "../../short-path.ts";
import { initConfig } from "./init.ts";

/**
 * Runs `beckon config edit`: opens the configuration in the user's editor and then checks it. If it has errors, offers
 * at a terminal to open it again. Returns exit code 1 if errors are left.
 * @throws {CommandError} if the editor cannot be run
 */
export async function runConfigEdit(context: CliContext): Promise<number> {
  const { paths, print, colors, environment } = context;
  requireOwnRoot(context);
  if (!existsSync(paths.config)) initConfig(context);
  for (;;) {
    const exitCode = await openInEditor(paths.config, environment.env);
    if (exitCode !== 0) {
      const why = exitCode === undefined ? "could not be started" : `exited with code ${exitCode}`;
      throw new CommandError(
        `the editor ${why}`,
        `Set $EDITOR to another editor, or edit ${shortPath(paths.config, environment)} yourself.`,
      );
    }
    const { findings } = await loadConfig(paths.config);
    printFindings(findings, context);
    if (findings.length === 0) print(`${colors.green("✓")} no problems found`);
    if (!findings.some(({ level }) => level === "error")) return 0;
    const isAgain = process.stdin.isTTY && context.terminal;
    if (!isAgain || !(await askOnTerminal((dialog) => dialog.confirm("Edit again?", true), false))) return 1;
  }
}
