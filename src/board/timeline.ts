import { agentTitle } from "../agents/registry.ts";
import { groupBy } from "../core/group-by.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { hourMs } from "../text/time.ts";
import { clip, mergeSpans, type Span, unionMs } from "./day.ts";
import { isEnd, listHolds, type Story } from "./story.ts";
import type { Wait } from "./waits.ts";

export interface LaneSpan extends Span {
  /** A session was working, its messages were silenced, or it waited for the user. */
  readonly state: "working" | "silenced" | "waited";
  /** Title of the session, or the agent's name if the session has no title. */
  readonly label: string;
}

/** Mark for the end of a turn or for a failure. */
export interface LaneMark {
  readonly state: "done" | "failed";
  readonly atMs: number;
  readonly label: string;
}

/** One project's sessions over a day. */
export interface Lane {
  readonly project: string;
  /** Time in which a request waited, milliseconds. Overlaps count once. */
  readonly waitedMs: number;
  /** Time that sessions worked, milliseconds. Overlaps within a session count once. */
  readonly workedMs: number;
  /** Spans in the order of drawing. Waits come last, on top of the others. */
  readonly spans: readonly LaneSpan[];
  readonly marks: readonly LaneMark[];
}

/** Session that is working now. Its work began at `sinceMs`, Unix milliseconds. */
export interface Working {
  readonly session: string;
  readonly sinceMs: number;
}

/** Data for drawing lanes. Events and waits may begin before and end after the day. */
interface LaneSource {
  readonly stories: readonly Story[];
  readonly waits: readonly Wait[];
  readonly working: readonly Working[];
  readonly nowMs: number;
}

/** Builds a lane for each project with data in a span. The lane with the longest waiting time comes first. */
export function buildLanes(source: LaneSource, span: Span): Lane[] {
  const { stories, waits } = source;
  const requests = waits.filter(({ kind }) => kind === "needs-you");
  const worked = collectWork({ ...source, waits: requests });
  const labels = new Map(
    [...groupBy(stories, ({ session }) => session)].map(([session, own]) => {
      const { title } = own.findLast((story) => story.title !== undefined) ?? {};
      return [session, title ?? agentTitle(own.at(-1)?.agent ?? "")];
    }),
  );
  const projects = new Set([...stories, ...requests].map(({ project }) => project));
  const lanes = [...projects].map((project): Lane => {
    const own = <Part extends { readonly project: string }>(all: readonly Part[]): Part[] =>
      all.filter((item) => item.project === project);
    const draw = (state: LaneSpan["state"], all: readonly SessionSpan[]): LaneSpan[] =>
      all.flatMap((item) =>
        clip(item, span).map((part) => ({ ...part, state, label: labels.get(item.session) ?? "" })),
      );
    const silenced = own(stories).flatMap((item) =>
      findHolds(item).map((hold) => ({ ...hold, session: item.session })),
    );
    return {
      project,
      waitedMs: unionMs(own(requests).flatMap((item) => clip(item, span))),
      workedMs: sumSpansMs(own(worked), span),
      spans: [...draw("working", own(worked)), ...draw("silenced", silenced), ...draw("waited", own(requests))],
      marks: own(stories).flatMap((item) => findMarks(item, span)),
    };
  });
  const shown = lanes.filter(({ spans, marks }) => spans.length + marks.length > 0);
  return shown.sort((a, b) => b.waitedMs - a.waitedMs || (a.project < b.project ? -1 : 1));
}

/** Minimum number of hours shown. */
const minShownHours = 8;

/** Finds the hours of a day to show: all hours with activity, for today also until now, and eight hours at least. */
export function activeHours(lanes: readonly Lane[], day: Span, nowMs: number): Span {
  const times = lanes.flatMap(({ spans, marks }) => [
    ...spans.flatMap((item) => [item.startMs, item.endMs]),
    ...marks.map((item) => item.atMs),
  ]);
  if (times.length === 0) return day;
  const isToday = nowMs >= day.startMs && nowMs < day.endMs;
  const [first, last] = [Math.min(...times), Math.max(...times, isToday ? nowMs : 0)];
  const roundToHour = (round: (hours: number) => number, atMs: number): number =>
    day.startMs + round((atMs - day.startMs) / hourMs) * hourMs;
  const startMs = Math.max(day.startMs, Math.min(roundToHour(Math.floor, first), day.endMs - minShownHours * hourMs));
  return {
    startMs,
    endMs: Math.min(day.endMs, Math.max(roundToHour(Math.ceil, last), startMs + minShownHours * hourMs)),
  };
}

interface SessionSpan extends Span {
  readonly session: string;
}

