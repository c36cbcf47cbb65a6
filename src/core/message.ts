import type { LengthUnit } from "../text/cut.ts";
import type { AgentEvent } from "./event.ts";
import type { Facts } from "./facts.ts";

/**
 * Rendered notification, cut to the notifier's limits. `webhook`, `command` and `file` pass on all fields except `at`
 * as `data`. The schema in `src/notifiers/shared/webhook-body-schema.ts` describes each field.
 */
export interface Message
  extends Pick<AgentEvent, "id" | "agent" | "kind" | "sessionId" | "project" | "cwd" | "message" | "reason"> {
  readonly event: string;
  readonly title: string;
  readonly body: string;
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
