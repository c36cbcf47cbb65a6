import type * as z from "zod";
import type { Obstacle, UnprovenProgram } from "./machine-ports.ts";
import type { Limits } from "./message.ts";
import type { ChangeCall, CheckCall, Labels, NotifierCall, ReactionsCall, Receipt } from "./notifier-call.ts";
import type { Detail, Kind } from "./vocabulary.ts";

/** A value of Node's `process.platform`, written out so that the published types need none of Node's. */
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

/** For whom a notifier is: one person, everybody in a channel or on a mailing list, or a program. */
export const audiences = ["person", "team", "machine"] as const;
export type Audience = (typeof audiences)[number];

/** What a notifier declares; the configuration schema, the documents and the contract tests are derived from it. */
export interface NotifierDeclaration<Name extends string, Schema extends z.ZodObject> {
  /** The file's name, the `type` in a configuration and the anchor in the documents. */
  readonly name: Name;
  /** One sentence for people. */
  readonly summary: string;
  /** URL the limits and the payload format were read from. */
  readonly source: string;
  readonly audience: Audience;
  /** Where it reaches: only at this machine's desk, or wherever the person is. Default `anywhere`. */
  readonly at?: "desk" | "anywhere";
  /** Set where it is heard although the desktop's do-not-disturb is on: a sound, a voice. */
  readonly isAudible?: true;
  /** False where nobody reads the text when it arrives: a sound, a log file. Default true. */
  readonly textIsRead?: boolean;
  /**
   * Set where it hands events over to a beckon of the person's, which decides what they are told: what becomes of an
   * event goes there too.
   */
  readonly relays?: true;
  /** Schema of an entry's settings: every field `.describe()`d, secrets made with `secret()`. */
  readonly settings: Schema;
  /** Settings that do nothing without another one, by name: a password without a user. */
  readonly usedOnlyWith?: Readonly<Record<string, string>>;
  /**
   * Groups of optional settings of which an entry has exactly one, whole: a webhook's address, or a server and a token.
   * A setting of no group goes with each. Absent: there is one way to send.
   */
  readonly variants?: readonly (readonly string[])[];
  /** Sample settings for the documents and the contract test. */
  readonly example: z.input<Schema>;
  /** Longest one attempt may take, milliseconds. */
  readonly budgetMs: number;
  /** Most attempts that are made at the same time; the others wait. Default two. */
  readonly maxInFlight?: number;
  /** Lengths that messages are cut to, in the receiver's own unit. */
  readonly limits: Limits;
  /**
   * Limits of the fallback: the message without markup, sent where the receiver rejected the first one's markup or size
   * (400, 413, or as much in a body). Absent: there is no such form, and a rejected message is not sent again.
   */
  readonly fallbackLimits?: Limits;
  /** How far a message goes: texts that leave this machine are masked unless the user says otherwise. */
  readonly reach: "machine" | "network";
  /** Default level of detail, from the resolved settings; `full` where absent. */
  detail?(settings: z.output<Schema>): Detail;
  /** Each kind on the receiver's own scale of urgency; absent where it has none. */
  readonly urgency?: Readonly<Record<Kind, string | number | boolean>>;
  /** Pause after a rate limit whose reply does not say how long to wait, milliseconds. */
  readonly rateWaitMs?: number;
  /** The platforms it works on; default: any. */
  readonly platforms?: readonly Platform[];
  /** False where a late delivery is worthless (a sound). Default true. */
  readonly retries?: boolean;
  /** Fate of a message once it is sent; absent if it stays as it was sent, unrelated to others. */
  readonly lifecycle?: Lifecycle<z.output<Schema>>;
}

/** Fate of a message once it is sent, as far as `update` and `withdraw` do not say it. The documents show part of it. */
export interface Lifecycle<Settings> {
  /** State of a message after its withdrawal; set exactly if there is `withdraw`. */
  readonly withdrawn?: "removed" | "silenced" | "marked as done" | "resolved" | "told";
  /** Set if the messages of a session stand together, in a thread of their own. */
  readonly inThread?: true;
  /** Buttons of a message, by what they do; none if absent. */
  readonly buttons?: readonly (keyof Labels)[];
  /** Precondition for the four fields above, a short sentence: "With a bot's token." Absent: none. */
  readonly condition?: string;
  /** Set if a message takes the place of the session's previous one, which then needs no withdrawal. */
  readonly replaces?: true;
  /** Set if the receiver drops or replaces a second message with the same id, as a repeated attempt sends it. */
  readonly knowsIds?: true;
  /**
   * Tells if the receiver keeps messages as states until they are withdrawn: like a person, it is not notified of what is
   * resolved already. Absent if it is a log, or shows messages to persons.
   */
  keepsStates?(settings: Settings): boolean;
  /**
   * Tells that the person was seen to react to what is open still: they typed at its terminal, say. Once, and not again
   * if it fails: a moment later it is worth nothing.
   * @throws {DeliveryError} as `send`
   */
  notice?(call: ChangeCall<Settings>): Promise<void>;
  /** How the worker finds out about buttons that were pressed at the receiver, which cannot call it. */
  readonly reactions?: ReactionsRule<Settings>;
  /** How a receiver is told again of what is open, for one that takes it for over otherwise. */
  readonly repeats?: RepeatsRule<Settings>;
}

