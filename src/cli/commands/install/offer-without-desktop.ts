import { notifierLoaders, withoutDesktop } from "../../../notifiers/registry.ts";
import { say } from "../../say.ts";
import { runConfigAdd } from "../config/add/add.ts";
import type { InstallContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";

/** Nobody is asked anything: every setting has a default. */
const nobody = { dialog: async () => undefined, secretLines: async () => [] };

/**
 * On a machine where no notifier works, as a server, a container or a session over SSH: offers the agent's own
 * terminal, tries it, and names the ways to be reached elsewhere. `beckon` is how the command runs here.
 */
export async function offerWithoutDesktop(
  beckon: string,
  { yes }: Pick<InstallOptions, "yes">,
  context: InstallContext,
): Promise<void> {
  const { platforms } = (await notifierLoaders[withoutDesktop]?.()) ?? {};
  const isPossible = !platforms || platforms.includes(context.environment.platform);
  say("\nNo notifier that is set up works on this machine.", context);
  if (isPossible && context.isInteractive && !yes) {
    const question = "Show notifications in the agent's own terminal? It needs no desktop, and works over SSH.";
    const isWanted = await context.ask(question, true);
    if (isWanted && (await runConfigAdd({ type: withoutDesktop, test: true }, context, nobody)) === 0) return;
  } else if (isPossible) {
    say("In the agent's own terminal, over SSH too, notifications show after:", context);
    context.print(`  ${beckon} config add ${withoutDesktop}`);
  }
  say("Push, chat and mail reach you wherever you are:", context);
  context.print(`  ${beckon} config add`);
}
