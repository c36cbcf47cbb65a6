import type { LengthUnit } from "../text/cut.ts";
import type { Facts } from "./facts.ts";
import type { Kind } from "./vocabulary.ts";

/**
 * Rendered notification, cut to the notifier's limits. `webhook`, `command` and `file` pass on all fields except `at`
 * as `data`. The schema in `src/notifiers/shared/webhook-body-schema.ts` describes each field.
 */
export interface Message {
  readonly id: string;
  readonly event: string;
  readonly agent: string;
  readonly kind: Kind;
  readonly sessionId?: string;
  readonly project: string;
  readonly cwd?: string;
  readonly title: string;
  readonly body: string;
  readonly message?: string;
  readonly reason?: string;
  readonly session: Facts;
  /** Arrival time of the event at the hook, ISO 8601. */
  readonly at: string;
}

/** Maximum lengths of the title and the body that a receiver accepts, in the receiver's own unit. */
export interface Limits {
  readonly unit: LengthUnit;
  readonly title: number;
  readonly body: number;
  /** Converts a grapheme to the form whose length the receiver counts, such as escaped text; default: unchanged. */
  readonly countedAs?: (text: string) => string;
}
