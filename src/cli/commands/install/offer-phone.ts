import { readAudience } from "../../../config/config.ts";
import { loadConfig } from "../../../config/load.ts";
import type { InstallContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";

/**
 * Offers notifications on the phone, if the command may ask and no notifier reaches the user away from this machine.
 */
export async function offerPhone({ yes }: Pick<InstallOptions, "yes">, context: InstallContext): Promise<void> {
  if (!context.isInteractive || yes) return;
  const { notifiers } = await loadConfig(context.paths.config);
  const isPhone = [...notifiers.values()].some(
    (configured) =>
      readAudience(configured) === "person" && configured.notifier.at !== "desk" && configured.notifier.relays !== true,
  );
  if (isPhone) return;
  const question = "Get notifications on your phone too? It takes two minutes.";
  if (await context.ask(question, false)) await context.addPhone();
}
