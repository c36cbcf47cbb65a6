import type * as z from "zod";
import type { BeckonError } from "./errors.ts";
import type { AgentEvent } from "./event.ts";
import type { Facts } from "./facts.ts";
import type { Ports } from "./ports.ts";

export interface LookupCall<Settings> {
  readonly event: AgentEvent;
  /** The lookup's own part of the configuration, references resolved; undefined when it is not configured. */
  readonly settings: Settings;
  readonly ports: Ports;
  /** Aborts at the end of the lookup's budget. */
  readonly signal: AbortSignal;
  /** Takes a failure that cost only part of the facts; one that cost all of them is thrown. */
  readonly report?: (problem: BeckonError) => void;
}

/** Finds facts about the session of an event. Failing or being late means fewer facts, never a lost event. */
export interface Lookup<Name extends string = string, Settings = unknown> {
  readonly name: Name;
  /** One sentence. */
  readonly summary: string;
  /** Settings under the lookup's name at the top level of the configuration; none without a schema. */
  readonly settings?: z.ZodObject;
  /** Most it may take, milliseconds. */
  readonly budgetMs: number;
  find(call: LookupCall<Settings>): Promise<Facts>;
}

/** An identity function, there so that types flow. */
export function defineLookup<const Name extends string, Settings>(
  lookup: Lookup<Name, Settings>,
): Lookup<Name, Settings> {
  return lookup;
}
