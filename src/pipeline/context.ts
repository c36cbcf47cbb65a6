import type { Config } from "../config/config.ts";
import type { Ports } from "../core/ports.ts";
import type { BrokenNotifiers } from "./broken-notifiers.ts";
import type { Journal } from "./journal.ts";
import type { Pauses } from "./pauses.ts";
import type { RecentFirings } from "./recent-events.ts";

/** What the steps of a run need besides the event. */
export interface RunContext {
  readonly config: Config;
  readonly ports: Ports;
  readonly journal: Journal;
  readonly recent: RecentFirings;
  readonly pauses: Pauses;
  readonly broken: BrokenNotifiers;
  /** A text without the secrets that have passed through so far. */
  readonly redact: (text: string) => string;
  /** Takes note of secrets, so that none gets into the journal. */
  readonly keepSecret: (secrets: readonly string[]) => void;
}
