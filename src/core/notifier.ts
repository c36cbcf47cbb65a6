import type * as z from "zod";
import type { Limits } from "./message.ts";
import type {
  ButtonPress,
  ChangeCall,
  CheckCall,
  Labels,
  NotifierCall,
  PressesRead,
  ReactionsCall,
  Receipt,
} from "./notifier-call.ts";
import type { Obstacle, UnprovenProgram } from "./ports.ts";
import type { SetupGuide } from "./setup-guide.ts";
import type { Detail, Kind } from "./vocabulary.ts";

/** Values of Node's `process.platform`, listed here so that the published types do not need Node's types. */
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
  /** Name of the notifier: its file name, its `type` in a configuration, and its anchor in the documents. */
  readonly name: Name;
  /** One sentence for people. */
  readonly summary: string;
  /** URL of the vendor's page about the limits and the payload format. */
  readonly source: string;
  /** Loads the help for setting the notifier up at a terminal; absent if there is no help. */
  guide?(): Promise<SetupGuide>;
  readonly audience: Audience;
  /** Place where the message can be noticed: only at this machine, or anywhere. Default `anywhere`. */
  readonly at?: "desk" | "anywhere";
  /** Set if the message is audible even while the desktop's do-not-disturb mode is on: a sound, a voice. */
  readonly isAudible?: true;
  /** False if nobody reads the text when it arrives: a sound, a log file. Default true. */
  readonly textIsRead?: boolean;
  /**
   * Set if the notifier sends events to beckon on another machine of the user. That beckon decides about notifications.
   */
  readonly relays?: true;
  /** Schema of an entry's settings. Every field must have a `.describe()`; secrets are made with `secret()`. */
  readonly settings: Schema;
  /** Settings that have no effect without another setting, each with that setting's name: a password needs a user. */
  readonly usedOnlyWith?: Readonly<Record<string, string>>;
  /**
   * Alternative groups of optional settings. An entry must have exactly one complete group, such as a webhook address,
   * or a server and a token. Settings outside the groups fit every group. Absent if there is only one way to send.
   */
  readonly variants?: readonly (readonly string[])[];
  /** Sample settings for the documents and the contract test. */
  readonly example: z.input<Schema>;
  /** Longest time that one attempt may take, in milliseconds. */
  readonly budgetMs: number;
  /** Maximum number of attempts that run at the same time, default two. Further attempts wait. */
  readonly maxInFlight?: number;
  /** Maximum lengths of title and body, in the receiver's own unit. Longer texts are cut. */
  readonly limits: Limits;
  /**
   * Limits of the fallback, a second attempt without markup. Used if the receiver rejects the markup or size of the
   * first attempt (400, 413, or an error in a 2xx body). Absent: a rejected message is not sent again.
   */
  readonly fallbackLimits?: Limits;
  /** `network` if the text leaves this machine, otherwise `machine`. With `network`, the text is masked by default. */
  readonly reach: "machine" | "network";
  /** Returns the default level of detail for these settings. Absent: `full`. */
  detail?(settings: z.output<Schema>): Detail;
  /** The receiver's own urgency level for each kind; absent if the receiver has no levels. */
  readonly urgency?: Readonly<Record<Kind, string | number | boolean>>;
  /** Pause after a rate-limited attempt if the reply names no pause, in milliseconds. */
  readonly rateWaitMs?: number;
  /** Supported platforms; default: any. */
  readonly platforms?: readonly Platform[];
  /** False if a late delivery is worthless, as for a sound. Default true. */
  readonly retries?: boolean;
  /** Later changes to a sent message; absent if a message never changes and is independent of other messages. */
  readonly lifecycle?: Lifecycle<z.output<Schema>>;
}

