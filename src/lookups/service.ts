import { sessionTokens } from "../agents/transcripts/tokens.ts";
import { clean, cleanLine } from "../core/clean.ts";
import { BeckonError } from "../core/errors.ts";
import type { Facts } from "../core/facts.ts";
import { defineLookup, type LookupCall } from "../core/lookup.ts";
import { omitUndefined } from "../core/omit-undefined.ts";
import { summarize } from "../core/summary.ts";
import { isServiceId } from "../service/address.ts";
import { findSession, lookupTransport, newestAnswer, type Session } from "../service/session.ts";
import { type ServiceSettings, serviceSettingsSchema } from "../service/settings.ts";

const budgetMs = 1500;

/**
 * Facts from the service API. Token counts are the session's own `tokenUsage`, as in the transcript lookup; a sub-agent's
 * session has counts of its own. Sends no request without settings, or for a session id the service cannot have.
 * @throws {ServiceError} if both requests failed; the failure of one is reported
 */
export const service = defineLookup({
  name: "service",
  summary: "Asks the service API for the session's title, status, message and token counts and last answer.",
  settings: serviceSettingsSchema,
  budgetMs,
  async find({ event, settings, ports, signal, report }: LookupCall<ServiceSettings | undefined>): Promise<Facts> {
    const { sessionId } = event;
    if (settings === undefined || sessionId === undefined || !isServiceId(sessionId)) return {};
    const query = { transport: lookupTransport(settings, ports.http, budgetMs), sessionId, signal };
    // An answer in the payload is newer than what the service knows.
    const answered = event.lastMessage === undefined ? newestAnswer(query) : Promise.resolve(undefined);
    const [session, answer] = await Promise.allSettled([findSession(query), answered]);
    const failures = [session, answer].flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    const facts = { ...sessionFacts(fulfilled(session)), ...answerFacts(fulfilled(answer)) };
    if (failures.length > 0 && Object.keys(facts).length === 0) throw failures[0];
    for (const failure of failures) if (failure instanceof BeckonError) report?.(failure);
    return facts;
  },
});

function fulfilled<T>(result: PromiseSettledResult<T>): T | undefined {
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
