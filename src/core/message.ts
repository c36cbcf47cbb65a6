import type { LengthUnit } from "../text/cut.ts";
import type { Facts } from "./facts.ts";
import type { Kind } from "./vocabulary.ts";

/**
 * Rendered notification, cut to the notifier's limits. `webhook`, `command` and `file` pass on all but `at` as `data`.
 * The schema in `src/notifiers/shared/webhook-body.ts` describes each field.
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

/** Longest title and body that a receiver takes, in its own unit. */
export interface Limits {
  readonly unit: LengthUnit;
  readonly title: number;
  readonly body: number;
  /** Converts text to the form that the receiver measures, such as escaped text, by grapheme; default: unchanged. */
  readonly countedAs?: (text: string) => string;
}
