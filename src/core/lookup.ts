import type * as z from "zod";
import type { BeckonError } from "./errors.ts";
import type { AgentEvent } from "./event.ts";
import type { FoundFacts } from "./facts.ts";
import type { Ports } from "./ports.ts";

/** Arguments of a lookup's `find`. */
export interface LookupCall<Settings> {
  readonly event: AgentEvent;
  /** The lookup's section of the configuration, with references resolved; undefined if the lookup has no settings. */
  readonly settings: Settings;
  readonly ports: Ports;
  /** Aborts at the end of the lookup's budget. */
  readonly signal: AbortSignal;
  /** True if a message may say what the turn's calls did. */
  readonly isDoneWanted?: boolean;
  /** Called with a failure that left some facts out. If all facts are missing, `find` throws instead. */
  readonly report?: (problem: BeckonError) => void;
}

/** Source of facts about an event's session. If the lookup fails or is late, the event is sent without its facts. */
export interface Lookup<Name extends string = string, Settings = unknown> {
  readonly name: Name;
  /** One sentence for people. */
  readonly summary: string;
  /** Schema of the lookup's section, a top-level member of the configuration. Absent if the lookup has no settings. */
  readonly settings?: z.ZodObject;
  /**
   * Schema of an entry in the section's `profiles`. Profiles are named alternative settings for commands; `find` never
   * gets them. Absent if the section has no profiles.
   */
  readonly profile?: z.ZodObject;
  /** Longest time that `find` may take, in milliseconds. */
  readonly budgetMs: number;
  find(call: LookupCall<Settings>): Promise<FoundFacts>;
}

/** Returns the lookup unchanged. TypeScript infers its types. */
export function defineLookup<const Name extends string, Settings>(
  lookup: Lookup<Name, Settings>,
): Lookup<Name, Settings> {
  return lookup;
}
