import type * as z from "zod";
import type { Obstacle, UnprovenProgram } from "./machine-ports.ts";
import type { Limits } from "./message.ts";
import type { ChangeCall, CheckCall, Labels, NotifierCall, ReactionsCall, Receipt } from "./notifier-call.ts";
import type { Detail, Kind } from "./vocabulary.ts";

/** Value of Node's `process.platform`, written out so that the published types need none of Node's. */
export type Platform =
  | "aix"
  | "android"
  | "cygwin"
  | "darwin"
  | "freebsd"
  | "haiku"
  | "linux"
  | "netbsd"
  | "openbsd"
  | "sunos"
  | "win32";

/** Recipients of a notifier: one person, everybody in a channel or on a mailing list, or a program. */
export const audiences = ["person", "team", "machine"] as const;
export type Audience = (typeof audiences)[number];

/** Declaration of a notifier. The configuration schema, the documents and the contract tests are derived from it. */
export interface NotifierDeclaration<Name extends string, Schema extends z.ZodObject> {
  /** Name of the file, the `type` in a configuration and the anchor in the documents. */
  readonly name: Name;
  /** One sentence for people. */
  readonly summary: string;
  /** URL of the page with the limits and the payload format. */
  readonly source: string;
  readonly audience: Audience;
  /** Reach: only this machine's desk, or anywhere the user is. Default `anywhere`. */
  readonly at?: "desk" | "anywhere";
  /** Set if it is heard even while the desktop's do-not-disturb is on: a sound, a voice. */
  readonly isAudible?: true;
  /** False if nobody reads the text when it arrives: a sound, a log file. Default true. */
  readonly textIsRead?: boolean;
  /** Set if it sends events to another beckon of the user, which decides on notifications and gets later states. */
  readonly relays?: true;
  /** Schema of an entry's settings: every field `.describe()`d, secrets made with `secret()`. */
  readonly settings: Schema;
  /** Settings that do nothing without another setting, by name: a password without a user. */
  readonly usedOnlyWith?: Readonly<Record<string, string>>;
  /**
   * Groups of optional settings. An entry must have exactly one complete group, such as a webhook's address, or a
   * server and a token. A setting outside the groups goes with each. Absent: there is one way to send.
   */
  readonly variants?: readonly (readonly string[])[];
  /** Sample settings for the documents and the contract test. */
  readonly example: z.input<Schema>;
  /** Longest time that one attempt may take, milliseconds. */
  readonly budgetMs: number;
  /** Most concurrent attempts; others wait. Default two. */
  readonly maxInFlight?: number;
  /** Lengths that messages are cut to, in the receiver's own unit. */
  readonly limits: Limits;
  /**
   * Limits of the fallback: the message without markup, sent if the receiver rejects the first message's markup or size
   * (400, 413, or the same in a body). Absent: there is no fallback, and a rejected message is not sent again.
   */
  readonly fallbackLimits?: Limits;
  /** Reach of a message: texts that leave this machine are masked by default. */
  readonly reach: "machine" | "network";
  /** Returns the default level of detail for the resolved settings; `full` if absent. */
  detail?(settings: z.output<Schema>): Detail;
  /** Each kind on the receiver's own scale of urgency; absent if it has none. */
  readonly urgency?: Readonly<Record<Kind, string | number | boolean>>;
  /** Pause after a rate limit whose reply does not say how long to wait, milliseconds. */
  readonly rateWaitMs?: number;
  /** Supported platforms; default: any. */
  readonly platforms?: readonly Platform[];
  /** False if a late delivery is worthless, such as a sound. Default true. */
  readonly retries?: boolean;
  /** Lifecycle of a sent message; absent if it never changes and is unrelated to others. */
  readonly lifecycle?: Lifecycle<z.output<Schema>>;
}

/** Lifecycle of a sent message, apart from `update` and `withdraw`. The documents show part of it. */
export interface Lifecycle<Settings> {
  /** State of a message after its withdrawal; set if and only if there is `withdraw`. */
  readonly withdrawn?: "removed" | "silenced" | "marked as done" | "resolved" | "reported";
  /** Set if the messages of a session share a thread of their own. */
  readonly inThread?: true;
  /** Buttons of a message, by their action; none if absent. */
  readonly buttons?: readonly (keyof Labels)[];
  /** Precondition for the three fields above, as a short phrase: "only as a bot". Absent: none. */
  readonly condition?: string;
  /** Set if a message replaces the session's previous one, which then needs no withdrawal. */
  readonly replaces?: true;
  /** Set if the receiver drops or replaces a second message with the same id, which a repeated attempt sends. */
  readonly knowsIds?: true;
  /**
   * True if the receiver keeps messages as states until they are withdrawn: like a person, it does not get messages
   * about resolved concerns. Absent for logs, and for receivers that show messages to people.
   */
  keepsStates?(settings: Settings): boolean;
  /**
   * Reports that the user reacted to a concern that is still open, for example by typing at its terminal. Sent only
   * once, even after a failure, because it is soon worthless.
   * @throws {DeliveryError} as `send`
   */
  notice?(call: ChangeCall<Settings>): Promise<void>;
  /** Polling for pressed buttons at a receiver that cannot call the worker. */
  readonly reactions?: ReactionsRule<Settings>;
  /** Repetition of open messages, for a receiver that otherwise takes them as resolved. */
  readonly repeats?: RepeatsRule<Settings>;
}

