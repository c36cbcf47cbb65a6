import * as z from "zod";
import type { HttpPort } from "../core/http-port.ts";
import { transportSettings } from "./client.ts";
import type { List } from "./list.ts";
import type { Page } from "./paging.ts";
import { listMessages, listSessions } from "./resources/sessions.ts";
import type { ServiceSettings } from "./settings.ts";
import { Transport } from "./transport.ts";

/** A session of the service, and what a request for it needs. */
export interface SessionQuery {
  /** From `lookupTransport`. */
  readonly transport: Transport;
  /** Must pass `isServiceId`. */
  readonly sessionId: string;
  readonly signal: AbortSignal;
}

/** More than the first pages need, and no burden on the worker. */
const maxReplyBytes = 1024 * 1024;

/**
 * A transport for a lookup. It does not retry: a lookup has no time for it.
 * @throws {ArgumentError} for settings that cannot be used
 */
export function lookupTransport(settings: ServiceSettings, http: HttpPort, timeoutMs: number): Transport {
  return new Transport(transportSettings({ ...settings, timeoutMs, maxRetries: 0, maxReplyBytes }, http));
}

const text = z.string().optional().catch(undefined);
const count = z.number().nonnegative().optional().catch(undefined);

/** The fields of a session that beckon uses; one whose type differs from the API's counts as absent. */
const sessionSchema = z.object({
  sessionId: z.string(),
  title: text,
  status: text,
  messageCount: count,
  sessionSettings: z
    .object({ model: text, tokenUsage: z.record(z.string(), z.unknown()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
});
export type Session = z.output<typeof sessionSchema>;

const messageSchema = z.object({
  role: text,
  createdAt: z.number(),
  visibility: text,
  isUserVisible: z.boolean().optional().catch(undefined),
  content: z.array(z.object({ text }).catch({ text: undefined })).catch([]),
});
type Message = z.output<typeof messageSchema>;

const pagination = z
  .object({ hasMore: z.boolean().catch(false), nextCursor: text })
  .catch({ hasMore: false, nextCursor: undefined });
/**
 * The client's operations, but with unchecked items: they are checked one by one, so that an invalid one costs only
 * itself.
 */
const sessions = { ...listSessions, reply: z.object({ sessions: z.array(z.unknown()), pagination }) };
const messages = { ...listMessages, reply: z.object({ messages: z.array(z.unknown()), pagination }) };

/**
 * Items a page: few at first, for the session that just had an event and its last answer are mostly among the newest,
 * and a large page may be more than fits into a lookup's time. 300 sessions and 160 messages at most.
 */
export const sessionPageSizes = [20, 100, 100, 80] as const;
export const messagePageSizes = [10, 50, 50, 50] as const;

/** What came of the search for a session. */
interface Search {
  readonly session: Session | undefined;
  /** How many sessions were looked at. */
  readonly searched: number;
}

/**
 * Finds a session in the list of all of them, in the service's order, for the API has no request for a single one.
 * @param sizes sizes of the pages to look at
 * @throws {ServiceError}
 */
export async function findSession(
  { transport, sessionId, signal }: SessionQuery,
  sizes: readonly number[] = sessionPageSizes,
): Promise<Search> {
  let searched = 0;
  const load = (limit: number) => transport.list(sessions, { limit }, { signal });
  for await (const { items } of pagesOf(load, sizes)) {
    const session = valid(sessionSchema, items).find((one) => one.sessionId === sessionId);
    searched += items.length;
    if (session) return { session, searched };
  }
  return { session: undefined, searched };
}

/**
 * The text of the assistant's newest message that the user can see. The API document does not say in which order
 * messages are listed. If the newest come first, one page is enough. If the oldest come first, the end of the list is
 * needed; when it is more than 160 messages away the result is undefined rather than an old answer.
 * @throws {ServiceError}
 */
export async function newestAnswer({ transport, sessionId, signal }: SessionQuery): Promise<string | undefined> {
  const read: Message[] = [];
  let isEnd = false;
  const load = (limit: number) => transport.list(messages, { role: "assistant", limit }, { signal }, { sessionId });
  for await (const page of pagesOf(load, messagePageSizes)) {
    read.push(...valid(messageSchema, page.items));
    isEnd = page.next === undefined && page.incomplete === undefined;
    if (isNewestFirst(read) && read.some(isAnswer)) break;
  }
  return isEnd || isNewestFirst(read) ? newestText(read) : undefined;
}

/** Page after page of the sizes given, until there are no more of either. */
async function* pagesOf<Item, Reply>(
  listOf: (limit: number) => List<Item, Reply>,
  sizes: readonly number[],
): AsyncGenerator<Page<Item, Reply>> {
  let cursor: string | undefined;
  for (const limit of sizes) {
    const page: Page<Item, Reply> = await listOf(limit).page(cursor);
    yield page;
    cursor = page.next;
    if (cursor === undefined) return;
  }
}

function isNewestFirst(messages: readonly Message[]): boolean {
  return (messages[0]?.createdAt ?? 0) > (messages.at(-1)?.createdAt ?? 0);
}

function newestText(messages: readonly Message[]): string | undefined {
  const [newest] = messages.filter(isAnswer).sort((a, b) => b.createdAt - a.createdAt);
  return newest && textOf(newest);
}

/**
 * Whether a message is visible and more than a tool call. The role is checked again: the service may ignore the filter.
 */
function isAnswer(message: Message): boolean {
  const isAssistants = message.role === undefined || message.role === "assistant";
  const isVisible = message.isUserVisible !== false && (message.visibility ?? "both") === "both";
  return isAssistants && isVisible && textOf(message).trim() !== "";
}

function textOf({ content }: Message): string {
  return content.flatMap((part) => part.text ?? []).join("\n");
}

/** The items that match the schema. */
function valid<Schema extends z.ZodType>(schema: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const parsed = schema.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
