import { sessionTokens } from "../agents/transcripts/tokens.ts";
import { BeckonError } from "../core/errors.ts";
import type { Facts } from "../core/facts.ts";
import { defineLookup, type LookupCall } from "../core/lookup.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { isServiceId } from "../service/address.ts";
import { NotFoundError } from "../service/error.ts";
import { type ServiceSettings, serviceProfileSchema, serviceSettingsSchema } from "../service/profile.ts";
import { findSession, lookupTransport, newestAnswer, type Session, sessionPageSizes } from "../service/session.ts";
import { clean, cleanLine } from "../text/clean.ts";
import { summarize } from "../text/summary.ts";

const budgetMs = 1500;

/** The 200 session titles that this worker found last, by the service's address and the session's id. */
const titles = new Map<string, string>();
const maxTitles = 200;

/**
 * Finds facts in the service API. Token counts are the session's own `tokenUsage`, without those of sub-agents'
 * sessions, as in the transcript lookup. If the title is already known, searches only the first page of sessions, and
 * uses the known title if the session is not there. Sends no request without settings, or for a session id that the
 * service cannot have.
 * @throws {ServiceError} if a request failed and no facts were found. Any other failure, or a missing session, is only
 * passed to `report`.
 */
export const service = defineLookup({
  name: "service",
  summary: "Title, status, numbers of messages and tokens, and last answer, from the service API.",
  settings: serviceSettingsSchema,
  profile: serviceProfileSchema,
  budgetMs,
  async find({ event, settings, ports, signal, report }: LookupCall<ServiceSettings | undefined>): Promise<Facts> {
    const { sessionId } = event;
    if (settings === undefined || sessionId === undefined || !isServiceId(sessionId)) return {};
    const key = `${settings.baseUrl} ${sessionId}`;
    const query = { transport: lookupTransport(settings, ports.http, budgetMs), sessionId, signal };
    // If the payload has an answer, that answer is newer than the service's.
    const answered = event.lastMessage === undefined ? newestAnswer(query) : Promise.resolve(undefined);
    const sizes = titles.has(key) ? sessionPageSizes.slice(0, 1) : sessionPageSizes;
    const [search, answer] = await Promise.allSettled([findSession(query, sizes), answered]);
    const failures = [search, answer].flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    const { session, searched = 0 } = readFulfilled(search) ?? {};
    const found = { ...omitUndefined<Facts>({ title: titles.get(key) }), ...sessionFacts(session) };
    const facts = { ...found, ...answerFacts(readFulfilled(answer)) };
    if (found.title !== undefined) keepTitle(key, found.title);
    if (search.status === "fulfilled" && session === undefined) report?.(buildNotFoundError(settings, searched));
    if (failures.length > 0 && Object.keys(facts).length === 0) throw failures[0];
    for (const failure of failures) if (failure instanceof BeckonError) report?.(failure);
    return facts;
  },
});

function keepTitle(key: string, title: string): void {
  titles.delete(key);
  titles.set(key, title);
  for (const [oldest] of titles) if (titles.size > maxTitles) titles.delete(oldest);
}

function buildNotFoundError({ baseUrl }: ServiceSettings, searched: number): NotFoundError {
  const where = searched === 0 ? "lists no sessions" : `does not list the session among its first ${searched}`;
  return new NotFoundError("rejected", `${new URL(baseUrl).origin} ${where}`);
}

function readFulfilled<T>(result: PromiseSettledResult<T>): T | undefined {
  return result.status === "fulfilled" ? result.value : undefined;
}

function sessionFacts(session: Session | undefined): Facts {
  const { title, status, messageCount, sessionSettings } = session ?? {};
  return omitUndefined<Facts>({
    title: cleanLine(title ?? "") || undefined,
    status: cleanLine(status ?? "") || undefined,
    messageCount,
    model: cleanLine(sessionSettings?.model ?? "") || undefined,
    tokens: sessionTokens(sessionSettings?.tokenUsage),
  });
}

function answerFacts(answer: string | undefined): Facts {
  const lastMessage = clean(answer ?? "").trim() || undefined;
  return omitUndefined<Facts>({ lastMessage, summary: summarize(lastMessage ?? "") || undefined });
}
