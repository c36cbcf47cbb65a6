import type { Notifier } from "../../../../core/notifier.ts";
import type { SetupGuide } from "../../../../core/setup-guide.ts";
import type { CliContext } from "../../../context.ts";
import type { Dialog } from "../../../dialog.ts";

/** Settings of a notifier as the user gave them, with references. */
export type Settings = Readonly<Record<string, unknown>>;

/** Everything needed to ask a user at a terminal about a notifier. */
export interface Asker {
  readonly notifier: Notifier;
  readonly guide: SetupGuide;
  readonly dialog: Dialog;
  readonly context: CliContext;
}

/** Loads a notifier's guide; an empty one if it has none. */
export async function loadGuide({ guide }: Pick<Notifier, "guide">): Promise<SetupGuide> {
  return (await guide?.()) ?? { where: {} };
}
