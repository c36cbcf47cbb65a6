import { agents } from "../agents/registry.ts";
import type { Kind } from "../core/vocabulary.ts";
import type { RecordHeader } from "../spool/record.ts";
import type { Delivery } from "./run-state.ts";

const urgencies: Readonly<Record<Kind, number>> = { "needs-you": 2, failed: 1, finished: 1, info: 0 };

const urgencyByEvent: ReadonlyMap<string, number> = new Map(
  agents.flatMap(({ nativeEvents }) =>
    Object.entries(nativeEvents).map(([nativeEvent, { kind }]) => [nativeEvent, urgencies[kind]] as const),
  ),
);

/**
 * Rates the urgency of a spool record by the event that its hook was installed for: 2 for a request, 1 for a turn that
 * ended or failed, 0 for anything else. A record with a held delivery is infinitely urgent, so that a full spool never
 * drops it.
 */
export function rankUrgency(header: RecordHeader | undefined): number {
  const { event = "", state } = header ?? {};
  const { deliveries } = (state ?? {}) as { readonly deliveries?: Readonly<Record<string, Partial<Delivery>>> };
  const isHeld = Object.values(deliveries ?? {}).some(
    (delivery) => delivery?.isUndecided === true && delivery.heldFor !== undefined,
  );
  return isHeld ? Number.POSITIVE_INFINITY : (urgencyByEvent.get(event) ?? 0);
}
