import { groupBy } from "../core/group-by.ts";
import { promptEvent } from "../core/vocabulary.ts";
import { hourMs } from "../text/time.ts";
import { clip, type Span, unionMs } from "./day.ts";
import { sumWaitedMs } from "./figures.ts";
import { isEnd, isHold, type Story } from "./story.ts";
import type { Wait } from "./waits.ts";

/** State of a project's sessions, or of their messages. */
export type LaneState = "working" | "silenced" | "waited";

export interface LaneSpan extends Span {
  readonly state: LaneState;
  /** Title of the session, or else its agent. */
  readonly label: string;
}

/** End of a turn, or a failure. */
export interface LaneMark {
  readonly state: "done" | "failed";
  readonly atMs: number;
  readonly label: string;
}

/** One day of a project. */
export interface Lane {
  readonly project: string;
  /**
   * Waiting time of its requests, and working time of its sessions, milliseconds; overlaps within a session count once.
   */
  readonly waitedMs: number;
  readonly workedMs: number;
  /** In paint order; waits are painted last. */
  readonly spans: readonly LaneSpan[];
  readonly marks: readonly LaneMark[];
}

/** Session that works now, and the start of its work, Unix milliseconds. */
export interface Working {
  readonly session: string;
  readonly sinceMs: number;
}

/** Data for drawing lanes; events and waits may exceed the span. */
export interface LaneSource {
  readonly stories: readonly Story[];
  readonly waits: readonly Wait[];
  readonly working: readonly Working[];
  readonly nowMs: number;
}

/** Makes a lane for each project with data in a span, by descending waiting time, then by name. */
export function buildLanes(source: LaneSource, span: Span): Lane[] {
  const { stories, waits } = source;
  const requests = waits.filter(({ kind }) => kind === "needs-you");
  const worked = collectWork({ ...source, waits: requests });
  const labels = new Map(
    [...groupBy(stories, ({ session }) => session)].map(([session, own]) => [session, chooseLabel(own)]),
  );
  const projects = new Set([...stories, ...requests].map(({ project }) => project));
  const lanes = [...projects].map((project): Lane => {
    const own = <Part extends { readonly project: string }>(all: readonly Part[]): Part[] =>
      all.filter((item) => item.project === project);
    const draw = (state: LaneState, all: readonly SessionSpan[]): LaneSpan[] =>
      all.flatMap((item) =>
        clip(item, span).map((part) => ({ ...part, state, label: labels.get(item.session) ?? "" })),
      );
    const silenced = own(stories).flatMap((item) =>
      findHolds(item).map((hold) => ({ ...hold, session: item.session })),
    );
    return {
      project,
      waitedMs: sumWaitedMs(own(requests), span),
      workedMs: sumWorkedMs(own(worked), span),
      spans: [...draw("working", own(worked)), ...draw("silenced", silenced), ...draw("waited", own(requests))],
      marks: own(stories).flatMap((item) => findMarks(item, span)),
    };
  });
  const shown = lanes.filter(({ spans, marks }) => spans.length + marks.length > 0);
  return shown.sort((a, b) => b.waitedMs - a.waitedMs || (a.project < b.project ? -1 : 1));
}

/** Shortest part of a day shown, hours. */
const minShownHours = 8;

/** Finds the active hours of a day, today up to now: whole hours, at least eight if the day has as many. */
export function activeHours(lanes: readonly Lane[], day: Span, nowMs: number): Span {
  const starts = lanes.flatMap(({ spans, marks }) => [
    ...spans.map((item) => item.startMs),
    ...marks.map((item) => item.atMs),
  ]);
  const ends = lanes.flatMap(({ spans, marks }) => [
    ...spans.map((item) => item.endMs),
    ...marks.map((item) => item.atMs),
  ]);
  if (starts.length === 0) return day;
  const isToday = nowMs >= day.startMs && nowMs < day.endMs;
  const [first, last] = [Math.min(...starts), Math.max(...ends, isToday ? nowMs : 0)];
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

/** Collects the working times of the sessions, with their projects. */
function collectWork({ stories, waits, working, nowMs }: LaneSource): (SessionSpan & { readonly project: string })[] {
  const requests = groupBy(waits, ({ session }) => session);
  return [...groupBy(stories, ({ session }) => session)].flatMap(([session, own]) => {
    const sinceMs = working.find((item) => item.session === session)?.sinceMs;
    const now = sinceMs === undefined ? undefined : { sinceMs, nowMs };
    const project = own.at(-1)?.project ?? "";
    return findWorkSpans(own, requests.get(session) ?? [], now).map((work) => ({ ...work, session, project }));
  });
}

function sumWorkedMs(worked: readonly SessionSpan[], span: Span): number {
  const sessions = [...groupBy(worked, ({ session }) => session).values()];
  return sessions.map((own) => unionMs(own.flatMap((item) => clip(item, span)))).reduce((a, b) => a + b, 0);
}

/** Picks the newest known title, or else the agent. */
function chooseLabel(own: readonly Story[]): string {
  return own.findLast(({ title }) => title !== undefined)?.title ?? own.at(-1)?.agent ?? "";
}

/**
 * Computes the working times of a session: from a prompt, or from as long before the end as the turn took, to the end
 * of the turn, without the waits for the user.
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

/** Spans each hold up to the message's next line, or to the end of the hold without such a line. */
function findHolds({ lines }: Story): Span[] {
  return lines.flatMap((line, at) => {
    if (!isHold(line)) return [];
    const next = lines.slice(at + 1).find((item) => item.notifier === line.notifier);
    return [{ startMs: Date.parse(line.at), endMs: Date.parse(next?.at ?? line.until ?? line.at) }];
  });
}

function findMarks(story: Story, { startMs, endMs }: Span): LaneMark[] {
  const { atMs, title, agent } = story;
  if (atMs < startMs || atMs >= endMs) return [];
  const label = title ?? agent;
  if (isEnd(story, "finished")) return [{ state: "done", atMs, label }];
  return isEnd(story, "failed") ? [{ state: "failed", atMs, label }] : [];
}

/** Drawing of a piece of a lane. */
export type CellState = LaneSpan["state"] | LaneMark["state"] | "idle" | "later";

/** Of what happened in one piece, the first is drawn. */
const precedence = ["failed", "waited", "done", "working", "silenced"] as const;

/** A lane in `count` equal pieces of a span; what has not come yet is `later`. */
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
