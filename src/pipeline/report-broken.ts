import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { attempt } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import { identityOf } from "./journal.ts";

/**
 * Reports to the user, once and through another notifier, that a notifier does not work any more. The most likely to be
 * read is tried first; where all fail, the next rejection is reported.
 */
export async function reportBroken(broken: ConfiguredNotifier, atMs: number, context: RunContext): Promise<void> {
  const others = [...context.config.notifiers.values()].filter((one) => one !== broken && !context.broken.of(one));
  const inOrder = others.toSorted((a, b) => rank(a) - rank(b));
  await context.broken.reportOnce(broken, async ({ reason }) => {
    const event = noticeOf(broken, reason, atMs);
    for (const configured of inOrder) {
      const { failure } = await attempt({ event, facts: {}, configured }, context);
      context.journal.write({
        ...identityOf(event),
        notifier: configured.name,
        attempt: 1,
        ...(failure ? { status: "failed", reason: `${failure.reason}: ${failure.message}` } : { status: "sent" }),
      });
      if (!failure) return true;
    }
    return false;
  });
}

/** Least first: people on this machine, people elsewhere, programs, and what nobody reads. */
function rank({ notifier }: ConfiguredNotifier): number {
  if (notifier.textIsRead === false) return 3;
  if (notifier.audience === "machine") return 2;
  return notifier.reach === "machine" ? 0 : 1;
}

function noticeOf({ name, notifier }: ConfiguredNotifier, reason: string, atMs: number): AgentEvent {
  const shown = name === notifier.name ? name : `${name} (${notifier.name})`;
  return {
    id: `broken-${name}-${atMs}`.replace(/[^\w-]/g, "_").slice(0, 64),
    atMs,
    event: "BrokenNotifier",
    nativeEvent: "BrokenNotifier",
    agent: "beckon",
    kind: "failed",
    project: "beckon",
    message: `The notifier ${shown} does not work any more: ${reason}. See \`beckon doctor\`.`,
    extra: {},
  };
}
