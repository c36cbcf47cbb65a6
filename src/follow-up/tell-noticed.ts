import type { Concern } from "../attention/alert.ts";
import type { RunContext } from "../pipeline/context.ts";
import { change } from "./change.ts";

/**
 * Tells those that want to know of it that the person was seen to react to something that is open still. Never throws.
 */
export async function tellNoticed({ event, facts, told }: Concern, context: RunContext): Promise<void> {
  const sent = Object.entries(told).flatMap(([name, messages]) => {
    const configured = context.config.notifiers.get(name);
    const receipt = messages.findLast((one) => one.receipt)?.receipt;
    return configured?.notifier.notice && receipt ? [{ configured, event, facts, receipt }] : [];
  });
  await Promise.all(sent.map((one) => change("notice", one, context)));
}