/** Collects the spans in which sessions worked, each with its project. */
function collectWork({ stories, waits, working, nowMs }: LaneSource): (SessionSpan & { readonly project: string })[] {
  const requests = groupBy(waits, ({ session }) => session);
  return [...groupBy(stories, ({ session }) => session)].flatMap(([session, own]) => {
    const sinceMs = working.find((item) => item.session === session)?.sinceMs;
    const now = sinceMs === undefined ? undefined : { sinceMs, nowMs };
    const project = own.at(-1)?.project ?? "";
    return findWorkSpans(own, requests.get(session) ?? [], now).map((work) => ({ ...work, session, project }));
  });
}

/** Adds up the parts of sessions' spans within a span, milliseconds. Overlaps within a session count once. */
function sumSpansMs(spans: readonly SessionSpan[], within: Span): number {
  const sessions = groupBy(spans, ({ session }) => session);
  const times = [...sessions.values()].map((own) => unionMs(own.flatMap((item) => clip(item, within))));
  return times.reduce((sum, ms) => sum + ms, 0);
}

/**
 * Computes the spans in which a session worked. A turn begins `turnMs` before its end or, if `turnMs` is unknown, with
 * a prompt. Waits for the user are cut out.
 */
export function findWorkSpans(
  own: readonly Story[],
  requests: readonly Wait[],
  now: { readonly sinceMs: number; readonly nowMs: number } | undefined,
): Span[] {
  const turns: Span[] = [];
  let startMs: number | undefined;
  for (const story of own) {
    const { atMs, event, turnMs } = story;
    if (event === promptEvent) startMs = atMs;
    else if (isEnd(story, "finished") || isEnd(story, "failed")) {
      const beganMs = turnMs === undefined ? startMs : atMs - turnMs;
      if (beganMs !== undefined && beganMs < atMs) turns.push({ startMs: beganMs, endMs: atMs });
      startMs = undefined;
    } else if (event === "SessionEnd") startMs = undefined;
  }
  if (now && now.sinceMs < now.nowMs) turns.push({ startMs: startMs ?? now.sinceMs, endMs: now.nowMs });
  return turns.flatMap((turn) => subtractSpans(turn, requests));
}

/** Subtracts other spans from a span. */
function subtractSpans(span: Span, others: readonly Span[]): Span[] {
  const parts: Span[] = [];
  let fromMs = span.startMs;
  for (const { startMs, endMs } of others.toSorted((a, b) => a.startMs - b.startMs)) {
    if (startMs > fromMs && fromMs < span.endMs) parts.push({ startMs: fromMs, endMs: Math.min(startMs, span.endMs) });
    fromMs = Math.max(fromMs, endMs);
  }
  return fromMs < span.endMs ? [...parts, { startMs: fromMs, endMs: span.endMs }] : parts;
}

/**
 * Returns the spans in which messages about an event were held, whatever their number. A hold ends with the notifier's
 * next journal line or, without one, as planned.
 */
function findHolds({ lines }: Story): Span[] {
  const holds = listHolds(lines).map((line) => {
    const next = lines.slice(lines.indexOf(line) + 1).find((item) => item.notifier === line.notifier);
    return { startMs: Date.parse(line.at), endMs: Date.parse(next?.at ?? line.until ?? line.at) };
  });
  return mergeSpans(holds);
}

function findMarks(story: Story, { startMs, endMs }: Span): LaneMark[] {
  const { atMs, title, agent } = story;
  if (atMs < startMs || atMs >= endMs) return [];
  const label = title ?? agentTitle(agent);
  if (isEnd(story, "finished")) return [{ state: "done", atMs, label }];
  return isEnd(story, "failed") ? [{ state: "failed", atMs, label }] : [];
}

/** State shown in one cell of a lane. */
export type CellState = LaneSpan["state"] | LaneMark["state"] | "idle" | "later";

/** States in order of precedence. A cell shows the first state that occurred in it. */
const precedence = ["failed", "waited", "done", "working", "silenced"] as const;

/** Divides a lane into `count` equal cells of a span. A cell in the future is `later`. */
export function laneCells({ spans, marks }: Lane, { startMs, endMs }: Span, count: number, nowMs: number): CellState[] {
  const pieceMs = (endMs - startMs) / count;
  return Array.from({ length: count }, (_, at) => {
    const fromMs = startMs + at * pieceMs;
    const toMs = fromMs + pieceMs;
    const states = new Set<CellState>([
      ...marks.filter(({ atMs }) => atMs >= fromMs && atMs < toMs).map(({ state }) => state),
      ...spans.filter((item) => item.startMs < toMs && item.endMs > fromMs).map(({ state }) => state),
    ]);
    return precedence.find((state) => states.has(state)) ?? (fromMs > nowMs ? "later" : "idle");
  });
}
