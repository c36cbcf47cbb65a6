import { groupBy } from "../core/group-by.ts";
import { clip, type Span, unionMs } from "./day.ts";
import { isEnd, isHold, type Story } from "./story.ts";
import { isReaction, type Wait } from "./waits.ts";

/** Figures of a span of time. */
export interface Figures {
  /** Time agents waited for the user, milliseconds: all sessions' requests, overlaps within a session counted once. */
  readonly waitedMs: number;
  /** Median time until the user reacted to a request, milliseconds; undefined without reactions. */
  readonly reactionMs: number | undefined;
  /** Events with at least one message sent. */
  readonly calls: number;
  /** Events with a message held back by quiet hours, a snooze or the user's presence. */
  readonly held: number;
  readonly finished: number;
  readonly failed: number;
}

/** Computes the figures of a span, from events and waits that may exceed it. */
export function figuresOf(stories: readonly Story[], waits: readonly Wait[], span: Span): Figures {
  const isIn = (atMs: number): boolean => atMs >= span.startMs && atMs < span.endMs;
  const requests = waits.filter(({ kind }) => kind === "needs-you");
  const reactions = requests.filter((one) => isReaction(one) && isIn(one.endMs)).map((one) => one.endMs - one.startMs);
  const has = (isMeant: (line: Story["lines"][number]) => boolean): number =>
    stories.filter(({ lines }) => lines.some((line) => isMeant(line) && isIn(Date.parse(line.at)))).length;
  const ends = (of: "finished" | "failed"): number => stories.filter((one) => isEnd(one, of) && isIn(one.atMs)).length;
  return {
    waitedMs: waitedMsOf(requests, span),
    reactionMs: median(reactions),
    calls: has(({ status }) => status === "sent"),
    held: has(isHold),
    finished: ends("finished"),
    failed: ends("failed"),
  };
}

/** Adds up the waiting time of requests within a span, milliseconds; overlaps within a session count once. */
export function waitedMsOf(requests: readonly Wait[], span: Span): number {
  const sessions = groupBy(requests, ({ session }) => session);
  const times = [...sessions.values()].map((own) => unionMs(own.flatMap((one) => clip(one, span))));
  return times.reduce((sum, ms) => sum + ms, 0);
}

/** Computes the median; undefined without values. */
export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  return low === undefined || high === undefined ? undefined : (low + high) / 2;
}
