import * as z from "zod";
import { clean, cleanLine } from "../text/clean.ts";
import { cutCounted } from "../text/cut.ts";
import type { AgentEvent, EventView } from "./event.ts";
import type { Facts } from "./facts.ts";
import { omitUndefined } from "./omit-undefined.ts";
import { usageLimitSchema } from "./usage-limit.ts";
import { eventNames, kinds, relayedStates, silentEvents } from "./vocabulary.ts";

/**
 * Data that beckon sends to beckon on another machine: events that were parsed, looked up and judged, and their later
 * states. The receiver does not trust the data: it cleans and cuts every text, and drops unknown fields and fields of a
 * wrong type.
 */

/** Maximum lengths of texts that are sent, in UTF-16 units. An encrypted and encoded event then fits into 64 KiB. */
const maxChars = { word: 200, path: 1_024, message: 4_000, answer: 6_000, line: 1_000 } as const;

const defineText = (limit: number, cleaned: (text: string) => string) =>
  z
    .string()
    .transform((text) => cleaned(text.slice(0, limit)).trim() || undefined)
    .optional()
    .catch(undefined);
/** Schema of a short text in one line. An empty text, or a value that is not a string, becomes undefined. */
export const relayedWord = defineText(maxChars.word, cleanLine);
const path = defineText(maxChars.path, (text) => clean(text).replace(/[\n\t]/g, " "));
const message = defineText(maxChars.message, clean);
const answer = defineText(maxChars.answer, clean);
const line = defineText(maxChars.line, clean);
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
    costUsd: amount,
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
    did: z.object({ files: z.number(), commands: z.number() }).optional().catch(undefined),
    turnOutcome: z.enum(["completed", "failed", "interrupted"]).optional().catch(undefined),
  })
  .transform((facts): Facts => omitUndefined(facts))
  .catch({});

/** Schema of a short text in one line. Becomes `unknown` if nothing is left after cleaning. */
export const relayedName = z.string().transform((text) => cleanLine(text.slice(0, maxChars.word)) || "unknown");

/** Schema of an event from another machine. */
export const relayedEventSchema = z.object({
  /** `Notification`, `Stop`, `SubagentStop`, `SessionEnd`, or an agent's native event. Never one of `silentEvents`. */
  event: relayedName.refine((name) => !silentEvents.includes(name), "must not be an internal event"),
  nativeEvent: relayedName,
  agent: relayedName,
  kind: z.enum(kinds),
  project: relayedName,
  sessionId: relayedWord,
  turnId: relayedWord,
  cwd: path,
  notificationType: relayedWord,
  headline: relayedWord,
  program: relayedWord,
  message,
  brief: message,
  reason: relayedWord,
  lastMessage: answer,
  limit: usageLimitSchema().optional().catch(undefined),
  /** Set if no user watches the session. */
  unattended: isSet,
  session: factsSchema,
});

/** Schema of a `RelayedState`. */
export const relayedStateSchema = z.object({
  id: z.string().max(64),
  state: z.enum(relayedStates),
  atMs: z.number(),
  by: relayedWord,
});

/** Reduces an event to the fields that are sent to another machine. Cuts texts; omits processes and the terminal. */
export function toRelayed({ event, facts }: EventView): z.output<typeof relayedEventSchema> {
  const { lastMessage, message = "", ...others } = event;
  const asked = cutCounted(message, maxChars.message, "utf16") || undefined;
  // Event and facts may hold the same answer, so only one of them is sent.
  const said = facts.lastMessage === undefined ? { lastMessage } : {};
  return omitUndefined(
    relayedEventSchema.parse({ ...others, ...said, message: asked, unattended: event.isAwaited, session: facts }),
  ) as z.output<typeof relayedEventSchema>;
}

/**
 * Builds an event with facts from received data. `isRelayed` marks that another machine judged the event.
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
