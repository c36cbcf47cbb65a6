import * as z from "zod";
import { clean, cleanLine } from "../text/clean.ts";
import type { AgentEvent } from "./event.ts";
import type { EventView } from "./event-view.ts";
import type { Facts } from "./facts.ts";
import { omitUndefined } from "./omit-undefined.ts";
import { relayedStates } from "./relayed-state.ts";
import { eventNames, kinds, silentEvents } from "./vocabulary.ts";

/**
 * What one beckon hands over to another: events that are parsed, judged and looked up, and what became of them. Read by
 * the receiver as what a stranger may have written: every text is cleaned and cut, what is not named here is dropped,
 * and a field of a wrong type counts as absent.
 */

/** Longest texts that are handed over, UTF-16 units: an event then fits into 64 KiB, sealed and encoded. */
const maxWord = 200;
const maxPath = 1_024;
const maxMessage = 4_000;
const maxAnswer = 6_000;
const maxLine = 1_000;

const textOf = (maxChars: number, cleaned: (text: string) => string) =>
  z
    .string()
    .transform((text) => cleaned(text.slice(0, maxChars)).trim() || undefined)
    .optional()
    .catch(undefined);
/** A short text in one line; absent where it is none. */
export const relayedWord = textOf(maxWord, cleanLine);
const path = textOf(maxPath, (text) => clean(text).replace(/[\n\t]/g, " "));
const message = textOf(maxMessage, clean);
const answer = textOf(maxAnswer, clean);
const line = textOf(maxLine, clean);
const amount = z.number().nonnegative().optional().catch(undefined);
const isSet = z.literal(true).optional().catch(undefined);

const tokensSchema = z
  .object({
    input: amount,
    output: amount,
    cacheRead: amount,
    cacheWrite: amount,
    thinking: amount,
    credits: amount,
    partial: isSet,
  })
  .transform((tokens) => omitUndefined(tokens))
  .optional()
  .catch(undefined);

const factsSchema = z
  .object({
    title: relayedWord,
    summary: line,
    lastMessage: answer,
    tokens: tokensSchema,
    turnMs: amount,
    messageCount: amount,
    status: relayedWord,
    model: relayedWord,
    branch: relayedWord,
    callingSessionId: relayedWord,
    stillRuns: line,
    nextRun: relayedWord,
    turnOutcome: z.enum(["completed", "failed", "interrupted"]).optional().catch(undefined),
  })
  .transform((facts): Facts => omitUndefined(facts))
  .catch({});

/** A short text in one line; `unknown` where nothing of it is left. */
export const relayedName = z.string().transform((text) => cleanLine(text.slice(0, maxWord)) || "unknown");

export const relayedEventSchema = z.object({
  /** One of the four events, or an agent's own; never one by which beckon itself says something. */
  event: relayedName.refine((name) => !silentEvents.includes(name), "is no event that is told"),
  nativeEvent: relayedName,
  agent: relayedName,
  kind: z.enum(kinds),
  project: relayedName,
  sessionId: relayedWord,
  turnId: relayedWord,
  cwd: path,
  notificationType: relayedWord,
  message,
  reason: relayedWord,
  lastMessage: answer,
  /** Set where nobody sits in front of it. */
  unattended: isSet,
  session: factsSchema,
});
/** A `RelayedState`. */
export const relayedStateSchema = z.object({
  /** The event's id, as it was handed over. */
  id: z.string().max(64),
  state: z.enum(relayedStates),
  /** When, Unix milliseconds. */
  atMs: z.number(),
  /** What ended it, in the journal's words. */
  by: relayedWord,
});
/** What is handed over of an event: texts cut, paths as text, no process, no terminal. */
export function toRelayed({ event, facts }: EventView): z.output<typeof relayedEventSchema> {
  const { lastMessage, ...others } = event;
  // The same text from two sources goes once.
  const said = facts.lastMessage === undefined ? { lastMessage } : {};
  return omitUndefined(
    relayedEventSchema.parse({ ...others, ...said, unattended: event.isAwaited, session: facts }),
  ) as z.output<typeof relayedEventSchema>;
}

/**
 * The event and the facts, as if they had been found out here; that it was not is in `isRelayed`.
 * @param given what was handed over, read by the schema
 */
export function fromRelayed(
  given: z.output<typeof relayedEventSchema>,
  { id, atMs, host }: Pick<AgentEvent, "id" | "atMs"> & { readonly host: string },
): EventView {
  const { session: facts, unattended, event, nativeEvent, agent, kind, project, ...others } = given;
  const known = eventNames.find((name) => name.toLowerCase() === event.toLowerCase()) ?? event;
  return {
    event: {
      ...{ id, atMs, event: known, nativeEvent, agent, kind, project, host, isRelayed: true },
      ...omitUndefined({ ...others, isAwaited: unattended }),
      extra: {},
    },
    facts,
  };
}