/** Ways to find out if a notifier works without sending a message, and if people see what it sends. */
export interface Verification<Settings> {
  /**
   * Why this notifier cannot work on this machine (a missing program, say), and what to do about it if that is known;
   * undefined if no reason is known. For `beckon doctor`: cheap, sends nothing, never throws.
   */
  check?(call: CheckCall<Settings>): Promise<string | Obstacle | undefined>;
  /**
   * Asks the receiver whether address and credentials are valid, without sending a message. Absent if the service has
   * no such endpoint. For `beckon config add`.
   * @throws {DeliveryError} as `send`
   */
  probe?(call: CheckCall<Settings>): Promise<void>;
  /** Tells if there is something to `probe` by these settings; default: always. */
  canProbe?(settings: Settings): boolean;
  /** Set if `probe` checks only the address, no credentials. */
  readonly probesAddressOnly?: true;
  /** How the person is asked if they see messages; absent if that can be known without them. */
  readonly visibility?: VisibilityRule<Settings>;
}

export interface Notifier<Name extends string = string, Schema extends z.ZodObject = z.ZodObject>
  extends NotifierDeclaration<Name, Schema> {
  /** Ways to find out if the notifier works without sending a message; absent if there are none. */
  readonly verification?: Verification<z.output<Schema>>;
  /**
   * Delivers the message; resolves when the receiver has taken it, to a receipt where the message can be changed later.
   * @throws {DeliveryError} with a FailureReason; anything else is journalled as `bug`
   */
  send(call: NotifierCall<z.output<Schema>>): Promise<Receipt | undefined>;
  /**
   * Changes a message that was sent, without ringing again. Resolves also where it is gone: that is no failure.
   * @returns a new receipt where the receiver gave the message another id
   * @throws {DeliveryError} as `send`
   */
  update?(call: ChangeCall<z.output<Schema>>): Promise<Receipt | undefined>;
  /**
   * Takes back what is resolved: removes the message where people expect that of the receiver, and marks it as done in
   * a chat, with the call's message in its place. Resolves also where it is gone.
   * @throws {DeliveryError} as `send`
   */
  withdraw?(call: ChangeCall<z.output<Schema>>): Promise<void>;
}

/**
 * Where nobody but the person can tell whether a message is seen, though the program that shows it says it has done so.
 */
export interface VisibilityRule<Settings> {
  /** The setting that names the program to try first. */
  readonly setting: string;
  /**
   * The programs that could be started now, in the order in which they are tried; none where the machine tells by
   * itself.
   */
  programs(call: Pick<CheckCall<Settings>, "settings" | "ports">): readonly UnprovenProgram[];
}

/** How a receiver is asked for reactions, again and again while messages stand there that tell of something open. */
export interface ReactionsRule<Settings> {
  /** Pause between two questions, milliseconds; as long as the receiver's own limits ask for. */
  readonly everyMs: number;
  /** Whether messages have buttons by these settings; default: always. */
  isOn?(settings: Settings): boolean;
  /**
   * The receipts of the standing messages that somebody has said to have seen; none where nobody has, or has since.
   * @throws {DeliveryError} as `send`
   */
  find(call: ReactionsCall<Settings>): Promise<readonly Receipt[]>;
}

/** How a message that stands is told again and again, for as long as what it tells of is open. */
export interface RepeatsRule<Settings> {
  /** Pause between two times, milliseconds. */
  readonly everyMs: number;
  /** The kinds that are open until something is done about them; messages of other kinds are not repeated. */
  readonly kinds: readonly Kind[];
  /**
   * Tells once more what stands, without ringing.
   * @throws {DeliveryError} as `send`
   */
  repeat(call: ChangeCall<Settings>): Promise<void>;
}

/** Returns the notifier unchanged; it is there so that types flow from the settings schema into `send`. */
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
