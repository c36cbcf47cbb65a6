import type { InstallContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";
import { type FileChange, printDiffs } from "./print-plan.ts";

interface Consent extends Pick<InstallOptions, "agents" | "yes" | "unattended"> {
  /** Advice to print if there is no terminal to ask on. */
  readonly cure?: string;
}

/**
 * Asks whether settings files may be changed, and shows the changes on request. If the user declines, prints that
 * nothing was changed. Returns true without asking if no file changes or `yes` is set. Otherwise, if the command is not
 * interactive, returns true only if agents are named or `unattended` is set.
 */
export async function askToAgree(
  question: (changing: readonly FileChange[]) => string,
  changes: readonly FileChange[],
  { agents, yes, unattended, cure = "Run this with --yes, or name the agents with --agent." }: Consent,
  context: InstallContext,
): Promise<boolean> {
  const { isInteractive, decide, print } = context;
  const changing = changes.filter(({ planned }) => planned.changes);
  if (changing.length === 0 || yes || (!isInteractive && (unattended || agents?.length))) return true;
  if (!isInteractive) {
    print(`Nothing was changed, because there is no terminal to ask on. ${cure}`);
    return false;
  }
  let decision = await decide(question(changing));
  while (decision === "diff") {
    printDiffs(context, changing);
    decision = await decide(question(changing));
  }
  if (decision === "no") print("Nothing was changed.");
  return decision === "yes";
}
