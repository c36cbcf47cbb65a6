import type { Presence } from "../../core/presence-port.ts";
import type { TerminalEnvironment } from "../../core/terminal-environment.ts";
import type { BusValue } from "../bus-types.ts";
import type { BusCall } from "../session-bus.ts";
import type { Seat } from "./seat.ts";

/** Question to the presence sources. */
export interface Question {
  /** The agent's terminal, if it has one. */
  readonly seat?: Seat;
  /** Desktop variables of the agent, else of the worker. */
  readonly env: TerminalEnvironment;
  /** The user's home folder. */
  readonly home: string;
  /** Signal that aborts when answers no longer count. */
  readonly signal: AbortSignal;
  /**
   * Returns the output of a program, by its bare name; undefined if it is missing or fails. @param env additional
   * variables
   */
  run(name: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** Calls a method on the session or system bus without starting a service. Rejects without a bus or a service. */
  call(bus: "session" | "system", call: BusCall): Promise<readonly BusValue[]>;
}

/** Source of facts about the user's presence. A rejection counts as no answer. */
export type Source = (question: Question) => Promise<Presence>;

/** Window with the keyboard focus. */
export interface ActiveWindow {
  /** Process that created it. */
  readonly pid: number;
  /** Processes of all known windows, including this one, once per window. */
  readonly windowPids: readonly number[];
  /** X11 number, as in WINDOWID. */
  readonly x11Id?: string;
}
