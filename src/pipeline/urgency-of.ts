import { agents } from "../agents/registry.ts";
import type { Kind } from "../core/vocabulary.ts";
import type { RecordHeader } from "../spool/record.ts";

const urgencies: Readonly<Record<Kind, number>> = { "needs-you": 2, failed: 1, finished: 1, info: 0 };

const urgencyByEvent: ReadonlyMap<string, number> = new Map(
  agents.flatMap(({ nativeEvents }) =>
    Object.entries(nativeEvents).map(([nativeEvent, { kind }]) => [nativeEvent, urgencies[kind]] as const),
  ),
);

/**
 * How urgent a record is, by the event its hook was installed for, under any agent's name for it: 2 where a person must
 * act, 1 for the end of a turn, 0 for everything else.
 */
export function urgencyOf(header: RecordHeader | undefined): number {
  return urgencyByEvent.get(header?.event ?? "") ?? 0;
}
