import type { Message } from "./message.ts";
import type { Ports } from "./ports.ts";

/** What `send` is called with: one message and all it may use to deliver it. */
export interface NotifierCall<Settings> {
  /** The entry's settings, validated, with references resolved. */
  readonly settings: Settings;
  readonly message: Message;
  readonly ports: Ports;
  /** Process ids from the hook up to the agent, where the platform tells them; the processes may have ended. */
  readonly processes: readonly number[];
  /** Whether this is the fallback, after markup or size was rejected: the plainest form the receiver takes. */
  readonly isFallback: boolean;
  /**
   * Masks what looks like a secret, unless the user has switched that off: for texts that others on this machine can read,
   * such as a program's arguments. The message itself is masked already where it leaves the machine.
   */
  readonly mask: (text: string) => string;
  /** Aborts at the end of the notifier's budget. */
  readonly signal: AbortSignal;
}

/** What `check` and `probe` are called with, which send no message. */
export type CheckCall<Settings> = Pick<NotifierCall<Settings>, "settings" | "ports" | "signal">;
