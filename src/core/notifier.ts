import type * as z from "zod";
import type { Limits, Message } from "./message.ts";
import type { Ports } from "./ports.ts";

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
  readonly platforms: "any" | readonly NodeJS.Platform[];
  /** False where a late delivery is worth nothing (a sound). Default true. */
  readonly retries?: boolean;
}

export interface NotifierCall<Settings> {
  /** Validated, references resolved. */
  readonly settings: Settings;
  readonly message: Message;
  readonly ports: Ports;
  /** Aborts at the end of the notifier's budget. */
  readonly signal: AbortSignal;
}

export interface Notifier<Name extends string = string, Schema extends z.ZodObject = z.ZodObject>
  extends NotifierDeclaration<Name, Schema> {
  /**
   * Says why this notifier cannot work on this machine (a program that is missing, say), without sending anything;
   * undefined if nothing speaks against it. For `beckon doctor`: cheap, quiet, never throws.
   */
  check?(call: Omit<NotifierCall<z.output<Schema>>, "message">): Promise<string | undefined>;
  /** @throws {DeliveryError} with a FailureReason; anything else is journalled as `bug` */
  send(call: NotifierCall<z.output<Schema>>): Promise<void>;
}

/** An identity function, there so that types flow from the settings schema into `send`. */
export function defineNotifier<const Name extends string, Schema extends z.ZodObject>(
  notifier: Notifier<Name, Schema>,
): Notifier<Name, Schema> {
  return notifier;
}
