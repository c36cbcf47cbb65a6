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
  if (header && isHeld(header)) return Number.POSITIVE_INFINITY;
  return urgencyByEvent.get(header?.event ?? "") ?? 0;
}

function isHeld({ state }: RecordHeader): boolean {
  const { deliveries } = (state ?? {}) as { readonly deliveries?: Readonly<Record<string, Partial<Delivery>>> };
  return Object.values(deliveries ?? {}).some(
    (delivery) => delivery?.isUndecided === true && delivery.heldFor !== undefined,
  );
}
