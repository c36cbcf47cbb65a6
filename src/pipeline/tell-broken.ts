import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { attempt } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import { identityOf } from "./journal.ts";

/**
 * Tells the user, once and through another notifier, that one does not work any more. The nearest come first: those on
 * this machine. Where none can, it is tried again at the next refusal.
 */
export async function tellBroken(broken: ConfiguredNotifier, atMs: number, context: RunContext): Promise<void> {
  const known = context.broken.of(broken);
  if (!known || known.told) return;
  const others = [...context.config.notifiers.values()].filter((one) => !context.broken.of(one));
  const nearFirst = others.toSorted((a, b) => distance(a) - distance(b));
  const event = noticeOf(broken, known.reason, atMs);
  for (const configured of nearFirst) {
    const { failure } = await attempt({ event, facts: {}, configured }, context);
    const line = { ...identityOf(event), notifier: configured.name, attempt: 1 };
    if (failure) {
      context.journal.write({ ...line, status: "failed", reason: `${failure.reason}: ${failure.message}` });
      continue;
    }
    context.journal.write({ ...line, status: "sent" });
    return context.broken.told(broken);
  }
}

/** Without words a notifier (a sound) tells nobody what is broken. */
function distance({ notifier }: ConfiguredNotifier): number {
  if (notifier.name === "sound") return 2;
  return notifier.reach === "machine" ? 0 : 1;
}

function noticeOf({ name, notifier }: ConfiguredNotifier, reason: string, atMs: number): AgentEvent {
  return {
    id: `broken-${name}-${atMs}`.replace(/[^\w-]/g, "_").slice(0, 64),
    atMs,
    event: "BrokenNotifier",
    firing: "BrokenNotifier",
    agent: "beckon",
    kind: "failed",
    project: "beckon",
    message: `The notifier ${name} (${notifier.name}) does not work any more: ${reason}. See \`beckon doctor\`.`,
    extra: {},
  };
}