/** Ways to verify a notifier without sending a message, and to find out if people see its messages. */
export interface Verification<Settings> {
  /**
   * Finds out why this notifier cannot work on this machine (a missing program, say), with advice if known; undefined
   * if no reason is known. For `beckon doctor`: cheap, sends nothing, never throws.
   */
  check?(call: CheckCall<Settings>): Promise<string | Obstacle | undefined>;
  /**
   * Asks the receiver if address and credentials are valid, without sending a message. Absent if the service has no
   * such endpoint. For `beckon config add`.
   * @throws {DeliveryError} as `send`
   */
  probe?(call: CheckCall<Settings>): Promise<void>;
  /** True if `probe` can check these settings; default: always. */
  canProbe?(settings: Settings): boolean;
  /** Set if `probe` checks only the address, not credentials. */
  readonly probesAddressOnly?: true;
  /** Question to the user about visible messages; absent if the notifier can find out without the user. */
  readonly visibility?: VisibilityRule<Settings>;
}

export interface Notifier<Name extends string = string, Schema extends z.ZodObject = z.ZodObject>
  extends NotifierDeclaration<Name, Schema> {
  /** Ways to verify the notifier without sending a message; absent if there are none. */
  readonly verification?: Verification<z.output<Schema>>;
  /**
   * Delivers the message. Resolves when the receiver has taken it, with a receipt if the message can be changed later.
   * @throws {DeliveryError} with a FailureReason; anything else is journalled as `bug`
   */
  send(call: NotifierCall<z.output<Schema>>): Promise<Receipt | undefined>;
  /**
   * Changes a sent message without alerting again. Also resolves if the message is gone.
   * @returns a new receipt if the receiver gave the message another id
   * @throws {DeliveryError} as `send`
   */
  update?(call: ChangeCall<z.output<Schema>>): Promise<Receipt | undefined>;
  /**
   * Withdraws a resolved message: removes it if people expect that of the receiver, or marks it as done in a chat,
   * replaced by the call's message. Also resolves if the message is gone.
   * @throws {DeliveryError} as `send`
   */
  withdraw?(call: ChangeCall<z.output<Schema>>): Promise<void>;
}

/** Rule for a notifier whose program reports success even if its message is invisible: only the user can tell. */
export interface VisibilityRule<Settings> {
  /** Setting that names the program to try first. */
  readonly setting: string;
  /** Lists the programs that could be started, in the order of trying them; empty if the machine can tell. */
  programs(call: Pick<CheckCall<Settings>, "settings" | "ports">): readonly UnprovenProgram[];
}

/** Polling of a receiver for reactions, while it shows messages about open concerns. */
export interface ReactionsRule<Settings> {
  /** Polling interval, milliseconds; as long as the receiver's own limits require. */
  readonly everyMs: number;
  /** True if messages have buttons with these settings; default: always. */
  isOn?(settings: Settings): boolean;
  /**
   * Returns the receipts of visible messages that somebody marked as seen; empty if nobody did.
   * @throws {DeliveryError} as `send`
   */
  find(call: ReactionsCall<Settings>): Promise<readonly Receipt[]>;
}

/** Repetition of a message while its concern is open. */
export interface RepeatsRule<Settings> {
  /** Interval, milliseconds. */
  readonly everyMs: number;
  /** Kinds of concerns that stay open until somebody acts; messages of other kinds are not repeated. */
  readonly kinds: readonly Kind[];
  /**
   * Sends the message again, without alerting.
   * @throws {DeliveryError} as `send`
   */
  repeat(call: ChangeCall<Settings>): Promise<void>;
}

/** Returns the notifier unchanged; infers types from the settings schema for `send`. */
export function defineNotifier<const Name extends string, Schema extends z.ZodObject>(
  notifier: Notifier<Name, Schema>,
): Notifier<Name, Schema> {
  return notifier;
}

/** Calls `check` and returns its finding in the longer form. */
export async function findObstacle<Settings extends z.ZodObject>(
  { verification }: Pick<Notifier<string, Settings>, "verification">,
  call: CheckCall<z.output<Settings>>,
): Promise<Obstacle | undefined> {
  const found = await verification?.check?.(call);
  return typeof found === "string" ? { message: found } : found;
}
