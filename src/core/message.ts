import type { LengthUnit } from "../text/cut.ts";
import type { Facts } from "./facts.ts";
import type { Kind } from "./vocabulary.ts";

/**
 * A rendered notification, cut to the notifier's limits. All but `at` is what `webhook`, `command` and `file` pass on
 * as `data`; what each field means is in the schema of `src/notifiers/shared/webhook-body.ts`.
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
  /** When the hook received the event, ISO 8601. */
  readonly at: string;
}

/** Longest title and body that a receiver takes, in its own unit. */
export interface Limits {
  readonly unit: LengthUnit;
  readonly title: number;
  readonly body: number;
  /** The form that the receiver measures (escaped, say), made grapheme by grapheme; default: the text itself. */
  readonly countedAs?: (text: string) => string;
}
