import type * as z from "zod";
import type { BeckonError } from "./errors.ts";
import type { AgentEvent } from "./event.ts";
import type { FoundFacts } from "./facts.ts";
import type { Ports } from "./ports.ts";

/** What `find` is called with. */
export interface LookupCall<Settings> {
  readonly event: AgentEvent;
  /** The lookup's own section of the configuration, references resolved; undefined for a lookup without settings. */
  readonly settings: Settings;
  readonly ports: Ports;
  /** Aborts at the end of the lookup's budget. */
  readonly signal: AbortSignal;
  /** Set if the event was looked up before: it is not worth waiting for late facts about it. */
  readonly isAgain?: boolean;
  /** Called with a failure that cost some of the facts; one that costs all of them is thrown instead. */
  readonly report?: (problem: BeckonError) => void;
}

/** Finds facts about the session of an event. If it fails or is late there are fewer facts, never a lost event. */
export interface Lookup<Name extends string = string, Settings = unknown> {
  readonly name: Name;
  /** One sentence for people. */
  readonly summary: string;
  /** Schema of its settings, which stand under its name at the top level of the configuration; absent: it has none. */
  readonly settings?: z.ZodObject;
  /**
   * Schema of an entry of `profiles` in its section: other settings by a name, which commands take on request. `find`
   * never gets them. Absent: its section has no profiles.
   */
  readonly profile?: z.ZodObject;
  /** Longest it may take, milliseconds. */
  readonly budgetMs: number;
  find(call: LookupCall<Settings>): Promise<FoundFacts>;
}

/** Returns the lookup unchanged; it is there so that types flow. */
export function defineLookup<const Name extends string, Settings>(
  lookup: Lookup<Name, Settings>,
): Lookup<Name, Settings> {
  return lookup;
}
