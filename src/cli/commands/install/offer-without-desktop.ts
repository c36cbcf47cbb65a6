import { anyPhoneApp, notifierLoaders, withoutDesktop } from "../../../notifiers/registry.ts";
import { say } from "../../say.ts";
import { runConfigAdd } from "../config/add/add.ts";
import { runConfigRemove } from "../config/remove.ts";
import type { InstallContext } from "./context.ts";
import type { InstallOptions } from "./options.ts";
import type { SampleReport } from "./sample-event.ts";

/** Sources of answers for a notifier whose settings all have defaults, so that nothing is asked. */
const unattendedAnswers = { dialog: async () => undefined, secretLines: async () => [] };

/**
 * Offers notifications in the agent's terminal, for a machine on which no notifier works, such as a server, a container
 * or a session over SSH. `beckon` is the form of the command that works on this machine.
 */
export async function offerWithoutDesktop(
  beckon: string,
  { outcomes }: SampleReport,
  { yes }: Pick<InstallOptions, "yes">,
  context: InstallContext,
): Promise<void> {
  const { platforms } = (await notifierLoaders[withoutDesktop]?.()) ?? {};
  const isPossible = !platforms || platforms.includes(context.environment.platform);
  say("\nNone of your notifiers works on this machine.", context);
  if (isPossible && context.isInteractive && !yes) {
    const question = "Show notifications in the agent's terminal? This needs no desktop and works over SSH.";
    const isWanted = await context.ask(question, true);
    if (isWanted && (await runConfigAdd({ type: withoutDesktop, test: true }, context, unattendedAnswers)) === 0)
      return await offerRemoval([...new Set(outcomes.flatMap(({ notifier }) => notifier ?? []))], context);
  } else if (isPossible) {
    say("To show notifications in the agent's terminal (works over SSH):", context);
    context.print(`  ${beckon} config add ${withoutDesktop} --alone`);
  }
  if (context.isInteractive && !yes) return; // the next question is about the phone
  say("To get notifications on your phone, or by chat or mail:", context);
  context.print(`  ${beckon} config add ${anyPhoneApp}\n  ${beckon} config add`);
}

/** Offers to remove notifiers that do not work here, because they would only fill the log. */
async function offerRemoval(names: readonly string[], context: InstallContext): Promise<void> {
  const all = names.join(" and ");
  if (!(await context.ask(`Remove ${all}, which cannot notify you on this machine, from the configuration?`, true)))
    return;
  for (const name of names) await runConfigRemove(name, {}, context);
}
