import type { Alerts } from "../attention/alert-files.ts";
import type { EarlyResolutions } from "../attention/early-resolutions.ts";
import type { Groups } from "../attention/groups.ts";
import type { Config } from "../config/config.ts";
import type { AgentEvent } from "../core/event.ts";
import type { KeyedQueue } from "../core/keyed-queue.ts";
import type { AnswerOffer } from "../core/notifier-call.ts";
import type { Ports } from "../core/ports.ts";
import type { Journal } from "../journal/journal.ts";
import type { SpoolRecord } from "../spool/record.ts";
import type { GroupOutcome } from "./attempt.ts";
import type { ConfigErrors } from "./config-errors.ts";
import type { NotifierQueues } from "./notifier-queue.ts";
import type { PeerRings, RecentEvents } from "./recent-events.ts";
import type { AskOutcome, PendingDelivery } from "./run-state.ts";

/** Everything the steps of the pipeline use besides the event. Each step takes the parts it needs. */
export interface RunContext {
  readonly ports: Ports;
  readonly journal: Journal;
  /** Alerts by session. */
  readonly alerts: Alerts;
  /** Resolutions that arrived from another machine before their events. */
  readonly earlyResolutions: EarlyResolutions;
  readonly recent: RecentEvents;
  /** Absolute path of the file that stores silences. */
  readonly silencesFile: string;
  /** Absolute path of the file that stores usage limits. */
  readonly limitsFile: string;
  /** Absolute path of the spool's folder. */
  readonly spool: string;
  readonly configErrors: ConfigErrors;
  /** Queue that judges the events of a session one after the other. */
  readonly turns: KeyedQueue;
  /** Queue that sends, changes and withdraws the messages of a session at a notifier one after the other. */
  readonly threads: KeyedQueue;
  /** Groups of deliveries that are sent as one message. */
  readonly groups: Groups<PendingDelivery, GroupOutcome>;
  /** For each notifier, when it may send: its attempts, deliveries that wait for a retry, and pauses. */
  readonly queues: NotifierQueues;
  /** For each other machine, the number of its events about which people were recently notified. */
  readonly peerRings: PeerRings;
  readonly config: Config;
  /** Replaces all secrets that were passed to `keepSecret` in a text. */
  readonly redact: (text: string) => string;
  /** Remembers secrets that `redact` must replace, for example in the journal. */
  readonly keepSecret: (secrets: readonly string[]) => void;
  /** Absent if this process cannot hold permission requests. */
  readonly answers?: AnswerDesk;
}

/** Event as the hook stored it, and as beckon reads it. */
export interface AskedEvent {
  readonly record: SpoolRecord;
  readonly event: AgentEvent;
  /** True unless an earlier run, or a worker that died, had the event already. */
  readonly isNew: boolean;
}

/** Permission requests that wait for an answer from outside the agent's own dialog. */
export interface AnswerDesk {
  /** Notes an event before it is judged: it may ask for permission, or show that an earlier request is answered. */
  note(asked: AskedEvent, context: RunContext): Promise<void>;
  /** Returns the buttons for a message about an event; undefined if the notifier may not answer the event. */
  offer(event: AgentEvent, notifier: string): AnswerOffer | undefined;
  /** True while an event's hook waits for an answer. */
  isHeld(id: string): boolean;
  /** True if an event belongs to an open request of its session, or to the dialog that now decides a request. */
  isAwaited(event: AgentEvent, context: Pick<RunContext, "alerts">): boolean;
  /** Returns the end of the request of an event; undefined if it is open, or never was. */
  findOutcome(event: AgentEvent): AskOutcome | undefined;
  /** True while the pressed buttons of a notifier's messages are read for answers. No other reader may then read them. */
  isReading(notifier: string): boolean;
}
