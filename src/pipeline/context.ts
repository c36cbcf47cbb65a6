import type { Alerts } from "../attention/alert-files.ts";
import type { EarlyEnds } from "../attention/early-ends.ts";
import type { Groups } from "../attention/groups.ts";
import type { Config } from "../config/config.ts";
import type { Ports } from "../core/ports.ts";
import type { Turns } from "../core/turns.ts";
import type { Journal } from "../journal/journal.ts";
import type { Backlog } from "./backlog.ts";
import type { BrokenNotifiers } from "./broken-notifiers.ts";
import type { ConfigErrors } from "./config-errors.ts";
import type { PendingDelivery } from "./outgoing.ts";
import type { Pauses } from "./pauses.ts";
import type { PeerRings } from "./peer-rings.ts";
import type { RecentEvents } from "./recent-events.ts";
import type { Slots } from "./slots.ts";

/** What the steps of the pipeline work with besides the event. */
export interface RunContext {
  /** What concerns the person, by session. */
  readonly alerts: Alerts;
  /** What was over on another machine before it came in here. */
  readonly earlyEnds: EarlyEnds;
  /** Counts of the calls of other machines. */
  readonly peerRings: PeerRings;
  /** What is told in one message. */
  readonly groups: Groups<PendingDelivery>;
  /** The order in which the messages of one session at one notifier are sent, changed and taken back. */
  readonly threads: Turns;
  /** Absolute path of the file of silences. */
  readonly silencesFile: string;
  readonly config: Config;
  readonly ports: Ports;
  readonly journal: Journal;
  readonly recent: RecentEvents;
  readonly pauses: Pauses;
  /** Deliveries that wait for their next attempt. */
  readonly backlog: Backlog;
  readonly broken: BrokenNotifiers;
  /** The order in which events are judged. */
  readonly turns: Turns;
  /** How many attempts each notifier makes at the same time. */
  readonly slots: Slots;
  readonly configErrors: ConfigErrors;
  /** A text with every secret that was passed to `keepSecret` replaced. */
  readonly redact: (text: string) => string;
  /** Remembers secrets, so that `redact` keeps them out of the journal. */
  readonly keepSecret: (secrets: readonly string[]) => void;
}
