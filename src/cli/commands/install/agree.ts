import type { PlannedFile } from "../../../installer/apply.ts";
import type { InstallContext } from "./context.ts";
import { printDiff } from "./print-plan.ts";

/**
 * Whether the user agrees to change some files, which are shown on request. Prints that nothing was changed where not;
 * `otherwise` tells how to go without a terminal.
 */
export async function agrees(
  question: string,
  files: readonly PlannedFile[],
  otherwise: string,
  context: InstallContext,
): Promise<boolean> {
  const { isInteractive, decide, print } = context;
  if (!isInteractive) {
    print(`Nothing was changed: there is no terminal to ask on. ${otherwise}`);
    return false;
  }
  let decision = await decide(question);
  while (decision === "diff") {
    for (const file of files) printDiff(context, file);
    decision = await decide(question);
  }
  if (decision === "no") print("Nothing was changed.");
  return decision === "yes";
}
