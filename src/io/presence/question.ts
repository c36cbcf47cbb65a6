import type { Presence } from "../../core/presence-port.ts";
import type { TerminalEnvironment } from "../../core/terminal-environment.ts";
import type { BusValue } from "../bus-types.ts";
import type { BusCall } from "../session-bus.ts";
import type { Seat } from "./seat.ts";

/** What sources are asked with. */
export interface Question {
  /** The agent's terminal, where it has one. */
  readonly seat?: Seat;
  /** The desktop as the agent sees it, and where it says nothing, as the worker does. */
  readonly env: TerminalEnvironment;
  /** The user's home folder. */
  readonly home: string;
  /** Aborted when no answer counts any more. */
  readonly signal: AbortSignal;
  /**
   * Standard output of a program that beckon chose, found by its bare name; undefined where it is missing or fails.
   * @param env variables besides the usual ones
   */
  run(name: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** A call on the session bus or the system's that starts no service. Rejects where there is no bus or no service. */
  call(bus: "session" | "system", call: BusCall): Promise<readonly BusValue[]>;
}

/** Somebody who knows something about the person. May reject: then it knows nothing. */
export type Source = (question: Question) => Promise<Presence>;

/** The window that has the keyboard. */
export interface ActiveWindow {
  /** The process that made it. */
  readonly pid: number;
  /** The processes of the windows that are known of, this one's included, once for each window. */
  readonly windowPids: readonly number[];
  /** Its number on X11, as in WINDOWID. */
  readonly x11Id?: string;
}
