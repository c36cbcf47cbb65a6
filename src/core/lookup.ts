import type * as z from "zod";
import type { BeckonError } from "./errors.ts";
import type { AgentEvent } from "./event.ts";
import type { FoundFacts } from "./facts.ts";
import type { Ports } from "./ports.ts";

/** Arguments of `find`. */
export interface LookupCall<Settings> {
  readonly event: AgentEvent;
  /** Section of the lookup in the configuration, with references resolved; undefined for a lookup without settings. */
  readonly settings: Settings;
  readonly ports: Ports;
  /** Aborts at the end of the lookup's budget. */
  readonly signal: AbortSignal;
  /** Set if the event was looked up before. Late facts about it are not worth a wait. */
  readonly isAgain?: boolean;
  /** Called with a failure that cost some of the facts. A failure that costs all of them is thrown instead. */
  readonly report?: (problem: BeckonError) => void;
}

/** Source of facts about an event's session. If it fails or is late, facts are missing, but the event is not lost. */
export interface Lookup<Name extends string = string, Settings = unknown> {
  readonly name: Name;
  /** One sentence for people. */
  readonly summary: string;
  /** Schema of its settings, which are under its name at the top level of the configuration; absent: it has none. */
  readonly settings?: z.ZodObject;
  /**
   * Schema of an entry of `profiles` in its section: named alternative settings, which commands use on request. `find`
   * never gets them. Absent: its section has no profiles.
   */
  readonly profile?: z.ZodObject;
  /** Longest time it may take, milliseconds. */
  readonly budgetMs: number;
  find(call: LookupCall<Settings>): Promise<FoundFacts>;
}

/** Returns the lookup unchanged; infers its types. */
export function defineLookup<const Name extends string, Settings>(
  lookup: Lookup<Name, Settings>,
): Lookup<Name, Settings> {
  return lookup;
}
