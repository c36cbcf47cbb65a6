import type { EventView } from "./event-view.ts";
import type { Message } from "./message.ts";
import type { Ports } from "./ports.ts";
import type { TerminalEnvironment } from "./terminal-environment.ts";

/**
 * What a notifier returns of a message so that it can be changed or taken back later: the receiver's own ids, at most
 * 512 bytes as JSON. Never an address, a token, or a text of the message.
 */
export type Receipt = Readonly<Record<string, string | number>>;

/** What `send` is called with: one message and all it may use to deliver it. */
export interface NotifierCall<Settings> {
  /** The entry's settings, validated, with references resolved. */
  readonly settings: Settings;
  readonly message: Message;
  /** What the message is made of, as far as this notifier may show it: masked, and by the entry's level of detail. */
  readonly view: EventView;
  /** What the message belongs to; absent in a test message. */
  readonly thread?: Thread;
  readonly ports: Ports;
  /** Process ids from the hook up to the agent, where the platform tells them; the processes may have ended. */
  readonly processes: readonly number[];
  /** Where the agent's terminal is, as far as the hook's environment told. */
  readonly terminal?: TerminalEnvironment;
  /** Whether this is the fallback, after markup or size was rejected: the plainest form the receiver takes. */
  readonly isFallback: boolean;
  /**
   * Masks what looks like a secret, unless the user has switched that off: for texts that others on this machine can
   * read, such as a program's arguments. The message itself is masked already where it leaves the machine.
   */
  readonly mask: (text: string) => string;
  /** The language of the message's texts, by its ISO 639-1 code. */
  readonly language: string;
  /** Where the message comes from, in its language, a line each: agent, project and, where it is known, folder. */
  readonly origin: string;
  /** The texts of buttons, in the message's language. */
  readonly labels: Labels;
  /**
   * What a notifier calls that is told of reactions while the worker runs, as the desktop is: at any time after it has
   * begun to send. Absent where nothing would come of it: in a test message, and in beckon's own notices.
   */
  readonly onReaction?: (reaction: Reaction) => void;
  /** Adds a remark to the journal's line on a message that is delivered all the same: one of two servers was down. */
  readonly remark: (text: string) => void;
  /** Aborts at the end of the notifier's budget. */
  readonly signal: AbortSignal;
}

/**
 * What a person does with a message where it shows: says that it is seen, asks for the agent's terminal, or puts the
 * message away, so that it stands no longer and says nothing.
 */
export type Reaction = "seen" | "focus" | "closed";

/** What a button says, by what it does. */
export type Labels = Readonly<Record<"seen" | "focus", string>>;

/** All messages of one session at one notifier. */
export interface Thread {
  /**
   * 32 hexadecimal digits, the same for a session on every machine and at any time: an id for receivers that take one.
   */
  readonly key: string;
  /** The session's last message there, if it stands still. */
  readonly previous?: Receipt;
}

/**
 * What `update` and `withdraw` are called with: the message as it is to read now, and the receipt of the one that
 * stands.
 */
export interface ChangeCall<Settings> extends NotifierCall<Settings> {
  readonly receipt: Receipt;
  /** Set where it is withdrawn since a newer message took its place, while what it tells is still open. */
  readonly isMoved?: boolean;
  /** What is over of that which the message told. */
  readonly over?: readonly Ending[];
}

/** The end of a wait for the person. */
export interface Ending {
  /** Id of the event that began it. */
  readonly id: string;
  /** Unix milliseconds. */
  readonly atMs: number;
  /** What ended it, in the journal's words: `prompt`, `seen` … */
  readonly by: string;
}

/** What a notifier is called with that is asked whether anybody has said at the receiver that messages are seen. */
export interface ReactionsCall<Settings> extends CheckCall<Settings> {
  /** The messages that stand and tell of something open. */
  readonly standing: readonly Receipt[];
}

/** What `check` and `probe` are called with, which send no message. */
export type CheckCall<Settings> = Pick<NotifierCall<Settings>, "settings" | "ports" | "signal">;
