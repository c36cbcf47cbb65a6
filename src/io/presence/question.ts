import type { Presence } from "../../core/presence-port.ts";
import type { TerminalEnvironment } from "../../core/terminal-environment.ts";
import type { BusValue } from "../bus-types.ts";
import type { BusCall } from "../session-bus.ts";
import type { Seat } from "./seat.ts";

/** Arguments of every presence source. */
export interface Question {
  /** The agent's terminal, if it has one. */
  readonly seat?: Seat;
  /** Desktop variables from the agent's environment, or else from the worker's. */
  readonly env: TerminalEnvironment;
  /** The user's home folder. */
  readonly home: string;
  /** Signal that aborts when it is too late for answers. */
  readonly signal: AbortSignal;
  /**
   * Runs a program by its bare name and returns its output; undefined if the program is missing or fails.
   * @param env additional variables
   */
  run(name: string, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string | undefined>;
  /** Calls a method on one of the buses. Never starts a service. Rejects if the bus or the service is missing. */
  call(bus: "session" | "system", call: BusCall): Promise<readonly BusValue[]>;
}

/** Source of facts about the user's presence. A rejection counts as no answer. */
export type Source = (question: Question) => Promise<Presence>;

/** Window with the keyboard focus. */
export interface ActiveWindow {
  /** Process that created the window. */
  readonly pid: number;
  /** Process ids of all known windows, including this one. A process with several windows appears several times. */
  readonly windowPids: readonly number[];
  /** X11 window id in decimal, as in WINDOWID. */
  readonly x11Id?: string;
}
