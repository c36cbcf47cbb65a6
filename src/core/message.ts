import type { Facts } from "./facts.ts";
import type { Kind } from "./vocabulary.ts";

/** One rendered notification, cut to the notifier's limits. What the `webhook` and `command` notifiers send as `data`. */
export interface Message {
  readonly id: string;
  /** When the hook took the event in, ISO 8601. */
  readonly at: string;
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
}

/** The receiver's own unit of length. `bytes` are UTF-8, `utf16` JavaScript string length. */
export type LengthUnit = "bytes" | "utf16" | "codePoints" | "graphemes";

/** Most a receiver takes, per part, in its own unit. */
export interface Limits {
  readonly unit: LengthUnit;
  readonly title: number;
  readonly body: number;
  /** The form in which the receiver counts (escaped, say), grapheme by grapheme; the text itself by default. */
  readonly countedAs?: (text: string) => string;
}
