import type { AgentEvent } from "../core/event.ts";
import type { FoundFacts } from "../core/facts.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { isSampleSession, silentEvents } from "../core/vocabulary.ts";
import { identifyEvent, unroutedReason } from "../journal/journal-line.ts";
import type { AcceptedEvent } from "./accepted-event.ts";
import type { RunContext } from "./context.ts";
import { limitPeer } from "./limit-peer.ts";
import type { Step } from "./route.ts";
import type { Delivery, RunState } from "./run-state.ts";

/**
 * Plans the deliveries of an accepted event. Returns undefined if there are none, and journals the reason, except for
 * events that never notify anybody.
 * @param parsed the event before it was judged
 */
export async function plan(
  parsed: AgentEvent,
  { event, facts, routed }: AcceptedEvent,
  context: RunContext,
): Promise<RunState | undefined> {
  const steps = await limitPeer(event, routed.steps, context);
  if (steps.length > 0) return startState(parsed, event, facts, steps);
  if (routed.steps.length === 0 && !silentEvents.includes(event.event)) {
    const reason = event.skip ?? routed.note ?? unroutedReason;
    context.journal.write({ ...identifyEvent(event), status: "skipped", reason });
  }
  return undefined;
}

/** Builds the first state of an event, with one open delivery for each planned message. */
function startState(parsed: AgentEvent, event: AgentEvent, facts: FoundFacts, steps: readonly Step[]): RunState {
  const { work, ...shown } = facts;
  const isAwaited = event.isAwaited || isSampleSession(event.sessionId);
  const isUnattended = isAwaited === true || work?.isHeadless === true;
  const due = isUnattended ? steps.filter(({ afterMs }) => afterMs === 0) : steps;
  const { atMs, kind } = event;
  const message = event.message === parsed.message ? undefined : event.message;
  const project = event.project === parsed.project ? undefined : event.project;
  return {
    atMs,
    freshAtMs: atMs,
    kind,
    ...omitUndefined({ message, project, isUnattended: isUnattended || undefined }),
    facts: shown,
    deliveries: Object.fromEntries(due.map(openDelivery)),
  };
}

/** Creates the delivery for a planned message, with its key in `RunState.deliveries`. */
export function openDelivery({ notifier, number, afterMs, when }: Step): [key: string, delivery: Delivery] {
  const fresh = { status: "open", attempts: 0, isUndecided: true, ...omitUndefined({ when }) } as const;
  if (number === 0) return [notifier, fresh];
  return [`${notifier}#${number}`, { ...fresh, notifier, step: number, afterMs }];
}
