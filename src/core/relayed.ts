import * as z from "zod";
import { clean, cleanLine } from "../text/clean.ts";
import type { AgentEvent } from "./event.ts";
import type { EventView } from "./event-view.ts";
import type { Facts } from "./facts.ts";
import { omitUndefined } from "./omit-undefined.ts";
import { relayedStates } from "./relayed-state.ts";
import { eventNames, kinds, silentEvents } from "./vocabulary.ts";

/**
 * Data that one beckon sends to another: parsed, judged and looked up events, and their later states. The receiver
 * treats it as untrusted: every text is cleaned and cut, unknown fields and fields of a wrong type are dropped.
 */

/** Longest texts that are sent, UTF-16 units. An event then fits into 64 KiB, encrypted and encoded. */
const maxWordChars = 200;
const maxPathChars = 1_024;
const maxMessageChars = 4_000;
const maxAnswerChars = 6_000;
const maxLineChars = 1_000;

const defineText = (maxChars: number, cleaned: (text: string) => string) =>
  z
    .string()
    .transform((text) => cleaned(text.slice(0, maxChars)).trim() || undefined)
    .optional()
    .catch(undefined);
/** Short text in one line; absent if empty or not a string. */
export const relayedWord = defineText(maxWordChars, cleanLine);
const path = defineText(maxPathChars, (text) => clean(text).replace(/[\n\t]/g, " "));
const message = defineText(maxMessageChars, clean);
const answer = defineText(maxAnswerChars, clean);
const line = defineText(maxLineChars, clean);
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

/** Short text in one line; `unknown` if nothing is left after cleaning. */
export const relayedName = z.string().transform((text) => cleanLine(text.slice(0, maxWordChars)) || "unknown");

export const relayedEventSchema = z.object({
  /** One of the four events, or an agent's own. Never an internal event of beckon. */
  event: relayedName.refine((name) => !silentEvents.includes(name), "must not be an internal event"),
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
  /** Set if no user is watching. */
  unattended: isSet,
  session: factsSchema,
});
/** Schema of a `RelayedState`. */
export const relayedStateSchema = z.object({
  /** Id of the event on the machine that sent it. */
  id: z.string().max(64),
  state: z.enum(relayedStates),
  /** Time of the change, Unix milliseconds. */
  atMs: z.number(),
  /** Cause of the resolution, in the journal's words. */
  by: relayedWord,
});
/** Selects the parts of an event to send: texts cut, paths as text, no processes, no terminal. */
export function toRelayed({ event, facts }: EventView): z.output<typeof relayedEventSchema> {
  const { lastMessage, ...others } = event;
  // Sends a text from two sources only once.
  const said = facts.lastMessage === undefined ? { lastMessage } : {};
  return omitUndefined(
    relayedEventSchema.parse({ ...others, ...said, unattended: event.isAwaited, session: facts }),
  ) as z.output<typeof relayedEventSchema>;
}

/**
 * Builds an event with facts as if it had been judged here; `isRelayed` marks that it was not.
 * @param given received data, parsed by the schema
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