/** Later changes to a sent message, apart from `update` and `withdraw`. The documents show some of these fields. */
export interface Lifecycle<Settings> {
  /** State of a message after `withdraw`. Required if the notifier has `withdraw`, and otherwise absent. */
  readonly withdrawn?: "removed" | "silenced" | "marked as done" | "resolved" | "reported";
  /** Set if all messages of a session form a thread at the receiver. */
  readonly inThread?: true;
  /** Actions for which a message has buttons; absent: no buttons. */
  readonly buttons?: readonly (keyof Labels)[];
  /** Rule for buttons that answer permission requests; absent if messages cannot have such buttons. */
  readonly answers?: {
    /** Explains why messages have no such buttons on this machine; undefined if they may have some. */
    obstacle?(call: CheckCall<Settings>): Promise<string | undefined>;
    /** Longest request that a message shows whole, in UTF-16 units. Longer requests can only be denied. */
    readonly maxChars?: number;
    /** Longest form that is shown whole, in UTF-16 units, if messages can show it in parts; default: `maxChars`. */
    readonly maxFormChars?: number;
    /**
     * Loads the reader of pressed buttons. A notifier with a reader identifies the people who press, and accepts only
     * those that the user lists. Absent if buttons call `AnswerOffer.press`.
     */
    readonly reader?: () => Promise<PressReader<Settings>>;
  };
  /** Condition under which messages have the properties above, as a short phrase: "only as a bot". Absent: always. */
  readonly condition?: string;
  /** Set if a new message replaces the session's previous message, which then need not be withdrawn. */
  readonly replaces?: true;
  /** Set if the receiver drops or replaces a second message with the same id. A repeated attempt uses the same id. */
  readonly knowsIds?: true;
  /**
   * True if the receiver keeps each message as a state until the message is withdrawn. Such a receiver gets no messages
   * about resolved concerns. Absent for logs, and for receivers that show messages to people.
   */
  keepsStates?(settings: Settings): boolean;
  /**
   * Reports that the user noticed an open concern, for example by typing in its terminal. Never retried, because the
   * report is soon worthless.
   */
  notice?(call: ChangeCall<Settings>): Promise<void>;
  /**
   * Rule for polling a receiver for pressed buttons while it shows messages about open concerns, because the receiver
   * cannot call the worker.
   */
  readonly reactions?: {
    /** Polling interval in milliseconds, chosen to stay within the receiver's rate limits. */
    readonly everyMs: number;
    /** True if messages have buttons under these settings; absent: always. */
    isOn?(settings: Settings): boolean;
    /**
     * Returns the receipts of visible messages that somebody marked as seen; empty if nobody did.
     * @throws {DeliveryError} like `send`
     */
    find(call: ReactionsCall<Settings>): Promise<readonly Receipt[]>;
  };
  /** Rule for repeating open messages, for a receiver that otherwise treats them as resolved. */
  readonly repeats?: {
    /** Time between two repeats, in milliseconds. */
    readonly everyMs: number;
    /** Kinds of concerns that stay open until somebody acts; messages of other kinds are not repeated. */
    readonly kinds: readonly Kind[];
    /** Sends the message again without alerting the user. */
    repeat(call: ChangeCall<Settings>): Promise<void>;
  };
}

/** Checks of a notifier that send no message, and a question to the user about visible messages. */
export interface Verification<Settings> {
  /**
   * Finds out why this notifier cannot work on this machine, such as a missing program, with advice if known; undefined
   * if no reason is known. It is fast, sends nothing and never throws.
   */
  check?(call: CheckCall<Settings>): Promise<string | Obstacle | undefined>;
  /**
   * Asks the receiver whether address and credentials are valid, without sending a message. Absent if the service has
   * no endpoint for this. Called by `beckon config add`.
   */
  probe?(call: CheckCall<Settings>): Promise<void>;
  /** True if `probe` works with these settings; absent: always. */
  canProbe?(settings: Settings): boolean;
  /** Set if `probe` checks only the address, not credentials. */
  readonly probesAddressOnly?: true;
  /**
   * Rule for asking the user whether messages are visible, if the program reports success even for an invisible one;
   * absent if the notifier itself can find that out.
   */
  readonly visibility?: {
    /** Name of the setting that selects the program to try first. */
    readonly setting: string;
    /** Lists the available programs in the order in which they are tried; empty if the user need not be asked. */
    programs(call: Pick<CheckCall<Settings>, "settings" | "ports">): readonly UnprovenProgram[];
  };
}

/** Declaration of a notifier, with the functions that deliver, change and withdraw its messages. */
export interface Notifier<Name extends string = string, Schema extends z.ZodObject = z.ZodObject>
  extends NotifierDeclaration<Name, Schema> {
  /** Checks that send no message; absent if there are none. */
  readonly verification?: Verification<z.output<Schema>>;
  /**
   * Delivers the message. Resolves when the receiver has accepted it. The result is a receipt if the message can be
   * changed later.
   */
  send(call: NotifierCall<z.output<Schema>>): Promise<Receipt | undefined>;
  /** Changes a sent message without alerting the user again. Also resolves if the message is gone. */
  update?(call: ChangeCall<z.output<Schema>>): Promise<Receipt | undefined>;
  /**
   * Withdraws a message whose concerns are resolved: removes it or, in a chat, replaces it by the call's message, to
   * mark it as done. It is no error if the message is already gone.
   */
  withdraw?(call: ChangeCall<z.output<Schema>>): Promise<void>;
}

/** Reader of pressed buttons, for receivers that cannot call the worker. */
export interface PressReader<Settings> {
  /** Names the account whose buttons are read. Entries with the same account share one reader. Contains a secret. */
  account(settings: Settings): string;
  /**
   * Waits for pressed buttons, for at most `readMs`. Confirms everything before the cursor.
   * @throws {DeliveryError} as `send`
   */
  read(call: CheckCall<Settings>, cursor: number | undefined): Promise<PressesRead>;
  /** Longest time that `read` waits, in milliseconds. */
  readonly readMs: number;
  /** Confirms everything before the cursor, so that it is not reported again. @throws {DeliveryError} as `send` */
  confirm(call: CheckCall<Settings>, cursor: number): Promise<void>;
  /**
   * Ends the waiting sign at a pressed button, and shows the user a text. It is no error if the press is too old.
   * @throws {DeliveryError} as `send`
   */
  acknowledge(call: CheckCall<Settings>, press: ButtonPress, text: string | undefined): Promise<void>;
}

/** Returns the notifier unchanged. TypeScript infers the types of its functions from the settings schema. */
export function defineNotifier<const Name extends string, Schema extends z.ZodObject>(
  notifier: Notifier<Name, Schema>,
): Notifier<Name, Schema> {
  return notifier;
}
