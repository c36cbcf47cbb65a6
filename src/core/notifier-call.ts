import type { EventView } from "./event-view.ts";
import type { Message } from "./message.ts";
import type { Ports } from "./ports.ts";
import type { TerminalEnvironment } from "./terminal-environment.ts";

/**
 * Receipt for changing or withdrawing a message later: the receiver's own ids, at most 512 bytes as JSON. Never an
 * address, a token, or text of the message.
 */
export type Receipt = Readonly<Record<string, string | number>>;

/** Arguments of `send`: one message and everything needed to deliver it. */
export interface NotifierCall<Settings> {
  /** Settings of the entry, validated, with references resolved. */
  readonly settings: Settings;
  readonly message: Message;
  /** Source data of the message that this notifier may show: masked, and reduced to the entry's level of detail. */
  readonly view: EventView;
  /** Thread of the message; absent in a test message. */
  readonly thread?: Thread;
  readonly ports: Ports;
  /** Process ids from the hook up to the agent, if the platform lists them; the processes may have ended. */
  readonly processes: readonly number[];
  /** Terminal of the agent, as found in the hook's environment. */
  readonly terminal?: TerminalEnvironment;
  /** True for the fallback after markup or size was rejected: the plainest form the receiver takes. */
  readonly isFallback: boolean;
  /**
   * Masks text that looks like a secret, unless the user has disabled that. For texts that others on this machine can
   * read, such as a program's arguments. A message that leaves the machine is already masked.
   */
  readonly mask: (text: string) => string;
  /** Language of the message's texts, as ISO 639-1 code. */
  readonly language: string;
  /** Origin of the message, in its language, a line each: agent, project and, if known, folder. */
  readonly origin: string;
  /** Labels of buttons, in the message's language. */
  readonly labels: Labels;
  /**
   * Called by notifiers that receive reactions while the worker runs, such as the desktop, at any time after sending
   * starts. Absent if a reaction has no effect: in a test message, and in beckon's own notices.
   */
  readonly onReaction?: (reaction: Reaction) => void;
  /** Adds a remark to the journal's line on a delivered message, such as "one of two servers was down". */
  readonly remark: (text: string) => void;
  /** Aborts at the end of the notifier's budget. */
  readonly signal: AbortSignal;
}

/**
 * Reaction of a person to a visible message: marks it as seen, asks for the agent's terminal, or closes it, which
 * resolves nothing.
 */
export type Reaction = "seen" | "focus" | "closed";

/** Labels of buttons, by their action. */
export type Labels = Readonly<Record<"seen" | "focus", string>>;

/** All messages of one session at one notifier. */
export interface Thread {
  /** Id for receivers that take one: 32 hexadecimal digits, the same for a session on every machine and at any time. */
  readonly key: string;
  /** Receipt of the session's last message there, if it is still visible. */
  readonly previous?: Receipt;
}

/** Arguments of `update` and `withdraw`: the message in its new form, and the receipt of the visible one. */
export interface ChangeCall<Settings> extends NotifierCall<Settings> {
  readonly receipt: Receipt;
  /** Set if it is withdrawn because a newer message replaces it, while its concern is still open. */
  readonly isSuperseded?: boolean;
  /** Resolved concerns of the message. */
  readonly resolutions?: readonly Resolution[];
}

/** Resolution of a concern. */
export interface Resolution {
  /** Id of the event that raised it. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** Cause, in the journal's words: `prompt`, `seen` … */
  readonly by: string;
}

/** Arguments of a poll for messages that somebody marked as seen at the receiver. */
export interface ReactionsCall<Settings> extends CheckCall<Settings> {
  /** Receipts of visible messages about an open concern. */
  readonly active: readonly Receipt[];
}

/** Arguments of `check` and `probe`, which send no message. */
export type CheckCall<Settings> = Pick<NotifierCall<Settings>, "settings" | "ports" | "signal">;
