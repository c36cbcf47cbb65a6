import type { ConfiguredNotifier } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import { attempt } from "./attempt.ts";
import type { RunContext } from "./context.ts";
import { identityOf } from "./journal.ts";

/**
 * Tells the user, once and through another notifier, that one does not work any more: first through those that people
 * look at, the nearest before the others. Where none can, it is tried again at the next refusal.
 */
export async function tellBroken(broken: ConfiguredNotifier, atMs: number, context: RunContext): Promise<void> {
  const others = [...context.config.notifiers.values()].filter((one) => one !== broken && !context.broken.of(one));
  const nearFirst = others.toSorted((a, b) => distance(a) - distance(b));
  await context.broken.tellOnce(broken, async ({ reason }) => {
    const event = noticeOf(broken, reason, atMs);
    for (const configured of nearFirst) {
      const { failure } = await attempt({ event, facts: {}, configured }, context);
      const line = { ...identityOf(event), notifier: configured.name, attempt: 1 };
      context.journal.write(
        failure
          ? { ...line, status: "failed", reason: `${failure.reason}: ${failure.message}` }
          : { ...line, status: "sent" },
      );
      if (!failure) return true;
    }
    return false;
  });
}

/** These may have a program behind them, and not a person. */
const programs: readonly string[] = ["webhook", "command", "module"];
/** These say nothing of what is broken, or say it where nobody looks. */
const mute: readonly string[] = ["sound", "file"];

function distance({ notifier }: ConfiguredNotifier): number {
  if (mute.includes(notifier.name)) return 3;
  if (programs.includes(notifier.name)) return 2;
  return notifier.reach === "machine" ? 0 : 1;
}

function noticeOf({ name, notifier }: ConfiguredNotifier, reason: string, atMs: number): AgentEvent {
  const shown = name === notifier.name ? name : `${name} (${notifier.name})`;
  return {
    id: `broken-${name}-${atMs}`.replace(/[^\w-]/g, "_").slice(0, 64),
    atMs,
    event: "BrokenNotifier",
    firing: "BrokenNotifier",
    agent: "beckon",
    kind: "failed",
    project: "beckon",
    message: `The notifier ${shown} does not work any more: ${reason}. See \`beckon doctor\`.`,
    extra: {},
  };
}
