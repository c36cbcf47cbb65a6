import { omitUndefined } from "../core/omit-undefined.ts";
import type { CallOptions } from "../service/call-options.ts";
import type { Client } from "../service/client.ts";
import type { ListedSession } from "../service/schemas/objects.ts";
import { dayMs } from "../text/time.ts";
import type { Fetched } from "./coverage.ts";
import type { Period } from "./period.ts";
import { buildRanking, type Ranking, shownName, takeTop } from "./ranking.ts";
import { fetchList } from "./requests.ts";

/** Session with its credits. */
interface CostlySession {
  readonly id: string;
  /** Title; `Session 1` and so on if names are not shown. */
  readonly title: string;
  /** Credits of the session and its child sessions. */
  readonly credits: number;
  readonly model: string;
  readonly computer: string;
  readonly tags: readonly string[];
  /** Day of the start, `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

/** Sessions started in the period. */
export interface SessionCosts {
  readonly sessions: number;
  /** Number of sessions that started in the period and whose credits the service does not give. */
  readonly withoutCredits: number;
  /** Number of sessions that are left out because the service gives no start time. */
  readonly undated: number;
  /** At most ten sessions, most credits first. */
  readonly top: readonly CostlySession[];
  /**
   * Credits by tag. Child sessions are not added to their parents, because they have their own tags; a session with two
   * tags counts for both.
   */
  readonly byTag: Ranking;
}

/** Maximum number of sessions in the report. */
const maxSessions = 10;

/** Maximum number of tags in the report. */
const maxTags = 10;

type TrimmedSession = Omit<CostlySession, "credits" | "day"> & {
  readonly createdAt?: number;
  readonly own?: number;
  readonly inclusive?: number;
};

/**
 * Requests all sessions, because the API cannot list them by time or credits, and picks those of a period.
 * @throws {ServiceError}
 */
export async function fetchSessionCosts(
  { sessions }: Pick<Client, "sessions">,
  { period, isNamed }: { readonly period: Period; readonly isNamed: boolean },
  call: CallOptions,
): Promise<Fetched<SessionCosts>> {
  const { rows, coverage } = await fetchList(
    { list: (options) => sessions.list({}, options), key: ({ sessionId }) => sessionId, trim: trimSession },
    call,
  );
  return { content: summarizeSessions(rows, period, isNamed), coverage };
}

/** Ranks the sessions started in a period by credits, and adds up credits by tag. */
export function summarizeSessions(all: readonly TrimmedSession[], period: Period, isNamed: boolean): SessionCosts {
  const [startMs, endMs] = [Date.parse(period.startDate), Date.parse(period.endDate) + dayMs];
  const dated = all.flatMap(({ createdAt, ...session }) =>
    createdAt === undefined ? [] : [{ ...session, createdAt }],
  );
  const started = dated.filter(({ createdAt }) => createdAt >= startMs && createdAt < endMs);
  const known = started.flatMap((session) => {
    const credits = session.inclusive ?? session.own;
    return credits === undefined ? [] : [{ ...session, credits }];
  });
  const top = known.toSorted((a, b) => b.credits - a.credits || (a.id < b.id ? -1 : 1)).slice(0, maxSessions);
  const tagged = known.flatMap(({ tags, own, credits }) =>
    [...new Set(tags)].map((tag) => [tag, own ?? credits] as const),
  );
  return {
    sessions: started.length,
    withoutCredits: started.length - known.length,
    undated: all.length - dated.length,
    top: top.map(({ id, title, credits, model, computer, tags, createdAt }, index) => {
      const day = new Date(createdAt).toISOString().slice(0, 10);
      return { id, title: isNamed ? title : `Session ${index + 1}`, credits, model, computer, tags, day };
    }),
    byTag: takeTop(buildRanking(tagged), maxTags),
  };
}

/** Keeps only the fields of a session that the summary needs. */
export function trimSession(session: ListedSession): TrimmedSession {
  const { sessionId, title, createdAt, computerId, sessionSettings: settings } = session;
  return omitUndefined<TrimmedSession>({
    id: sessionId,
    title: shownName(title || sessionId),
    createdAt,
    own: settings?.tokenUsage?.serviceCredits,
    inclusive: settings?.inclusiveTokenUsage?.serviceCredits,
    model: settings?.model ? shownName(settings.model) : "",
    computer: computerId ? shownName(computerId) : "",
    tags: (settings?.tags ?? []).map(({ name }) => shownName(name)),
  });
}
