import type * as z from "zod";
import type { Detail } from "./detail.ts";
import type { Limits, Message } from "./message.ts";
import type { Ports } from "./ports.ts";
import type { Kind } from "./vocabulary.ts";

/** What a notifier says about itself; config schema, README and contract tests are made from it. */
export interface NotifierDeclaration<Name extends string, Schema extends z.ZodObject> {
  /** File name, config `type` and README anchor. */
  readonly name: Name;
  /** One sentence. */
  readonly summary: string;
  /** URL the limits and the payload format were read from. */
  readonly source: string;
  /** Every field `.describe()`d; secrets made with `secret()`. */
  readonly settings: Schema;
  /** README sample and contract-test input. */
  readonly example: z.input<Schema>;
  /** Most one attempt may take, milliseconds. */
  readonly budgetMs: number;
  /** What render cuts to, in the receiver's own unit. */
  readonly limits: Limits;
  /**
   * What a second, plainer attempt is cut to, where the receiver refused the first one's markup or size (400, 413, or
   * as much in a body). Absent: there is no plainer form, and nothing is tried twice.
   */
  readonly plainer?: Limits;
  /** How far a message goes: what leaves this machine is masked unless the user says otherwise. */
  readonly reach: "machine" | "network";
  /** How much of an event goes there by default, by the resolved settings. Default `full`. */
  detail?(settings: z.output<Schema>): Detail;
  /** What each kind becomes in the receiver's own scale of urgency; absent where it has none. */
  readonly urgency?: Readonly<Record<Kind, string | number | boolean>>;
  /** How long to leave a receiver alone that says "too fast" without saying for how long, milliseconds. */
  readonly rateWaitMs?: number;
  readonly platforms: "any" | readonly NodeJS.Platform[];
  /** False where a late delivery is worth nothing (a sound). Default true. */
  readonly retries?: boolean;
}

export interface NotifierCall<Settings> {
  /** Validated, references resolved. */
  readonly settings: Settings;
  readonly message: Message;
  readonly ports: Ports;
  /** The processes that fired the hook, the agent's last, where the platform tells; they may be gone. */
  readonly processes: readonly number[];
  /** Set on the second attempt, after markup or size was refused: as plain as the receiver takes it. */
  readonly plain: boolean;
  /** Aborts at the end of the notifier's budget. */
  readonly signal: AbortSignal;
}

/** What a call is made of where nothing is sent. */
export type CheckCall<Settings> = Pick<NotifierCall<Settings>, "settings" | "ports" | "signal">;

export interface Notifier<Name extends string = string, Schema extends z.ZodObject = z.ZodObject>
  extends NotifierDeclaration<Name, Schema> {
  /**
   * Says why this notifier cannot work on this machine (a program that is missing, say), without sending anything;
   * undefined if nothing speaks against it. For `beckon doctor`: cheap, quiet, never throws.
   */
  check?(call: CheckCall<z.output<Schema>>): Promise<string | undefined>;
  /**
   * Asks the receiver whether address and credentials are good, without telling anybody anything. Absent where the
   * service has no such thing. For `beckon config add`.
   * @throws {DeliveryError} as `send`
   */
  probe?(call: CheckCall<z.output<Schema>>): Promise<void>;
  /** Set where `probe` finds out about the address alone. */
  readonly probesAddressOnly?: true;
  /** @throws {DeliveryError} with a FailureReason; anything else is journalled as `bug` */
  send(call: NotifierCall<z.output<Schema>>): Promise<void>;
}

/** An identity function, there so that types flow from the settings schema into `send`. */
export function defineNotifier<const Name extends string, Schema extends z.ZodObject>(
  notifier: Notifier<Name, Schema>,
): Notifier<Name, Schema> {
  return notifier;
}
