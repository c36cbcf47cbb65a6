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
 * Rates a record's urgency by the event that its hook was installed for: 2 for requests, 1 for a turn's end, 0 for all
 * others. Infinite for a record with a held delivery, because a hold is not a failure.
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
